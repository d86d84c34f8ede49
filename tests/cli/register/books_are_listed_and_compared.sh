# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
printf '{"fields":[{"name":"x","type":"boolean"}]}' > s.json
mkdir -p data/inner out
{ echo x; for _ in $(seq 200); do echo true; echo false; done; } > data/a.csv
accepted ledger init data/a.csv.ledger --epsilon 2
accepted synth data/a.csv --schema s.json --method marginals --epsilon 1 -o out/one.csv --title 'First, "quoted"' --by 'A. Maker' --who anna -q
accepted register data out
grep -q '^data/a.csv.ledger: First, "quoted"$' accepted.out || fail "$(<accepted.out)"
grep -Eq '^    [0-9-]{10}  anna  +marginals +committed  1 +1 +one\.csv$' accepted.out || fail "$(<accepted.out)"
grep -q '^1 ledger, 0 problems' accepted.out || fail "$(<accepted.out)"
accepted register data out --csv
[ "$(wc -l < accepted.out)" = 2 ] || fail "$(<accepted.out)"
accepted register data out --json
python3 - <<'PYTHON' || fail "JSON"
import json
book = json.load(open("accepted.out"))
[ledger] = book["ledgers"]
[release] = ledger["releases"]
assert book["problems"] == 0 and book["certificates"] == [] and book["unreadable"] == []
assert release["outputs"] == [{"name": "one.csv", "kind": "output", "state": "matches"}], release
assert release["who"] == "anna" and release["title"] == 'First, "quoted"' and ledger["period"] == 1
assert 0.99 < release["epsilon"] <= 1 and 1.6 < ledger["left"] < 1.7 and ledger["spent"] == release["epsilon_so_far"]
PYTHON
accepted register data out -o page.html
grep -q 'First, &quot;quoted&quot;' page.html && grep -q 'NOT PRIVATE' page.html || fail "the page lacks something"
[ "$(stat -c %a page.html)" = 600 ] || fail "mode $(stat -c %a page.html)"
refused 5 '*page.html exists already*' register data out -o page.html
refused 2 '*data/r.html*' register data -o data/r.html
# What is left still fits.
accepted register data out --json
left=$(sed -n 's/.*"left": \([0-9.]*\).*/\1/p' accepted.out)
accepted synth data/a.csv --schema s.json --method marginals --epsilon "$left" -o out/rest.csv -q
# What does not agree: one line at the end, exit code 3, and the register is there.
finds() {
    local code=0 pattern=$1
    shift
    "$SEMBLANCE" register "$@" > found.out 2> found.err || code=$?
    [ $code = 3 ] && [ "$(wc -l < found.err)" = 1 ] || fail "exit code $code: $(<found.err)"
    grep -Eq "$pattern" found.out || fail "no '$pattern' in $(<found.out)"
}
echo true >> out/one.csv
finds 'one\.csv \(changed\)' data out
rm out/one.csv
accepted register data out
grep -q 'one.csv (missing)' accepted.out || fail "$(<accepted.out)"
cp data/a.csv data/inner/copy.csv
accepted ledger init data/inner/copy.csv.ledger -q
finds 'PROBLEM: data/inner/copy.csv has the same bytes as data/a.csv and another ledger' data
rm data/inner/*
cp data/a.csv.ledger data/inner/again.ledger
finds 'PROBLEM: data/inner/again.ledger is a copy of the same ledger: keep one' data
# Two successors, of which no ledger can tell by itself.
accepted ledger succeed data/a.csv.ledger data/b.ledger --reason one -q
accepted ledger succeed data/inner/again.ledger data/c.ledger --reason two -q
finds 'PROBLEM: data/c.ledger succeeds the same ledger: a period has one ledger' data
finds 'PROBLEM: data/inner/again.ledger is another state of the same ledger' data
rm data/inner/again.ledger data/c.ledger
accepted register data out
grep -q '^  period 2: epsilon 2' accepted.out || fail "$(<accepted.out)"
# A succession that was interrupted; a torn line; a ledger that was edited.
cp data/b.ledger data/b.ledger.pending
finds 'PROBLEM: a succession was interrupted' data
rm data/b.ledger.pending
printf 'seq=1 op=RES' >> data/b.ledger
finds 'PROBLEM: its last line is torn' data
sed 's/budget_eps=2/budget_eps=9/' data/a.csv.ledger > data/edited.ledger
finds 'PROBLEM: ledger data/edited.ledger: line 1: field .h. does not match' data
# An empty file with the name of a ledger, the only book or not. An empty file of another name is foreign.
mkdir lost
: > lost/a.csv.ledger
: > lost/empty.json
finds '^PROBLEM: ledger lost/a.csv.ledger is empty: restore it from a backup' lost
[ "$(grep -c PROBLEM found.out)" = 1 ] || fail "$(<found.out)"
finds 'PROBLEM: ledger lost/a.csv.ledger is empty' data lost
