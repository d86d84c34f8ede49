# SPDX-License-Identifier: Apache-2.0
# The same table as CSV and on a server of PostgreSQL that this test starts: under the test key the synthetic rows are the
# same to the byte; the password of the address stands nowhere.
. "$CLI_TESTS/lib.sh"
[ -n "${SEMBLANCE_TESTKEY:-}" ] || skip "no test-key build"
[ -r "${POSTGRES_DRIVER:-}" ] || skip "no ADBC driver of PostgreSQL (make engines)"
bin=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -V | tail -n 1)
[ -x "$bin/initdb" ] || skip "no PostgreSQL (apt install postgresql)"
SEMBLANCE=$SEMBLANCE_TESTKEY
server=$(mktemp -d /tmp/sblpg.XXXXXX)
as=() # a server does not run as root
if [ "$(id -u)" = 0 ]; then
    chown nobody "$server"
    as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
stop() {
    "${as[@]}" "$bin/pg_ctl" -D "$server/data" -m immediate stop > /dev/null 2>&1
    rm -rf "$server"
}
trap stop EXIT
in_server() { (cd "$server" && HOME=$server "${as[@]}" "$@"); }
echo SECRETword > "$server/word" && chmod 644 "$server/word"
in_server "$bin/initdb" -D "$server/data" -U owner --auth=scram-sha-256 --pwfile="$server/word" --encoding=UTF8 --locale=C.UTF-8 > init.log 2>&1 || fail "$(tail -n 3 init.log)"
in_server "$bin/pg_ctl" -D "$server/data" -w -l "$server/log" \
    -o "-c listen_addresses='' -c unix_socket_directories='$server' -c fsync=off" start > start.log 2>&1 || fail "$(tail -n 3 start.log)"
cat > s.json << 'END'
{"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "ward", "type": "string", "constraints": {"enum": ["north", "south", "île"]}},
    {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 500}},
    {"name": "weight", "type": "number", "constraints": {"minimum": 0, "maximum": 1}},
    {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}},
    {"name": "seen", "type": "datetime", "constraints": {"minimum": "2024-01-01T00:00:00", "maximum": "2024-12-31T00:00:00"}},
    {"name": "ok", "type": "boolean"}]}
END
export PGPASSWORD=SECRETword
psql=("$bin/psql" -h "$server" -U owner -d postgres -q -v ON_ERROR_STOP=1)
"${psql[@]}" << 'END' || fail "no tables"
CREATE TYPE place AS ENUM ('north', 'south', 'île');
CREATE TABLE people AS SELECT (i * 7 % 90)::smallint AS age, (ARRAY['north', 'south', 'île'])[i * i % 3 + 1]::place AS ward,
    round(i * 31 % 1000 / 3.0, 2)::numeric(9, 2) AS cost, (i % 97) / 97.0::double precision AS weight, DATE '2024-01-01' + i % 300 AS day,
    TIMESTAMP '2024-01-01 10:00:00' + i % 300 * INTERVAL '1 day 7 seconds' AS seen,
    (ARRAY[true, false, NULL])[i % 3 + 1] AS ok, ARRAY[i] AS list, i AS id FROM generate_series(0, 2999) AS i;
