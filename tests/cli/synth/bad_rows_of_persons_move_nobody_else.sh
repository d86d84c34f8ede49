# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Under one key, releases of the method histories over tables that hold the same persons are the same to the bit,
# however the rows stand and whatever else stands between them. Nothing is said of any of it.
SEMBLANCE=${SEMBLANCE_TESTKEY:?}
cat > s.json <<'JSON'
{"fields": [{"name": "who", "type": "string"},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}, "semblance": {"per": "unit"}},
  {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31", "required": true}},
  {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 9}}],
 "semblance": {"unit": "who", "order": "day", "max_rows_per_unit": 20}}
JSON
rows=1000000
[ "${EVERY:-1}" = 1 ] || rows=100000
python3 - $rows <<'PYTHON'
import random, sys
draw = random.Random(5)
persons = []
for person in range(300):
    days = sorted(draw.sample(range(336), draw.randint(1, 20)))
    persons.append([f"P{person},{'fm'[person % 2]},2024-{1 + d // 28:02d}-{1 + d % 28:02d},{d % 10}\n" for d in days])
def write(name, rows):
    with open(name, "w") as file:
        file.write("who,sex,day,cost\n")
        file.writelines(rows)
grouped = [row for rows in persons for row in rows]
mixed = grouped[:]
draw.shuffle(mixed)
write("grouped.csv", grouped)
write("mixed.csv", mixed)
write("back.csv", [row for rows in persons for row in reversed(rows)])       # dates that go back
odd = [",f,2024-05-05,3\n", ",m,2024-05-06,4\n", ",?,2023-99-99,nan\n", ",m\n"]  # of nobody, two of them nonsense
whose = [f"N{i}{row}" for i, row in enumerate(odd)]
between = lambda more: [row for i, one in enumerate(mixed) for row in ([one, more[i // 400]] if i % 400 == 0 and i < 1600 else [one])]
assert len(mixed) > 1600
write("nobody.csv", between(odd))
write("strangers.csv", between(whose))
count = int(sys.argv[1])
crowd = [f"X,{'fm'[i // 7 % 2]},2024-{12 - i % 12:02d}-05,{i % 11}\n" for i in range(20)]
write("few.csv", crowd + mixed)
with open("many.csv", "w") as file:                                          # one with a million rows
    file.write("who,sex,day,cost\n")
    file.writelines(crowd[:10])
    for i in range(count):
        if i % (count // len(mixed)) == 0 and mixed:
            file.write(mixed.pop())
        file.write(crowd[10 + i] if i < 10 else "X,m,2024-02-03,1\n")
    file.writelines(mixed)
PYTHON
for name in grouped mixed back nobody strangers few many; do
    accepted synth $name.csv --schema s.json --epsilon 2 --neighbours add-remove --expect-rows 3000 --seed 1 --threads 2 -o $name.out
    sed -E "s/$name/NAME/g; s/ledger [0-9a-f]{32}/ledger ID/; /^TIME: /d" accepted.err > $name.err
    [ ! -s accepted.out ] || fail "$name: standard output: $(<accepted.out)"
done
same() {
    python3 - "$CLI_TESTS/../formats" "$@" <<'PYTHON' || fail "the releases of $1 and $2 differ"
import sys
sys.path.append(sys.argv[1])
import read_release
for end in ("", ".2"):
    headers, values, _ = zip(*(read_release.read(f"{name}.out.release{end}") for name in sys.argv[2:]))
    assert values[0] == values[1] and headers[0]["plan"] == headers[1]["plan"]
PYTHON
    cmp $1.out $2.out || fail "the tables of $1 and $2 differ"
    cmp $1.err $2.err || fail "it is told of $1: $(<$1.err) / $(<$2.err)"
}
same grouped mixed
same grouped back
same nobody strangers
same few many
! cmp -s few.out mixed.out || fail "a person changes nothing"
