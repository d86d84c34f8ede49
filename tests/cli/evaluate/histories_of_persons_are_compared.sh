# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
cat > stays.json <<'JSON'
{"fields": [{"name": "patient", "type": "string"},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}, "semblance": {"per": "unit"}},
  {"name": "admitted", "type": "date", "constraints": {"minimum": "2023-01-01", "maximum": "2023-12-31", "required": true}},
  {"name": "ward", "type": "string", "constraints": {"enum": ["eyes", "skin"]}}],
 "semblance": {"unit": "patient", "order": "admitted"}}
JSON
awk 'BEGIN { print "patient,sex,admitted,ward"
    for (p = 0; p < 60; p++) for (t = 0; t <= p % 4; t++)
        printf "p%d,%s,2023-%02d-%02d,%s\n", p, p % 2 ? "f" : "m", 1 + t * 2, 1 + p % 28, p % 3 ? "eyes" : "skin" }' > real.csv
accepted evaluate --real real.csv --synthetic real.csv --schema stays.json --models none --report page.html
head -n 1 accepted.out | grep -q '^NOT PRIVATE' || fail "the first line does not say NOT PRIVATE"
for line in 'Persons by patient; events in the order of admitted' 'real  *60 persons, 2.50 events each' \
    'number of events, TVD  *0.0000' 'previous x this event, TVD  *0.0000' 'gaps between events, KS  *0.0000 ' \
    'different values of ward  *0.0000' 'their columns are the same in all rows  *1.0000 ' 'their events are in order  *1.0000 '; do
    grep -q -- "$line" accepted.out || fail "nothing about $line"
done
for part in 'id="histories"' 'Synthetic person 1' 'Time line of synthetic person 1' '2023-12-31'; do
    grep -q -- "$part" page.html || fail "no $part in the report"
done
# Rows dealt out to other persons: no distance of rows sees it.
awk -F, -v OFS=, 'NR > 1 { $1 = "p" (NR * NR % 61) } 1' real.csv > dealt.csv
accepted evaluate --real real.csv --synthetic dealt.csv --schema stays.json --models none --json
python3 - <<'PYTHON' || fail "rows dealt out anew"
import json
d = json.load(open("accepted.out"))
h = d["histories"]
assert d["marginals"][-1]["tvd"]["synthetic"] == 0 and h["person_event"]["synthetic"] == 0
assert h["events"]["synthetic"] > 0.2 and h["constant"]["synthetic"] < 1 and h["constant"]["ceiling"] == 1
assert h["previous_same"]["synthetic"] > 0.1 and h["persons"] == {"real": 60, "synthetic": 31, "train": None}
PYTHON
same_verdict '*There are 31 synthetic persons * (real: 60 with 2.50). Only *% of them keep their own columns the same in all rows.*' \
    evaluate --real real.csv --synthetic dealt.csv --schema stays.json --models none
# A table that does not say whose its rows are is compared by rows.
cut -d, -f2- real.csv > nobody.csv
accepted evaluate --real real.csv --synthetic nobody.csv --schema stays.json --models none
grep -q 'Persons by patient: not compared, since a table does not say whose its rows are' accepted.out || fail "persons of nobody"
