#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format over every C file: says which files differ, or with --write puts them right.
# Versions of clang-format disagree in details, so this is no part of `make test`; the version that counts
# is the one of Debian 12, and with another the check only tells.
set -euo pipefail
cd "$(dirname "$0")/.."
counted=14

files() {
    local folder
    for folder in src plugins cli serve include tests proofs bench examples; do
        [ ! -d "$folder" ] || find "$folder" \( -name '*.c' -o -name '*.h' \) -print0
    done | sort -z
}

if [ "${1:-}" = --write ]; then
    files | xargs -0 -r clang-format -i
    exit 0
fi
version=$(clang-format --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
if files | xargs -0 -r -n 1 -P "${JOBS:-$(nproc)}" sh -c \
    'clang-format --dry-run --Werror "$1" >/dev/null 2>&1 || { echo "$1: not in format; make format"; exit 1; }' sh; then
    echo "format: all files are in format"
elif [ "$version" != $counted ]; then
    echo "format: clang-format $version is not $counted; nothing was decided"
else
    exit 1
fi
