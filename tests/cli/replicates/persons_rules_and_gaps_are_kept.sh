# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Histories: rules between rows of a person and facts of a person hold in all rows of all replicates.
CONSTRAINTS='["admitted <= discharged", "admitted >= previous discharged", "stage >= previous stage"]' make_visits
accepted synth visits.csv --schema visits.json --epsilon 5 --threads 1 --replicates 3 --persons 100 -o visits
for file in visits/0*.csv; do
    [ "$(cells "$file" who | sort -u | wc -l)" = 100 ] || fail "$file: the number of persons"
    awk -F, 'NR > 1 { if ($5 > $6) bad++
        if ($1 in left) { if ($5 < left[$1] || $8 < stage[$1] || $2 != sex[$1] || $3 != born[$1]) bad++ }
        left[$1] = $6; stage[$1] = $8; sex[$1] = $2; born[$1] = $3 }
        END { exit bad > 0 }' "$file" || fail "$file breaks a rule"
done
cat visits/0*.csv | sort -u > all
[ "$(wc -l < all)" -gt "$(sort -u visits/01.csv | wc -l)" ] || fail "the same persons in every replicate"
accepted verify visits.certificate.json --ledger visits.csv.ledger --output visits/03.csv

# Rows of persons by marginals: each row has the id of a person, and some persons have several rows.
make_visits
accepted synth visits.csv --schema visits.json --epsilon 5 --threads 1 --replicates 2 --method marginals -o rows.csv
awk -F, 'NR > 1 { rows[$1]++; bad += $2 !~ /^P-[0-9]+$/; several[$1] += seen[$1, $2]++ > 0 }
    END { exit bad > 0 || rows[1] < 100 || rows[2] < 100 || several[1] < 10 || several[2] < 10 }' rows.csv || fail "rows of persons"

# Missing values stay, in the columns that may have them; rules hold in every row.
LABEL='{"constraints": ["a <= c"]}' SKIP=4 make_gate
awk -F, -v OFS=, 'NR > 1 && $1 > $3 { t = $1; $1 = $3; $3 = t } { print }' gate.csv > ordered.csv
for method in pairs forest; do
    rm -f ordered.csv.ledger # at this epsilon one ledger would not hold both
    accepted synth ordered.csv --schema gate.json --epsilon 40 --threads 1 --method $method --replicates 3 -o $method.csv
    awk -F, 'NR > 1 { if ($2 + 0 > $4 + 0 || $2 == "" || $4 == "" || $6 == "") bad++; gaps[$1] += $3 == "" }
        END { exit bad > 0 || gaps[1] < 20 || gaps[2] < 20 || gaps[3] < 20 || gaps[1] > 200 }' $method.csv ||
        fail "$method: rules or missing values"
done

# A schema that is discovered.
accepted synth gate.csv --epsilon 20 --threads 1 --replicates 2 -o found
[ "$(head -n 1 found/02.csv)" = a,b,c,word,odd,level ] && [ "$(wc -l < found/02.csv)" = 401 ] || fail "the discovered table"
accepted verify found.certificate.json --ledger gate.csv.ledger --output found/01.csv
