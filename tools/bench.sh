#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run every bench of the release build; a bench prints its own lines. Measurements, never a test.
#   tools/bench.sh [NAME...]  all of them, or the ones named
set -euo pipefail
cd "$(dirname "$0")/.."
count=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
while IFS= read -r -d '' program; do
    name=$(basename "$program")
    if [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qxF -- "$name"; then continue; fi
    echo "== $name"
    case $name in
    bench_csv) "$program" "$scratch" ;; # makes its own table there
    *) "$program" ;;
    esac
    count=$((count + 1))
done < <(find build/release/bench -maxdepth 1 -type f -name 'bench_*' -perm -u+x -print0 2>/dev/null | sort -z)
[ $count -gt 0 ] || {
    echo "bench: no bench was built" >&2
    exit 1
}
