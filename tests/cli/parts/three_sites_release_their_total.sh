# SPDX-License-Identifier: Apache-2.0
# Sums that are masked between three sites: the total is released, and nothing without all of them.
. "$CLI_TESTS/lib.sh"
make_people
tail -n +2 people.csv | split -l 70 --additional-suffix=.rows - part.
for site in a b c; do
    openssl genpkey -algorithm x25519 -out $site.key 2> /dev/null || skip "openssl makes no keys here"
    openssl pkey -in $site.key -pubout -out $site.pub
    { head -n 1 people.csv; cat part.a$site.rows; } > $site.csv
done
accepted plan --schema people.json --epsilon 1 -n 200 --method marginals --sites a.pub,b.pub,c.pub --save plan
for site in a b c; do accepted sum $site.csv --plan plan --mask $site.key -o $site.sum; done
refused 3 "*site 'b' is missing*" merge a.sum c.sum --plan plan -o whole
refused 3 '*is missing*' release a.sum --plan plan -o x.release
refused 3 "*'a' is given twice*" merge a.sum b.sum a.sum --plan plan -o whole
[ ! -e x.release.ledger ] || fail "what was refused made a ledger"
accepted merge c.sum a.sum b.sum --plan plan -o whole
accepted release whole --plan plan -o x.release
grep -q 'n=200 is public' accepted.err || fail "the total has not all rows"
refused 2 '*names sites*' sum a.csv --plan plan -o plain.sum
refused 2 '*each site is one part*' sum a.csv --plan plan --mask a.key --part x -o plain.sum
refused 3 '*does not contain an X25519 private key*' sum a.csv --plan plan --mask a.pub -o plain.sum
# Site b has the key of nobody in another plan.
accepted plan --schema people.json --epsilon 1 -n 200 --method marginals --sites a.pub,c.pub --save other
refused 3 '*is not the key of a site in the plan*' sum b.csv --plan other --mask b.key -o plain.sum
