#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The examples do what their first lines say.
#   examples_test.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "examples: $*" >&2
    exit 1
}

# Every line of C in docs/C.md is in an example.
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/docs/C.md" >"$scratch/shown"
[ -s "$scratch/shown" ] || fail "docs/C.md shows no example"
while IFS= read -r line; do
    grep -qxF -- "$line" "$source/examples/table.c" || fail "docs/C.md shows a line that examples/table.c does not have: $line"
done <"$scratch/shown"

# A table from memory: as many rows as asked for, and the guarantee of this run.
(cd "$scratch" && "$build/examples/example_table" >"$scratch/out")
[ "$(grep -cE '^ *[0-9]+  (surgery|cardiology|maternity|)$' "$scratch/out")" = 5 ] || fail "table drew other rows than five"
grep -q "differential privacy\|differentially private" "$scratch/out" || fail "table said nothing of the guarantee"

# Linked tables from memory: a hundred customers, and every order is one of theirs.
"$build/examples/example_linked" "$scratch/linked" >"$scratch/out"
[ "$(tail -n +2 "$scratch/linked/customers.csv" | wc -l)" = 100 ] || fail "linked drew other customers than a hundred"
[ -s "$scratch/linked/orders.csv" ] && [ -s "$scratch/linked/datapackage.json" ] || fail "linked left a table out"
cut -d, -f1 "$scratch/linked/orders.csv" | tail -n +2 | sort -u >"$scratch/named"
[ -z "$(cut -d, -f1 "$scratch/linked/customers.csv" | sort | comm -13 - "$scratch/named")" ] || fail "an order is nobody's"
grep -q "for one person" "$scratch/out" || fail "linked said nothing of persons"

# Nights, until the budget is spent: refused by exit code 4, and last night's files stay.
mkdir "$scratch/nights"
"$build/examples/make_clinic" 2000 1 >"$scratch/clinic.csv"
for night in 1 2 3; do
    "$build/examples/example_nightly" "$scratch/clinic.csv" "$source/examples/clinic.json" "$scratch/nights" 1.5 >"$scratch/out" ||
        fail "night $night failed"
done
grep -q "3 releases so far" "$scratch/out" || fail "the nights were not counted"
before=$(sha256sum "$scratch/nights/synthetic.csv" "$scratch/nights/budget.ledger")
code=0
for _ in 4 5 6; do
    "$build/examples/example_nightly" "$scratch/clinic.csv" "$source/examples/clinic.json" "$scratch/nights" 2.9 >"$scratch/out" 2>&1 || code=$?
    [ $code = 4 ] && break
done
[ $code = 4 ] || fail "a night beyond the budget was not refused by exit code 4 but $code"
[ "$before" = "$(sha256sum "$scratch/nights/synthetic.csv" "$scratch/nights/budget.ledger")" ] || fail "a refused night changed files"

# Images from memory.
"$build/examples/example_images" "$scratch/grid.pgm" >"$scratch/out"
[ "$(head -c 11 "$scratch/grid.pgm")" = "P5 96 36 25" ] || fail "images wrote no picture"
grep -q "24 images, epsilon 1\|24 images, epsilon 0.99" "$scratch/out" || fail "images: $(cat "$scratch/out")"
[ -z "$(find "$scratch" -name 'semblance-*')" ] || fail "something was left behind"
echo "four examples ran"
