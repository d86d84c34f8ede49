# SPDX-License-Identifier: Apache-2.0
# -o x.parquet: the rows of the CSV file of the same model and seed, by their types, whatever way the schema writes text;
# by the same rules about files, and refused before anything is charged where it cannot be.
. "$CLI_TESTS/lib.sh"
[ -r "$ENGINE" ] || skip "no library of DuckDB (make engines)"
[ -n "${SEMBLANCE_TESTKEY:-}" ] || skip "no test-key build"
SEMBLANCE=$SEMBLANCE_TESTKEY
cat > s.json <<'JSON'
{"dialect": {"delimiter": ";", "quoteChar": "'"}, "encoding": "windows-1252", "missingValues": ["", "n/a"], "fields": [
 {"name": "age", "type": "integer", "constraints": {"minimum": -5, "maximum": 99}},
 {"name": "ward \"A\"", "type": "string", "constraints": {"enum": ["no;rth", "so'u\"th", "wést\nof, it", "\u0001", "NULL"]}},
 {"name": "cost", "type": "number", "decimalChar": ",", "constraints": {"minimum": 0, "maximum": 500}, "semblance": {"decimals": 2}},
 {"name": "day", "type": "date", "format": "%d.%m.%Y", "constraints": {"minimum": "01.01.2024", "maximum": "31.12.2024"}},
 {"name": "at", "type": "datetime", "constraints": {"minimum": "2024-01-01T00:00:00Z", "maximum": "2024-12-31T00:00:00Z"}},
 {"name": "then", "type": "datetime", "constraints": {"minimum": "1824-01-01T00:00:00", "maximum": "2024-12-31T00:00:00"}},
 {"name": "ok", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]},
 {"name": "grade", "type": "integer", "constraints": {"enum": ["1", "2", "10"]}},
 {"name": "key", "type": "string", "semblance": {"role": "id"}},
 {"name": "left out", "type": "string", "semblance": {"role": "ignore"}}]}
JSON
awk 'BEGIN { q = "\047"; print "age;" q "ward \"A\"" q ";cost;day;at;then;ok;grade;key;left out"
    split("no;rth|so" q q "u\"th|w\351st\nof, it|\001|NULL", ward, "|"); split("1 2 10", grade, " ")
    for (i = 0; i < 1000; i++) printf "%s;%s;%d,%02d;%02d.%02d.2024;2024-%02d-03T04:%02d:06Z;1924-%02d-03T%02d:05:06;%s;%s;k%d;x\n",
        i % 7 ? i % 90 : "", q ward[1 + i % 5] q, i % 499, i % 100, 1 + i % 28, 1 + i % 12, 1 + i % 12, i % 60, 1 + i % 12, i % 24,
        i % 11 ? (i % 3 ? "ja" : "nein") : "n/a", i % 9 ? grade[1 + i % 3] : "", i }' > t.csv
accepted fit t.csv --schema s.json --epsilon 8 --model m.model --method marginals --quiet
accepted sample m.model --seed 3 -n 3000 -o a.csv
accepted sample m.model --seed 3 -n 3000 -o a.parquet --duckdb "$ENGINE"
[ "$(stat -c %a a.parquet)" = "$(stat -c %a a.csv)" ] || fail "other permissions than a CSV file has"

