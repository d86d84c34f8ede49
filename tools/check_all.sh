#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything: `make test`, then what takes longer or needs more packages. Ends with a line per part.
set -uo pipefail
cd "$(dirname "$0")/.."

names=() results=()
part() {
    local name=$1
    shift
    echo
    echo "==== $name"
    if "$@"; then results+=(passed); else results+=(failed); fi
    names+=("$name")
}

part "tests, and again under ASan and UBSan" tools/test.sh dev asan shipped
part "tests of the program under ASan and UBSan" tools/test.sh --label cli asan
part "tests under TSan" tools/test.sh tsan
part "slow tests, and statistics with fresh keys" tools/test.sh --label 'slow|nightly' release
part "distinguishing tests with fresh keys" tools/test.sh --label audit release
part "audit" make audit
part "coverage of the privacy core" tools/coverage.sh
part "proofs, and planted bugs that they refuse" tools/prove.sh
part "unit tests under valgrind" tools/valgrind.sh
part "interface of the libraries" tools/abi.sh
part "the R package, by R CMD check" make r
part "clang-tidy" tools/tidy.sh
part "format" tools/format.sh

echo
failed=0
for i in "${!names[@]}"; do
    echo "${results[$i]}: ${names[$i]}"
    [ "${results[$i]}" = passed ] || failed=$((failed + 1))
done
echo "$((${#names[@]} - failed)) passed, $failed failed"
[ $failed -eq 0 ]