CREATE SCHEMA other;
CREATE TABLE other.t2 AS SELECT * FROM people;
CREATE TABLE bad AS SELECT * FROM people;
UPDATE bad SET age = 30000, cost = 'NaN', weight = 'NaN' WHERE id = 5;
UPDATE bad SET weight = 'Infinity', day = 'infinity', seen = '-infinity' WHERE id = 6;
UPDATE bad SET day = '5000-01-01', ward = NULL WHERE id = 7;
CREATE VIEW shown AS SELECT * FROM people;
\copy (SELECT age, ward, cost, weight, day, to_char(seen, 'YYYY-MM-DD"T"HH24:MI:SS') AS seen, CASE WHEN ok THEN 'true' WHEN NOT ok THEN 'false' END AS ok FROM people ORDER BY id) TO 't.csv' CSV HEADER
END
unset PGPASSWORD
address="postgresql://owner:SECRETword@/postgres?host=$server"
driver=(--adbc-driver "$POSTGRES_DRIVER")
common=(--schema s.json --epsilon 2 --quiet --overwrite)
"$SEMBLANCE" synth t.csv "${common[@]}" -o first.csv 2> said || fail "$(<said)"
refused 2 '*is on a server, where no ledger can be kept*--ledger*' synth "$address" --table people "${common[@]}" -o x.csv "${driver[@]}"
"$SEMBLANCE" ledger init people.ledger --quiet
for table in people other.t2; do
    "$SEMBLANCE" synth "$address" --table "$table" "${common[@]}" "${driver[@]}" --ledger people.ledger -o out.csv 2> said || fail "$table: $(<said)"
    cmp first.csv out.csv || fail "$table gives other rows"
done
accepted schema inspect "$address" --query 'SELECT age, ward, cost FROM people' -o g.json "${driver[@]}"
accepted schema check s.json "$address" --table people "${driver[@]}"
grep -q '^3000 rows' accepted.out && grep -q 'seen: all cells good' accepted.out || fail "$(<accepted.out)"
accepted plan --schema s.json --epsilon 1 --save p.plan -n 3000
accepted sum "$address" --table people --plan p.plan --part one -o a.sum "${driver[@]}"
accepted evaluate --real "$address" --synthetic out.csv --table people --schema s.json --models none "${driver[@]}"

# Planted cells change neither exit code nor the shape of what is said or written.
"$SEMBLANCE" synth "$address" --table bad "${common[@]}" "${driver[@]}" --ledger people.ledger --health off -o bad.csv > bad.out 2>&1 || fail "$(<bad.out)"
[ ! -s bad.out ] && [ "$(wc -l < bad.csv)" = 3001 ] || fail "a bad cell changed the shape: $(<bad.out)"

# A query, with the owner's word.
"$SEMBLANCE" ledger init q.ledger --neighbours add-remove --quiet
word=(--neighbours add-remove --one-row-per-person --ledger q.ledger --expect-rows 1500 "${driver[@]}" "${common[@]}")
accepted synth "$address" --query 'SELECT * FROM people WHERE age > 40 -- no more' -o q.csv "${word[@]}"
grep -q "the owner's word" q.csv.certificate.json || fail "the query is not told"
refused 2 '*use add-remove neighbours*' synth "$address" --query 'SELECT 1' "${common[@]}" "${driver[@]}" --ledger q.ledger -o x.csv
for bad in 'DROP TABLE people' 'SELECT * FROM nothing' 'WITH gone AS (DELETE FROM people RETURNING *) SELECT * FROM gone'; do
    refused 3 '*the query must be a single SELECT statement*' synth "$address" --query "$bad" -o x.csv "${word[@]}"
done

# What is no table, no server, no driver.
refused 3 "*'shown' is not a stored table*" synth "$address" --table shown "${common[@]}" "${driver[@]}" --ledger people.ledger -o x.csv
refused 3 "*has no table 'none'*" synth "$address" --table none "${common[@]}" "${driver[@]}" --ledger people.ledger -o x.csv
refused 5 '*cannot connect to postgresql:///postgres: *' synth "${address/SECRETword/wrongSECRET}" --table people "${common[@]}" "${driver[@]}" --ledger people.ledger -o x.csv
touch no.so
refused 2 '*no.so is not an ADBC driver*' synth "$address" --table people "${common[@]}" --adbc-driver ./no.so --ledger people.ledger -o x.csv
refused 2 '*--save-job cannot save the address*' synth "$address" --table people "${common[@]}" "${driver[@]}" --ledger people.ledger --save-job j.json -o x.csv
[ ! -e x.csv ] || fail "something was written"
grep -rl SECRETword . && fail "the password was written down"
true
