#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The whole utility bench, resumable: every data set folder in DATA, discretised .npy tables, the 2-D
# grid, and the page. Environment: DATA, PROGRAM, METHODS, EPS, SEEDS, NEIGHBOURS, RESULTS, PAGE.
set -u
DATA=${DATA:-}
PROGRAM=${PROGRAM:-build/release/semblance}
METHODS=${METHODS:-auto,merf,hp,ron-gauss,marginals}
EPS=${EPS:-1}
SEEDS=${SEEDS:-0}
NEIGHBOURS=${NEIGHBOURS:-replace-one}
RESULTS=${RESULTS:-bench/results/utility.jsonl}
PAGE=${PAGE:-bench/RESULTS.md}
cd "$(dirname "$0")/../.." || exit 1

if [ ! -d "$DATA" ]; then
    echo "bench-utility: name a folder of data set folders with DATA=" >&2
    exit 2
fi
common="--program $PROGRAM --results $RESULTS --eps $EPS --seeds $SEEDS --neighbours $NEIGHBOURS --methods $METHODS"
status=0
# shellcheck disable=SC2086 # the options hold no spaces
bench/utility/run.py --data "$DATA" $common || status=$?
for table in "$DATA"/*/*.npy; do
    [ $status -ge 2 ] || [ ! -e "$table" ] || bench/utility/npy_table.py "$table" $common || status=1
done
images=$(echo "$METHODS" | tr "," "\n" | grep -xE "merf|hp" | paste -sd, -)
if [ $status -lt 2 ] && [ -n "$images" ] && ls "$DATA"/*/train-images-idx3-ubyte.gz > /dev/null 2>&1; then
    bench/utility/images.py --data "$DATA" --program "$PROGRAM" --results "$RESULTS" --eps "$EPS" --seeds "$SEEDS" \
        --neighbours "$NEIGHBOURS" --methods "$images" --previews "$(dirname "$PAGE")" || status=1
fi
[ $status -ge 2 ] || bench/utility/grid.py --plot "$(dirname "$PAGE")" $common || status=1
[ $status -ge 2 ] && exit $status

bench/utility/table.py "$RESULTS" > "$PAGE.new" && mv "$PAGE.new" "$PAGE" && cat "$PAGE"
exit $status
