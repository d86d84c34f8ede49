# SPDX-License-Identifier: Apache-2.0
# The ledger beside the data is used or the run fails, whatever the folder allows; one for this run only is
# made where there is none and none can be made, and that is said.
. "$CLI_TESTS/lib.sh"
# Root may write everywhere, so the program runs as nobody.
as_nobody=()
cp "$SEMBLANCE" semblance
if [ "$(id -u)" = 0 ]; then
    command -v setpriv > /dev/null || skip "no setpriv"
    as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 755 .. . 2> /dev/null
    "${as_nobody[@]}" ./semblance --version > /dev/null 2>&1 || skip "cannot run as nobody here"
fi
cat > unprivileged <<END
#!/bin/bash
exec ${as_nobody[*]} ./semblance "\$@"
END
chmod +x unprivileged
make_people
mkdir data out
chmod 777 out
mv people.csv data/
accepted ledger init data/people.csv.ledger --epsilon 0.5
chmod 666 data/people.csv.ledger
chmod 555 data
run=(synth data/people.csv --schema people.json "${small[@]}")
refused_by ./unprivileged 4 '*data/people.csv.ledger*' "${run[@]}" --epsilon 1 -o out/a.csv
./unprivileged "${run[@]}" --epsilon 0.1 -o out/a.csv > said.out 2> said.err || fail "$(<said.err)"
grep -q 'ALL RELEASES OF THIS LEDGER (1)' said.err || fail "not charged: $(<said.err)"
[ ! -e out/a.csv.release.ledger ] || fail "a second ledger"
# One that can be read and not written, one that can be neither: no run, nothing made, nothing charged.
cp data/people.csv.ledger before
for mode in 444 000; do
    chmod $mode data/people.csv.ledger
    refused_by ./unprivileged 5 '*ledger data/people.csv.ledger: Permission denied' "${run[@]}" --epsilon 0.1 -o out/b.csv
    chmod 644 data/people.csv.ledger
    cmp before data/people.csv.ledger || fail "charged"
    compgen -G 'out/b.csv*' && fail "a refusal left files"
done
chmod 755 data
rm data/people.csv.ledger
chmod 555 data
./unprivileged "${run[@]}" --epsilon 1 -o out/c.csv > said.out 2> said.err || fail "$(<said.err)"
grep -q '^semblance: data/people.csv has no place for a ledger beside it: .*not in out/c.csv.release.ledger; --ledger names one for all$' said.err ||
    fail "nothing is said of it: $(<said.err)"
[ -e out/c.csv.release.ledger ] || fail "no ledger"
chmod 755 data
exit 0
