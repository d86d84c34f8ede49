# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# The same people in a ledger of rows and in one of persons: a person with G rows pays G times the mu of the first.
accepted ledger init rows.ledger
"$MAKE_RELEASE" 1 r.release r.json rows.ledger || fail "no release by rows"
printf '{"fields":[{"name":"id"},{"name":"x","type":"boolean"}],"semblance":{"unit":"id","max_rows_per_unit":3}}' > three.json
printf 'id,x\na,true\na,true\n,false\n' > data.csv
accepted ledger init persons.ledger --rows-per-person 3 --delta 1e-6
accepted synth data.csv --schema three.json --epsilon 1 --ledger persons.ledger -o out.csv
for rows in 1 4; do
    accepted ledger total rows.ledger persons.ledger --rows-per-person $rows --json
    cp accepted.out total.json
    accepted ledger show rows.ledger --json && cp accepted.out rows.json
    accepted ledger show persons.ledger --json && cp accepted.out persons.json
    python3 - $rows << 'PY' || fail "another total"
import json, math, sys
rows = int(sys.argv[1])
total, by_rows, by_persons = (json.load(open(f"{name}.json")) for name in ("total", "rows", "persons"))
mu2 = (rows ** 2 * int(by_rows["totals"]["mu2"]) + int(by_persons["totals"]["mu2"])) / 2 ** 96
mu = math.sqrt(mu2)
phi = lambda x: math.erfc(-x / math.sqrt(2)) / 2
delta = lambda e: phi(mu / 2 - e / mu) - math.exp(e) * phi(-mu / 2 - e / mu)
low, high = 0.0, 40.0
for _ in range(200):
    middle = (low + high) / 2
    low, high = (middle, high) if delta(middle) > total["delta"] else (low, middle)
assert math.isclose(total["mu"], mu, rel_tol=1e-12) and total["mu"] >= mu * (1 - 1e-15), (total, mu)
assert math.isclose(total["epsilon"], high, rel_tol=1e-6), (total, high)
assert total["delta"] == 1e-6 and total["rows_per_person"] == rows and total["neighbours"] == "replace-one", total
PY
done
accepted ledger total rows.ledger persons.ledger --rows-per-person 4
grep -q '^for       one person with at most 4 rows in data of ledgers of rows, replace-one neighbours$' accepted.out || fail "$(<accepted.out)"
accepted ledger total rows.ledger
grep -q '^for       one row, replace-one neighbours$' accepted.out || fail "$(<accepted.out)"
# Where no epsilon follows from what was spent, a line says so.
accepted ledger total rows.ledger --rows-per-person 100000
grep -qx 'epsilon   inf: so much is spent that no epsilon can be proved at this delta' accepted.out || fail "$(<accepted.out)"
# What cannot be added up is refused in one line.
refused 2 '*persons.ledger is about persons: state how many rows*(--rows-per-person)*' ledger total rows.ledger persons.ledger
cp rows.ledger copy.ledger
refused 3 '*rows.ledger and copy.ledger are the same ledger*' ledger total rows.ledger copy.ledger
refused 2 '*LEDGER is missing*' ledger total
refused 2 '*LEDGER is empty*' ledger total rows.ledger ''
head -c -20 rows.ledger > torn.ledger
chmod 600 torn.ledger
refused 3 '*torn*' ledger total torn.ledger
accepted ledger init inf.ledger --epsilon inf
refused 3 '*epsilon inf, so it guarantees nothing*' ledger total inf.ledger
"$SEMBLANCE_TESTKEY" ledger init test.ledger 2> /dev/null || fail "no ledger of a test build"
refused 3 '*test build*' ledger total test.ledger
# Under add-remove and replace-one together: replace-one, with twice the mu of the former.
printf '{"fields":[{"name":"x","type":"boolean"}]}' > x.json
printf 'x\ntrue\nfalse\n' > x.csv
accepted synth x.csv --schema x.json --epsilon 1 --neighbours add-remove -o y.csv
accepted ledger total x.csv.ledger --json
alone=$(json_member mu < accepted.out)
grep -q add-remove accepted.out || fail "the relation of one ledger is its own"
accepted ledger total x.csv.ledger rows.ledger --json
both=$(json_member mu < accepted.out)
rows=$(accepted ledger total rows.ledger --json; json_member mu < accepted.out)
awk -v a="$alone" -v r="$rows" -v b="$both" 'BEGIN { t = sqrt(4 * a * a + r * r); exit !(b >= t * (1 - 1e-12) && b <= t * (1 + 1e-12)) }' \
    || fail "mu $both of $alone and $rows"
# Keys of a schema that was released have a delta for one row only.
for i in $(seq 300); do printf 'a%s\n' $((i % 2)); done | sed '1i town' > towns.csv
accepted schema discover towns.csv --epsilon 3 -o towns.json
accepted ledger total towns.csv.ledger
refused 3 '*released by keys*' ledger total towns.csv.ledger --rows-per-person 2
