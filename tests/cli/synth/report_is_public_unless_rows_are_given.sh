# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
head -n 101 people.csv > test.csv
run() { accepted synth people.csv --schema people.json --epsilon 1 --method marginals "$@"; }

# Public: what the certificate says, and nothing that says NOT PRIVATE.
run -o a.csv --report a.html
[ "$(stat -c %a a.html)" = 644 ] || fail "a public report that others may not read"
grep -q '<strong>PUBLIC</strong>' a.html || fail "does not say that it is public"
grep -q '(epsilon 1, delta 1e-05)-differential privacy' a.html || fail "no guarantee"
grep -q 'NOT PRIVATE' a.html && fail "something that is not private"
# Pictures of the synthetic table alone: no share of a real row, and the same from the table that was written.
grep -q '<section id="pictures">' a.html || fail "no pictures"
grep -q 'age: synthetic shares' a.html || fail "no picture of a column"
grep -q 'by income: synthetic rows' a.html || fail "no picture of a pair"
grep -q 'class="heat-real\|class="real"\|real and synthetic' a.html && fail "a picture of real rows"
[ "$(grep -n '<section id' a.html | head -n 1)" = "$(grep -n '<section id="pictures"' a.html)" ] || fail "pictures are not first"
# A table that is written otherwise than its schema says is read as it was written. Standard output is not read at all: pictures
# are then drawn from the releases.
tr , ';' < people.csv > other.csv
accepted synth other.csv --schema people.json --delimiter ';' --epsilon 1 --method marginals -o d.csv --report d.html
grep -q 'age: synthetic shares' d.html || fail "no picture of another dialect"
accepted synth people.csv --schema people.json --epsilon 1 --method marginals -o - --release o.release --certificate o.json --report e.html
grep -q 'age: synthetic shares' e.html || fail "no picture from the releases"
grep -qF -e "$PWD" -e people.csv a.html && fail "says where it was made"

# Epsilon stands beside the delta at which the certificate states it, not that of the run that made the ledger.
cp people.csv twice.csv
for delta in 1e-06 1e-05; do
    accepted synth twice.csv --schema people.json --epsilon 1 --method marginals --delta $delta -o at$delta.csv --report at$delta.html
    grep -q "delta $delta)-differential privacy" at$delta.html || fail "the lead says another delta than $delta"
    grep -q "<dt>delta</dt><dd>$delta<" at$delta.html || fail "the facts say another delta than $delta"
    grep -q "epsilon at delta $delta<" at$delta.html || fail "the costs are at another delta than $delta"
done

# With held-out rows it compares, says so, and is for the owner only.
run -o b.csv --report b.html --evaluate test.csv
grep -q 'b.html is NOT PRIVATE' accepted.err || fail "standard error does not say NOT PRIVATE"
[ "$(stat -c %a b.html)" = 600 ] || fail "others may read it"
grep -q '<strong>NOT PRIVATE</strong>' b.html || fail "no banner"
grep -q '<section id="guarantee">' b.html || fail "no guarantee"
for id in columns marginals association utility disclosure; do
    grep -q "<section id=\"$id\">" b.html || fail "no section $id"
done
grep -qE '<script|https?://' b.html && fail "a script, or an address"

# What can be refused is refused before anything is spent.
before=$(ls)
try() { refused "$1" "$2" synth people.csv --schema people.json --epsilon 1 --method marginals -o c.csv "${@:3}"; }
try 5 '*a.html exists already*' --report a.html
try 2 '*same file*' --report people.csv --overwrite
try 2 '*same file*' --report c.csv
try 2 '*same file*' --report c.csv.release
try 2 '*same file*' --report ./c.csv.certificate.json
try 2 '*ledger*' --report people.csv.ledger
try 2 '*--evaluate needs --report*' --evaluate test.csv
try 5 '*cannot read no.csv*' --report c.html --evaluate no.csv
rm -f refused.out refused.err
[ "$(ls | grep -v '^refused')" = "$(grep -v '^refused' <<< "$before")" ] || fail "a refusal left files: $(ls)"
