#!/usr/bin/env bash
# Run every fuzz target for FUZZ_SECONDS (default 30), starting from its corpus. What it finds stays in
# build/fuzz/found; the corpus in tests/fuzz/corpus/TARGET grows by hand only.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-30}
export OMP_NUM_THREADS=1 # one input at a time is small: a team would only wait for each other

tools/build.sh fuzz
count=0 failed=0
while IFS= read -r -d '' program; do
    target=$(basename "$program")
    found=build/fuzz/found/$target
    mkdir -p "$found"
    inputs=("$found")
    for corpus in "tests/fuzz/corpus/$target" "tests/fuzz/corpus/${target#fuzz_}"; do
        [ -d "$corpus" ] && inputs+=("$corpus")
    done
    echo "== $target, $seconds s"
    count=$((count + 1))
    if ! "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$found/" "${inputs[@]}"; then
        failed=$((failed + 1))
        echo "fuzz: $target failed; the input is in $found" >&2
    fi
done < <(find build/fuzz -type f -name 'fuzz_*' -perm -u+x -not -name '*.*' -print0 | sort -z)
[ $count -gt 0 ] || {
    echo "fuzz: no fuzz target was built" >&2
    exit 1
}
echo "$((count - failed)) passed, $failed failed"
[ $failed -eq 0 ]
