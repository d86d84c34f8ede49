# SPDX-License-Identifier: Apache-2.0
# A run of two releases that ends between them goes on from what is on disk.
. "$CLI_TESTS/lib.sh"
make_people
words=(people.csv --schema people.json --epsilon 1 --method ron-gauss --geometry normalise -o out.csv --quiet)
accepted synth "${words[@]}"
cp out.csv whole.csv
cp people.csv.ledger whole.ledger
# As if it had been stopped after its first release: the ledger as it was then, no second release.
head -n 3 whole.ledger > people.csv.ledger
chmod 600 people.csv.ledger
rm out.csv out.csv.release.2
refused 3 '*stopped after 1 of its releases*' train out.csv.release --model m
accepted resume "${words[@]}"
accepted verify out.csv.certificate.json --ledger people.csv.ledger --release out.csv.release,out.csv.release.2 --output out.csv
[ "$(grep -c op=RESERVE people.csv.ledger)" = 2 ] || fail "the first release was paid for again"
# A finished run has nothing left to do but to be drawn again.
refused 5 '*out.csv*' resume "${words[@]}"
accepted resume "${words[@]}" --overwrite
[ "$(grep -c op=RESERVE people.csv.ledger)" = 2 ] || fail "a finished run was charged"
# Other data, another schema and an edited release are refused.
sed 's/"maximum": *\([0-9]*\)/"maximum": 99999/' people.json > other.json
refused 3 '*another schema*' resume people.csv --schema other.json --epsilon 1 --method ron-gauss -o out.csv --overwrite
refused 5 '*nothing.release: *; a run that has released nothing cannot be resumed: start it again' resume people.csv --schema people.json --epsilon 1 -o nothing
