#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests that hold on every processor and C library: sums, noise, accounting, ledgers, certificates and formats. They take a minute, or
# half an hour under an emulator, and need no Python package.
#   tools/check_bits.sh [CMAKE-OPTION...]     for this processor
#   MACHINE=aarch64|s390x tools/check_bits.sh [CMAKE-OPTION...]     compiled here, run under an emulator (tools/sysroot.sh)
set -euo pipefail
cd "$(dirname "$0")/.."
place=build/bits
if [ -n "${MACHINE:-}" ]; then
    tools/sysroot.sh "$MACHINE"
    place=build/bits-$MACHINE
    set -- "-DCMAKE_TOOLCHAIN_FILE=$PWD/build/cross/$MACHINE/toolchain.cmake" "$@"
fi
cmake -S . -B "$place" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSBL_BUILD_PYTHON=OFF -DSBL_TEST_SHARED=ON "$@"
names='^test_(account|base|calendar|cells|certificate|codec|decimal|key_tally|keys|ledger|model_rng|noise|privatise|reader|release|schema|source|sum|table|unit|writer)'
targets=$(ninja -C "$place" -t targets all | sed -nE "s/^(test_[a-z0-9_]+): phony\$/\1/p" | grep -E "$names")
# shellcheck disable=SC2086 # names without blanks
cmake --build "$place" --parallel "${JOBS:-$(nproc)}" --target $targets
run_tests() {
    ctest --test-dir "$place" "$@" -LE '^(slow|nightly|audit|mutants)$' --timeout 3600 --output-on-failure --no-tests=error
}
case ${MACHINE:-} in
'') run_tests -R "$names" ;;
s390x)
    # This test compares with iconv, which converts UTF-16 by instructions of the processor. QEMU 7.2 lets them take half a pair of
    # UTF-16 for a character. A z900 does not have them, so the C library converts without them.
    encoding='^test_base_encoding$'
    SBL_TEST_EMULATED=1 run_tests -R "$names" -E "$encoding"
    QEMU_CPU=z900 run_tests -R "$encoding"
    ;;
*) SBL_TEST_EMULATED=1 run_tests -R "$names" ;;
esac
