. "$CLI_TESTS/lib.sh"
make_people
accepted ledger init data.ledger --epsilon 1.5
accepted synth people.csv --schema people.json --epsilon 1 -o a.csv --ledger data.ledger "${small[@]}"
accepted synth people.csv --schema people.json --epsilon 1 -o b.csv --ledger data.ledger "${small[@]}"
refused 4 '*data.ledger*epsilon*' synth people.csv --schema people.json --epsilon 1 -o c.csv --ledger data.ledger "${small[@]}"
ls c.csv* 2>/dev/null && fail "a refused release left files"
# A second run over the same output would hide what the first one cost.
accepted synth people.csv --schema people.json --epsilon 1 -o d.csv "${small[@]}"
refused 5 '*d.csv.release.ledger*--ledger*' synth people.csv --schema people.json --epsilon 1 -o d.csv --force "${small[@]}"
