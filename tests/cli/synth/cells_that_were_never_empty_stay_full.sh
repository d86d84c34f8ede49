# SPDX-License-Identifier: Apache-2.0
# A column that may be empty, in a table without an empty cell, gets no empty cell by any method, under both relations and with
# --pure; a share of missing values that is clear of the noise is kept.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=${SEMBLANCE_TESTKEY:-$SEMBLANCE}
# make_full FILE EVERY: 3,000 rows; every so manieth income is missing (0: none).
make_full() {
    awk -v every="$2" 'function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        BEGIN { print "age,town,income,size,smokes,day,kids,sick"; seed = 7
        split("Ayr Bath Cork Derby", town, " "); split("s m l", size, " ")
        for (i = 0; i < 3000; i++) {
            age = int(draw() * 90)
            printf "%d,%s,%s,%s,%s,2024-%02d-%02d,%d,%s\n", age, town[1 + int(draw() * 4)],
                every && i % every == 0 ? "" : sprintf("%.2f", age * 40 + draw() * 3000), size[1 + int(draw() * 3)],
                draw() < .3 ? "true" : "false", 1 + int(draw() * 12), 1 + int(draw() * 28), int(draw() * draw() * 9),
                draw() < age / 100 ? "yes" : "no" } }' > "$1"
}
cat > full.json <<'JSON'
{"fields": [
  {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
  {"name": "town", "type": "string", "constraints": {"enum": ["Ayr", "Bath", "Cork", "Derby"]}},
  {"name": "income", "type": "number", "constraints": {"minimum": 0, "maximum": 10000}},
  {"name": "size", "type": "string", "constraints": {"enum": ["s", "m", "l"]}, "categoriesOrdered": true},
  {"name": "smokes", "type": "boolean"},
  {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}},
  {"name": "kids", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}, "semblance": {"spikes": [0]}},
  {"name": "sick", "type": "string", "constraints": {"enum": ["no", "yes"]}}],
 "semblance": {"label": "sick", "task": "classification"}}
JSON
# empty FILE: how many cells are.
empty() { awk -F, '{ for (i = 1; i <= NF; i++) n += $i == "" } END { print n + 0 }' "$1"; }
# full INPUT OPTION...: of the table, no cell of what is made is empty.
full() {
    rm -f "$1.ledger" # one ledger would not hold them all
    accepted synth "$@" --quiet --overwrite -o out.csv --health off
    [ "$(empty out.csv)" = 0 ] || fail "$(empty out.csv) cells are empty: $*"
}
make_full full.csv 0
network=(--hidden 16 --latent 4 --steps 20 --batch 100 --features 64)
for relation in replace-one add-remove; do
    cp full.csv $relation.csv
    for epsilon in 0.1 1 10; do
        common=($relation.csv --schema full.json --epsilon $epsilon --neighbours $relation)
        full "${common[@]}" --method pairs
        full "${common[@]}" --method pairs --rounds 1
        full "${common[@]}" --method marginals
        full "${common[@]}" --method marginals --pure
        full "${common[@]}" --method ron-gauss
        full "${common[@]}" --method ron-gauss --geometry normalise
        full "${common[@]}" --method ron-gauss --pure
        full "${common[@]}" --method merf "${network[@]}"
        full "${common[@]}" --method hp "${network[@]:0:8}"
    done
done
full full.csv --schema full.json --epsilon 1 --method forest --targets sick,smokes
full full.csv --schema full.json --epsilon 1 -n 10000 # more rows than the state of the fit
accepted fit full.csv --schema full.json --epsilon 1 --model m --quiet --overwrite
accepted sample m -n 200 --where town=Cork --where smokes=true -o some.csv --quiet
[ "$(empty some.csv)" = 0 ] || fail "rows that are asked for have empty cells"

# A person's columns and those of its rows.
make_visits
sed -i '/"admitted"/!s/, "required": true//' visits.json # it orders them
for epsilon in 0.1 1 10; do full visits.csv --schema visits.json --epsilon $epsilon; done
# Linked tables.
make_bank 300
sed -i '/"type": "date"/!s/, "required": true//' bank/bank.json
accepted synth --package bank/bank.json --epsilon 1 -o linked/ --quiet --health off
for file in linked/*.csv; do [ "$(empty "$file")" = 0 ] || fail "$file has empty cells"; done

# One income in ten is missing: that is seen by every method at epsilon 10, and kept.
make_full some_missing.csv 10
for method in pairs marginals ron-gauss hp; do
    extra=()
    [ $method = hp ] && extra=("${network[@]:0:4}" --steps 300 --batch 100)
    accepted synth some_missing.csv --schema full.json --epsilon 10 --method $method "${extra[@]}" --quiet --overwrite -o out.csv
    missing=$(awk -F, 'NR > 1 { n += $3 == "" } END { print n + 0 }' out.csv)
    [ "$missing" -gt 150 ] && [ "$missing" -lt 500 ] || fail "$method: $missing of 3,000 incomes are missing, not about 300"
    [ "$(empty out.csv)" = "$missing" ] || fail "$method: other columns have empty cells"
done
exit 0
