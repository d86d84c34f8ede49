# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
accepted --version
grep -Exq 'semblance [0-9]+\.[0-9]+\.[0-9]+' accepted.out || fail "$(<accepted.out)"
"$SEMBLANCE" version | cmp - accepted.out || fail "version and --version differ"
accepted version --build
"$SEMBLANCE" --version --build | cmp - accepted.out || fail "version --build and --version --build differ"
for fact in build compiler system sanitizers threads kernels blas JPEG LIBLINEAR XGBoost; do
    grep -Eq "^$fact +[^ ]" accepted.out || fail "$fact: $(<accepted.out)"
done
grep -Exq 'noise keys +from the system' accepted.out || fail "$(<accepted.out)"
if [ -n "${SEMBLANCE_TESTKEY:-}" ]; then
    "$SEMBLANCE_TESTKEY" version --build | grep -Eq '^noise keys +fixed: guarantees nothing' ||
        fail "the test build does not say so"
fi
