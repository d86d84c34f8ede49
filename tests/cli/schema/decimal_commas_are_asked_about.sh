# SPDX-License-Identifier: Apache-2.0
# Numbers with a decimal comma become categories where nobody says so. It is asked for by public facts before anything is charged, and by the first
# release before the rest is.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=${SEMBLANCE_TESTKEY:-$SEMBLANCE}
python3 - <<'PYTHON'
import random
random.seed(3)
cells = lambda: [f"{random.randint(10, 20) / 4:.2f}".replace(".", ","), random.choice(["a", "b"]), str(random.randint(0, 50))]
rows = [cells() for _ in range(6000)]
for name, row in (("semicolons.csv", ";".join), ("commas.csv", lambda r: ",".join(f'"{c}"' for c in r)), ("tabs.csv", "\t".join)):
    with open(name, "w") as file:
        file.write(row(["price", "kind", "n"]) + "\n" + "".join(row(cells) + "\n" for cells in rows))
with open("points.csv", "w") as file:  # the same header, and no comma: what is asked depends on no record
    file.write("price;kind;n\n" + "".join(f"{i % 40}.5;a;{i}\n" for i in range(6000)))
with open("few.csv", "w") as file:  # some commas are texts like others
    file.write("price,kind,n\n" + "".join(f"{'9,5' if i % 60 == 0 else 'x' + str(i % 3)!r},a,{i % 9}\n".replace("'", '"') for i in range(6000)))
PYTHON
for table in semicolons points; do
    for command in 'schema discover' synth; do
        # shellcheck disable=SC2086
        refused 3 "$table.csv separates its cells by semicolons, as files with decimal commas do: give the decimal mark of its numbers (--decimal , or --decimal .)" \
            $command $table.csv --epsilon 3 --delimiter ';' -o out
    done
    [ -z "$(find . -name '*.ledger' -o -name 'out*')" ] || fail "something was charged or left: $(ls)"
done
accepted schema discover semicolons.csv --epsilon 3 --delimiter ';' --decimal , -o told.json --quiet
grep -q '"decimalChar": ","' told.json && ! grep -q '[0-9],[0-9]' told.json || fail "told: $(<told.json)"
accepted schema discover points.csv --epsilon 3 --delimiter ';' --decimal . -o points.json --quiet

# Commas or tabs between cells say nothing about numbers: the first release does, and the rest of the budget is left.
for table in commas tabs; do
    [ $table = tabs ] && how=(--delimiter tab) || how=()
    for command in 'schema discover' synth; do
        # shellcheck disable=SC2086
        refused 3 "$table.csv: by the first release column 'price' holds numbers with a comma, *: tell whether the comma is their decimal mark (begin anew*" \
            $command $table.csv --epsilon 3 "${how[@]}" -o "$table.${command#* }"
    done
    accepted ledger show $table.csv.ledger --json
    python3 -c 'import json, sys; found = json.load(sys.stdin); assert found["totals"]["releases"] == "2" and found["totals"]["epsilon"] < 1.5' < accepted.out || fail "spent: $(<accepted.out)"
    accepted schema discover $table.csv --epsilon 3 "${how[@]}" --decimal , -o $table.json --quiet
    grep -q '"decimalChar": ","' $table.json || fail "$table: $(<$table.json)"
done
# Continued with a decimal point: texts, and the first release is not paid for again. Without an answer nothing is charged.
cp commas.csv.ledger before
refused 3 '*decimal mark*' schema resume commas.csv --epsilon 3 -o commas.discover
cmp -s before commas.csv.ledger || fail "asking again was charged"
accepted schema resume commas.csv --epsilon 3 --decimal . -o commas.discover --quiet
grep -q '"enum"' commas.discover && grep -q '[0-9],[0-9]' commas.discover || fail "as texts: $(<commas.discover)"
accepted schema discover few.csv --epsilon 3 -o few.json --quiet
