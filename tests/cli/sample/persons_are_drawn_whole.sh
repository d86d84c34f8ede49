# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# A model of histories draws persons with all their rows: so many of them, or those with a row that holds a condition.
make_visits
accepted synth visits.csv --schema visits.json --epsilon 20 -o made.csv --model m.safetensors --persons 40
grep -q 'made.csv (40 persons)' accepted.err accepted.out || fail "what was written is not said in persons"
persons() { tail -n +2 "$1" | cut -d, -f1 | sort -u | wc -l; }
[ "$(persons made.csv)" = 40 ] || fail "$(persons made.csv) persons, not 40"
model=m.safetensors

# The first persons of more are the same; rows are counted exactly, and cut the last person.
accepted sample $model --persons 5000 --seed 4
mv accepted.out all.csv
[ "$(persons all.csv)" = 5000 ] || fail "not 5000 persons"
for n in 1 2 137; do
    accepted sample $model --persons $n --seed 4
    [ "$(persons accepted.out)" = $n ] || fail "not $n persons"
    head -n "$(wc -l < accepted.out)" all.csv | cmp - accepted.out || fail "the first $n of more persons are others"
done
accepted sample $model -n 1001 --seed 4
head -n 1002 all.csv | cmp - accepted.out || fail "rows are not the first of the persons"

# kept CONDITION OF-AWK: the persons of all.csv with a row that awk's condition is true of, and all their rows.
kept() {
    awk -F, -v OFS=, "NR == FNR { if (FNR > 1 && ($2)) wanted[\$1] = 1; next } FNR == 1 || \$1 in wanted" all.csv all.csv > expected
    local n
    n=$(persons expected)
    [ "$n" -gt 20 ] || fail "few persons hold '$1'"
    accepted sample $model --persons "$n" --where "$1" --seed 4
    cmp expected accepted.out || fail "--where '$1' keeps other persons"
    accepted sample $model -n 50 --where "$1" --seed 4
    head -n 51 expected | cmp - accepted.out || fail "--where '$1' with -n keeps other rows"
}
kept 'sex = f' '$2 == "f"'
kept 'born<1960' '$3 < 1960'
kept 'ward = skin' '$7 == "skin"'
kept "ward = skin and stage >= 4" '$7 == "skin" && $8 >= 4'
kept "sex = m and admitted > 2024-04-01" '$2 == "m" && $5 > "2024-04-01"'

# Each --where is of some row, not of the same one.
awk -F, 'NR == FNR { if ($7 == "skin") skin[$1] = 1; if ($7 == "eyes") eyes[$1] = 1; next }
    FNR == 1 || ($1 in skin && $1 in eyes)' all.csv all.csv > expected
accepted sample $model --persons "$(persons expected)" --where ward=skin --where ward=eyes --seed 4
cmp expected accepted.out || fail "two conditions keep other persons"

# A thousand draws for each person until it gives up: under a sanitizer the same draws, a minute of them.
[ "${EVERY:-1}" != 1 ] ||
    refused 2 '0 of 10* drawn persons satisfied all conditions, and at most 1000 are drawn* (--where)' \
        sample $model --persons 3 --where 'born < 1950 and born > 1960'
refused 2 'give the number of rows or of persons, not both (--persons)' sample $model --persons 3 -n 5
refused 2 'option --persons must be a whole number, 1 or more, not*' sample $model --persons 0

# What draws no persons says so before anything is read or charged.
cp visits.csv.ledger untouched
synth=(synth visits.csv --schema visits.json --epsilon 1 -o no.csv)
for flat in '--histories off' '--method marginals' '--pure'; do
    refused 2 'only models of the method histories draw persons, * (--persons)' "${synth[@]}" --persons 3 $flat
done
refused 2 'give the number of rows or of persons, not both*' "${synth[@]}" --persons 3 --rows 7
refused 2 'only models of the method histories draw persons, * (--persons)' synth visits.csv --epsilon 1 -o no.csv --persons 3
refused 2 'rounds is an option of the method pairs, and auto takes histories*' "${synth[@]}" --rounds 1
refused 2 'rounds is an option of the method pairs, and auto takes histories*' plan --schema visits.json --epsilon 1 -n 900 --rounds 2
refused 2 'rounds is not an option of the method histories, but of pairs, forest' "${synth[@]}" --method histories --rounds 1
cmp untouched visits.csv.ledger || fail "a refusal was charged"
[ ! -e no.csv ] && [ ! -e no.csv.release ] || fail "a refusal left files"
accepted synth visits.csv --schema visits.json --epsilon 1 --histories off --model flat.safetensors -o flat.csv
refused 2 'only models of the method histories draw persons, * (--persons)' sample flat.safetensors --persons 3
