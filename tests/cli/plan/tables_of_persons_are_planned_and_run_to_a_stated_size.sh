# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# A schema that says whose row it is: the plan is made without a record, by every method of tables.
make_people
python3 - <<'PYTHON'
import json
schema = json.load(open("people.json"))
schema["fields"].append({"name": "who", "type": "string"})
schema.setdefault("semblance", {}).update(unit="who", max_rows_per_unit=3)
json.dump(schema, open("persons.json", "w"))
rows = open("people.csv").read().splitlines()
open("persons.csv", "w").write("".join(f"{row},{'who' if i == 0 else i // 4}\n" for i, row in enumerate(rows)))
PYTHON
for method in auto marginals pairs merf ron-gauss hp; do
    for relation in replace-one add-remove; do
        timed='a run takes about .* on this machine' estimate=()
        if [ "${EVERY:-1}" != 1 ] && [ $relation = add-remove ]; then # the same rehearsal once more
            timed='one joint release of\|rows ' estimate=(--no-estimate)
        fi
        accepted plan --schema persons.json --epsilon 1 -n 800 --method "$method" --neighbours "$relation" "${estimate[@]}"
        grep -q "^$timed" accepted.out || fail "$method: $(<accepted.out)"
    done
done
accepted plan --schema persons.json --epsilon 1 -n 800 --json
# The same with the table, and the size that was stated in the place of the private number of rows.
accepted synth persons.csv --schema persons.json --epsilon 1 --method pairs --expect-rows 800 --health off -o made.csv
head -1 made.csv | grep -q ',who$' || fail "no ids were made"
