#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything on docs/PAPERS.md, measured anew or continued: bench/papers/run.sh DATA [--list] [--minutes N]
#
# Every step keeps its lines in bench/results and skips what is there, so that a run that was stopped continues. Hours on two cores.
# --list names what is left, with the time that it would take, and measures nothing. --minutes leaves out what would not end within N
# minutes, and what needs a card or data that is not here is always left out; the end names all of it with the commands that run it.
# DATA holds a folder for each data set (train.csv.gz, test.csv.gz, schema.json; IDX files; adult/*.npy). Environment: SEEDS; ENCODER and
# JUDGE, the networks of bench/papers/images.py, which needs a card; and ONLY: some of tables, plain,
# discretised, grid, images, sizes, card, ron, pages.
set -u
usage() {
    echo "usage: bench/papers/run.sh DATA [--list] [--minutes N] (a folder of data set folders)" >&2
    exit 2
}
folder=
list=
minutes=
while [ $# -gt 0 ]; do
    case $1 in
        --list) list=yes ;;
        --minutes) shift; minutes=${1:-} ;;
        --minutes=*) minutes=${1#*=} ;;
        -*) usage ;;
        *) [ -z "$folder" ] || usage
           folder=$1 ;;
    esac
    case $minutes in *[!0-9]*) usage ;; esac
    [ $# -gt 0 ] || usage
    shift
done
[ -d "$folder" ] || usage
DATA=$(cd "$folder" && pwd)
SEEDS=${SEEDS:-0}
ONLY=${ONLY:-tables plain discretised grid images sizes card ron pages}
cd "$(dirname "$0")/../.." || exit 1
program=build/release/semblance
plain=build/release/bench/semblance-without-noise
status=0

left=$(mktemp) || exit 1
trap 'rm -f "$left"' EXIT
start=$(date +%s)

# wanted NAME: this step was asked for.
wanted() {
    case " $ONLY " in *" $1 "*) return 0 ;; esac
    return 1
}

# step NAME COMMAND...: a failure is remembered, and the next step runs.
step() {
    name=$1
    shift
    wanted "$name" || return 0
    echo "papers: $name: $*" >&2
    "$@" || { echo "papers: $name failed" >&2; status=1; }
}

# timed NAME COMMAND...: a step whose command knows --list and --minutes and prints what it leaves out.
timed() {
    if [ -n "$list" ]; then
        set -- "$@" --list
    elif [ -n "$minutes" ]; then
        spent=$((($(date +%s) - start) / 60))
        set -- "$@" --minutes "$((minutes > spent ? minutes - spent : 0))"
    fi
    step "$@" >> "$left"
}

# leave NAME REASON: named at the end.
leave() {
    ! wanted "$1" || echo "$1: $2" >> "$left"
}

# page FILE COMMAND...: written only if the command succeeds.
page() {
    file=$1
    shift
    "$@" > "$file.new" && mv "$file.new" "$file"
}

[ -x $program ] && [ -x $plain ] || tools/build.sh release --target sbl_cli --target sbl_cli_without_noise || exit 1
# sets_of WORD: the tables of DATA that are small or large. Delta has to be below 1/n: 1e-6 for more than 90,000 rows.
sets="adult census cervical covtype credit epileptic intrusion isolet"
sets_of() {
    for set in $sets; do
        [ -f "$DATA/$set/train.csv.gz" ] || continue
        size=small
        [ "$(gzip -dc "$DATA/$set/train.csv.gz" | wc -l)" -le 90000 ] || size=large
        [ $size = "$1" ] && echo $set
    done | paste -sd, -
}
small=$(sets_of small)
large=$(sets_of large)
tables="bench/utility/run.py --data $DATA --parts classifiers,marginals --baselines real"
for set in $sets; do
    how=
    [ $set != covtype ] || how="; 'bench/papers/covtype.py covtype.data $folder/covtype' makes it of UCI's file"
    [ -f "$DATA/$set/train.csv.gz" ] || leave tables "$set is not in $folder$how"
