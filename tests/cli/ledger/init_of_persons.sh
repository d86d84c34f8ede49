# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# A ledger of persons says so, with the number of their rows that count; and is charged for nothing else.
accepted ledger init data.ledger --rows-per-person 3
accepted ledger show data.ledger --json
grep -q '"unit": *"person"' accepted.out || fail "unit: $(<accepted.out)"
grep -q '"rows_per_unit": *3' accepted.out || fail "rows: $(<accepted.out)"
accepted ledger verify data.ledger
for rows in 0 1025 -1 two; do
    refused 2 '*rows-per-person*' ledger init other.ledger --rows-per-person "$rows"
done
printf '{"fields":[{"name":"id"},{"name":"x","type":"boolean"}],"semblance":{"unit":"id","max_rows_per_unit":%s}}' 2 > two.json
printf '{"fields":[{"name":"id"},{"name":"x","type":"boolean"}],"semblance":{"unit":"id","max_rows_per_unit":%s}}' 3 > three.json
printf 'id,x\na,true\na,true\n,false\n' > data.csv
refused 3 "*adds up the cost for a person, up to 3 of its rows counting, and by the schema at most 2 rows*'semblance ledger total'*" \
    synth data.csv --schema two.json --histories off --epsilon 1 --ledger data.ledger -o out.csv
accepted synth data.csv --schema three.json --histories off --epsilon 1 --ledger data.ledger -o out.csv
# A person with all its rows is one record: that adds up with any number of rows.
accepted synth data.csv --schema two.json --epsilon 1 --ledger data.ledger -o together.csv
accepted verify together.csv.certificate.json --ledger data.ledger
head -1 out.csv | grep -qx 'id,x' || fail "header: $(head -1 out.csv)"
accepted verify out.csv.certificate.json --ledger data.ledger
grep -q 'one person' accepted.out || fail "certificate: $(<accepted.out)"
# Who first ran without a unit is told how to go on with one.
printf '{"fields":[{"name":"id","semblance":{"role":"ignore"}},{"name":"x","type":"boolean"}]}' > rows.json
accepted synth data.csv --schema rows.json --epsilon 1 -o rows.csv
refused 3 '*adds up the cost for a row, and by the schema at most 3 rows of a person count: *--rows-per-person*' \
    synth data.csv --schema three.json --epsilon 1 -o persons.csv
