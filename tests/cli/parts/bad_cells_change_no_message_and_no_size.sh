# SPDX-License-Identifier: Apache-2.0
# What a part says of itself does not depend on its records: bad cells, and no cells, look like any others.
. "$CLI_TESTS/lib.sh"
make_people
accepted plan --schema people.json --epsilon 1 -n 200 --neighbours add-remove --save plan
head -n 1 people.csv > none.csv
sed '2,$s/.*/"oops",nowhere,?/' people.csv > bad.csv
for name in people none bad; do
    accepted sum $name.csv --plan plan --part part -o $name.sum
    [ ! -s accepted.err ] || fail "$name: $(<accepted.err)"
done
[ "$(stat -c %s people.sum)" = "$(stat -c %s none.sum)" ] || fail "a part without rows has another size"
[ "$(stat -c %s people.sum)" = "$(stat -c %s bad.sum)" ] || fail "a part of bad cells has another size"
# Under add-remove none is a number of rows like any other.
accepted release none.sum --plan plan -o none.release
accepted release people.sum --plan plan -o people.release
sed '1s/age/years/' people.csv > missing.csv
refused 3 "*age*" sum missing.csv --plan plan -o missing.sum
