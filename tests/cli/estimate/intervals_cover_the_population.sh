# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# 20 tables of one population, each with noise of its own: 95 % intervals must hold its values. A statistic that is covered in 95 % of
# tables is covered in fewer than 11 of 20 once in 90 million runs, and nine of them in fewer than 135 of 180 once in 50 million at most.
cat > t.json <<'JSON'
{"fields": [
  {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b"], "required": true}},
  {"name": "well", "type": "boolean", "constraints": {"required": true}},
  {"name": "cost", "type": "integer", "constraints": {"minimum": 0, "maximum": 19, "required": true}}]}
JSON
for table in $(seq 20); do
    # ward b: 40 %; well: 70 % in a, 40 % in b; cost: uniform on 0 .. 9 in a, on 5 .. 14 in b.
    awk -v seed="$table" 'BEGIN { srand(seed); print "ward,well,cost"; for (i = 0; i < 3000; i++) {
        b = rand() < .4; printf "%s,%s,%d\n", b ? "b" : "a", rand() < (b ? .4 : .7) ? "true" : "false", int(10 * rand()) + 5 * b } }' > t.csv
    rm -f t.csv.ledger
    accepted synth t.csv --schema t.json --epsilon 3 --method pairs -o s.csv --seed "$table" --overwrite --quiet
    accepted estimate s.csv.release --count --mean cost --share well=true --by ward --difference a --draws 10 --csv --seed "$table"
    tail -n +2 accepted.out >> all.csv
done
awk -F, 'function hold(name, truth) { count[name]++; covered[name] += $7 <= truth && truth <= $8 }
    { gsub(/"/, ""); name = $1 " " $4 " " $5 }
    name == "count a " { hold(name, 1800) } name == "count b " { hold(name, 1200) } name == "count b a" { hold(name, -600) }
    name == "mean a " { hold(name, 4.5) } name == "mean b " { hold(name, 9.5) } name == "mean b a" { hold(name, 5) }
    name == "share a " { hold(name, .7) } name == "share b " { hold(name, .4) } name == "share b a" { hold(name, -.3) }
    END { for (name in count) { n++; print name, covered[name] "/" count[name]; all += covered[name]
        bad += covered[name] < 11 || count[name] != 20 } exit bad || n != 9 || all < 135 }' all.csv > covered.txt ||
    fail "intervals do not cover: $(<covered.txt)"
