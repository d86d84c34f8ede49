# SPDX-License-Identifier: Apache-2.0
# Tables that are written in unusual ways: after inspect and synth, the file begins as it did, and every cell has a shape that a cell of the
# same column had.
. "$CLI_TESTS/lib.sh"
command -v python3 > /dev/null || skip "no python3"
SEMBLANCE=${SEMBLANCE_TESTKEY:-$SEMBLANCE}
cat > odd.py <<'PY'
import random, re, sys
r = random.Random(3)
def moment():
    return f"{r.randint(2000, 2024)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}", f"{r.randint(0, 23):02d}:{r.randint(0, 59):02d}"
def clocks():
    (a, b), (c, d), (e, f), (g, h) = (moment() for _ in range(4))
    return [f"{a} {b}", f"{c} {d}:{r.randint(0, 59):02d}", f"{e}T{f}", f"{g}T{h}:{r.randint(0, 59):02d}Z"]
def money():
    return [f"{r.randint(1000, 99999):,}".replace(",", ".") + f",{r.randint(0, 99):02d} €", f"{r.randint(-500, -100)} EUR"]
tables = {  # encoding, line end, delimiter, names, cells
    "bom": ("utf-8-sig", "\r\n", ";", ["alter", "stadt"], lambda: [str(r.randint(10, 90)), r.choice(["Köln", "Ulm"])]),
    "blanks": ("utf-8", "\n", ";", ["a", "b"], lambda: [f"{r.randint(10**6, 9 * 10**6):,}".replace(",", " "),
                                                       f"{r.randint(10**4, 9 * 10**4):,}".replace(",", "'") + ".50"]),
    "clocks": ("utf-8", "\n", ",", ["a", "b", "c", "d"], clocks),
    "money": ("utf-8", "\r\n", ";", ["a", "b"], money),
    "marks": ("utf-8", "\n", ",", ["a", "b", "c"], lambda: [r.choice(["NA", "5", "6", "7"]), r.choice(["n/a", "x", "y"]), r.choice(["", "1.5", "2.5"])]),
    "truths": ("utf-8", "\n", ",", ["a", "b", "c"], lambda: [r.choice(["True", "False"]), r.choice(["YES", "NO"]), r.choice(["t", "f"])]),
    "days": ("utf-8", "\n", ",", ["a", "b"], lambda: [f"{r.randint(1, 28):02d}.{r.randint(1, 12):02d}.2024", f"{r.randint(1, 12):02d}/{r.randint(13, 28):02d}/2024"]),
    "latin": ("cp1252", "\r\n", "\t", ["stadt", "wert"], lambda: [r.choice(["Köln", "Ulm"]), f"{r.random() * 9 + 1:.3f}".replace(".", ",")]),
    "wide": ("utf-16", "\r\n", "\t", ["a", "b"], lambda: [str(r.randint(10, 99)), r.choice(["ü", "ß"])]),
    "quotes": ("utf-8", "\n", ",", ["a", "b"], lambda: [r.choice(['"x, ""y"""', "z"]), str(r.randint(10, 99))]),
}
def shape(cell):
    return re.sub(r"[0-9]+", "9", cell)
if sys.argv[1] == "make":
    for name, (encoding, end, delimiter, names, cells) in tables.items():
        with open(name + ".csv", "w", encoding=encoding, newline="") as out:
            out.write(delimiter.join(names) + end + "".join(delimiter.join(cells()) + end for _ in range(800)))
    print(*tables)
else:
    name = sys.argv[2]
    encoding, end, delimiter, names, _ = tables[name]
    whole = [open(path, "rb").read() for path in (name + ".csv", "out.csv")]
    assert whole[0].split(b"\n")[0] == whole[1].split(b"\n")[0], "the first line"
    cut = [[line for line in text.decode(encoding).split(end) if line] for text in whole]
    assert len(cut[0]) == len(cut[1]), "line ends"
    shapes = [set(zip(*[iter([(k, shape(c)) for line in lines[1:] for k, c in enumerate(
        re.findall(r'((?:"(?:[^"]|"")*"|[^%s])*)(?:%s|$)' % (delimiter, re.escape(delimiter)), line)[:len(names)])])] * 1)) for lines in cut]
    assert shapes[1] <= shapes[0], sorted(shapes[1] - shapes[0])[:5]
PY
for name in $(python3 odd.py make); do
    accepted schema inspect $name.csv -o $name.json
    accepted synth $name.csv --schema $name.json --epsilon 20 --method pairs -o out.csv --quiet --overwrite --health off
    python3 odd.py check $name || fail "$name is not written as it was read"
    accepted schema check $name.json out.csv
    grep -q 'unparseable' accepted.out && fail "$name: what was written does not fit its schema"
done
# Powers of ten are numbers, small as they are.
awk 'BEGIN { print "a,b"; for (i = 1; i <= 800; i++) printf "%.3e,%d\n", i * 7e-9, i % 5 }' > powers.csv
accepted schema inspect powers.csv -o powers.json
grep -A1 '"name": "a"' powers.json | grep -q '"type": "number"' || fail "powers of ten are no numbers"
exit 0
