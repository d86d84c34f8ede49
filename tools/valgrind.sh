#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The test programs under valgrind's memcheck: any error or definite leak fails.
# Left out: scripts, and tests labelled slow, nightly, mutants, audit, stat or no-valgrind (those count
# processes, kill them, or draw millions of samples).
set -euo pipefail
cd "$(dirname "$0")/.."
tools/build.sh dev
python3 tools/memcheck.py build/dev "${JOBS:-$(nproc)}"
