# SPDX-License-Identifier: Apache-2.0
# A category that is declared and has no rows is a group like any other: its count has an interval from 0, and what needs rows has no
# value and says so. Conditions that no row meets are refused in one line. Nothing is charged.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=$SEMBLANCE_TESTKEY # whether a draw has a row of an empty group depends on the noise
cat > t.json <<'JSON'
{"fields": [
  {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b", "never"], "required": true}},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}},
  {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": true}},
  {"name": "cost", "type": "integer", "constraints": {"minimum": 0, "maximum": 999, "required": true}}]}
JSON
awk 'BEGIN { print "ward,sex,age,cost"; for (i = 0; i < 1000; i++)
    printf "%s,%s,%d,%d\n", i % 3 ? "a" : "b", i % 2 ? "f" : "m", i % 50, 300 + i % 200 }' > t.csv
accepted synth t.csv --schema t.json --epsilon 20 --method pairs -o s.csv --quiet
cp t.csv.ledger before.ledger
asked=(estimate s.csv.release --count --share sex=f --mean cost --quantile cost=0.5 --correlation age,cost --draws 10)
accepted "${asked[@]}" --by ward --difference a -o e.json
accepted "${asked[@]}" --by ward --difference a -o e.csv
accepted "${asked[@]}" --by ward --difference a
cp accepted.out table.txt
python3 - <<'PYTHON' || fail "$(<table.txt)"
import csv, json

def refuse(word):
    raise ValueError(f"{word} in JSON")

with open("e.json") as file:
    told = json.load(file, parse_constant=refuse)["estimates"]
never = [one for one in told if one["group"]["ward"] == "never"]
assert len(never) == 10, never
for one in never:
    if one["statistic"] == "count" and "minus" not in one:
        assert one["low"] == 0 <= one["estimate"] < 20 and one["high"] > one["estimate"], one
    elif one["statistic"] != "count":
        assert [one[name] for name in ("estimate", "low", "high", "standard_error", "degrees_of_freedom", "privacy_share")] == [None] * 6, one
flat = list(csv.DictReader(open("e.csv")))
assert len(flat) == len(told) and all((row["estimate"] == "") == (one["estimate"] is None) for row, one in zip(flat, told))
text = open("table.txt").read()
assert text.count("too few rows") == 8, text
assert "nan" not in (open("e.csv").read() + text).lower()
PYTHON
# Only the condition is empty in some groups, in all of them, or by what the schema allows.
accepted "${asked[@]}" --by ward --where 'age < 30' --json
refused 2 "where: with these conditions the drawn tables have too few rows *" "${asked[@]}" --by sex --where 'ward = never and age > 90 and cost > 900'
refused 2 "where: with these conditions the drawn tables have too few rows *" "${asked[@]}" --where 'cost < 100 and cost > 900'
refused 2 "difference: 'ward' does not have this category*" "${asked[@]}" --by ward --difference nowhere
cmp -s t.csv.ledger before.ledger || fail "the ledger changed"
