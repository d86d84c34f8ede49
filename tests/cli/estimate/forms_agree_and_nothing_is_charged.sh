# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
SEMBLANCE=$SEMBLANCE_TESTKEY # an interval misses the truth once in twenty: its noise is always the same
cat > t.json <<'JSON'
{"fields": [
  {"name": "low", "type": "string", "constraints": {"enum": ["a", "b, \"x\"", "never"]}},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}},
  {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 1000}}], "missingValues": [""]}
JSON
awk 'BEGIN { print "low,sex,cost"; for (i = 0; i < 1000; i++)
    printf "%s,%s,%s\n", i % 10 == 0 ? "" : i % 2 ? "a" : "\"b, \"\"x\"\"\"", i % 4 ? "f" : "m", i % 7 ? 200 + i % 100 : "" }' > t.csv
accepted synth t.csv --schema t.json --epsilon 5 --method pairs -o s.csv --quiet
cp t.csv.ledger before.ledger
ask=(estimate s.csv.release --count --mean cost --share sex=f --quantile cost=0.5 --by low --difference a --draws 10)
accepted "${ask[@]}" -o e.json
accepted "${ask[@]}" -o e.csv
accepted "${ask[@]}" --json
cmp accepted.out e.json || fail "JSON of a file and of standard output differ"
accepted "${ask[@]}"
cp accepted.out table.txt
python3 - <<'PYTHON' || fail "forms"
import csv, json
told = json.load(open("e.json"))
assert told["draws"] == 10 and told["level"] == 0.95
rows = told["estimates"]
flat = list(csv.DictReader(open("e.csv")))
assert len(rows) == len(flat) == 4 * (4 + 3), len(rows)
for one, other in zip(rows, flat):
    assert one["statistic"] == other["statistic"] and one.get("column", "") == other["column"]
    assert (one["group"]["low"] or "") == other["by_low"] and one.get("minus", "") == other["minus"]
    assert str(one.get("detail", "")) == other["detail"]
    for name in ("estimate", "low", "high", "standard_error", "privacy_share"):
        assert (one[name] is None) == (other[name] == "") and (one[name] is None or one[name] == float(other[name])), (one, other)
    if one["estimate"] is not None:
        assert one["low"] <= one["estimate"] <= one["high"], one
count = {one["group"]["low"]: one for one in rows if one["statistic"] == "count" and "minus" not in one}
assert set(count) == {"a", 'b, "x"', "never", None}
assert abs(sum(one["estimate"] for one in count.values()) - 1000) < 1e-6, count
assert count["a"]["low"] < 500 < count["a"]["high"] and count["never"]["low"] == 0 < count["never"]["high"]
mean = {one["group"]["low"]: one for one in rows if one["statistic"] == "mean" and "minus" not in one}
assert 230 < mean["a"]["estimate"] < 270, mean["a"]
differ = [one for one in rows if one["statistic"] == "mean" and one.get("minus") == "a"]
assert len(differ) == 3 and abs(differ[0]["estimate"] - (mean['b, "x"']["estimate"] - mean["a"]["estimate"])) < 1e-9
table = open("table.txt").read()
assert "mean of cost\n" in table and "share of sex = f\n" in table and "quantile 0.5 of cost\n" in table and "(missing)" in table
assert 'b, "x" - a' in table and table.endswith("nothing was charged\n")
PYTHON
# Another level, and conditions.
accepted estimate s.csv.release --mean cost --where sex=f --level .5 --draws 10 --json
python3 -c 'import json; a, = json.load(open("accepted.out"))["estimates"]; assert a["high"] - a["low"] < 20 and a["group"] == {}' || fail "level"
# The same question gives the same answer, with any number of threads.
accepted "${ask[@]}" --threads 1 --json
cmp accepted.out e.json || fail "threads change the answer"
cmp -s t.csv.ledger before.ledger || fail "the ledger changed"
