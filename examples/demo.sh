#!/bin/sh
# The demo: release a private histogram and private means of made-up patients, then check the promise.
#
#     examples/demo.sh BUILD_FOLDER
#
# Writes into build/demo, anew each time.
set -eu
build=${1:?usage: examples/demo.sh BUILD_FOLDER}
out=build/demo
rm -rf "$out"
mkdir -p "$out"

step() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || step() { printf '\n%s\n' "$1"; }

step "1. Release a histogram and three means of 5,000 made-up patients at (1, 1e-5)"
"$build"/examples/example_summary "$out"

step "2. Check the certificate: recompute the guarantee from its parts, against the ledger"
"$build"/semblance verify "$out"/clinic.certificate.json --ledger "$out"/clinic.release.ledger --quiet
echo "the certificate holds"

step "3. What was spent"
"$build"/semblance ledger show "$out"/clinic.release.ledger

step "4. Cheat: claim a smaller epsilon, and check again"
sed '1,/"epsilon":/s/"epsilon": .*/"epsilon": 0.1,/' "$out"/clinic.certificate.json >"$out"/forged.json
if "$build"/semblance verify "$out"/forged.json; then
    echo "demo: a forged certificate was accepted" >&2
    exit 1
fi
printf '\nEverything is in %s: the release, its certificate, the ledger.\n' "$out"
