# SPDX-License-Identifier: Apache-2.0
# A limit is not passed by without copying the data: tables of a package, files of a folder and of a list are charged to the
# ledger of the whole, in whatever order they are read, and two ledgers are refused with the way out.
. "$CLI_TESTS/lib.sh"
spent() { "$SEMBLANCE" ledger show "$1" --json | json_member releases | head -n 1; }
make_bank 200
fit=(--epsilon 0.5 --quiet)
accepted synth --package bank/bank.json "${fit[@]}" -o first
[ "$(spent bank/bank.json.ledger)" = 2 ] || fail "$("$SEMBLANCE" ledger show bank/bank.json.ledger)"
for table in accounts clients cards orders loans; do
    [ "$(readlink "bank/$table.csv.ledger")" = bank.json.ledger ] || fail "$table does not lead to the ledger: $(ls -l bank)"
done
[ ! -e bank/districts.csv.ledger ] || fail "a public table has a ledger"
accepted ledger limit bank/bank.json.ledger --epsilon 0.6
# Another package file of the same tables, beside it or elsewhere.
cp bank/bank.json bank/other.json
refused 4 '*bank/bank.json.ledger*' synth --package bank/other.json "${fit[@]}" -o second
mkdir elsewhere
cp bank/bank.json elsewhere/
for table in bank/*.csv; do ln -s "../$table" elsewhere/; done
refused 4 '*bank/bank.json.ledger*' synth --package elsewhere/bank.json "${fit[@]}" -o second --allow-outside
# A table of it by itself: by rows the sum makes no sense, by persons the limit holds.
cat > accounts.json <<'JSON'
{"fields": [{"name": "statements", "type": "string", "constraints": {"enum": ["monthly", "weekly", "transaction"]}}]}
JSON
refused 3 '*bank/bank.json.ledger adds up the cost for a person*--ledger*ledger total*' synth bank/accounts.csv --schema accounts.json "${fit[@]}" -o third.csv
cat > persons.json <<'JSON'
{"fields": [{"name": "account", "type": "string", "semblance": {"role": "id", "id": "A-####"}},
            {"name": "statements", "type": "string", "constraints": {"enum": ["monthly", "weekly", "transaction"]}}],
 "semblance": {"unit": "account", "max_rows_per_unit": 12}}
JSON
refused 4 '*bank/bank.json.ledger*' synth bank/accounts.csv --schema persons.json "${fit[@]}" -o third.csv
accepted synth bank/accounts.csv --schema persons.json --epsilon 0.01 --quiet -o third.csv
accepted verify third.csv.certificate.json --ledger bank/bank.json.ledger --release "$(echo third.csv.release* | tr ' ' ,)" --output third.csv
[ "$(spent bank/bank.json.ledger)" -gt 2 ] || fail "the table was not charged to the package's ledger"
# The other way round: a table that has a ledger, then its package.
make_bank 200 && mkdir again && cp bank/*.csv bank/bank.json again/
accepted synth again/accounts.csv --schema persons.json "${fit[@]}" -o fourth.csv
releases=$(spent again/accounts.csv.ledger)
accepted synth --package again/bank.json "${fit[@]}" -o fifth
[ "$(spent again/accounts.csv.ledger)" = $((releases + 2)) ] || fail "the package was not charged to the ledger of its table"
[ "$(readlink again/bank.json.ledger)" = accounts.csv.ledger ] || fail "$(ls -l again)"
# Two ledgers, neither of which has all: refused, and nothing is left.
mkdir two && cp bank/*.csv bank/bank.json two/
accepted ledger init two/accounts.csv.ledger --rows-per-person 12 --quiet
accepted ledger init two/bank.json.ledger --rows-per-person 12 --quiet
ls -l two | sed 1d > before
refused 3 '*two ledgers, two/accounts.csv.ledger and two/bank.json.ledger*charge (--ledger)' synth --package two/bank.json "${fit[@]}" -o sixth
ls -l two | sed 1d | cmp - before || fail "a refusal left files: $(ls two)"
compgen -G 'second*' && fail "a refusal left files"
compgen -G 'sixth*' && fail "a refusal left files"

# A list, then one of its files; a file, then its list.
make_people
cp people.csv more.csv
rows=(--schema people.json --epsilon 0.5 --method marginals --quiet)
accepted synth people.csv more.csv "${rows[@]}" -o list.csv
accepted ledger limit more.csv.ledger --epsilon 0.6 --quiet
for one in people.csv more.csv ./people.csv; do refused 4 '*more.csv.ledger*' synth "$one" "${rows[@]}" -o one.csv; done
cp people.csv third.csv
accepted synth third.csv "${rows[@]}" -o one.csv
refused 3 '*two ledgers*charge (--ledger)' synth people.csv third.csv "${rows[@]}" -o two.csv

# A folder of Parquet, then its files.
[ -r "$ENGINE" ] || exit 0
mkdir v && "$RUN_SQL" "$ENGINE" "COPY (SELECT i % 90 AS age FROM range(300) r(i)) TO 'v/a.parquet'" \
    "COPY (SELECT i % 80 AS age FROM range(300) r(i)) TO 'v/b.parquet'" || fail "no tables"
echo '{"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}]}' > age.json
rows=(--schema age.json --epsilon 0.5 --duckdb "$ENGINE" --quiet)
accepted synth v "${rows[@]}" -o folder.csv
accepted ledger limit v.ledger --epsilon 0.6 --quiet
for one in v v/a.parquet 'v/*.parquet' v/a.parquet,v/b.parquet; do refused 4 '*v.ledger*' synth "$one" "${rows[@]}" -o one.csv --overwrite; done
cp -r v w
accepted synth w/a.parquet "${rows[@]}" -o w.csv
accepted ledger limit w/a.parquet.ledger --epsilon 0.6 --quiet
refused 4 '*w/a.parquet.ledger*' synth w "${rows[@]}" -o one.csv --overwrite
exit 0
