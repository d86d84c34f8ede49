# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
awk 'BEGIN { print "age,town,income"
    for (i = 0; i < 400; i++) { a = (i * 37) % 100; printf "%d,%s,%s\n", a, a % 2 ? "Ayr" : "Cork", (a > 60 ? ">50K" : "<=50K") } }' > train.csv
cp train.csv test.csv
accepted evaluate --real test.csv --synthetic train.csv --schema people.json --train train.csv --models bayes --json
python3 - <<'PYTHON' || fail "the model that learned from good rows is no good"
import json
u = json.load(open("accepted.out"))["utility"]
assert u["target"] == "income" and [m["name"] for m in u["models"]] == ["naive Bayes"]
m = u["models"][0]
assert m["synthetic"] == m["real"] and m["synthetic"]["auc"] > 0.9 > m["floor"]["auc"]
PYTHON
accepted evaluate --real test.csv --synthetic train.csv --schema people.json --models bayes
grep -q 'naive Bayes' accepted.out || fail "models are not in the text"
