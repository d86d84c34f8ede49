# SPDX-License-Identifier: Apache-2.0
# Whether a declared group has rows is private: it is answered like any other. Its count is noise around 0 with an interval, and a
# mean that the noise hides has no value, an interval as wide as the bounds, and a word that says so.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=$SEMBLANCE_TESTKEY # an interval misses the truth once in twenty: its noise is always the same
cat > t.json <<'JSON'
{"fields": [
  {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b", "never"], "required": true}},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}},
  {"name": "cost", "type": "integer", "constraints": {"minimum": 100, "maximum": 900, "required": true}}]}
JSON
awk 'BEGIN { print "ward,sex,cost"; for (i = 0; i < 900; i++)
    printf "%s,%s,%d\n", i % 3 ? "a" : "b", i % 2 ? "f" : "m", 300 + i % 200 }' > t.csv
asked=(--count ward,sex --sum cost --mean cost --by ward --regress 'cost ~ ward + sex')
accepted ask t.csv --schema t.json --epsilon 2 --delta 1e-5 "${asked[@]}" --health off -o a.json
accepted ask --from a.json.release -o a.csv
accepted ask --from a.json.release
cp accepted.out table.txt
# An empty table, whose number of rows is not public: every group is empty.
head -n 1 t.csv > none.csv
accepted ask none.csv --schema t.json --epsilon 2 --delta 1e-5 --neighbours add-remove "${asked[@]}" --health off -o none.json
python3 - <<'PYTHON' || fail "$(<a.csv)"
import csv, json

def refuse(word):
    raise ValueError(f"{word} in JSON")

def read(path):
    with open(path) as file:
        return {one["kind"]: one["answers"] for one in json.load(file, parse_constant=refuse)["questions"]}

told, none = read("a.json"), read("none.json")
of = lambda kind, answers: [one for one in answers[kind] if one["group"]["ward"] == "never"]
for empty in of("count", told) + none["count"]:
    assert -5 * empty["noise"] < empty["estimate"] < 5 * empty["noise"] and 0 <= empty["low"] <= empty["high"], empty
for empty in of("count", told) + of("sum", told):
    assert empty["low"] <= 0 < empty["high"], empty
for empty in none["sum"]:
    assert empty["high"] - empty["low"] < 4 * empty["noise"] and empty["low"] < empty["estimate"] < empty["high"], empty
for empty in of("mean", told) + none["mean"]:
    assert empty["estimate"] is None and empty["noise"] is None and (empty["low"], empty["high"]) == (100, 900), empty
(whole,) = (one for one in told["mean"] if one["group"]["ward"] == "a")
assert whole["low"] < whole["estimate"] < whole["high"] and whole["high"] - whole["low"] < 400, whole
(term,) = (one for one in told["regress"] if one.get("category") == "never")
assert term["estimate"] is None, term
assert all(one["estimate"] is None and one["low"] is None for one in none["regress"]), none["regress"]
rows = list(csv.DictReader(open("a.csv")))
(mean,) = (one for one in rows if one["question"] == "mean of cost by ward" and one["group"] == "ward=never")
assert mean["estimate"] == mean["noise"] == "" and (float(mean["low"]), float(mean["high"])) == (100, 900), mean
lines = [line for line in open("table.txt").read().split("mean of cost by ward")[1].splitlines() if "ward=never" in line]
assert lines[0].split("  ")[1].strip() == "noise hides it" and "100 to 900" in lines[0], lines
for name in ("a.json", "a.csv", "table.txt", "none.json"):
    words = open(name).read().lower().replace("a.json", "")
    assert "nan" not in words and "inf" not in words.replace("information", ""), name
PYTHON
# A claim about it cannot be told, at no epsilon.
echo '{"question": {"mean": "cost", "by": ["ward"]}, "group": {"ward": "never"}, "claim": {"greater": 300}}' > finding.json
accepted ask --from a.json.release --check finding.json
grep -q '"verdict": "cannot be told at this epsilon"' accepted.out && grep -q '"epsilon": null' accepted.out || fail "$(<accepted.out)"
# A category that the schema does not declare is a usage error, in one line.
echo '{"question": {"mean": "cost", "by": ["ward"]}, "group": {"ward": "d"}, "claim": {"greater": 300}}' > finding.json
refused 3 "the finding: group or term names none of the answers*" ask --from a.json.release --check finding.json
