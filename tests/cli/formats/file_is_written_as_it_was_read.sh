# SPDX-License-Identifier: Apache-2.0
# inspect, then synth: the cells of what is written look like those that were read, and the sums are those of the plain file, bit for
# bit: under the test key the rows are the same but for how they are written.
. "$CLI_TESTS/lib.sh"
[ -n "${SEMBLANCE_TESTKEY:-}" ] || skip "no test-key build"
command -v python3 > /dev/null || skip "no python3"
SEMBLANCE=$SEMBLANCE_TESTKEY
cat > make.py <<'PY'
import json, random, sys
r = random.Random(5)
rows = [(r.randint(1990, 2024), r.gauss(40000, 15000), r.randint(0, 100), r.random() * 9000, r.choice(["red", "blue"])) for _ in range(3000)]
def grouped(x, digits, point, mark):
    whole, _, part = f"{x:,.{digits}f}".partition(".")
    return whole.replace(",", mark) + (point + part if digits else "")
ways = {  # delimiter, line end, cells after the year
    "plain": (",", "\n", lambda s, p, m: [f"{s:.2f}", str(p), f"{m:.1f}"]),
    "german": (";", "\r\n", lambda s, p, m: [grouped(s, 2, ",", "."), f"{p}%", f"{m:.1f} €".replace(".", ",")]),
    "english": (",", "\n", lambda s, p, m: ['"$' + grouped(s, 2, ".", ",") + '"', f"{p} %", f"{m:.1f}"]),
    "swiss": ("\t", "\r\n", lambda s, p, m: [grouped(s, 2, ".", "'"), f"{p}", f"CHF {m:.1f}"]),
}
for name, (delimiter, end, cells) in ways.items():
    with open(name + ".csv", "w", newline="") as out:
        out.write(delimiter.join(["year", "salary", "share", "money", "colour"]) + end)
        for year, salary, share, money, colour in rows:
            out.write(delimiter.join([str(year), *cells(salary, share, money), colour]) + end)
PY
python3 make.py
cat > same.py <<'PY'
import csv, re, sys
name, delimiter, end, patterns = sys.argv[1], sys.argv[2].encode().decode("unicode_escape"), sys.argv[3].encode().decode("unicode_escape"), sys.argv[4:]
whole = open("synthetic-" + name + ".csv", newline="").read()
assert whole.count("\n") == whole.count(end) == 3001 and whole.count("\r") == (3001 if end == "\r\n" else 0), "line ends"
rows = list(csv.reader(whole.splitlines(), delimiter=delimiter))
plain = list(csv.reader(open("synthetic-plain.csv")))
point = {"german": ","}.get(name, ".")
for row, other in zip(rows[1:], plain[1:]):
    for cell, expected, pattern in zip(row, other, patterns):
        assert re.fullmatch(pattern, cell), (cell, pattern)
        number = re.sub(r"[^0-9%s-]" % re.escape(point), "", cell).replace(",", ".")
        assert number == expected or pattern == "red|blue", (cell, expected)
PY
declare -A thousands=([swiss]="'")
for name in plain german english swiss; do
    option=()
    [ -z "${thousands[$name]:-}" ] || option=(--thousands "${thousands[$name]}")
    accepted schema inspect $name.csv -o $name.json "${option[@]}"
    python3 - $name <<'PY'
import json, sys
# The same bounds for all: inspections of one way of writing may be rounder than those of another.
schema = json.load(open(sys.argv[1] + ".json"))
bounds = {"year": (1990, 2024), "salary": (-30000, 110000), "share": (0, 100), "money": (0, 9000)}
for field in schema["fields"]:
    if field["name"] in bounds:
        field["constraints"] = dict(zip(("minimum", "maximum"), bounds[field["name"]]), required=True)
schema["semblance"] = {}
json.dump(schema, open(sys.argv[1] + ".json", "w"))
PY
    accepted synth $name.csv --schema $name.json --epsilon 2 --method pairs -o synthetic-$name.csv --quiet
done
year='(19|20)[0-9][0-9]'
python3 same.py german ';' '\r\n' "$year" '-?[0-9]{1,3}(\.[0-9]{3})*,[0-9]{2}' '[0-9]+%' '[0-9]+,[0-9] €' 'red|blue' || fail "german"
python3 same.py english , '\n' "$year" '\$-?[0-9]{1,3}(,[0-9]{3})*\.[0-9]{2}' '[0-9]+ %' '[0-9]+\.[0-9]' 'red|blue' || fail "english"
python3 same.py swiss '\t' '\r\n' "$year" "-?[0-9]{1,3}('[0-9]{3})*\.[0-9]{2}" '[0-9]+' 'CHF [0-9]+\.[0-9]' 'red|blue' || fail "swiss"
# What is written is read again as it is.
accepted schema check german.json synthetic-german.csv
grep -Eq 'unparseable|missing' accepted.out && fail "$(<accepted.out)"
# Told by an option, thousands are apart in every column of numbers but for years.
accepted synth german.csv --schema plain.json --delimiter ';' --decimal , --thousands . --epsilon 1 -o told.csv --quiet --health off
grep -Eq '^(19|20)[0-9][0-9];' told.csv || fail "years are not written as years"
grep -Eq '^[0-9]+;-?[0-9]{2}\.[0-9]{3},[0-9]{2};' told.csv || fail "thousands are not apart"
# A schema that is discovered takes the line end of the header, which is public.
accepted synth swiss.csv --delimiter tab --thousands "'" --epsilon 5 -o found.csv --quiet --health off
[ "$(grep -c $'\r$' found.csv)" = 3001 ] || fail "line ends are not those of the header"
exit 0
