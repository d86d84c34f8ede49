# SPDX-License-Identifier: Apache-2.0
# A time of day and a number whose bounds depend on a category, as CSV and as Parquet: the same releases and rows under the
# test key, and every number within the bounds of its category.
. "$CLI_TESTS/lib.sh"
[ -r "$ENGINE" ] || skip "no library of DuckDB (make engines)"
[ -n "${SEMBLANCE_TESTKEY:-}" ] || skip "no test-key build"
SEMBLANCE=$SEMBLANCE_TESTKEY
cat > labs.json <<'JSON'
{"fields": [
  {"name": "test", "type": "string", "constraints": {"enum": ["k", "na", "crp"], "required": true}},
  {"name": "value", "type": "number", "constraints": {"minimum": 0, "maximum": 500}, "semblance": {"by": "test", "bounds": {
    "k": {"minimum": 2, "maximum": 8, "decimals": 1}, "na": {"minimum": 110, "maximum": 170, "decimals": 0, "step": 1},
    "crp": {"minimum": 0, "maximum": 500, "decimals": 1, "transform": "log"}}}},
  {"name": "taken", "type": "time", "format": "%H:%M", "constraints": {"minimum": "06:00", "maximum": "21:59"}}],
 "missingValues": [""]}
JSON
"$RUN_SQL" "$ENGINE" "CREATE TABLE t AS SELECT ['k', 'na', 'crp'][i % 3 + 1] AS test,
    CASE WHEN i % 41 = 0 THEN NULL ELSE [3 + i % 30 / 10, 130 + i % 20, 1 + i % 400][i % 3 + 1]::DECIMAL(9, 1) END AS value,
    CASE WHEN i % 37 = 0 THEN NULL ELSE make_time(5 + i % 18, i * 7 % 60, 0) END AS taken FROM range(3000) r(i)" \
    "COPY t TO 'labs.parquet'" "COPY (SELECT test, value, strftime(DATE '2024-01-01' + taken, '%H:%M') AS taken FROM t) TO 'labs.csv'" || fail "no tables"
# A time in Parquet is a time: the same cells are missing and out of range.
accepted schema check labs.json labs.parquet --duckdb "$ENGINE"
grep -q '^taken: .*out of range' accepted.out || fail "$(<accepted.out)"
cp accepted.out parquet.out
accepted schema check labs.json labs.csv
diff <(sed 's/labs\.[a-z]*//' parquet.out) <(sed 's/labs\.[a-z]*//' accepted.out) || fail "check counts other cells in Parquet"
for method in marginals pairs; do
    for input in labs.csv labs.parquet; do
        accepted synth $input --schema labs.json --method $method --epsilon 3 --duckdb "$ENGINE" --quiet --overwrite -o out.csv
        [ $input = labs.parquet ] || cp out.csv first.csv
    done
    cmp -s first.csv out.csv || fail "$method: Parquet gives other rows than CSV"
    awk -F, 'NR > 1 && $2 != "" && ($1 == "k" && ($2 < 2 || $2 > 8) || $1 == "na" && ($2 < 110 || $2 > 170 || $2 != int($2)) || $2 < 0 || $2 > 500) { exit 1 }
        NR > 1 && $3 != "" && $3 !~ /^(0[6-9]|1[0-9]|2[01]):[0-5][0-9]$/ { exit 1 }' out.csv || fail "$method: a value is outside of its bounds"
done
# A synthetic Parquet file is read with the same schema, but for the format: its times are ISO 8601.
accepted synth labs.parquet --schema labs.json --method marginals --epsilon 3 --duckdb "$ENGINE" --quiet -o out.parquet
sed 's/"format": "%H:%M", //' labs.json > iso.json
accepted schema check iso.json out.parquet --duckdb "$ENGINE"
! grep -qE 'unparseable|out of range|unknown' accepted.out || fail "$(<accepted.out)"
# Inspection takes such a column for times of day.
accepted schema inspect labs.parquet -o draft.json --duckdb "$ENGINE"
grep -A1 '"name": "taken"' draft.json | grep -q '"type": "time"' || fail "$(<draft.json)"
