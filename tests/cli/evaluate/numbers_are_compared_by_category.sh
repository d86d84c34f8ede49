# SPDX-License-Identifier: Apache-2.0
# A number with bounds by category is compared category by category: percentiles in the text, in JSON and in the report; a
# category that is off is named among what is furthest off. Other numbers have no such part.
. "$CLI_TESTS/lib.sh"
schema='{"fields": [{"name": "test", "type": "string", "constraints": {"enum": ["k", "na", "crp"], "required": true}},
  {"name": "value", "type": "number", "constraints": {"minimum": 0, "maximum": 500}, "semblance": {%s}}], "missingValues": [""]}'
printf "$schema" '"by": "test", "bounds": {"k": {"minimum": 2, "maximum": 8, "decimals": 1}, "na": {"minimum": 110, "maximum": 170, "decimals": 0}}' > labs.json
printf "$schema" '"decimals": 1' > plain.json
# rows SEED WRONG: where WRONG is 1, potassium is one higher than it should be, which no bin of the whole range shows.
rows() {
    awk -v seed="$1" -v wrong="$2" 'BEGIN { srand(seed); print "test,value"; for (i = 0; i < 3000; i++) { u = rand()
        if (i % 3 == 0) printf "k,%.1f\n", 3 + 2 * u + wrong; else if (i % 3 == 1) printf "na,%d\n", 130 + 20 * u
        else if (i % 30 == 2) print "crp,"; else printf "crp,%.1f\n", 400 * u * u } }'
}
rows 1 0 > real.csv
rows 2 0 > good.csv
rows 3 1 > wrong.csv
accepted evaluate --real real.csv --synthetic wrong.csv --schema labs.json --models none --report wrong.html
head -n 1 accepted.out | grep -q 'NOT PRIVATE' || fail "an evaluation without its label"
grep -q '^value by test$' accepted.out || fail "$(<accepted.out)"
grep -qE '^  k  +4 +3 +5(\.0)?[0-9]* +4(\.0)?[0-9]* +6 +5 +0\.[45][0-9]*$' accepted.out || fail "potassium: $(grep '^  k ' accepted.out)"
grep -qE '^  value where test is k +[45][0-9]\.[0-9] % +[0-9.]+ %$' accepted.out || fail "the wrong category is not named: $(<accepted.out)"
grep -q '<summary>value by test</summary>' wrong.html && grep -q '<strong>value where test is k</strong>' wrong.html || fail "the report"
accepted evaluate --real real.csv --synthetic wrong.csv --schema labs.json --models none --json
python3 - <<'PY' || fail "the document"
import json
d = json.load(open("accepted.out"))
[value] = d["by"]
assert (value["name"], value["by"]) == ("value", "test"), value
k, na, crp = value["categories"]
assert [one["category"] for one in value["categories"]] == ["k", "na", "crp"]
assert (k["real"]["rows"], na["synthetic"]["rows"], crp["real"]["rows"]) == (1000, 1000, 900), value
assert abs(k["real"]["median"] - 4) < .1 and abs(k["synthetic"]["median"] - 5) < .1 and k["ks"] > .4 > .1 > na["ks"], value
assert abs(na["real"]["p1"] - 130) <= 1 and abs(na["real"]["p99"] - 149) <= 1 and abs(crp["real"]["p99"] - 396) < 8, value
[worst] = d["worst"]["pairs"]
assert (worst["relation"], worst["columns"], worst["what"]) == ("category", ["value", "test"], "value where test is k"), worst
assert worst["distance"] == k["ks"] and 0 < worst["second_sample"] < .1, worst
PY
accepted evaluate --real real.csv --synthetic good.csv --schema labs.json --models none
grep -qx 'no pair is further off than a second real sample would be' accepted.out || fail "a second sample: $(tail -n 5 accepted.out)"
accepted evaluate --real real.csv --synthetic good.csv --schema plain.json --models none
! grep -q '^value by' accepted.out || fail "a number without categories has some"

# In linked tables, too. One person with many rows makes no category wrong.
mkdir real wrong
for folder in real wrong; do
    printf '{"resources": [{"name": "people", "path": "people.csv", "schema": {"primaryKey": "id", "fields": [{"name": "id", "type": "integer"},
      {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}}]}}, {"name": "labs", "path": "labs.csv", "schema": %s}]}' \
      "$(sed 's/^{"fields": \[/{"foreignKeys": [{"fields": "who", "reference": {"resource": "people", "fields": "id"}}], "semblance": {"max_rows_per_unit": 5}, "fields": [{"name": "who", "type": "integer"}, /' labs.json)" > $folder/datapackage.json
    awk 'BEGIN { print "id,sex"; for (i = 0; i < 1000; i++) print i "," (i % 2 ? "f" : "m") }' > $folder/people.csv
    awk 'NR == 1 { print "who," $0; next } { print int((NR - 2) / 3) "," $0 }' $folder.csv > $folder/labs.csv
done
accepted evaluate --package real/datapackage.json --synthetic wrong --report linked.html
grep -q '^value by test$' accepted.out && grep -q 'labs.value where labs.test is k' accepted.out || fail "linked: $(<accepted.out)"
grep -q '<summary>value by test</summary>' linked.html || fail "the report of linked tables"
