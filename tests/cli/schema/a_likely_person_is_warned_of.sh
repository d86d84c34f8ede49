# SPDX-License-Identifier: Apache-2.0
# A schema without a person where inspection found one warns in plan, in synth and in the certificate, also after it was accepted; with
# the person there is no warning.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { print "knr,sex,ward,cost"; for (i = 0; i < 900; i++) { p = i * 7 % 150
    printf "K%05d,%s,%s,%d\n", p * 13, p * 7 % 10 < 5 ? "f" : "m", (i * 5 % 7) % 2 ? "eyes" : "skin", i * 37 % 89 } }' > stays.csv
accepted schema inspect stays.csv -o stays.json
grep -q '^proposal [0-9], unit: knr: ' accepted.err || fail "no unit: $(<accepted.err)"
words="the schema declares no person, and column 'knr' looks like a person's id"
assumed='that each row is another person, although one column looks like the id of a person'
accepted schema accept stays.json --take none -o none.json
for schema in stays none; do
    accepted plan --schema $schema.json --epsilon 1 -n 900
    grep -q "^WARNING: $words" accepted.out accepted.err || fail "plan of $schema does not warn: $(<accepted.out)"
    accepted plan --schema $schema.json --epsilon 1 -n 900 --json
    grep -q "$words" accepted.out || fail "plan --json of $schema does not warn: $(<accepted.out)"
    accepted synth stays.csv --schema $schema.json --epsilon 1 --method marginals -o made.$schema.csv
    [ "$(grep -c "WARNING: $words" accepted.err)" = 1 ] || fail "synth of $schema does not warn: $(<accepted.err)"
    grep -q "\"$assumed\"" made.$schema.csv.certificate.json || fail "the certificate of $schema does not say so"
    accepted verify made.$schema.csv.certificate.json
done
accepted schema accept stays.json --take unit -o person.json
cp stays.csv persons.csv # whose ledger is one of persons
accepted plan --schema person.json --epsilon 1 -n 900
! grep -q 'declares no person' accepted.out accepted.err || fail "a declared person is warned of"
accepted synth persons.csv --schema person.json --epsilon 1 --method marginals -o person.csv
! grep -q 'declares no person' accepted.err || fail "a declared person is warned of: $(<accepted.err)"
! grep -q "$assumed" person.csv.certificate.json || fail "the certificate says that rows are persons"
# The fact is in the schema: other records do not change it.
head -n 2 stays.csv > few.csv
accepted synth few.csv --schema none.json --epsilon 1 --method marginals -o few.out.csv
grep -q "WARNING: $words" accepted.err || fail "the warning depends on the records: $(<accepted.err)"
# A column that is not there is not named.
sed 's/"person": "knr"/"person": "someone"/' none.json > other.json
accepted plan --schema other.json --epsilon 1 -n 900
! grep -q 'declares no person' accepted.out accepted.err || fail "an unknown column is named"
