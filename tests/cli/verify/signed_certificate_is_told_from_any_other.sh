# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# A signature is 64 bytes over the bytes of the certificate; another key, another byte and no signature are told.
"$MAKE_RELEASE" 1 a.release a.json || fail "no release"
openssl genpkey -algorithm ed25519 -out private.pem 2> /dev/null || fail "no key"
openssl pkey -in private.pem -pubout -out public.pem || fail "no public key"
openssl genpkey -algorithm ed25519 -out other.pem 2> /dev/null
openssl pkey -in other.pem -pubout -out other.pub.pem
refused 3 '*a.json is not signed: a.json.sig does not exist*' verify a.json --key public.pem
refused 2 '*--key*' sign a.json
accepted sign a.json --key private.pem
grep -qx 'signed: a.json.sig' accepted.err || fail "$(<accepted.err)"
[ "$(stat -c %s a.json.sig)" = 64 ] || fail "not 64 bytes"
openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in a.json -sigfile a.json.sig > /dev/null || fail "openssl says no"
accepted verify a.json --key public.pem
grep -q 'a.json: was signed by the owner of the key$' accepted.out || fail "$(<accepted.out)"
accepted verify a.json
! grep -q 'signed by' accepted.out || fail "a signature that nobody asked for"
# Another key, a certificate that was changed, also in a way that keeps it sound, a signature that was changed.
refused 3 '*a.json does not match the key other.pub.pem*' verify a.json --key other.pub.pem
sed 's/"delta": /"delta":  /' a.json > b.json
cp a.json.sig b.json.sig
accepted verify b.json
refused 3 '*b.json does not match the key public.pem*' verify b.json --key public.pem
# A wrong key beside a certificate that was changed: both are said.
sed 's/"epsilon": 0/"epsilon": 9/; s/"epsilon": 1/"epsilon": 8/' a.json > c.json
cp a.json.sig c.json.sig
cmp -s a.json c.json && fail "nothing was changed"
refused 3 '*c.json does not match the key other.pub.pem*; and it was changed: c.json: field*' verify c.json --key other.pub.pem
refused 3 '*private.pem does not contain an Ed25519 public key*; and it was changed: c.json: field*' verify c.json --key private.pem
head -c 63 a.json.sig > short.sig
refused 3 '*short.sig is not a signature*' verify a.json --key public.pem --signature short.sig
accepted verify b.json -q
openssl pkeyutl -sign -inkey private.pem -rawin -in b.json -out by_openssl.sig
accepted verify b.json --key public.pem --signature by_openssl.sig
# What is no key; a key in the place of the other half; what would replace a certificate, a key or a signature.
refused 3 '*private.pem does not contain an Ed25519 public key*' verify a.json --key private.pem
refused 3 '*public.pem does not contain an Ed25519 private key*' sign a.json --key public.pem -o new.sig
refused 5 '*nowhere.pem*' sign a.json --key nowhere.pem -o new.sig
openssl genpkey -algorithm ed25519 -aes256 -pass pass:x -out locked.pem 2> /dev/null
refused 3 '*locked.pem does not contain an Ed25519 private key in PEM without a passphrase*' sign a.json --key locked.pem -o new.sig
refused 5 '*a.json.sig*' sign a.json --key private.pem
accepted sign a.json --key private.pem --overwrite
refused 2 '*' sign a.json --key private.pem -o a.json --overwrite
refused 2 '*' sign a.json --key private.pem -o private.pem --overwrite
refused 2 '*--signature needs --key*' verify a.json --signature a.json.sig
# Only what is sound is signed.
sed 's/"delta": 1e-05/"delta": 1e-06/' a.json > forged.json
refused 3 '*forged.json*' sign forged.json --key private.pem
[ ! -e forged.json.sig ] || fail "a forged certificate was signed"
