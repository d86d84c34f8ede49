# SPDX-License-Identifier: Apache-2.0
# Certificates name their files; --output FOLDER checks all of them, each by its name; --json says it for programs.
. "$CLI_TESTS/lib.sh"
make_bank 200
accepted synth --package bank/bank.json --epsilon 1 -o out --quiet
for name in accounts.csv clients.csv cards.csv orders.csv loans.csv datapackage.json; do
    grep -q "OUTPUT: $name, file [0-9a-f]\{64\}" out.certificate.json || fail "$name is not named"
done
for folder in out out/ "$PWD/out"; do
    accepted verify out.certificate.json --output "$folder"
    grep -q "holds every output that is listed" accepted.out || fail "$(<accepted.out)"
done
accepted verify out.certificate.json --output out,out/cards.csv
cp -r out changed
cp out/orders.csv changed/cards.csv # is listed, under another name
refused 3 'changed/cards.csv differs from the output of this name that out.certificate.json lists' verify out.certificate.json --output changed
rm changed/cards.csv
refused 5 '*changed/cards.csv*' verify out.certificate.json --output changed
mkdir empty
refused 5 '*empty/accounts.csv*' verify out.certificate.json --output empty
make_people
accepted synth people.csv --schema people.json --epsilon 1 --method marginals -o table.csv --quiet
accepted verify table.csv.certificate.json --output .
accepted fit people.csv --schema people.json --epsilon 1 --method marginals --model only.model --quiet
refused 3 'only.model.certificate.json lists no outputs to compare with' verify only.model.certificate.json --output .
# As JSON, with the same exit codes, and nothing on standard output where it does not hold.
accepted verify table.csv.certificate.json --output table.csv --ledger people.csv.ledger --release table.csv.release --schema people.json --json
python3 - << 'END' || fail "$(<accepted.out)"
import json
answer = json.load(open("accepted.out"))
assert answer["verified"] is True and answer["guaranteed"] is True and 0.99 < answer["epsilon"] <= 1 and answer["delta"] == 1e-5, answer
assert answer["method"] == "marginals" and answer["neighbours"] == "replace-one" and answer["releases"] == 1, answer
assert [(one["kind"], one["name"]) for one in answer["files"]] == [("output", "table.csv")], answer
assert [one["kind"] for one in answer["checked"]] == ["release", "schema", "output", "ledger"], answer
assert answer["ledger"]["releases"] == 2 and answer["ledger"]["epsilon"] > 1 and answer["statement"].startswith("GUARANTEE"), answer
END
accepted verify table.csv.certificate.json --json
grep -q '"ledger": null' accepted.out || fail "$(<accepted.out)"
sed 's/"releases": 1/"releases": 2/; s/"epsilon": 0.99/"epsilon": 0.89/' table.csv.certificate.json > wrong.json
refused 3 'wrong.json: *' verify wrong.json --json
refused 3 'people.csv is not the output that*' verify table.csv.certificate.json --output people.csv --json
exit 0
