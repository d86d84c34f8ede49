# SPDX-License-Identifier: Apache-2.0
# Multiples of 10 and of a quarter, and 999 outside the bounds: read, fitted, drawn and compared as what they are.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=${SEMBLANCE_TESTKEY:-$SEMBLANCE}
awk 'BEGIN { print "age,dose,hours,low,high,sex"
    for (i = 0; i < 4000; i++) printf "%s,%d,%.2f,%d,%d,%s\n", i % 5 ? 20 + i % 60 : 999, i % 7 ? 10 * (i % 30) : -1,
        (i % 41) / 4, 10 * (i % 6), 10 * (i % 6 + i % 4), i % 2 ? "f" : "m" }' > t.csv
cat > s.json <<'JSON'
{"fields": [
  {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120, "required": true}, "semblance": {"spikes": [999]}},
  {"name": "dose", "type": "integer", "constraints": {"minimum": 0, "maximum": 305, "required": true},
   "semblance": {"step": 10, "spikes": [-1, 0]}},
  {"name": "hours", "type": "number", "constraints": {"minimum": 0, "maximum": 10, "required": true}, "semblance": {"step": 0.25}},
  {"name": "low", "type": "integer", "constraints": {"minimum": 0, "maximum": 100, "required": true}, "semblance": {"step": 10}},
  {"name": "high", "type": "integer", "constraints": {"minimum": 0, "maximum": 100, "required": true}, "semblance": {"step": 10}},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}}],
 "semblance": {"label": "sex", "constraints": ["low <= high", "if age = 999 then sex = m"]}}
JSON
accepted schema check s.json t.csv
grep -q '^dose: integer from 0 to 305, in steps of 10 ' accepted.out || fail "step: $(<accepted.out)"
[ "$(grep -c ': all cells good$' accepted.out)" = 6 ] || fail "a value was not known: $(<accepted.out)"
sed '2s/^[^,]*,[^,]*,/998,7,/' t.csv > odd.csv
accepted schema check s.json odd.csv
grep -q '^age: 1 out of range$' accepted.out || fail "age: $(<accepted.out)"
grep -q '^dose: 1 not a multiple of the step$' accepted.out || fail "dose: $(<accepted.out)"
for method in marginals pairs ron-gauss merf hp; do
    few=()
    case $method in merf | hp) few=(--steps 60) ;; esac
    accepted synth t.csv --schema s.json --method "$method" --epsilon 5 -o "$method.csv" --model "$method.model" --seed 1 \
        "${few[@]}" --quiet
    awk -F, 'NR > 1 { rows++; age += $1 == 999; dose += $2 == -1
        if ($1 > 120 && $1 != 999 || $2 % 10 && $2 != -1 || ($3 * 4) % 1 || $3 !~ /^[0-9]+(\.[0-9]+)?$/ || $4 % 10 || $5 % 10 ||
            $4 > $5 || $1 == 999 && $6 != "m") { print; bad = 1 } }
        END { exit bad || age < .02 * rows || age > .6 * rows || dose == 0 }' "$method.csv" || fail "$method"
done
# What is asked for may be a sentinel, and nothing else outside the bounds.
accepted sample pairs.model --rows 20 --where age=999 -o wanted.csv --quiet
[ "$(grep -c '^999,' wanted.csv)" = 20 ] || fail "asked for"
refused 2 "*outside the bounds of 'age'*" sample pairs.model --rows 20 --where age=998 -o none.csv
# A sentinel is no size: beside itself it is at no distance, and where it became the maximum a fifth of the column moved.
tvd() { python3 -c 'import json, sys
print({c["name"]: c["tvd"]["synthetic"] for c in json.load(sys.stdin)["columns"]}["age"])' < accepted.out; }
sed 's/^999,/120,/' t.csv > clamped.csv
accepted evaluate --real t.csv --synthetic t.csv --schema s.json --models none --json
[ "$(tvd)" = 0.0 ] || fail "age beside itself: $(tvd)"
grep -q '"999"' accepted.out || fail "no bar for the sentinel"
accepted evaluate --real t.csv --synthetic clamped.csv --schema s.json --models none --json
[ "$(tvd)" = 0.2 ] || fail "age without its sentinel: $(tvd)"
