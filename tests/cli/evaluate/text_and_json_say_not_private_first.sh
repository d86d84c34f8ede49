# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
head -n 120 people.csv > train.csv
{ head -n 1 people.csv; tail -n 80 people.csv; } > test.csv
cat train.csv > synthetic.csv
accepted evaluate --real test.csv --synthetic synthetic.csv --schema people.json --train train.csv --models none
[ ! -s accepted.err ] || fail "talks on standard error"
head -n 1 accepted.out | grep -q '^NOT PRIVATE' || fail "the first line does not say NOT PRIVATE"
for word in age town income 3-way floor ceiling 'MMD squared' 'Out of domain: 0 cells' 'copies of a training row: 119 of 119'; do
    grep -q -- "$word" accepted.out || fail "nothing about $word"
done
! grep -qi 'nan\|inf ' accepted.out || fail "a number that is none"
ls ./*.ledger 2> /dev/null && fail "evaluation made a ledger"
accepted evaluate --real test.csv --synthetic synthetic.csv --schema people.json --train train.csv --models none --json
[ "$(wc -l < accepted.out)" = 1 ] || fail "not one line"
python3 - <<'PYTHON' || fail "not the document"
import json
def finite(text):
    raise ValueError(text)
d = json.loads(open("accepted.out").read(), parse_constant=finite)
assert d["format"] == "semblance-evaluation" and d["version"] == 1 and d["warning"].startswith("NOT PRIVATE")
assert d["inputs"]["train"]["rows"] == 119 and d["utility"] is None
assert d["disclosure"]["exact_copies"]["synthetic"] == 119
assert [m["way"] for m in d["marginals"]] == [1, 2, 3]
PYTHON
cp accepted.out first.json
accepted evaluate --real test.csv --synthetic synthetic.csv --schema people.json --train train.csv --models none --json --threads 3
cmp accepted.out first.json || fail "threads change the result"
accepted evaluate --real test.csv --synthetic synthetic.csv --schema people.json --train train.csv --models none --json --seed 5
! cmp -s accepted.out first.json || fail "the seed changes nothing"
same_verdict 'Single columns * The column that differs most is *' evaluate --real people.csv --synthetic people.csv --schema people.json --models none
