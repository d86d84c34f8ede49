# SPDX-License-Identifier: Apache-2.0
# --features auto: sqrt(2) n / (C tau) features, by a number of rows that is public or declared. Without one: one line,
# nothing is charged, and no file is left.
. "$CLI_TESTS/lib.sh"
make_people
make_images
chosen() { python3 -c 'import json, sys; print(json.load(sys.stdin)["plan"]["features"][0]["parameters"]["features"])' < "$1"; }
merf=(--method merf --features auto)
for relation in replace-one add-remove; do
    accepted plan --schema people.json --epsilon 1 --delta 1e-5 -n 20000 "${merf[@]}" --no-estimate --json --neighbours $relation
    python3 - < accepted.out "$relation" accepted.out <<'PYTHON' || fail "not the balance under $relation: $(chosen accepted.out)"
import json, sys
from math import sqrt
plan = json.load(open(sys.argv[2]))
block, = (block for block in plan["blocks"] if block["name"] == "rff")
features = plan["plan"]["features"][0]["parameters"]["features"]
noise = block["noise_share"] * sqrt(2 / block["values"]) * sqrt(2)  # on a value of one of two classes' means
assert features % 2 == 0 and abs(features * noise / sqrt(2) - 1) < 0.01, (features, noise)
assert plan["plan"]["method"]["rows"] == 20000 and block["bounds"]["random_features"]["features"] == features
PYTHON
done
# More rows and more epsilon: more features. Few rows: the least.
for case in '20000 1' '40000 1' '40000 3'; do
    read -r rows epsilon <<< "$case"
    accepted plan --schema people.json --epsilon "$epsilon" --delta 1e-6 -n "$rows" "${merf[@]}" --no-estimate --json
    chosen accepted.out
done > rising
sort -nuc rising || fail "not rising: $(<rising)"
accepted plan --schema people.json --epsilon 1 -n 20000 --expect-rows 200 "${merf[@]}" --no-estimate --json
[ "$(chosen accepted.out)" = 128 ] || fail "expect-rows is not what is planned for: $(chosen accepted.out)"
# A run: the rows of the table are public and counted; certificate and release have the number.
small=(--steps 5 --hidden 8 --batch 20 --quiet)
accepted synth people.csv --schema people.json --epsilon 20 "${merf[@]}" -o out.csv "${small[@]}" --save-job job.json
accepted plan --schema people.json --epsilon 20 -n 200 "${merf[@]}" --no-estimate --json
number=$(chosen accepted.out)
grep -q "the number of random features, $number, chosen for 200 rows" out.csv.certificate.json || fail "certificate: $number"
accepted verify out.csv.certificate.json --release out.csv.release --ledger people.csv.ledger
grep -q '"features": "auto"' job.json || fail "job file: $(<job.json)"
accepted synth --job job.json -o again.csv --quiet
cmp -s <(grep -o 'random features, [0-9]*' again.csv.certificate.json) <(grep -o 'random features, [0-9]*' out.csv.certificate.json) || fail "job file"
accepted synth - --schema people.json --epsilon 20 --expect-rows 200 "${merf[@]}" -o stream.csv "${small[@]}" < people.csv
grep -q "random features, $number," stream.csv.certificate.json || fail "stream"
# Without a number of rows.
accepted ledger init private.ledger --epsilon 10 --neighbours add-remove
accepted ledger init public.ledger --epsilon 10
cp private.ledger before; cp public.ledger public.before
ls > files
rows='features auto needs a number of rows: give expect-rows, or features as a number*'
no=(--epsilon 1 "${merf[@]}" -o no.csv "${small[@]}")
refused 2 "$rows" synth people.csv --schema people.json --neighbours add-remove --ledger private.ledger "${no[@]}"
refused 2 "$rows" synth people.csv --neighbours add-remove --ledger private.ledger "${no[@]}" # before a schema is paid for
refused 2 "$rows" synth - --schema people.json --ledger public.ledger "${no[@]}" < people.csv
refused 2 'features auto needs a number of images, which is private under add-remove: give features as a number' \
    synth --images images --labels labels --classes 3 --neighbours add-remove --ledger private.ledger --epsilon 1 "${merf[@]}" -o no "${small[@]}"
refused 2 'features auto is for the method merf: give a number' plan --images images --labels labels --classes 3 --epsilon 1 --method mepf --features auto
refused 2 'option --features must be an even number from 2 to 1000000, or auto, not *' synth people.csv --schema people.json --epsilon 1 --features automatic -o no.csv
refused 2 '*--rows*' plan --schema people.json --epsilon 1 "${merf[@]}"
cmp -s private.ledger before && cmp -s public.ledger public.before || fail "a refusal was charged"
rm refused.out refused.err
cmp -s <(ls) <(grep -v '^refused' files) || fail "a refusal left files: $(ls)"
# Images: their number is public.
accepted plan --images images --labels labels --classes 3 --epsilon 1 -n 600000 "${merf[@]}" --no-estimate --json
[ "$(chosen accepted.out)" -gt 10000 ] || fail "images: $(chosen accepted.out)"
