#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demo prints rows, a verdict, the report and three commands, in this order; the commands work as they are printed. Tables of
# noise and measures appear with --verbose only.
#   demo_test.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "demo: $*" >&2
    exit 1
}
cd "$scratch"
ln -s "$source/examples" examples
mkdir -p build/examples
ln -s "$build/semblance" build/semblance
ln -s "$build/examples/make_clinic" build/examples/make_clinic

examples/demo.sh build >shown 2>errors || fail "it failed: $(cat errors)"
[ ! -s errors ] || fail "it printed on standard error: $(cat errors)"
line() { grep -nm1 -- "$1" shown | cut -d: -f1; }
header=$(head -n 1 build/demo/patients.csv)
places=$(line "^$header\$") && [ -n "$places" ] || fail "no synthetic rows"
for mark in '^Verdict: ' '^Report: build/demo/report.html$' '^Next:$'; do
    place=$(line "$mark")
    [ -n "$place" ] || fail "no line $mark"
    [ "$place" -gt "$places" ] || fail "$mark comes too early"
    places=$place
done
[ "$(wc -l <shown)" -le 30 ] || fail "$(wc -l <shown) lines, at most 30"
for detail in 'noise (std)' 'Marginals, mean TVD' 'GUARANTEE:' 'epsilon so far'; do
    ! grep -qF -- "$detail" shown || fail "it printed '$detail' without --verbose"
done

# The picture of the README is made from these files.
python3 "$source/tools/make_picture.py" build/demo picture.svg
python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' picture.svg
[ "$(wc -c <picture.svg)" -le 40000 ] || fail "the picture has $(wc -c <picture.svg) bytes, at most 40000"
verdict=$(sed -n 's/^Verdict: //p' shown)
grep -qF "Verdict: $verdict" picture.svg || fail "the picture has another verdict than '$verdict'"

cp build/demo/patients.csv your.csv
sed -n '/^Next:$/,$p' shown | sed -n 's|^  \(build/semblance .*\)|\1|p' >commands
[ "$(wc -l <commands)" = 3 ] || fail "$(wc -l <commands) commands, not 3"
while IFS= read -r command; do
    bash -c "$command" </dev/null >out 2>&1 || fail "'$command' failed: $(cat out)"
done <commands

examples/demo.sh build --verbose >shown 2>errors || fail "--verbose failed: $(cat errors)"
for detail in 'noise (std)' 'Marginals, mean TVD' 'GUARANTEE:' 'epsilon so far' '^Verdict: '; do
    grep -q -- "$detail" shown || fail "--verbose did not print '$detail'"
done
if examples/demo.sh build --loud >out 2>&1; then fail "an unknown option was accepted"; fi
echo "the demo and its three commands ran"
