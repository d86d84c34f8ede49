#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Small groups of a made-up population of 60,000: synthetic tables at epsilon 1, and what became of the infants in each.
#
#     bench/groups/run.sh SEMBLANCE [FOLDER [TIMES]]
set -eu
semblance=$(realpath "${1:?usage: bench/groups/run.sh SEMBLANCE [FOLDER [TIMES]]}")
out=${2:-build/groups}
times=${3:-3}
here=$(dirname "$(realpath "$0")")
rm -rf "$out"
mkdir -p "$out"
cd "$out"
/usr/bin/python3 "$here"/make_people.py 60000 1 > people.csv
/usr/bin/python3 "$here"/make_people.py --schema > people.json
for i in $(seq "$times"); do
    "$semblance" ledger init "$i.ledger" --neighbours add-remove --quiet
    "$semblance" synth people.csv --schema people.json --epsilon 1 --delta 1e-5 --neighbours add-remove --expect-rows 60000 --method pairs \
        --seed "$i" --ledger "$i.ledger" --quiet -o "$i.csv"
    "$here"/measure.py people.csv "$i.csv"
done
