# SPDX-License-Identifier: Apache-2.0
# What a plan says of widths is what an answer has, and equal weights cost the same.
. "$CLI_TESTS/lib.sh"
make_people
accepted plan --schema people.json --epsilon 1 --delta 1e-5 -n 200 --count town --mean age --by income --health off
grep -q '  count by town: 4 answers, each within ' accepted.out || fail "$(cat accepted.out)"
[ ! -e people.csv.ledger ] || fail "a plan was charged"
accepted plan --schema people.json --epsilon 1 --delta 1e-5 -n 200 --count town --mean age --by income --health off --json
cp accepted.out plan.json
accepted ask people.csv --schema people.json --epsilon 1 --delta 1e-5 --count town --mean age --by income --health off -o a.json
python3 - <<'PYTHON' || fail "the widths of the plan are not those of the answers"
import json
plan, answers = json.load(open("plan.json")), json.load(open("a.json"))
count = answers["questions"][0]
# The plan does not count on the public total: 4 groups tied to n have 3/4 of the variance.
expected = 1.959963984540054 * count["answers"][0]["noise"] / (3 / 4) ** 0.5
assert abs(plan["questions"][0]["half_width"] - expected) < 1e-6 * expected, (plan["questions"], count)
assert abs(count["epsilon"] - answers["questions"][1]["epsilon"]) < 1e-6
total = sum(q["mu"] ** 2 for q in answers["questions"])
# mu of (1, 1e-5) is 0.2680511; all of it is spent.
assert abs(total ** 0.5 - 0.2680511) < 1e-6, total
PYTHON
# A weight moves the budget.
accepted ask people.csv --schema people.json --epsilon 1 --delta 1e-5 --count town --mean age --weight 1,3 --health off -o b.json
python3 - <<'PYTHON' || fail "weights do not divide mu^2"
import json
first, second = json.load(open("b.json"))["questions"]
assert abs(second["mu"] ** 2 / first["mu"] ** 2 - 3) < 1e-5
PYTHON
