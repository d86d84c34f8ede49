#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything on docs/PAPERS.md, measured anew or continued: bench/papers/run.sh DATA
#
# Every step keeps its lines in bench/results and skips what is there, so that a run that was stopped continues. Hours on two cores.
# DATA holds a folder for each data set (train.csv.gz, test.csv.gz, schema.json; IDX files; adult/*.npy). Environment: SEEDS; ENCODER and
# JUDGE, the networks of bench/papers/images.py, which is left out without them: it needs a card; and ONLY: some of tables, plain,
# discretised, grid, images, sizes, card, ron, pages.
set -u
if [ $# -ne 1 ] || [ ! -d "$1" ]; then
    echo "usage: bench/papers/run.sh DATA (a folder of data set folders)" >&2
    exit 2
fi
DATA=$(cd "$1" && pwd)
SEEDS=${SEEDS:-0}
ONLY=${ONLY:-tables plain discretised grid images sizes card ron pages}
cd "$(dirname "$0")/../.." || exit 1
program=build/release/semblance
plain=build/release/bench/semblance-without-noise
status=0

# step NAME COMMAND...: a failure is remembered, and the next step runs.
step() {
    name=$1
    shift
    case " $ONLY " in *" $name "*) ;; *) return 0 ;; esac
    echo "papers: $name: $*" >&2
    "$@" || { echo "papers: $name failed" >&2; status=1; }
}

# page FILE COMMAND...: written only if the command succeeds.
page() {
    file=$1
    shift
    "$@" > "$file.new" && mv "$file.new" "$file"
}

[ -x $program ] && [ -x $plain ] || tools/build.sh release --target sbl_cli --target sbl_cli_without_noise || exit 1
# sets_of WORD: the tables of DATA that are small or large. Delta has to be below 1/n: 1e-6 for more than 90,000 rows.
sets_of() {
    for set in adult census cervical covtype credit epileptic intrusion isolet; do
        [ -f "$DATA/$set/train.csv.gz" ] || continue
        size=small
        [ "$(gzip -dc "$DATA/$set/train.csv.gz" | wc -l)" -le 90000 ] || size=large
        [ $size = "$1" ] && echo $set
    done | paste -sd, -
}
small=$(sets_of small)
large=$(sets_of large)
tables="bench/utility/run.py --data $DATA --parts classifiers,marginals --baselines real"
# shellcheck disable=SC2086 # options without spaces
{
    [ -z "$small" ] || step tables $tables --seeds "$SEEDS" --program $program --sets "$small" --methods merf,hp,auto
    [ -z "$large" ] || step tables $tables --seeds "$SEEDS" --program $program --sets "$large" --methods merf,hp --delta 1e-6
    [ -z "$small" ] || step plain $tables --program $plain --sets "$small" --methods merf,hp
    [ -z "$large" ] || step plain $tables --program $plain --sets "$large" --methods merf,hp --delta 1e-6
}
# discretised NAME OPTION...: a table of adult's folder, if it is there.
discretised() {
    table=$DATA/adult/$1.npy
    shift
    [ ! -e "$table" ] || step discretised bench/utility/npy_table.py "$table" --program $program "$@"
}
discretised sdgym_bounded_adult --methods merf,hp,marginals --eps 1,0.3,0.1
discretised sdgym_simple_adult --methods merf,marginals --eps 1,0.3,0.1
for gamma in 0.001 0.01 0.1 1 10 100 1000; do
    discretised sdgym_bounded_adult --methods hp --eps 0.3 "--option=--gamma=$gamma"
done
for size in 3 5 7; do
    discretised sdgym_bounded_adult --numbers --methods hp --eps 1 "--option=--product-size=$size"
done
step grid bench/utility/grid.py --program $program --methods merf,hp --seeds "$SEEDS"
if ls "$DATA"/*/train-images-idx3-ubyte.gz > /dev/null 2>&1; then
    step images bench/utility/images.py --data "$DATA" --program $program --methods merf --eps 1,0.2
    step images bench/utility/images.py --data "$DATA" --program $program --methods hp,mepf --eps 1
    step images bench/utility/images.py --data "$DATA" --program $plain --methods merf,hp --eps 1
    [ ! -d "$DATA/mnist" ] || step sizes bench/papers/sizes.py "$DATA" mnist --program $program --methods merf,hp --eps 1
fi
[ -z "${ENCODER:-}" ] || [ -z "${JUDGE:-}" ] || step card bench/papers/images.py --program $program --data "$DATA" \
    --out build/bench-papers --encoder "$ENCODER" --judge "$JUDGE"
# ron NAME SCRIPT ARGUMENT...: these scripts append all their lines at the end, so that one line says that all are there.
ron() {
    bench=$1
    shift
    grep -q "\"bench\": \"$bench\"" bench/results/ron.jsonl 2> /dev/null || step ron /usr/bin/python3 "$@"
}
[ ! -d "$DATA/gfe" ] || ron gfe bench/ron/gfe.py $program build/bench-ron "$DATA/gfe"
ron classification bench/ron/studies.py $program build/bench-ron
ron "projected classification" bench/ron/projected.py $program build/bench-ron
ron "comparators regression" bench/ron/comparators.py $program build/bench-ron
ron membership bench/ron/figures.py $program build/bench-ron
[ ! -d "$DATA/mnist" ] || ron mnist bench/ron/mnist.py $program --data "$DATA/mnist"
step pages page bench/RESULTS.md bench/utility/table.py bench/results/utility.jsonl
step pages page docs/PAPERS.md bench/papers/page.py .
step pages bench/papers/figures.py .
exit $status
