#!/bin/sh
# The demo: a private table in, a synthetic one out, and a promise that can be checked.
#
#     examples/demo.sh BUILD_FOLDER
#
# Writes into build/demo, anew each time.
set -eu
here=$(dirname "$0")
build=${1:?usage: examples/demo.sh BUILD_FOLDER}
out=build/demo
rm -rf "$out"
mkdir -p "$out"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi
step() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
# The files of step 3, as verify takes them: RELEASE, RELEASE.2, ...
releases() { ls "$out"/synthetic.csv.release* | paste -s -d,; }

step "1. A private table: 8,000 made-up patients of a clinic"
"$build"/examples/make_clinic 8000 >"$out"/patients.csv
echo "   $out/patients.csv, described by $here/clinic.json; imagine that nobody may see it"

step "2. What would be released first, before any data is opened: counts of each column, in blocks of equal noise"
"$build"/semblance plan --schema "$here"/clinic.json --epsilon 1 -n 8000

step "3. A synthetic table of the same shape, at epsilon 1, delta 1e-5"
"$build"/semblance synth "$out"/patients.csv --schema "$here"/clinic.json --epsilon 1 \
    --output "$out"/synthetic.csv --model "$out"/clinic.safetensors --quiet
ls "$out" | sed "s|^|   $out/|"

step "4. Its first rows: nobody's"
head -n 6 "$out"/synthetic.csv

step "5. Check the promise: recompute it from the certificate's parts, and hold it against ledger and files"
"$build"/semblance verify "$out"/synthetic.csv.certificate.json \
    --ledger "$out"/patients.csv.ledger --release "$(releases)" \
    --model "$out"/clinic.safetensors --output "$out"/synthetic.csv >"$out"/verified.txt
sed '/^RELEASED:/,/^NOT COVERED:/d' "$out"/verified.txt
echo "   what was released and what is assumed: $out/verified.txt"

step "6. What this data has cost so far, and a limit for the future"
"$build"/semblance ledger limit "$out"/patients.csv.ledger --epsilon 3
"$build"/semblance ledger show "$out"/patients.csv.ledger

step "7. Cheat: claim a smaller epsilon, and check again"
sed '1,/"epsilon":/s/"epsilon": .*/"epsilon": 0.1,/' "$out"/synthetic.csv.certificate.json >"$out"/forged.json
if "$build"/semblance verify "$out"/forged.json; then
    echo "demo: a forged certificate was accepted" >&2
    exit 1
fi

step "8. More rows, for free: five patients who come back"
"$build"/semblance sample "$out"/clinic.safetensors -n 5 --where readmitted=yes --seed 7

step "9. How good is it? Compared with 4,000 other patients of the same clinic (NOT PRIVATE: for the owner's eyes)"
"$build"/examples/make_clinic 4000 2 >"$out"/others.csv
"$build"/semblance evaluate --real "$out"/others.csv --synthetic "$out"/synthetic.csv --train "$out"/patients.csv \
    --schema "$here"/clinic.json --certificate "$out"/synthetic.csv.certificate.json --report "$out"/report.html

printf '\nEverything is in %s; open %s in a browser.\n' "$out" "$out/report.html"
