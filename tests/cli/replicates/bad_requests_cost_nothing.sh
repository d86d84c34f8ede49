# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_gate
gate=(gate.csv --schema gate.json --epsilon 1)
# Methods that have none, by name; with and without a schema.
refused 2 'the method merf has no replicates: use pairs*' synth "${gate[@]}" --method merf --replicates 3 -o out
refused 2 'the method ron-gauss has no replicates*' synth "${gate[@]}" --method ron-gauss --replicates 3 -o out
refused 2 'the method hp has no replicates*' synth "${gate[@]}" --method hp --replicates 3 -o out
refused 2 'the method merf has no replicates*' synth gate.csv --epsilon 1 --method merf --replicates 3 -o out
make_images
refused 2 'replicates are made for tables only*' synth --images images --labels labels --epsilon 1 --replicates 3 -o out

# Their number, and where they go.
refused 2 'the number of replicates must be from 2 to 1000*' synth "${gate[@]}" --replicates 1 -o out
refused 2 'the number of replicates must be from 2 to 1000*' synth "${gate[@]}" --replicates 1001 -o out
refused 2 'replicates are written to a folder*named' synth "${gate[@]}" --replicates 3 -o - --release r --certificate c
refused 2 'out.parquet: replicates are written as CSV*' synth "${gate[@]}" --replicates 3 -o out.parquet
refused 2 'out.xlsx: a table is written as CSV*' synth "${gate[@]}" --replicates 3 -o out.xlsx
refused 5 '*none/out*' synth "${gate[@]}" --replicates 3 -o none/out
refused 5 '*none*' synth "${gate[@]}" --replicates 3 -o none/out.csv
refused 2 'give --report or --replicates, not both*' synth "${gate[@]}" --replicates 3 -o out --report page.html
echo mine > file
refused 2 'file is not a folder*' synth "${gate[@]}" --replicates 3 -o file
mkdir folder.csv
refused 2 'folder.csv is not a regular file*' synth "${gate[@]}" --replicates 3 -o folder.csv
refused 2 "*gate.csv*" synth "${gate[@]}" --replicates 3 -o gate.csv --overwrite

# What is there already.
mkdir out
echo mine | tee out/02.csv > one.csv
refused 5 'out/02.csv exists already*--overwrite*' synth "${gate[@]}" --replicates 3 -o out
refused 5 'one.csv exists already*--overwrite*' synth "${gate[@]}" --replicates 3 -o one.csv
[ "$(cat out/02.csv one.csv file)" = $'mine\nmine\nmine' ] || fail "something was replaced"
[ "$(ls out)" = 02.csv ] && [ ! -e none ] || fail "a refused run left files"

# A column of that name, declared or found in the header.
sed 's/"level"/"replicate"/' gate.json > named.json
sed '1s/level/replicate/' gate.csv > named.csv
refused 2 "one2.csv: the table has a column 'replicate' of its own*" synth named.csv --schema named.json --epsilon 1 --replicates 3 -o one2.csv
refused 2 "one2.csv: the table has a column 'replicate' of its own*" synth named.csv --epsilon 20 --replicates 3 -o one2.csv
# Linked tables are several.
make_bank 50
refused 2 'all.csv: replicates of linked tables are written to a folder*' synth --package bank/bank.json --epsilon 1 --replicates 3 -o all.csv
mkdir -p linked/02
echo mine > linked/02/cards.csv
refused 5 'linked/02/cards.csv exists already*' synth --package bank/bank.json --epsilon 1 --replicates 3 -o linked
for ledger in gate.csv named.csv images bank/bank.json; do [ ! -e $ledger.ledger ] || fail "$ledger was charged"; done
[ -z "$(ls -d -- *.release* 2> /dev/null)" ] || fail "a refused run released something"

# A model holds no releases, and a release of another method has no draws.
accepted synth "${gate[@]}" --replicates 2 -o out --overwrite --model gate.safetensors
accepted fit "${gate[@]}" "${small[@]}" --model merf.safetensors
cp gate.csv.ledger before
refused 3 '*' sample gate.safetensors --replicates 3 -o more
refused 2 'the method merf has no replicates*' sample merf.safetensors.release --replicates 3 -o more
refused 2 'replicates are whole tables*' sample out.release --replicates 3 --where a=1 -o more
refused 2 'the number of replicates must be*' sample out.release --replicates 1 -o more
refused 5 'out/01.csv exists already*' sample out.release --replicates 2 -o out
[ ! -e more ] && cmp gate.csv.ledger before || fail "a refused sample left something"
