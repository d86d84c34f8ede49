#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The archive of the sources is the same bytes each time, and holds what git holds and nothing else.
#   dist_test.sh SOURCE
set -euo pipefail
source=$1
if ! git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
    echo "SKIP: no git repository"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "dist: $*" >&2
    exit 1
}
"$source/tools/dist.sh" "$scratch/one" >"$scratch/one.sum"
sleep 1.1 # a clock that went on must not be seen
(umask 077 && TZ=Asia/Tokyo "$source/tools/dist.sh" "$scratch/two" >"$scratch/two.sum")
cmp "$scratch/one.sum" "$scratch/two.sum" || fail "two runs give two archives"
archive=$(ls "$scratch"/one/semblance-*.tar.gz)
tar xzf "$archive" -C "$scratch"
root=$(basename "$archive" .tar.gz)
diff <(cd "$scratch/$root" && find . -type f -o -type l | sed 's|^\./||' | sort) \
    <(git -C "$source" ls-tree -r --name-only HEAD | sort) || fail "the archive does not hold what the commit holds"
echo "reproducible: $(cut -c 1-64 "$scratch/one.sum")"