done
# shellcheck disable=SC2086 # options without spaces
{
    [ -z "$small" ] || timed tables $tables --seeds "$SEEDS" --program $program --sets "$small" --methods merf,hp,auto
    [ -z "$large" ] || timed tables $tables --seeds "$SEEDS" --program $program --sets "$large" --methods merf,hp --delta 1e-6
    [ -z "$small" ] || timed plain $tables --program $plain --sets "$small" --methods merf,hp
    [ -z "$large" ] || timed plain $tables --program $plain --sets "$large" --methods merf,hp --delta 1e-6
}
# discretised NAME OPTION...: a table of adult's folder, if it is there.
discretised() {
    table=$DATA/adult/$1.npy
    shift
    [ ! -e "$table" ] || timed discretised bench/utility/npy_table.py "$table" --program $program "$@"
}
discretised sdgym_bounded_adult --methods merf,hp,marginals --eps 1,0.3,0.1
discretised sdgym_simple_adult --methods merf,marginals --eps 1,0.3,0.1
for gamma in 0.001 0.01 0.1 1 10 100 1000; do
    discretised sdgym_bounded_adult --methods hp --eps 0.3 "--option=--gamma=$gamma"
done
for size in 3 5 7; do
    discretised sdgym_bounded_adult --numbers --methods hp --eps 1 "--option=--product-size=$size"
done
timed grid bench/utility/grid.py --program $program --methods merf,hp --seeds "$SEEDS"
if ls "$DATA"/*/train-images-idx3-ubyte.gz > /dev/null 2>&1; then
    timed images bench/utility/images.py --data "$DATA" --program $program --methods merf --eps 1,0.2
    timed images bench/utility/images.py --data "$DATA" --program $program --methods hp,mepf --eps 1
    timed images bench/utility/images.py --data "$DATA" --program $plain --methods merf,hp --eps 1
    [ ! -d "$DATA/mnist" ] || timed sizes bench/papers/sizes.py "$DATA" mnist --program $program --methods merf,hp --eps 1
fi
card="bench/papers/images.py --program $program --data $DATA --out build/bench-papers"
# shellcheck disable=SC2086 # as above
if [ -z "$list" ] && [ -n "${ENCODER:-}" ] && [ -n "${JUDGE:-}" ] && nvidia-smi > /dev/null 2>&1; then
    step card $card --encoder "$ENCODER" --judge "$JUDGE" ${minutes:+--seconds $((minutes * 60))}
else
    names=$($card --encoder none --judge none --list | paste -sd' ' -)
    [ -z "$names" ] || leave card "$names: by a card and two networks: ENCODER=vgg16.safetensors JUDGE=squeezenet1.1.safetensors ONLY=card \
bench/papers/run.sh $folder"
fi
# ron NAME SCRIPT ARGUMENT...: these scripts append all their lines at the end, so that one line says that all are there.
ron() {
    bench=$1
    shift
    ! grep -q "\"bench\": \"$bench\"" bench/results/ron.jsonl 2> /dev/null || return 0
    if [ -n "$list$minutes" ]; then
        leave ron "$bench: of unknown length: /usr/bin/python3 $*"
    else
        step ron /usr/bin/python3 "$@"
    fi
}
[ ! -d "$DATA/gfe" ] || ron gfe bench/ron/gfe.py $program build/bench-ron "$DATA/gfe"
ron classification bench/ron/studies.py $program build/bench-ron
ron "projected classification" bench/ron/projected.py $program build/bench-ron
ron "comparators regression" bench/ron/comparators.py $program build/bench-ron
ron membership bench/ron/figures.py $program build/bench-ron
[ ! -d "$DATA/mnist" ] || ron mnist bench/ron/mnist.py $program --data "$DATA/mnist"
if [ -z "$list" ]; then
    step pages page bench/RESULTS.md bench/utility/table.py bench/results/utility.jsonl
    step pages page docs/PAPERS.md bench/papers/page.py .
    step pages bench/papers/figures.py .
    [ ! -s "$left" ] || echo "papers: left out:"
fi
cat "$left"
exit $status
