# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
accepted fit people.csv --schema people.json --epsilon 1 --method ron-gauss --space projected --model projected.model -q
accepted fit people.csv --schema people.json --epsilon 1 --method ron-gauss --model original.model -q
accepted fit people.csv --schema people.json --epsilon 1 --method marginals --model marginals.model -q
# try CODE PATTERN ARGUMENT...: refused, and no file is left.
try() {
    refused "$1" "$2" project "${@:3}"
    for file in out.csv out.csv.schema.json w.csv; do [ ! -e "$file" ] || fail "$file is left: ${*:3}"; done
}
sed '1s/age/years/' people.csv > other.csv
try 3 "other.csv*'age'*" projected.model other.csv -o out.csv --matrix w.csv
cut -d, -f1,2 people.csv > nolabel.csv
try 3 "nolabel.csv*'income'*" projected.model nolabel.csv -o out.csv --matrix w.csv
try 2 "original.model draws rows in the original columns*'projected'" original.model people.csv -o out.csv
try 2 "original.model draws rows in the original columns*'projected'" original.model --matrix w.csv
try 2 "marginals.model is a model of method 'marginals'*'ron-gauss'*" marginals.model people.csv -o out.csv
try 3 'people.csv*' people.csv people.csv -o out.csv
try 5 '*missing.model*' missing.model people.csv -o out.csv
try 5 '*missing.csv*' projected.model missing.csv -o out.csv
try 2 '*MODEL*'
try 2 '*--output*' projected.model people.csv
try 2 '*--matrix*' projected.model
try 2 '*--output needs a TABLE*' projected.model -o out.csv
try 2 '*projected.model*' projected.model people.csv -o projected.model -f
try 2 '*people.csv*' projected.model people.csv -o people.csv -f
try 2 '*ledger*' projected.model people.csv -o people.csv.ledger -f
# What is there is not replaced, unless that is asked for.
accepted project projected.model people.csv -o kept.csv
sum=$(sha256sum kept.csv)
refused 5 '*kept.csv*--overwrite*' project projected.model people.csv -o kept.csv
[ "$(sha256sum kept.csv)" = "$sum" ] || fail "kept.csv changed"
# A column that the model does not have is left out, and the program says so. Rows in any state are rows.
sed '1s/$/,extra/; 2,$s/$/,9/' people.csv > wide.csv
accepted project projected.model wide.csv -o kept.csv -f
grep -q "wide.csv: column 'extra' is not in the model" accepted.err || fail "extra columns: $(<accepted.err)"
[ "$(sha256sum kept.csv)" = "$sum" ] || fail "an extra column changes the rows"
printf 'age,town,income\nx,Nowhere,much\n,,\n1e999,Ayr\n' > odd.csv
accepted project projected.model odd.csv -o odd_out.csv
[ "$(wc -l < odd_out.csv)" = 4 ] || fail "odd rows: $(<odd_out.csv)"
