# SPDX-License-Identifier: Apache-2.0
# `--target-share` says what part of the budget pairs with the label get at least: the plan and the certificate hold it, a table
# without a label refuses it.
. "$CLI_TESTS/lib.sh"
cat > schema.json <<'JSON'
{"fields": [{"name": "a", "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": true}},
 {"name": "b", "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": true}},
 {"name": "y", "type": "string", "constraints": {"enum": ["n", "s"], "required": true}}], "semblance": {"label": "y"}}
JSON
awk 'BEGIN { srand(5); print "a,b,y"; for (i = 0; i < 300; i++) { a = int(rand() * 10); print a "," int(rand() * 10) "," (a > 4 ? "n" : "s") } }' > t.csv
accepted plan --schema schema.json --epsilon 0.4 --rows 300 --method pairs --target-share 0.3 --json
python3 - <<'PY' || fail "the plan does not hold the share: $(<accepted.out)"
import json
assert '"label_share": 0.3' in json.dumps(json.load(open("accepted.out")))
PY
accepted synth t.csv --schema schema.json --epsilon 0.4 --method pairs --target-share 0.3 -o s.csv
sed 's/, "semblance".*}$/}/' schema.json > plain.json
refused 2 "*option 'target-share' is for tables with a label*" synth t.csv --schema plain.json --epsilon 0.4 --method pairs --target-share 0.3 -o p.csv
refused 2 "*target-share*a number from .01 to .45*" synth t.csv --schema schema.json --epsilon 0.4 --method pairs --target-share 0.6 -o p.csv
