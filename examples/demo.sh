#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo: a private table in, a synthetic one out, and a guarantee that anyone can check.
#
#     examples/demo.sh BUILD_FOLDER [--verbose]
#
# Prints synthetic rows, a verdict on their quality, where the report is, and three commands to type next. With --verbose it
# also prints every step: noise, guarantee, ledger, measures. Writes into build/demo, anew each time.
set -eu
here=$(dirname "$0")
build=${1:?usage: examples/demo.sh BUILD_FOLDER [--verbose]}
verbose=no
case ${2:-} in
'') ;;
--verbose) verbose=yes ;;
*)
    echo "demo: unknown option '$2'; usage: examples/demo.sh BUILD_FOLDER [--verbose]" >&2
    exit 2
    ;;
esac
out=build/demo
rm -rf "$out"
mkdir -p "$out"
program=$build/semblance
[ ! build/semblance -ef "$program" ] || program=build/semblance

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi
head_line() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
step() { [ $verbose = no ] || head_line "$1"; }
# Standard input, if every step is wanted.
show() { if [ $verbose = yes ]; then cat; else cat >/dev/null; fi; }
# RELEASE, RELEASE.2, ..., as verify takes them.
releases() { ls "$out"/synthetic.csv.release* | paste -s -d,; }
# Messages are part of a step; if it fails, they are all that is shown.
run() {
    "$program" "$@" >"$out"/step.txt 2>&1 || {
        cat "$out"/step.txt >&2
        exit 1
    }
    show <"$out"/step.txt
}

step "1. A private table: 8,000 made-up patients of a clinic"
"$build"/examples/make_clinic 8000 >"$out"/patients.csv
echo "   $out/patients.csv, described by $here/clinic.json" | show

step "2. The plan: what would be released first, before any data is opened"
run plan --schema "$here"/clinic.json --epsilon 1 -n 8000

step "3. A synthetic table of the same shape, at epsilon 1, delta 1e-5"
run synth "$out"/patients.csv --schema "$here"/clinic.json --epsilon 1 \
    --output "$out"/synthetic.csv --model "$out"/clinic.safetensors --quiet

step "4. Check the guarantee: recompute it, and compare ledger and files"
run verify "$out"/synthetic.csv.certificate.json --ledger "$out"/patients.csv.ledger --release "$(releases)" \
    --model "$out"/clinic.safetensors --output "$out"/synthetic.csv

step "5. What this data has cost so far, and a limit for the future"
run ledger limit "$out"/patients.csv.ledger --epsilon 3
run ledger show "$out"/patients.csv.ledger

step "6. Cheat: claim a smaller epsilon, and check again"
sed '1,/"epsilon":/s/"epsilon": .*/"epsilon": 0.1,/' "$out"/synthetic.csv.certificate.json >"$out"/forged.json
if "$program" verify "$out"/forged.json >"$out"/step.txt 2>&1; then
    echo "demo: a forged certificate was accepted" >&2
    exit 1
fi
show <"$out"/step.txt

step "7. Quality: compared with 4,000 other patients of the same clinic (NOT PRIVATE: for the owner's eyes)"
"$build"/examples/make_clinic 4000 2 >"$out"/others.csv
run evaluate --real "$out"/others.csv --synthetic "$out"/synthetic.csv --train "$out"/patients.csv \
    --schema "$here"/clinic.json --certificate "$out"/synthetic.csv.certificate.json --report "$out"/report.html
verdict=$(sed -n 's|.*<p class="lead"><strong>\([^<]*\)</strong>.*|\1|p' "$out"/report.html | head -n 1)
[ -n "$verdict" ] || {
    echo "demo: the report has no verdict" >&2
    exit 1
}
rm -f "$out"/step.txt

head_line "Synthetic patients at epsilon 1. No row belongs to a person."
head -n 6 "$out"/synthetic.csv

head_line "Verdict: $verdict"
echo "NOT PRIVATE: it compares the table with 4,000 real patients, who are made up here."

head_line "Report: $out/report.html"
echo "Open it in a browser. Every file of the demo is in $out."

head_line "Next:"
cat <<END
  $program verify $out/synthetic.csv.certificate.json
      recompute the guarantee
  $program sample $out/clinic.safetensors -n 5 --where readmitted=yes
      draw more rows, at no cost
  $program schema inspect your.csv -o your.json
      start with a table of your own (NOT PRIVATE)
END