# To another reader: every value, put back into the words of the schema, to the byte; and the types.
"$RUN_SQL" "$ENGINE" "COPY (SELECT age, \"ward \"\"A\"\"\", replace(format('{:.2f}', cost), '.', ','), strftime(day, '%d.%m.%Y'),
    replace(replace(\"at\"::VARCHAR, ' ', 'T'), '+00', 'Z'), strftime(\"then\", '%Y-%m-%dT%H:%M:%S'), CASE WHEN ok THEN 'ja' WHEN NOT ok THEN 'nein' END,
    grade, key FROM 'a.parquet') TO 'back.csv' (HEADER false, DELIM ';', QUOTE '''', ESCAPE '''')" \
    "COPY (SELECT string_agg(column_name || ' ' || column_type, ', ') FROM (DESCRIBE FROM 'a.parquet')) TO 'types' (HEADER false, QUOTE '')" \
    || fail "it is no Parquet"
tail -n +2 a.csv | iconv -f windows-1252 -t utf-8 > a.rows
[ "$(grep -c . a.rows)" -gt 3000 ] && grep -q "^;" a.rows && grep -q "NULL" a.rows || fail "the rows lack what is to be seen"
cmp a.rows back.csv || fail "other values"
[ "$(<types)" = 'age BIGINT, ward "A" VARCHAR, cost DOUBLE, day DATE, at TIMESTAMP WITH TIME ZONE, then TIMESTAMP, ok BOOLEAN, grade BIGINT, key VARCHAR' ] \
    || fail "types: $(<types)"

# To our own: the same cells good and missing, and the sums of the CSV file.
accepted schema check s.json a.csv
grep -v 'cells of several lines' accepted.out > checked.csv.out
accepted schema check s.json a.parquet --duckdb "$ENGINE"
cmp checked.csv.out accepted.out || fail "$(<accepted.out)"
for input in a.csv a.parquet; do
    accepted synth "$input" --schema s.json --epsilon 8 --method marginals --duckdb "$ENGINE" -o again.csv --overwrite --quiet
    [ -e first.csv ] || cp again.csv first.csv
    cmp first.csv again.csv || fail "$input gives other sums"
done

# A run: its certificate names the file, a report shows it, what is there is kept unless told otherwise.
run=(t.csv --schema s.json --delimiter ';' --epsilon 1 --method marginals --duckdb "$ENGINE" -o out.parquet)
accepted synth "${run[@]}" --report out.html
accepted verify out.parquet.certificate.json --output out.parquet
sum=$(sha256sum < out.parquet)
refused 5 'out.parquet*exists*' synth "${run[@]}" --release other.release --certificate other.json
[ "$(sha256sum < out.parquet)" = "$sum" ] || fail "it was replaced"
rm out.parquet out.parquet.certificate.json
accepted resume "${run[@]}"
[ "$(sha256sum < out.parquet)" = "$sum" ] || fail "resumed, it is another file"
accepted synth "${run[@]}" --overwrite --seed 5
[ "$(sha256sum < out.parquet)" != "$sum" ] || fail "it was not replaced"
mkdir 'w=[1]*' && accepted sample m.model --seed 3 -n 3000 -o "w=[1]*/o'x?.pq" --duckdb "$ENGINE"
cmp a.parquet "w=[1]*/o'x?.pq" || fail "the name of the folder matters"

# Where the disk is full halfway, one line says so and nothing is there.
(trap '' XFSZ; ulimit -f 64; "$SEMBLANCE" sample m.model -n 100000 -o full.parquet --duckdb "$ENGINE" --quiet) > full.out 2>&1
[ $? = 5 ] && [ "$(<full.out)" = 'semblance: DuckDB could not write full.parquet' ] || fail "a full disk: $(<full.out)"
[ ! -e full.parquet ] || fail "half a file is there"

# What cannot be is one line, and nothing is charged.
touch no.so && mkdir d.parquet
spent=$(sha256sum < t.csv.ledger)
refused 2 '*no.so is not DuckDB*' synth t.csv --schema s.json --epsilon 1 -o x.parquet --duckdb ./no.so
refused 2 '*no.so is not DuckDB*' sample m.model -o x.parquet --duckdb ./no.so
refused 2 'd.parquet is not a regular file*' synth t.csv --schema s.json --epsilon 1 -o d.parquet --overwrite --duckdb "$ENGINE"
sed 's/"name": "grade"/"name": "AGE"/' s.json > case.json && sed '1s/grade/AGE/' t.csv > case.csv
refused 2 "*'age' and 'AGE' would have the same name*" synth case.csv --schema case.json --epsilon 1 -o x.parquet --duckdb "$ENGINE"
printf 'age,AGE\n1,2\n3,4\n' > case.csv
refused 2 "*'age' and 'AGE' would have the same name*" synth case.csv --epsilon 1 -o x.parquet --duckdb "$ENGINE" # a discovered schema
mkdir p
printf '{"resources": [{"name": "a", "path": "a.csv", "schema": {"fields": [{"name": "k", "type": "string"}, {"name": "ok", "type": "boolean"}],
    "primaryKey": "k"}}, {"name": "b", "path": "b.csv", "schema": {"fields": [{"name": "k", "type": "string"}, {"name": "good", "type": "boolean"}],
    "foreignKeys": [{"fields": "k", "reference": {"resource": "a", "fields": "k"}}], "semblance": {"max_rows_per_unit": 2}}}]}' > p/datapackage.json
printf 'k,ok\n1,true\n' > p/a.csv && printf 'k,good\n1,true\n' > p/b.csv
refused 2 'x.parquet: only a single table can be*' synth --package p/datapackage.json --epsilon 1 -o x.parquet
make_images
refused 2 'x.parquet: only a single table can be*' synth --images images --labels labels --classes 3 --epsilon 1 -o x.parquet
[ ! -e images.ledger ] || fail "images were charged for"
[ "$(sha256sum < t.csv.ledger)" = "$spent" ] && [ ! -e case.csv.ledger ] && [ ! -e p/datapackage.json.ledger ] || fail "something was charged"
[ ! -e x.parquet ] && [ ! -e x.parquet.release ] || fail "something was written"
[ -z "$(find . -name '*.tmp')" ] || fail "left behind: $(find . -name '*.tmp')"
