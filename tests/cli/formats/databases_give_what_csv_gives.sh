# SPDX-License-Identifier: Apache-2.0
# The same table as CSV and in files of SQLite and DuckDB: every command takes it by --table, and under the test key the
# synthetic rows are the same to the byte. What is selected by --query is read under add-remove, with the owner's word.
. "$CLI_TESTS/lib.sh"
[ -n "${SEMBLANCE_TESTKEY:-}" ] || skip "no test-key build"
SEMBLANCE=$SEMBLANCE_TESTKEY
cat > s.json << 'END'
{"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "ward", "type": "string", "constraints": {"enum": ["north", "south", "île"]}},
    {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 500}},
    {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}},
    {"name": "ok", "type": "boolean"}]}
END
/usr/bin/python3 - << 'END' || fail "no tables"
import csv, sqlite3
rows = [(i * 7 % 90, ("north", "south", "île")[i * i % 3], round(i * 31 % 1000 / 3, 2),
         f"2024-{1 + i % 12:02}-{1 + i % 28:02}", (1, 0, None)[i % 3]) for i in range(3000)]
with open("t.csv", "w", newline="", encoding="utf-8") as file:
    out = csv.writer(file)
    out.writerow(("age", "ward", "cost", "day", "ok"))
    out.writerows((*row[:4], ("false", "true", "")[2 if row[4] is None else row[4]]) for row in rows)
table = "(age INTEGER, ward TEXT, cost REAL, day TEXT, ok BOOLEAN"
data = sqlite3.connect("t.db")
data.execute(f"CREATE TABLE people {table}, older INTEGER GENERATED ALWAYS AS (age + 1) VIRTUAL)")
data.execute(f"""CREATE TABLE "odd ""name'" {table})""")
data.execute(f"CREATE TABLE bad {table})")
data.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows)
data.executemany("""INSERT INTO "odd ""name'" VALUES (?, ?, ?, ?, ?)""", rows)
# Of any class in any column: SQLite does not mind.
odd = [("many", 3, b"\x00\xff", 20240101, "maybe"), (1e300, b"north", "x" * 2000000, b"", 2), (None, "\x00", "nan", -5, 7.5)]
data.executemany("INSERT INTO bad VALUES (?, ?, ?, ?, ?)", rows[: 3000 - len(odd)] + odd)
data.execute("CREATE VIEW seen AS SELECT * FROM people")
data.commit()
END
common=(--schema s.json --epsilon 2 --quiet --overwrite)
"$SEMBLANCE" synth t.csv "${common[@]}" -o first.csv 2> said || fail "$(<said)"
same() { # ARGUMENT...: gives the rows of the CSV file
    "$SEMBLANCE" synth "$@" "${common[@]}" -o out.csv 2> said || fail "$*: $(<said)"
    cmp first.csv out.csv || fail "$* gives other rows"
}
same t.db --table people
same t.db --table "odd \"name'"
# One ledger for a file, whichever table is read: the same persons may be in several.
releases() { "$SEMBLANCE" ledger show "$1" --json | sed -n 's/.*"releases": "\([0-9]*\)".*/\1/p' | head -n 1; }
[ "$(releases t.db.ledger)" = $((2 * $(releases t.csv.ledger))) ] || fail "$("$SEMBLANCE" ledger show t.db.ledger)"
if [ -r "$ENGINE" ]; then
    "$RUN_SQL" "$ENGINE" "ATTACH 'd.duckdb' AS d" "CREATE TYPE d.place AS ENUM ('north', 'south', 'île')" "CREATE SCHEMA d.other" \
        "CREATE TABLE d.people AS SELECT age::SMALLINT AS age, ward::d.place AS ward, cost::DECIMAL(9, 2) AS cost, day::DATE AS day,
         CASE ok WHEN 'true' THEN true WHEN 'false' THEN false END AS ok, uuid() AS id FROM read_csv('t.csv', all_varchar = true)" \
        "CREATE TABLE d.other.t2 AS FROM d.people" "CREATE VIEW d.seen AS FROM d.people" \
        "CREATE TABLE d.made (age INTEGER, more INTEGER GENERATED ALWAYS AS (age + 1))" || fail "no file of DuckDB"
    same d.duckdb --table people --duckdb "$ENGINE"
    same d.duckdb --table other.t2 --duckdb "$ENGINE"
    refused 3 "*'seen' is not a stored table*" synth d.duckdb --table seen "${common[@]}" -o x.csv --duckdb "$ENGINE"
    refused 3 "*'made' is not a stored table*" synth d.duckdb --table made "${common[@]}" -o x.csv --duckdb "$ENGINE"
    refused 3 "*has no table 'none'*" synth d.duckdb --table none "${common[@]}" -o x.csv --duckdb "$ENGINE"
fi

