# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_bank 50
bank=(--package bank/bank.json --epsilon 1)
refused 2 'give a table or --package, not both*' synth bank/accounts.csv "${bank[@]}" -o out
refused 2 '--schema is for one table*' synth --schema bank/bank.json "${bank[@]}" -o out
refused 2 '--rows is for one table*--persons*' synth "${bank[@]}" -o out -n 10
refused 2 'give --images or --package, not both*' synth --images x "${bank[@]}" -o out
refused 2 '--delimiter is for one table*' synth "${bank[@]}" -o out --delimiter ';'
refused 2 '--discover-share is for*' synth "${bank[@]}" -o out --discover-share 0.2
refused 2 '*--persons is missing*' plan "${bank[@]}"
refused 2 '--persons is for --package*' plan --schema bank/bank.json --epsilon 1 -n 10 --persons 10
refused 2 "*folder of their own, not to '-': choose another name" synth "${bank[@]}" -o -
# One method takes whole persons, and none of them is pure.
refused 2 '*histories*' synth "${bank[@]}" -o out --method pairs
refused 2 '*pure guarantee*histories*' synth "${bank[@]}" -o out --pure
refused 2 "*leave out 'histories off'*" synth "${bank[@]}" -o out --histories off

# A file that is missing is named by its table; what is no package says so.
mv bank/orders.csv hidden
refused 5 "bank/bank.json: table 'orders': cannot read bank/orders.csv" synth "${bank[@]}" -o out
mv hidden bank/orders.csv
mv bank/districts.csv hidden
refused 5 '*bank/districts.csv*' synth "${bank[@]}" -o out
mv hidden bank/districts.csv
echo '{"fields": []}' > table.json
refused 3 '*' synth --package table.json --epsilon 1 -o out
refused 5 '*nothing.json*' synth --package nothing.json --epsilon 1 -o out

# What stands in the way is not replaced unasked, and what is read never is.
mkdir out
echo mine > out/cards.csv
refused 5 'out/cards.csv exists already*--overwrite*' synth "${bank[@]}" -o out
refused 2 '*bank/accounts.csv*' synth "${bank[@]}" -o bank --overwrite
echo mine > file
refused 5 'file is not a folder*' synth "${bank[@]}" -o file --overwrite
[ "$(<out/cards.csv)" = mine ] && [ "$(<file)" = mine ] || fail "something was replaced"
[ ! -e bank/bank.json.ledger ] && [ ! -e out.release ] || fail "a refused run was charged"
accepted synth "${bank[@]}" -o out --overwrite
keys_hold out

# Of a model of linked tables.
accepted fit "${bank[@]}" --model bank.safetensors
refused 2 '*give the number of persons, not of rows*' sample bank.safetensors -n 5 -o rows
refused 2 '*they are written to a folder, which must be named' sample bank.safetensors
refused 2 '*cannot be drawn by conditions*' sample bank.safetensors --where 'accounts.statements=weekly' -o some
[ ! -e rows ] && [ ! -e some ] || fail "a refused sample left a folder"
