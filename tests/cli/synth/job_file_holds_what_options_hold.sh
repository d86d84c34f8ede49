# --save-job keeps what was typed, --job takes it; what is typed beside it counts; odd files are one line.
. "$CLI_TESTS/lib.sh"
make_people
accepted synth people.csv --schema people.json --epsilon 1 -o a.csv --method marginals --bins 8 --neighbours add-remove -n 20 --save-job job.json --quiet
grep -q '"input": "people.csv"' job.json || fail "no input: $(<job.json)"
grep -q '"bins": "8"' job.json || fail "no bins: $(<job.json)"
grep -q 'quiet\|save-job' job.json && fail "how a run talks is no part of a job"
rm -f a.csv* people.csv.ledger
accepted synth --job job.json --quiet
[ "$(wc -l < a.csv)" = 21 ] || fail "rows: $(wc -l < a.csv)"
accepted synth --job job.json -o b.csv --rows 7 --quiet
[ "$(wc -l < b.csv)" = 8 ] || fail "what is typed does not count"
echo '{"input": "people.csv", "schema": "people.json", "epsilon": 0.5, "output": "c.csv", "method": "marginals", "pure": true, "health": null, "neighbours": "add-remove"}' > hand.json
accepted synth --job hand.json --quiet
refused 5 '*none.json*' synth --job none.json
for bad in '' '[]' '1' '{' '{"epsilon": [1]}' '{"a\u0001b": 1}'; do
    printf '%s' "$bad" > bad.json
    refused 3 '*bad.json*' synth --job bad.json
done
echo '{"epsilom": 1}' > bad.json; refused 2 'bad.json: *epsilom*did you mean --epsilon*' synth people.csv --job bad.json
echo '{"epsilon": "much"}' > bad.json; refused 2 'bad.json: option --epsilon*' synth people.csv --job bad.json
echo '{"overwrite": true}' > bad.json; refused 2 'bad.json: --overwrite is no part of a job file*' synth people.csv --job bad.json
echo '{"pure": "yes"}' > bad.json; refused 2 '*--pure takes no value*' synth people.csv --job bad.json
exit 0