# Every other command.
accepted fit t.db --table people "${common[@]}" --model m.model
accepted plan --schema s.json --epsilon 1 --save p.plan -n 3000
accepted sum t.db --table people --plan p.plan -o a.sum
accepted schema inspect t.db --table people -o g.json
accepted schema check s.json t.db --table people
grep -q '^3000 rows' accepted.out && grep -q 'cost: all cells good' accepted.out || fail "$(<accepted.out)"
accepted schema discover t.db --table people --epsilon 5 -o d.json --quiet
accepted evaluate --real t.db --synthetic out.csv --train t.db --table people --schema s.json --models none

# Planted cells of any class change neither exit code nor the shape of what is said or written.
"$SEMBLANCE" synth t.db --table bad "${common[@]}" --health off -o bad.csv > bad.out 2>&1 || fail "$(<bad.out)"
[ ! -s bad.out ] && [ "$(wc -l < bad.csv)" = 3001 ] || fail "a bad cell changed the shape: $(<bad.out)"

# What is no table.
refused 3 "*'seen' is not a stored table*" synth t.db --table seen "${common[@]}" -o x.csv
refused 3 "*has no table 'none'*" synth t.db --table none "${common[@]}" -o x.csv
refused 3 't.csv is not an SQLite or DuckDB database, so table does not apply to it' synth t.csv --table people "${common[@]}" -o x.csv
refused 2 'delimiter does not apply to databases, only to CSV files' synth t.db --table people "${common[@]}" -o x.csv --delimiter ';'
refused 2 '*a table or a query, not both*' synth t.db --table people --query 'SELECT 1' "${common[@]}" -o x.csv
touch t.sqlite no.so
refused 2 '*t.sqlite is a database: choose a table (--table*' synth t.sqlite "${common[@]}" -o x.csv
refused 2 "*no.so is not SQLite's library*" synth t.db --table people "${common[@]}" -o x.csv --adbc-driver ./no.so
echo x > t.db-wal
refused 3 '*t.db has a journal*' synth t.db --table people "${common[@]}" -o x.csv
rm t.db-wal

# Queries: under add-remove alone, with the owner's word, which the certificate repeats.
query=(--query 'SELECT * FROM people WHERE age > 40' --expect-rows 1500)
refused 2 '*use add-remove neighbours*' synth t.db "${query[@]}" "${common[@]}" -o x.csv
refused 2 '*may select several rows of one person*--one-row-per-person*' synth t.db "${query[@]}" "${common[@]}" -o x.csv --neighbours add-remove
refused 2 '*a part must be a table, not a query*' sum t.db --query 'SELECT * FROM people' --plan p.plan -o b.sum
"$SEMBLANCE" ledger init q.ledger --neighbours add-remove --quiet
accepted synth t.db "${query[@]}" "${common[@]}" -o q.csv --neighbours add-remove --one-row-per-person --ledger q.ledger
grep -q "one person is at most one of them, and in no other (the owner's word)" q.csv.certificate.json || fail "$(<q.csv.certificate.json)"
accepted verify q.csv.certificate.json
grep -q 'WHERE age' q.csv.certificate.json q.ledger && fail "the query is told"
sed 's/"fields": \[/&{"name": "rowid"},/; s/}]}$/}], "semblance": {"unit": "rowid", "max_rows_per_unit": 1}}/' s.json > u.json
"$SEMBLANCE" ledger init u.ledger --neighbours add-remove --rows-per-person 1 --quiet
accepted synth t.db --query 'SELECT rowid, * FROM people' --expect-rows 3000 --schema u.json --epsilon 2 --quiet -o u.csv --neighbours add-remove \
    --ledger u.ledger
grep -q "of the person alone whose id it holds (the owner's word)" u.csv.certificate.json || fail "$(<u.csv.certificate.json)"
for bad in 'DROP TABLE people' 'SELECT 1; SELECT 2' "ATTACH 't.db' AS x" 'SELECT * FROM nothing'; do
    refused 3 '*t.db*query*' synth t.db --query "$bad" "${common[@]}" -o x.csv --neighbours add-remove --one-row-per-person \
        --ledger q.ledger --expect-rows 3000
done
if [ -r "$ENGINE" ]; then
    word=(--duckdb "$ENGINE" --neighbours add-remove --one-row-per-person --ledger q.ledger --expect-rows 3000)
    accepted synth d.duckdb --query 'SELECT * FROM people WHERE age > 40 -- and no more' "${common[@]}" -o q.csv "${word[@]}"
    for bad in "FROM read_csv('t.csv')" 'SELECT 1) AS a, (SELECT 2' 'DROP TABLE people' "COPY people TO 'y.csv'" 'FROM people; FROM people'; do
        refused 3 '*d.duckdb: the query must be a single SELECT statement*' synth d.duckdb --query "$bad" "${common[@]}" -o x.csv "${word[@]}"
    done
fi
[ ! -e x.csv ] && [ ! -e y.csv ] || fail "something was written"
