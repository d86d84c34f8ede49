#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run every fuzz target for FUZZ_SECONDS (default 30), starting from its corpus and from what earlier runs found: new inputs
# stay in build/fuzz/found; the corpus in tests/fuzz/corpus/TARGET grows by hand only. One line per target: seconds, inputs
# tried, edges of the program that were reached before and after, new inputs kept. The whole log is build/fuzz/found/TARGET.log.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-30}
export OMP_NUM_THREADS=1 # one input at a time is small: a team would only wait for each other

tools/build.sh fuzz --target fuzzers
count=0 failed=0
# The value behind a word in the first or the last line of a log that has a kind: value KIND WORD LOG
value() { sed -n "s/^#.*$1 .*$2: \([0-9]*\).*/\1/p" "$3" | tail -n 1; }
while IFS= read -r -d '' program; do
    target=$(basename "$program")
    found=$PWD/build/fuzz/found/$target # from the root, as a target may go to a folder of its own
    mkdir -p "$found"
    inputs=("$found")
    for corpus in "$PWD/tests/fuzz/corpus/$target" "$PWD/tests/fuzz/corpus/${target#fuzz_}"; do
        [ -d "$corpus" ] && inputs+=("$corpus")
    done
    count=$((count + 1))
    log=$found.log
    before=$(find "$found" -type f | wc -l)
    if "$program" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=1 \
        -artifact_prefix="$found/" "${inputs[@]}" >"$log" 2>&1; then
        tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "$target: $seconds s, $tried inputs, $(value INITED cov "$log") to $(value DONE cov "$log") edges," \
            "$(($(find "$found" -type f | wc -l) - before)) new inputs"
    else
        failed=$((failed + 1))
        tail -n 40 "$log" >&2
        echo "fuzz: $target failed; the input is in $found" >&2
    fi
done < <(find build/fuzz -type f -name 'fuzz_*' -perm -u+x -not -name '*.*' -print0 | sort -z)
[ $count -gt 0 ] || {
    echo "fuzz: no fuzz target was built" >&2
    exit 1
}
echo "$((count - failed)) passed, $failed failed"
[ $failed -eq 0 ]
