#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configure and build one preset of CMakePresets.json: tools/build.sh PRESET [cmake --build option...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
tools/forget_moved.sh "build/$preset" .
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
cmake --build "build/$preset" --parallel "${JOBS:-$(nproc)}" "$@"
