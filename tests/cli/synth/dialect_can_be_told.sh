# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
command -v python3 > /dev/null || skip "no python3"
# The same table written in two ways gives the same sums: the schema's way, and one that options say.
make_people
how=(--delimiter ';' --quote "'" --encoding latin-1 --header no --comment '#' --decimal , --thousands .)
python3 - <<'PY'
import csv
rows = list(csv.reader(open("people.csv")))
with open("other.csv", "w", encoding="latin-1", newline="") as out:
    out.write("# not a record\n")
    csv.writer(out, delimiter=";", quotechar="'", lineterminator="\n").writerows(rows[1:])
PY
accepted schema check people.json people.csv
sed -n "/NOT PRIVATE/,\$p" accepted.out > usual.txt
accepted schema check people.json other.csv "${how[@]}"
sed -n "/NOT PRIVATE/,\$p" accepted.out | cmp - usual.txt || fail "told, the table reads as another one"
accepted synth other.csv --schema people.json "${how[@]}" --epsilon 1 -o out.csv --model m "${small[@]}" --quiet
head -1 out.csv | grep -q '^[0-9]*;' || fail "what was told is not how rows are written"
accepted sample m -n 3
head -1 accepted.out | grep -q '^[0-9]*;' || fail "the model does not know how rows are written"
tr -d '\\\\' < m | grep -aq '"delimiter":";","header":false,"quoteChar":"' || fail "the plan does not hold it"
accepted evaluate --real other.csv --synthetic out.csv --schema people.json "${how[@]}" --models none
grep -q 'other.csv: 200 rows' accepted.out || fail "evaluate reads another table"
accepted schema inspect other.csv "${how[@]:0:6}"
grep -q '"delimiter": ";"' accepted.out || fail "inspect does not take what it is told"
# Refused before anything is opened or charged.
refused 2 "*option --delimiter must be , or ; or tab*" synth people.csv --schema people.json --delimiter x --epsilon 1 -o no.csv
refused 2 '*encoding must be utf-8, utf-8-sig, utf-16*' synth people.csv --schema people.json --encoding klingon --epsilon 1 -o no.csv
refused 2 "*decimal and thousands are the same character in column 'age'*" plan --schema people.json --decimal , --thousands , --epsilon 1 -n 9
refused 2 '*comment and delimiter are the same character*' schema check people.json people.csv --delimiter ';' --comment ';'
refused 2 '*needs a header that names the columns*' schema discover other.csv --header no --epsilon 1 -o s.json
refused 2 '*--delimiter is for one table, not for --images*' evaluate --images --real a --synthetic b --delimiter ';'
# So is what is asked of a database, and would do nothing here.
refused 2 '--table is for one table, not for --images*' synth --images a --table b --epsilon 1 -o no
refused 2 '--columns is for one table, not for --images*' synth --images a --columns b --epsilon 1 -o no
refused 2 'adbc-driver does not apply to CSV files, only to databases' synth people.csv --schema people.json --adbc-driver d --epsilon 1 -o no
refused 2 'one-row-per-person does not apply to CSV files, only to databases' synth people.csv --one-row-per-person --epsilon 1 -o no
[ ! -e people.csv.ledger ] && [ ! -e other.csv.release ] || fail "something was charged"
# A schema that is discovered takes the same words, and says them.
python3 - <<'PY'
import random
r = random.Random(1)
with open("de.csv", "w", encoding="cp1252") as out:
    out.write("stadt;wert;zahl\n")
    for _ in range(6000):
        out.write(f"{r.choice(['Köln', 'Ulm'])};{r.random() * 10:.1f}".replace(".", ",") + f";{r.randint(1000, 3000):,}\n".replace(",", "."))
PY
accepted schema discover de.csv --delimiter ';' --encoding windows-1252 --decimal , --thousands . --epsilon 3 -o s.json --quiet
python3 - <<'PY'
import json
s = json.load(open("s.json"))
by = {f["name"]: f for f in s["fields"]}
assert s["dialect"] == {"delimiter": ";"} and s["encoding"] == "windows-1252", s
assert set(by["stadt"]["constraints"]["enum"]) >= {"Köln", "Ulm"}, by
assert by["wert"]["type"] == "number" and by["wert"]["decimalChar"] == "," and by["wert"]["semblance"]["decimals"] == 1, by
assert by["zahl"]["type"] == "integer" and by["zahl"]["groupChar"] == "." and by["zahl"]["constraints"]["maximum"] >= 2900, by
PY
accepted schema check s.json de.csv
grep -q 'unparseable' accepted.out && fail "the discovered schema does not fit its table"
exit 0
