# SPDX-License-Identifier: Apache-2.0
# Orders, sums, days, years, ages by ward and what follows from a category are found, the most useful first; what two columns keep because of where they lie is not, and
# two definitions of one column are not proposed together.
. "$CLI_TESTS/lib.sh"
awk 'function r(n) { return int(rand() * n) } function day(d) { return strftime("%Y-%m-%d", 1704067200 + d * 86400, 1) }
    BEGIN { srand(4); print "came,left on,days,age,born,ward,sex,icu,own,paid,bill,price,units,small,large,free"
        for (i = 0; i < 1500; i++) {
            came = r(700); days = r(20); age = r(90); ward = r(3); sex = ward == 1 ? "female" : r(2) ? "female" : "male"
            price = 2 + r(50); units = 2 + r(9); bill = price * units; own = r(bill + 1)
            printf "%s,%s,%d,%d,%d,%s,%s,%d,%d,%d,%d,%d,%d,%d,%d,%s\n", day(came), day(came + days), days, age,
                substr(day(came), 1, 4) - age, ward == 1 ? "maternity" : ward ? "surgery" : "medicine", sex,
                ward == 1 ? 0 : r(40), own, bill - own, bill, price, units, r(50), 1000 + r(50), r(2) ? "yes" : "no"
        } }' > stays.csv
accepted schema inspect stays.csv -o stays.json
for rule in 'came <= "left on"' 'days = "left on" - came' 'born = year(came) - age' 'bill = own + paid' \
    "if ward = 'maternity' then sex = 'female'" "if ward = 'maternity' then icu = 0"; do
    grep -qxE "proposal [0-9]+, constraint: $(sed 's/[][()*+.]/\\&/g' <<< "$rule"): holds in every row" accepted.err ||
        fail "'$rule' is not proposed: $(<accepted.err)"
done
! grep -q 'bill = price\|small\|free' accepted.err || fail "too much is proposed: $(<accepted.err)"
accepted schema accept stays.json --take all
accepted schema check stays.json stays.csv
[ "$(grep -c '^constraint .*: all rows hold$' accepted.out)" -ge 6 ] || fail "not all hold: $(<accepted.out)"
! grep -q 'break' accepted.out || fail "a constraint that does not hold: $(<accepted.out)"
# One row that breaks it is counted, and one in fifty is too many.
sed '2s/^[^,]*,[^,]*/2024-05-05,2024-05-04/' stays.csv > other.csv
accepted schema inspect other.csv
grep -qxE 'proposal [0-9]+, constraint: came <= "left on": holds in 99.93 % of rows, and 1 of 1500 break it' accepted.err ||
    fail "a rule that nearly holds is not proposed: $(<accepted.err)"
awk 'NR % 50 == 2 { sub(/^[^,]*,[^,]*/, "2024-05-05,2024-05-04") } { print }' stays.csv > other.csv
accepted schema inspect other.csv
! grep -q 'came <= \|days = ' accepted.err || fail "a broken order is proposed: $(<accepted.err)"

# Steps and codes, too: what was taken is what the table holds.
awk 'BEGIN { print "dose,hours,score"; for (i = 0; i < 900; i++)
    printf "%d,%.2f,%d\n", (i * 7 % 31) * 10, i % 40 + (i * 3 % 4) * 0.25, i % 20 == 3 ? 999 : (i * 11 % 9) * 10 }' > doses.csv
accepted schema inspect doses.csv -o doses.json
accepted schema accept doses.json --take step,spikes
accepted schema check doses.json doses.csv
grep -q '^dose: integer from 0 to 300, in steps of 10 ' accepted.out && grep -q '^hours: number from 0 to 40, 2 decimals, in steps of 0.25 ' accepted.out &&
    grep -q '^score: integer from 0 to 80, in steps of 10 .* and 1 value apart' accepted.out || fail "not taken: $(<accepted.out)"
[ "$(grep -c ': all cells good$' accepted.out)" = 3 ] || fail "cells that do not fit: $(<accepted.out)"

# Bounds by category, where the range of a number depends on one; a shift of a number is not enough, and one slip of the pen does not
# widen the bounds.
awk 'BEGIN { srand(9); print "site,test,value,height"; for (i = 0; i < 4000; i++) { t = i == 77 ? 0 : int(rand() * 3); v = rand() + rand() + rand() + rand(); s = rand() < .5
    printf "%s,%s,%s,%d\n", s ? "a" : "b", t == 0 ? "K" : t == 1 ? "Nat" : "CRP", i == 77 ? 499 : t == 0 ? sprintf("%.1f", 3 + v / 2) : t == 1 ? int(130 + 5 * v) : int(exp(1.5 * v)),
        150 + 10 * v + 8 * s } }' > tests.csv
accepted schema inspect tests.csv -o tests.json
grep -qxE 'proposal [0-9]+, by: the range of value depends on test: CRP from [0-9]+ to [0-9]+, K from [23](\.[0-9])? to [5-7](\.[0-9]+)?, Nat from 130 to 150' accepted.err ||
    fail "bounds by category are not proposed: $(<accepted.err)"
! grep -q 'range of height' accepted.err || fail "a shift is proposed: $(<accepted.err)"
accepted schema accept tests.json --take all
accepted schema check tests.json tests.csv
grep -q '^value: .*; bounds by test: ' accepted.out || fail "not taken: $(<accepted.out)"
grep -qx 'value: 1 out of range' accepted.out || fail "the slip fits, or more does not: $(<accepted.out)"
