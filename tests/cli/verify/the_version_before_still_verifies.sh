# SPDX-License-Identifier: Apache-2.0
# Certificates that a program wrote which did not say which device trained (version_4, with their ledgers and releases) verify as they
# did; a device is not theirs to name.
. "$CLI_TESTS/lib.sh"
old=$CLI_TESTS/verify/version_4
accepted verify "$old/people.certificate.json" --ledger "$old/people.ledger" --schema "$old/people.schema.json" \
    --release "$old/people.release,$old/people.release.2,$old/people.release.3"
grep -q '^DATA SET: People\.$' accepted.out || fail "the statement lacks its title: $(cat accepted.out)"
accepted verify "$old/images.certificate.json" --ledger "$old/images.ledger" --release "$old/images.release"
! grep -q 'TRAINED ON' accepted.out || fail "a device that nobody named"
# The model of its release holds a certificate of the same version, which is as good.
accepted train "$old/images.release" --certificate "$old/images.certificate.json" --model model --steps 3
grep -aq '\\"version\\": 4,' model || fail "the certificate in the model is of another version"
# One more field.
sed 's/^  "files"/  "trained_on": "cpu",\n&/' "$old/images.certificate.json" > named.json
grep -q trained_on named.json || fail "nothing was changed"
refused 3 "*named.json*holds fields that are not known*" verify named.json
