# SPDX-License-Identifier: Apache-2.0
# What plan warns of is said by synth, fit, resume and release, in the same words, before or after the charge; and the advice helps.
. "$CLI_TESTS/lib.sh"
python3 - <<'PYTHON'
import json
import random
random.seed(1)
of = lambda name, values, **more: {"name": name, "type": "string", "constraints": {"enum": values, "required": True}, **more}
number = lambda name: {"name": name, "type": "number", "constraints": {"minimum": 0, "maximum": 8, "required": True}}
label = {"label": "kind", "task": "classification"}
flowers = [number(f"x{i}") for i in range(4)] + [of("kind", ["a", "b", "c"])]
json.dump({"fields": flowers, "semblance": label}, open("flowers.json", "w"))
json.dump({"fields": [number("x0"), flowers[4]], "semblance": label}, open("two.json", "w"))
with open("flowers.csv", "w") as file:
    file.write("x0,x1,x2,x3,kind\n")
    for row in range(150):
        file.write(",".join(f"{random.random() * 8:.1f}" for _ in range(4)) + f",{'abc'[row % 3]}\n")
codes = [f"c{i}" for i in range(800)]
stays = [{"name": "who", "type": "string"}, of("sex", ["f", "m"], semblance={"per": "unit"}), of("code", codes)]
json.dump({"fields": stays, "semblance": {"unit": "who", "max_rows_per_unit": 9}}, open("stays.json", "w"))
with open("stays.csv", "w") as file:
    file.write("who,sex,code\n")
    for row in range(2000):
        file.write(f"{row % 500},{'fm'[row % 2]},{random.choice(codes)}\n")
PYTHON

# warned FILE: the warnings in what the program said.
warned() { sed -nE 's/^(semblance: )?(WARNING: .*)/\2/p' "$1"; }
same() { warned accepted.err | cmp -s - planned || fail "$1: [$(<accepted.err)] [$(<planned)]"; }

accepted ledger init l
flowers=(flowers.csv --schema flowers.json --epsilon 1 --ledger l)
accepted plan --schema flowers.json --epsilon 1 -n 150 --json
python3 -c 'import json, sys; [print("WARNING:", line) for line in json.load(sys.stdin)["warnings"]]' < accepted.out > planned
grep -q '^WARNING: at this epsilon 150 rows are too few .*: all columns but the label come out independent of each other; take epsilon ' planned ||
    fail "independent columns: $(<planned)"
! grep -q marginals planned || fail "independent columns against independent columns: $(<planned)"
accepted plan --schema flowers.json --epsilon 1 -n 150 --no-estimate
warned accepted.out | cmp -s - planned || fail "text: $(<accepted.out)"
accepted synth "${flowers[@]}" -o out.csv
same synth
accepted fit "${flowers[@]}" --model model
same fit
rm out.csv
accepted resume "${flowers[@]}" -o out.csv
same resume
accepted plan --schema flowers.json --epsilon 1 -n 150 --save run.plan --no-estimate
accepted sum flowers.csv --plan run.plan -o run.sum
accepted release run.sum --plan run.plan --ledger l -o run.release
same release
# What is advised is enough, and no more than needed.
enough=$(sed -nE 's/.*; take epsilon ([0-9.]+), or at most ([0-9]+) columns$/\1 \2/p' planned)
[ "${enough#* }" = 2 ] || fail "columns: $(<planned)"
accepted plan --schema flowers.json --epsilon "${enough% *}" -n 150 --no-estimate
! grep -q 'independent of each other' accepted.out || fail "epsilon ${enough% *} is not enough: $(<accepted.out)"
accepted plan --schema flowers.json --epsilon "$(awk "BEGIN { print ${enough% *} * 0.85 }")" -n 150 --no-estimate
grep -q 'independent of each other' accepted.out || fail "less than epsilon ${enough% *} is enough: $(<accepted.out)"
accepted plan --schema two.json --epsilon 1 -n 150 --no-estimate
! grep -q 'independent of each other' accepted.out || fail "two columns are too many: $(<accepted.out)"

# Their number is private where persons are protected. A declared one is used, else the one that the plan assumes, and that is said.
stays=(stays.csv --schema stays.json --epsilon 1 --ledger p)
accepted plan --schema stays.json --epsilon 1 -n 2000 --expect-persons 500 --no-estimate
warned accepted.out > planned
grep -q "^WARNING: column 'code' has 800 categories, too many for 500 persons: " planned || fail "categories: $(<planned)"
accepted ledger init p --rows-per-person 9
accepted synth "${stays[@]}" --expect-rows 2000 --expect-persons 500 -o stays.out.csv
same 'synth of persons'
accepted synth "${stays[@]}" -o again.csv
grep -q "800 categories, too many for 2500 persons (assumed: expect-persons declares the number): " accepted.err || fail "assumed: $(<accepted.err)"
accepted synth "${stays[@]}" -o third.csv --quiet
[ ! -s accepted.err ] || fail "quiet: $(<accepted.err)"
# Nothing of the records is in it.
head -n 40 stays.csv > few.csv
accepted synth few.csv "${stays[@]:1}" -o few.out.csv
grep -q '2500 persons (assumed' accepted.err || fail "few: $(<accepted.err)"
