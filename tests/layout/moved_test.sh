#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A clone that is copied or moved with its build folder builds in its new place.   moved_test.sh SOURCE
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "moved: $*" >&2
    exit 1
}
mkdir "$scratch/clone"
tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$scratch/clone" -xf -
"$scratch/clone/tools/build.sh" dev --target make_clinic >"$scratch/log" 2>&1 || fail "$(tail -n 5 "$scratch/log")"
touch "$scratch/clone/build/dev/kept"
"$scratch/clone/tools/build.sh" dev --target make_clinic >"$scratch/log" 2>&1 || fail "$(tail -n 5 "$scratch/log")"
[ -e "$scratch/clone/build/dev/kept" ] || fail "a build folder in its own place was made anew"
mv "$scratch/clone" "$scratch/moved"
"$scratch/moved/tools/build.sh" dev --target make_clinic >"$scratch/log" 2>&1 || fail "$(tail -n 5 "$scratch/log")"
grep -q 'configured in another place' "$scratch/log" || fail "it does not say what it does"
"$scratch/moved/build/dev/examples/make_clinic" 3 >/dev/null || fail "what was built does not run"
echo "built, moved and built again"
