#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a new user types, in a fresh clone: make, make install, run it, make uninstall. Then the clone is copied.
#   clone_test.sh SOURCE
set -euo pipefail
source=$1
if ! git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
    echo "SKIP: no git repository"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "clone: $*" >&2
    exit 1
}
# step ARGUMENT...: make them, in the clone.
step() { make -C "$scratch/clone" "$@" >"$scratch/log" 2>&1 || fail "make $*: $(tail -n 20 "$scratch/log")"; }
git clone --quiet "$source" "$scratch/clone"
prefix="$scratch/a folder/usr"
step
# The plug-in of the program in the tree: where there is no card, it is the driver that is missing.
(cd "$scratch" && clone/build/release/examples/make_images 40 1 images labels)
(cd "$scratch" && "$scratch/clone/build/semblance" plan --images images --labels labels --method merf --epsilon 1 --device auto) >"$scratch/card"
grep -q '^device ' "$scratch/card" || fail "plan says nothing of the device"
if grep -q 'plug-in' "$scratch/card"; then fail "the program in the tree does not find its plug-in: $(cat "$scratch/card")"; fi
step install PREFIX="$prefix"
(cd "$scratch" && clone/build/release/examples/make_clinic 500 >clinic.csv)
(cd "$scratch" && "$prefix/bin/semblance" synth clinic.csv --schema clone/examples/clinic.json --epsilon 1 -o out.csv --quiet) ||
    fail "the installed program fails"
[ -s "$scratch/out.csv" ] || fail "the installed program writes nothing"
step uninstall PREFIX="$prefix"
[ ! -e "$scratch/a folder" ] || fail "left: $(find "$scratch/a folder")"
cp -r "$scratch/clone" "$scratch/copy"
rm -rf "$scratch/clone"
"$scratch/copy/tools/build.sh" release --target make_clinic >"$scratch/log" 2>&1 || fail "a copy: $(tail -n 5 "$scratch/log")"
echo "made, installed, run, uninstalled and copied"
