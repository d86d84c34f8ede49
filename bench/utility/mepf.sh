#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Synthetic image sets by mepf, one job after the other, each timed and held against the real test images:
#   bench/utility/mepf.sh SEMBLANCE DATA OUT THREADS JOB...
# A JOB is SET:EMBEDDING:EPSILON[:STEPS:BATCH], for example mnist:best:1 or fashion_mnist:moments:0.2:3000:200.
# DATA/SET holds train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz and the t10k- pair. OUT/JOB.* are the release,
# certificate, ledger, preview, model, synthetic images, time and evaluation. What evaluation says is NOT PRIVATE.
# EVALUATE=no leaves the evaluation to another machine. At the defaults (5000 steps of 500 at epsilon 1) a job took 35
# to 40 minutes of one core of 140 GFLOP/s with the other one busy: several jobs of one or two threads each are quicker than one of many.
set -euo pipefail
if [ $# -lt 5 ]; then
    sed -n '2,/^set /s/^# //p' "$0" >&2
    exit 2
fi
semblance=$1 data=$2 out=$3 threads=$4
shift 4
mkdir -p "$out"
for job in "$@"; do
    IFS=: read -r set embedding epsilon steps batch <<<"$job"
    name=$out/${job//:/-}
    folder=$data/$set
    rm -rf "$name" "$name".*
    "$semblance" ledger init "$name.ledger" --epsilon 100 --delta 1e-5
    start=$(date +%s)
    "$semblance" synth --method mepf --embedding "$embedding" --epsilon "$epsilon" --delta 1e-5 --threads "$threads" \
        ${steps:+--steps "$steps"} ${batch:+--batch "$batch"} \
        --images "$folder/train-images-idx3-ubyte.gz" --labels "$folder/train-labels-idx1-ubyte.gz" \
        --ledger "$name.ledger" --preview "$name.png" --model "$name.model" --quiet -o "$name"
    echo "$job: made in $(($(date +%s) - start)) s with $threads threads" | tee "$name.time"
    [ "${EVALUATE:-yes}" = no ] && continue
    "$semblance" evaluate --images --real "$folder/t10k-images-idx3-ubyte.gz" \
        --real-labels "$folder/t10k-labels-idx1-ubyte.gz" --synthetic "$name" | tee "$name.evaluation"
done
