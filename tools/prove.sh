#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prove what docs/SOUNDNESS.md lists, and see that planted bugs are refused:
#   tools/prove.sh [--quick] [--no-mutants] [NAME...]
# Installs the provers first (tools/provers.sh). Ends with 1 for an open goal and 77 where CBMC cannot be fetched.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/provers.sh
exec python3 proofs/prove.py "$@"
