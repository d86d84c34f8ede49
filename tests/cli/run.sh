#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Run the cases of one folder, or those of them that are named: run.sh FOLDER [NAME...].
#
# A case is NAME.sh, run with bash in a scratch folder of its own. Beside it may lie
#   NAME.exit          the exit code (default 0)
#   NAME.stdout.exact  standard output, byte for byte
#   NAME.stdout.glob   standard output as a shell pattern
#   NAME.stderr.glob   standard error as a shell pattern (default: nothing)
# A case that cannot run here prints "SKIP: why" on standard output and exits 77.
# Cases find the program in $SEMBLANCE, the test-key build in $SEMBLANCE_TESTKEY, the one without noise in
# $SEMBLANCE_WITHOUT_NOISE, their folder in $CASES, helpers in $CLI_TESTS/lib.sh, and the program that writes a release in $MAKE_RELEASE.
set -u
export CLI_TESTS CASES
CLI_TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CASES=$(cd "$1" && pwd)
shift
unset NO_COLOR
export TERM=dumb

scratch=$(mktemp -d)
trap 'chmod -R u+rwX "$scratch"; rm -rf "$scratch"' EXIT
failed=0 skipped=0 run=0

# problem CASE WHAT [FILE...]: say what is wrong and show the files.
problem() {
    echo "FAILED $1: $2"
    shift 2
    for file in "$@"; do sed 's/^/    | /' "$file"; done
    bad=1
}

check_output() {
    local case=$1 name=$2 out=$3 err=$4 code=$5
    local expected=0
    [ -e "$case.exit" ] && expected=$(<"$case.exit")
    [ "$code" = "$expected" ] || problem "$name" "exit code $code, not $expected" "$out" "$err"
    if [ -e "$case.stdout.exact" ] && ! cmp -s "$case.stdout.exact" "$out"; then
        diff "$case.stdout.exact" "$out" > "$out.diff"
        problem "$name" "standard output differs" "$out.diff"
    fi
    if [ -e "$case.stdout.glob" ]; then
        # shellcheck disable=SC2053 # a pattern is wanted
        [[ $(<"$out") == $(<"$case.stdout.glob") ]] || problem "$name" "standard output" "$out"
    fi
    local pattern=""
    [ -e "$case.stderr.glob" ] && pattern=$(<"$case.stderr.glob")
    # shellcheck disable=SC2053
    [[ $(<"$err") == $pattern ]] || problem "$name" "standard error" "$err"
}

scripts=("$CASES"/*.sh)
[ $# = 0 ] || { scripts=("${@/#/$CASES/}") && scripts=("${scripts[@]/%/.sh}"); }
for script in "${scripts[@]}"; do
    case=${script%.sh}
    name=$(basename "$CASES")/$(basename "$case")
    folder=$scratch/$(basename "$case")
    mkdir "$folder"
    (cd "$folder" && exec bash -u "$script") > "$folder.out" 2> "$folder.err" < /dev/null
    code=$?
    run=$((run + 1)) bad=0
    if [ $code = 77 ]; then
        skipped=$((skipped + 1))
        echo "skipped $name: $(sed -n 's/^SKIP: //p' "$folder.out")"
        continue
    fi
    check_output "$case" "$name" "$folder.out" "$folder.err" $code
    failed=$((failed + bad))
done
echo "$run cases, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $run -gt 0 ]
