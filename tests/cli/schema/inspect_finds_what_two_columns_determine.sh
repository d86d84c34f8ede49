# SPDX-License-Identifier: Apache-2.0
# A city by country and postcode, which neither says alone; what one column determines, what one determines beside a column of noise, and what
# few rows show is not said of two. The rule can be taken, and synthetic rows keep it.
. "$CLI_TESTS/lib.sh"
awk 'function r(n) { return int(rand() * n) } BEGIN { srand(6); print "country,postcode,city,region,colour"
    split("Aarau,Basel,Chur,Delft,Essen,Fulda", city, ",")
    for (i = 0; i < 6000; i++) { c = r(3); p = r(8); k = 1 + (c * 5 + p * (c + 1)) % 6
        printf "%s,Z%d,%s,%s,%s\n", substr("ABC", c + 1, 1), p, city[k], k <= 3 ? "south" : "north", substr("rgb", 1 + r(3), 1) } }' > towns.csv
accepted schema inspect towns.csv -o towns.json
grep -qxE 'proposal [0-9]+, constraint: country and postcode together determine city: holds in every row' accepted.err || fail "not found: $(<accepted.err)"
[ "$(grep -c 'together determine' accepted.err)" = 1 ] && grep -q 'city determines region' accepted.err && ! grep -q 'colour' accepted.err || fail "too much: $(<accepted.err)"
accepted schema accept towns.json --take all
accepted schema check towns.json towns.csv
! grep -q 'break' accepted.out || fail "a constraint that does not hold: $(<accepted.out)"
accepted synth towns.csv --schema towns.json --epsilon 1 --quiet -o out.csv
awk -F, 'FNR == 1 { next } NR == FNR { of[$1 $2] = $3; next } of[$1 $2] != $3 { bad++ } END { exit bad > 0 }' towns.csv out.csv || fail "synthetic rows break it"
# One row in fifty is too many, and so are combinations that fewer than 30 rows have.
awk -F, -v OFS=, 'NR % 50 == 2 { $3 = $3 == "Basel" ? "Chur" : "Basel" } { print }' towns.csv > other.csv
accepted schema inspect other.csv
! grep -q 'together determine city' accepted.err || fail "it does not hold: $(<accepted.err)"
sed -n 1,500p towns.csv > few.csv
accepted schema inspect few.csv
! grep -q 'together determine' accepted.err || fail "few rows: $(<accepted.err)"
