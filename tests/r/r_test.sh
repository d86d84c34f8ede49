#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The R package: its own tests, the page docs/R.md, and the sums of data frames against those of the same table as CSV.
#   r_test.sh BUILD SOURCE PROGRAM VERSION
set -euo pipefail
build=$1 source=$2 program=$3 version=$4
if ! command -v R >/dev/null || [ ! -e "$(R RHOME)/include/Rinternals.h" ] && ! pkg-config --exists libR; then
    echo "R and its headers are not installed (r-base-core, r-base-dev)"
    exit 77
fi
grep -qxF "Version: $version" "$source/r/DESCRIPTION" || { echo "r/DESCRIPTION is not of version $version"; exit 1; }

folder=$(mktemp -d)
export SBL_R_TESTS=$source/tests/r
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --prefix "$folder/prefix" >"$folder/log"
PKG_CONFIG_PATH=$(dirname "$(find "$folder/prefix" -name semblance.pc)")
export PKG_CONFIG_PATH R_LIBS="$folder/library"
mkdir "$folder/library" "$folder/work"
cp -r "$source/r" "$folder/package"
R CMD INSTALL --no-docs --no-test-load --library="$folder/library" "$folder/package" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

cd "$folder/work"
run() {
    Rscript --vanilla "$1" >"$folder/log" 2>&1 || { echo "$2 failed:"; tail -n 30 "$folder/log"; exit 1; }
}
run "$source/r/tests/package.R" "the package's own tests"
# The examples of the page, in one session.
awk '/^```r$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/docs/R.md" >page.R
[ "$(grep -c '' page.R)" -gt 20 ] || { echo "docs/R.md has no examples"; exit 1; }
run page.R "docs/R.md"
run "$source/tests/r/excel.R" "sheets of Excel"
"$program" plan --schema "$source/tests/r/sums.json" --epsilon 1 -n 500 --method marginals --save plan >/dev/null
run "$source/tests/r/sums.R" "sums of data frames"
/usr/bin/python3 "$source/tests/r/sums.py" "$source/tests/python/exact_sums.py" plan *.part
