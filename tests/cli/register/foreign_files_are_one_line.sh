# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
mkdir -p foreign/sub .hidden
refused 3 'foreign has no ledger and no certificate' register foreign
printf '{"format": "something else"}' > foreign/a.json
printf 'a,b\n1,2\n' > foreign/sub/a.csv
head -c 3000 /dev/urandom > foreign/noise.ledger
mkfifo foreign/pipe
ln -s . foreign/circle
refused 3 'foreign has no ledger and no certificate' register foreign
refused 3 'foreign and the other folders together has no ledger and no certificate' register foreign foreign/sub
refused 5 'cannot open folder nowhere: *' register nowhere
refused 5 'cannot open folder foreign/a.json: *' register foreign/a.json
refused 2 '*--csv or --json*' register foreign --csv --json
refused 2 '*FOLDER is missing*' register
# A certificate that does not hold, and one whose ledger is elsewhere.
"$MAKE_RELEASE" 1 a.release a.json || fail "no release"
mkdir books
cp a.json books/
accepted register books
grep -q 'books/a.json: its ledger [0-9a-f]* is not here' accepted.out || fail "$(<accepted.out)"
sed 's/"method": "[a-z]*"/"method": "other"/' a.json > books/edited.json
code=0
"$SEMBLANCE" register books > out 2> err || code=$?
[ $code = 3 ] && grep -q '^PROBLEM: books/edited.json: field ' out || fail "$(<out)"
printf '{"format": "semblance-certificate", "ledger": 3}' > books/short.json
"$SEMBLANCE" register books --csv > out 2> err && fail "a broken certificate is no problem"
grep -q '"books/short.json"' out || fail "$(<out)"
