#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build presets, run their tests, and end with the line "N passed, N failed".
#   tools/test.sh PRESET...                without the tests labelled slow, nightly or audit
#   tools/test.sh --label LABEL PRESET...  only the tests with that label, or one of 'slow|nightly'
# The preset `shipped` is the library of `release`, with the tests of what it exports.
# A build that fails counts as one failure, and so does a test that skips unless tests/may_skip.txt says
# that it may. Mutants are builds of their own: they run in dev only.
set -uo pipefail
cd "$(dirname "$0")/.."

label=
if [ "${1:-}" = --label ]; then
    label=$2
    shift 2
fi
[ $# -gt 0 ] || {
    echo "test: name a preset of CMakePresets.json" >&2
    exit 2
}

# Not detect_stack_use_after_return: gcc 12 then misaligns vectors of 64 bytes (gcc bug 110027).
# Ten frames say where memory came from; thirty take longer to note at every allocation.
export ASAN_OPTIONS=${ASAN_OPTIONS:-strict_string_checks=1:malloc_context_size=10}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
# The OpenMP run time is not instrumented; its Archer tells ThreadSanitizer what synchronises.
export TSAN_OPTIONS=${TSAN_OPTIONS:-second_deadlock_stack=1:ignore_noninstrumented_modules=1}

# Several tests share the cores: threads that wait must not spin.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}

# Ledgers are synced at every charge: on a disk the tests of the program wait for it half of their time. Files of tests go
# into memory where there is enough of it; those of slow tests are large.
memory=$(df --output=avail -B 1M /dev/shm 2>/dev/null | tail -n 1)
if [[ $label != *slow* ]] && [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && [ "${memory:-0}" -ge 4096 ]; then
    TMPDIR=$(mktemp -d /dev/shm/sbl-tests-XXXXXX)
    chmod 1777 "$TMPDIR" # some tests become another user
    export TMPDIR
    trap 'chmod -R u+rwX "$TMPDIR"; rm -rf "$TMPDIR"' EXIT
fi

# Sanitizers want their own part of the address space, which some kernels hand out at random.
steady=()
if setarch "$(uname -m)" -R true 2>/dev/null; then steady=(setarch "$(uname -m)" -R); fi

# Without it, tests of Parquet are skipped.
tools/engines.sh || true
# Without it, the test of the page by axe-core is skipped.
tools/axe.sh || true
# The same of tests of Spark; Dask and Ray are for the slow ones.
case $label in
*slow*) tools/python_engines.sh --all || true ;;
*) tools/python_engines.sh || true ;;
esac

passed=0 failed=0 skipped=0

run_preset() {
    local preset=$1 wrapper=() filter=(-LE '^(slow|nightly|audit)$') targets=() junit numbers
    case $preset in
    asan | tsan) wrapper=("${steady[@]}") ;;
    esac
    if [ "$preset" = shipped ]; then
        preset=release targets=(--target semblance semblance_evaluate) filter=(-L '^shipped$')
    elif [ -n "$label" ]; then
        filter=(-L "^($label)\$")
    elif [ "$preset" = asan ]; then
        filter=(-LE '^(slow|nightly|audit|mutants|cli)$') # `make check-all` runs the program's tests under sanitizers
    elif [ "$preset" != dev ]; then
        filter=(-LE '^(slow|nightly|audit|mutants)$')
    fi
    echo "== $preset"
    if ! tools/build.sh "$preset" "${targets[@]}"; then
        echo "test: the build of '$preset' failed" >&2
        failed=$((failed + 1))
        return
    fi
    junit=$PWD/build/$preset/tests.xml
    rm -f "$junit"
    # One more than there are cores: some tests wait, for a server, a browser or a process that they started.
    "${wrapper[@]}" ctest --test-dir "build/$preset" --parallel $((${JOBS:-$(nproc)} + 1)) --timeout 900 \
        --output-on-failure --no-tests=error --output-junit "$junit" \
        --test-output-size-passed 1000000 --test-output-size-failed 1000000 "${filter[@]}"
    local status=$?
    if ! numbers=$(python3 tools/count_tests.py "$junit"); then
        failed=$((failed + 1))
        return
    fi
    local here=($numbers)
    passed=$((passed + here[0]))
    failed=$((failed + here[1]))
    skipped=$((skipped + here[2]))
    # ctest failed although no test did: a failure all the same.
    if [ $status -ne 0 ] && [ "${here[1]}" -eq 0 ]; then failed=$((failed + 1)); fi
}

for preset in "$@"; do run_preset "$preset"; done
[ $skipped -eq 0 ] || echo "$skipped skipped: this machine cannot hold them (tests/may_skip.txt)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
