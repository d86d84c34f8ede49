# SPDX-License-Identifier: Apache-2.0
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
echo '{"overwrite": true}' > bad.json; refused 2 'bad.json: --overwrite cannot be in a job file*' synth people.csv --job bad.json
# Nor does it keep a password, in whatever form and option.
for place in 'postgresql://bob:hunter2?x@host/db' 'host=h password=hunter2'; do
    refused 2 '*--save-job cannot save the address of a server*' synth "$place" --table t --schema people.json --epsilon 1 -o s.csv --save-job secret.json
    refused 2 '*--save-job cannot save the address of a server*' synth people.csv --schema people.json --epsilon 1 -o s.csv --by "$place" --save-job secret.json
    "$SEMBLANCE" synth "$place" --schema people.json --epsilon 1 -o s.csv > said 2>&1 && fail "a server was read: $place"
    "$SEMBLANCE" ledger show "$place" >> said 2>&1 && fail "no ledger: $place"
    "$SEMBLANCE" "$place" >> said 2>&1 && fail "no command: $place"
    grep -q 'bob\|hunter2' said && fail "a password is shown: $(<said)"
done
compgen -G 'secret.json*' && fail "a refusal left files"
# A job file is data: it names no library, and --save-job leaves libraries out.
for name in duckdb adbc-driver device-path; do
    echo "{\"input\": \"people.csv\", \"schema\": \"people.json\", \"epsilon\": 1, \"output\": \"code.csv\", \"$name\": \"./evil.so\"}" > bad.json
    refused 3 "bad.json: '$name' names a library*give it on the command line*" synth --job bad.json
    echo "{\"$name\": null}" > bad.json
    refused 3 "bad.json: '$name' names a library*" synth people.csv --job bad.json
done
compgen -G 'code.csv*' && fail "a refusal left files"
accepted synth people.csv --schema people.json --epsilon 1 -o saved.csv --method marginals --neighbours add-remove --duckdb /nowhere.so --save-job saved.json --quiet
grep -q 'duckdb\|nowhere' saved.json && fail "a library is in the job file: $(<saved.json)"
accepted synth --job saved.json -o saved2.csv --quiet
echo '{"pure": "yes"}' > bad.json; refused 2 '*--pure takes no value*' synth people.csv --job bad.json
exit 0
