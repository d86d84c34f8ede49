#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy with the checks of .clang-tidy over src and cli; any finding fails.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/build.sh dev >/dev/null # generated headers
find src cli -name '*.c' -print0 | sort -z |
    xargs -0 -n 4 -P "${JOBS:-$(nproc)}" clang-tidy --quiet -p build/dev --warnings-as-errors='*' 2>/dev/null
echo "clang-tidy: nothing to say"
