#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Line and branch coverage of the privacy core by folder; fails under 100 %.
#   tools/coverage.sh [--html FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
core='src/(public/account|records/accumulate|door/(ledger|certificate|noise|privatise))/'

tools/build.sh coverage
# The tests of the program are left out: counters that cannot be written are reported on its stderr, which they
# check; and the core must be covered by its own tests.
find build/coverage -name '*.gcda' -delete
ctest --test-dir build/coverage --parallel "${JOBS:-$(nproc)}" --timeout 900 --output-on-failure --no-tests=error \
    -LE '^(slow|nightly|audit|mutants|cli)$'
if [ "${1:-}" = --html ]; then
    mkdir -p "$2"
    gcovr --root . --filter "$core" --html-details "$2/index.html" build/coverage
fi
gcovr --root . --filter "$core" --json build/coverage/coverage.json build/coverage
python3 tools/coverage_table.py build/coverage/coverage.json public/account records/accumulate door/ledger door/noise door/privatise door/certificate
