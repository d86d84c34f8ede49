# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# The hospital of bench/utility/persons.py: noise under k = 50 rows of a person is within a tenth of that under k = 1, in the
# plan and in what is released. What is more is the share of one table, the number of a person's events; the fewer
# other tables there are, the more it is. Rows of persons pay fifty times.
python3 - <<'PYTHON'
import json
of = lambda name, values, **more: {"name": name, "type": "string", "constraints": {"enum": values, "required": True}, **more}
within = lambda name, low, high: {"name": name, "type": "integer", "constraints": {"minimum": low, "maximum": high, "required": True}}
own = {"semblance": {"per": "unit"}}
fields = [{"name": "who", "type": "string"}, of("sex", ["f", "m"], **own), of("region", ["n", "s", "e", "w"], **own),
          {**within("born", 1930, 2020), **own}, of("ward", ["a", "b", "c", "d", "e"]), of("again", ["no", "yes"]),
          within("days", 0, 40), within("cost", 0, 20000)]
for k in (1, 50):
    json.dump({"fields": fields, "semblance": {"unit": "who", "max_rows_per_unit": k}}, open(f"k{k}.json", "w"))
with open("data.csv", "w") as file:
    file.write("who,sex,region,born,ward,again,days,cost\n")
    for row in range(600):
        file.write(f"{row % 100},{'fm'[row % 2]},{'nsew'[row % 4]},{1930 + row % 90},{'abcde'[row % 3]},{'no' if row % 5 else 'yes'},{row % 40},{row}\n")
PYTHON
for k in 1 50; do
    accepted plan --schema k$k.json --epsilon 1 -n 30000 --expect-persons 8000 --json
    mv accepted.out plan$k.json
    accepted synth data.csv --schema k$k.json --epsilon 1 --expect-rows 30000 --expect-persons 8000 --ledger "$(
        "$SEMBLANCE" ledger init k$k.ledger --rows-per-person $k --quiet && echo k$k.ledger)" -o made$k.csv --quiet
done
accepted plan --schema k1.json --epsilon 1 -n 30000 --histories off --json
mv accepted.out rows1.json
accepted plan --schema k50.json --epsilon 1 -n 30000 --histories off --json
mv accepted.out rows50.json
python3 - "$CLI_TESTS/../formats" <<'PYTHON' || fail "$(<wrong)"
import json, sys
sys.path.append(sys.argv[1])
import read_release
blocks = lambda name: {block["name"]: block for block in json.load(open(name))["blocks"]}
released = lambda name: read_release.estimates(*read_release.read(name)[:2])
wrong = open("wrong", "w")
one, fifty = blocks("plan1.json"), blocks("plan50.json")
assert one.keys() == fifty.keys() == {"histories.1", "histories.2", "health"}, print(one.keys(), file=wrong)
for name in one:
    ratio = fifty[name]["noise_deviation"] / one[name]["noise_deviation"]
    assert .9 < ratio < 1.1, print("plan", name, ratio, file=wrong)
    made = [released(f"made{k}.csv.release")[name]["deviation"] for k in (1, 50)]
    assert .9 < made[1] / made[0] < 1.1, print("release", name, made, file=wrong)
    assert abs(made[1] / fifty[name]["noise_deviation"] - 1) < 1e-6, print("not as planned", name, made, file=wrong)
rows = [blocks(f"rows{k}.json")["health"]["noise_deviation"] for k in (1, 50)]
assert 45 < rows[1] / rows[0] < 55, print("rows", rows, file=wrong)
PYTHON
# Noise stands beside persons, and so does memory.
python3 - <<'PYTHON' || fail "noise is not beside persons"
import json
plan = json.load(open("plan50.json"))
health = plan["blocks"][-1]
assert plan["persons"] == 8000 and plan["n"] == 30000
assert abs(health["noise_share"] - health["noise_deviation"] * health["values"] ** .5 / (8000 * 8 ** .5)) < 1e-9, health
PYTHON
accepted plan --schema k50.json --epsilon 1 -n 30000 --expect-persons 8000
grep -qx 'rows       30000, of about 8000 persons (expect-persons says otherwise)' accepted.out || fail "sizes: $(<accepted.out)"
grep -q 'for 8000 persons with 30000 rows in any order' accepted.out || fail "memory: $(<accepted.out)"
accepted plan --schema k50.json --epsilon 0.01 -n 400
grep -q '^WARNING: at this epsilon 100 persons are few' accepted.out || fail "few: $(<accepted.out)"
refused 2 '*expect-persons must be a whole number, 1 or more*' plan --schema k50.json --epsilon 1 -n 400 --expect-persons 0
