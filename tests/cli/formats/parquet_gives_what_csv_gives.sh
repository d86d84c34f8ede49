# SPDX-License-Identifier: Apache-2.0
# The same table as CSV and as Parquet, in one file, in partitions and by a pattern: every command takes it, and under the
# test key the synthetic rows are the same to the byte.
. "$CLI_TESTS/lib.sh"
[ -r "$ENGINE" ] || skip "no library of DuckDB (make engines)"
[ -n "${SEMBLANCE_TESTKEY:-}" ] || skip "no test-key build"
SEMBLANCE=$SEMBLANCE_TESTKEY
fields='{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "ward", "type": "string", "constraints": {"enum": ["north", "south", "west"]}},
    {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 500}},
    {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}}'
echo "{\"fields\": [$fields]}" > s.json
"$RUN_SQL" "$ENGINE" "CREATE TABLE t AS SELECT (i * 7 % 90)::SMALLINT AS age, ['north', 'south', 'west'][i * i % 3 + 1] AS ward,
    ((i * 31 % 1000) / 3)::DECIMAL(9, 2) AS cost, DATE '2024-01-01' + (i % 300)::INTEGER AS day FROM range(3000) r(i)" \
    "COPY t TO 't.csv'" "COPY t TO 't.parquet'" "COPY t TO 'hive' (FORMAT parquet, PARTITION_BY (ward))" || fail "no tables"
mkdir parts && "$RUN_SQL" "$ENGINE" "COPY (FROM 't.parquet' LIMIT 1000) TO 'parts/a1.parquet'" \
    "COPY (FROM 't.parquet' OFFSET 1000) TO 'parts/a2.parquet'"
common=(--schema s.json --epsilon 2 --duckdb "$ENGINE" --quiet --overwrite)
for input in t.csv t.parquet hive 'parts/a*.parquet' parts/; do
    "$SEMBLANCE" synth "$input" "${common[@]}" -o "out.csv" 2> said || fail "$input: $(<said)"
    [ -e first.csv ] || cp out.csv first.csv
    cmp first.csv out.csv || fail "$input gives other rows"
done
[ -e t.parquet.ledger ] && [ -e hive.ledger ] && [ -e parts.ledger ] || fail "a ledger is not beside its data"
# All of a folder is one data set, by whatever pattern it is read: four releases twice, or six where a probe asks for forests.
"$SEMBLANCE" ledger show parts.ledger --json | grep -Eq '"releases": "(8|10|12)"' || fail "$("$SEMBLANCE" ledger show parts.ledger)"

# Every other command.
"$SEMBLANCE" fit hive "${common[@]}" --model m.model 2> said || fail "fit: $(<said)"
accepted schema inspect t.parquet -o g.json --duckdb "$ENGINE"
accepted schema check s.json hive --duckdb "$ENGINE"
grep -q 'cost: all cells good' accepted.out || fail "$(<accepted.out)"
accepted schema discover t.parquet --epsilon 5 -o d.json --duckdb "$ENGINE" --quiet
accepted evaluate --real t.parquet --synthetic out.csv --train hive --schema s.json --models none --duckdb "$ENGINE"
grep -q 'NOT PRIVATE' accepted.out || fail "an evaluation without its label"

# A planted bad cell changes neither exit code nor the shape of what is written or said.
"$RUN_SQL" "$ENGINE" "COPY (SELECT CASE WHEN age = 7 THEN 30000 ELSE age END::SMALLINT AS age, CASE WHEN age = 14 THEN repeat('x', 2000000)
    ELSE ward END AS ward, CASE WHEN age = 21 THEN 'nan'::DOUBLE ELSE cost::DOUBLE END AS cost, day FROM 't.parquet') TO 'bad.parquet'"
"$SEMBLANCE" synth bad.parquet "${common[@]}" --health off -o bad.csv > bad.out 2>&1 || fail "$(<bad.out)"
[ ! -s bad.out ] && [ "$(wc -l < bad.csv)" = 3001 ] || fail "a bad cell changed the shape: $(<bad.out)"

# Without the library, one line says what to do; of what is no library, too.
touch no.so
refused 2 '*no.so is not DuckDB*' synth t.parquet --schema s.json --epsilon 1 -o x.csv --duckdb ./no.so
refused 2 'delimiter does not apply to Parquet files, only to CSV files' synth t.parquet --schema s.json --epsilon 1 -o x.csv --delimiter ';' --duckdb "$ENGINE"
[ ! -e x.csv ] || fail "something was written"
