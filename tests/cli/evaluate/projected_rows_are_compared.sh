# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Real rows in the space of a projected model: W x as docs/mechanisms/ron-gauss.md says, and the label as it was.
make_people
sed '1s/age/"age, in years"/' people.csv > table.csv
sed 's/"age"/"age, in years"/' people.json > schema.json
fit() { accepted synth table.csv --schema schema.json --epsilon 3 --method ron-gauss --space projected -f -q --model "$1" -o "${1%.*}.csv" "${@:2}"; }
cat > check.py <<'PYTHON'
import csv, json, math, sys

table, projected, matrix, geometry = sys.argv[1:]
rows = list(csv.reader(open(matrix)))
assert rows[0] == ["coordinate", "age, in years", "town.1", "town.2", "town.3"], rows[0]
assert [row[0] for row in rows[1:]] == [f"p{i + 1}" for i in range(len(rows) - 1)]
w = [[float(cell) for cell in row[1:]] for row in rows[1:]]
for i, a in enumerate(w):
    for j, b in enumerate(w):
        assert abs(sum(x * y for x, y in zip(a, b)) - (i == j)) < 1e-12
towns = ["Ayr", "Bath, old", "Cork", ""]  # the last one: missing


def point(age, town):
    """Two columns: each has length 1/sqrt(2) at its extremes. A category is its one-hot vector less the centre, in Helmert's basis."""
    code, scale = towns.index(town), math.sqrt(4 / 3 / 2)
    u = float(age) / 99
    x = [(2 * u - 1 if geometry == "clip" else u) / math.sqrt(2)]
    for j in range(1, 4):
        x.append(scale * (1 if code < j else -j if code == j else 0) / math.sqrt(j * (j + 1)))
    length = math.sqrt(sum(v * v for v in x))
    return x if geometry == "clip" else [v / length for v in x]


real, made = list(csv.DictReader(open(table))), list(csv.DictReader(open(projected)))
assert len(real) == len(made) and list(made[0]) == [row[0] for row in rows[1:]] + ["income"]
for r, m in zip(real, made):
    x = point(r["age, in years"], r["town"])
    assert m["income"] == r["income"]
    for row, values in zip(rows[1:], w):
        assert abs(float(m[row[0]]) - sum(a * b for a, b in zip(values, x))) < 2e-5, (r, m)
PYTHON
for geometry in clip normalise; do
    fit "$geometry.model" --geometry "$geometry" --dimensions 3
    sum=$(sha256sum table.csv.ledger)
    accepted project "$geometry.model" table.csv -o real.csv --matrix w.csv -f
    [ "$(sha256sum table.csv.ledger)" = "$sum" ] || fail "the ledger changed"
    grep -q '^semblance: NOT PRIVATE: .*real.csv.*table.csv' accepted.err || fail "not labelled: $(<accepted.err)"
    python3 check.py table.csv real.csv w.csv "$geometry" || fail "$geometry: coordinates"
    [ "$(head -n 1 real.csv)" = "$(head -n 1 "$geometry.csv")" ] || fail "other columns than the synthetic rows have"
    accepted evaluate --real real.csv --synthetic "$geometry.csv" --schema real.csv.schema.json --models logistic --json
    grep -q '"p1"' accepted.out || fail "evaluate: $(<accepted.out)"
done
# All dimensions: the identity. No table: the matrix alone, and no word of privacy.
fit all.model --dimensions 4
accepted project all.model --matrix identity.csv
[ ! -s accepted.err ] || fail "the matrix is public: $(<accepted.err)"
[ "$(tail -n 1 identity.csv)" = p4,0,0,0,1 ] || fail "not the identity: $(<identity.csv)"
"$SEMBLANCE" project all.model table.csv -o - > streamed.csv 2> said
accepted project all.model table.csv -o all_real.csv
cmp streamed.csv all_real.csv || fail "standard output"
# A target stays a number, and stays missing where it was. Persons with several rows have rows in the projection, too.
cat > visits.json <<'JSON'
{"fields": [{"name": "who", "type": "string", "semblance": {"role": "id"}},
  {"name": "x", "type": "number", "constraints": {"minimum": 0, "maximum": 1, "required": true}},
  {"name": "z", "type": "number", "constraints": {"minimum": 0, "maximum": 1, "required": true}},
  {"name": "y", "type": "number", "constraints": {"minimum": -2, "maximum": 2}, "semblance": {"decimals": 1}}],
 "missingValues": [""], "semblance": {"label": "y", "unit": "who", "max_rows_per_unit": 2}}
JSON
awk 'BEGIN { print "who,x,z,y"; for (i = 0; i < 200; i++) printf "q%d,%.2f,%.2f,%s\n", i / 2, i % 7 / 7, i % 5 / 5, i % 4 ? i % 3 - 0.5 : "" }' > visits.csv
accepted fit visits.csv --schema visits.json --epsilon 3 --method ron-gauss --space projected --dimensions 2 --model visits.model -q
accepted project visits.model visits.csv -o visits_real.csv
[ "$(head -n 1 visits_real.csv)" = p1,p2,y ] || fail "$(head -n 1 visits_real.csv)"
diff <(cut -d, -f4 visits.csv) <(cut -d, -f3 visits_real.csv) || fail "targets"
accepted sample visits.model -n 5
[ "$(head -n 1 accepted.out)" = p1,p2,y ] || fail "$(<accepted.out)"
