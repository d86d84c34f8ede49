# SPDX-License-Identifier: Apache-2.0
# One record whose quoted cell holds more than a megabyte of lines that look like rows was once read as
# those rows: n went from 1,000 to 88,400. Both files have 1,000 records.
. "$CLI_TESTS/lib.sh"
make_people
table() { # table CELL_LINES: 1,000 records, one of which has a cell of so many lines
    awk -v lines="$1" 'BEGIN { print "age,town,income"
        for (i = 0; i < 1000; i++) if (i != 500) printf "%d,Ayr,<=50K\n", i % 100; else {
            printf "1,\""; for (k = 0; k < lines; k++) print "99,Cork,>50K"; print "\",<=50K" } }'
}
rows() {
    rm -f out.csv*
    accepted synth "$@" --schema people.json --epsilon 1 -n 5 -o out.csv "${small[@]}" --quiet
    json_member n < out.csv.certificate.json | head -n 1
}
[ "$(table 1 | wc -l)" = 1002 ] || fail "not the table that was meant"
for lines in 0 1 70000 90000 2000000; do
    table "$lines" > table.csv
    [ "$(rows table.csv)" = 1000 ] || fail "$lines lines in a cell: n is $(rows table.csv)"
done
gzip -1 table.csv
[ "$(rows table.csv.gz)" = 1000 ] || fail "gzip: n is $(rows table.csv.gz)"

# A file that ends inside a quote is no sequence of records: refused, and nothing is charged.
accepted ledger init people.ledger --epsilon 2 --delta 1e-6
cp people.ledger before
for lines in 0 90000; do
    { cat people.csv; printf '1,"Ayr,<=50K\n'; yes '9,Bath,<=50K' | head -n "$lines"; } > open.csv
    refused 3 'open.csv ends inside a quoted cell*' synth open.csv --schema people.json --epsilon 1 \
        --ledger people.ledger -o none.csv "${small[@]}"
    refused 3 'open.csv ends inside a quoted cell*record 201*NOT PRIVATE*' schema check people.json open.csv
done
cmp people.ledger before || fail "a refusal was charged"
ls none.csv* 2> /dev/null && fail "a refusal left files"
exit 0
