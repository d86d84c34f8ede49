# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
try() { refused "$1" "$2" synth "$3" --schema "${4:-people.json}" --epsilon 1 -o out.csv "${small[@]}"; }
try 5 '*missing.csv*' missing.csv
: > empty.csv; try 3 '*empty.csv*' empty.csv
echo 'age,income' > short.csv; try 3 "*town*" short.csv
echo 'age,town,age,income' > twice.csv; try 3 '*twice.csv*' twice.csv
head -n 1 people.csv > norows.csv; try 3 'norows.csv: the table has no rows' norows.csv
gzip -c people.csv | head -c 200 > cut.csv.gz; try 3 '*cut.csv.gz*' cut.csv.gz
head -c 500 /dev/urandom > noise.csv; try 3 '*noise.csv*' noise.csv
try 5 '*nothere.json*' people.csv nothere.json
echo '{"fields": [{"name": "age", "type": "integer"}]}' > nobounds.json; try 3 "*'age'*" people.csv nobounds.json
sed 's/"semblance"/"semblance": {"unit": "nobody"}, "x"/' people.json > unit.json; try 3 '*unit*' people.csv unit.json
refused 2 '*--epsilon*' synth people.csv --schema people.json -o out.csv
refused 4 '*this budget discovers the schema of 3 columns from about * rows on*--schema*' synth people.csv --epsilon 1 -o out.csv
refused 2 '*--output*' synth people.csv --schema people.json --epsilon 1
for epsilon in 0 -1 nan inf x; do refused 2 '*--epsilon*' synth people.csv --schema people.json --epsilon=$epsilon -o out.csv; done
refused 2 '*--hidden*' synth people.csv --schema people.json --epsilon 1 -o out.csv --hidden 8,,8
refused 2 '*even*' synth people.csv --schema people.json --epsilon 1 -o out.csv --method merf --features 31
ls out.csv* 2>/dev/null && fail "a refusal left files"
# Records: not a word, whatever they hold.
cp people.csv dirty.csv
printf 'old,Nowhere,perhaps\n\n1\n\xff\xfe,,\n1e999,op"en,\n9,"9"9,"9\n",9,9\n' >> dirty.csv
accepted synth dirty.csv --schema people.json --epsilon 1 -o out.csv "${small[@]}" --quiet
[ ! -s accepted.err ] || fail "bad records were spoken of"
[ "$(wc -l < out.csv)" = 207 ] || fail "a row was dropped: $(wc -l < out.csv)"
accepted schema check people.json dirty.csv
grep -q 'NOT PRIVATE' accepted.out || fail "counts of records without the words NOT PRIVATE"
grep -qE 'Nowhere|perhaps|1e999' accepted.out && fail "a cell is shown"
exit 0
