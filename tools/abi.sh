#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The interface of the shared libraries, compared with the baseline that is kept in packaging/abi (abidiff of abigail-tools).
#   tools/abi.sh           compare; fails if a program that was built against the baseline could break
#   tools/abi.sh --keep    make what is built now the baseline: once a release, and after additions that are meant
# Types that the public headers do not show are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
place=build/abi
command -v abidw >/dev/null || {
    echo "abi: abidw is not installed (Debian: abigail-tools)" >&2
    exit 77
}
tools/forget_moved.sh "$place" .
mkdir -p "$place"
cmake -S . -B "$place" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O0 -g" -DSBL_BUILD_CLI=OFF -DSBL_BUILD_TESTS=OFF -DSBL_BUILD_PYTHON=OFF \
    -DSBL_INSTALL=ON >"$place/cmake.log" || {
    cat "$place/cmake.log" >&2
    exit 1
}
cmake --build "$place" --parallel "${JOBS:-$(nproc)}" --target semblance_shared semblance_evaluate_shared >"$place/build.log" || {
    tail -n 20 "$place/build.log" >&2
    exit 1
}

# One folder with the public headers, those that are generated too.
rm -rf "$place/headers"
cp -r include "$place/headers"
cp "$place/include/semblance/version.h" "$place/headers/semblance/"
failed=0
for name in semblance semblance-evaluate; do
    library=$(readlink -f "$place/src/lib$name.so")
    kept=packaging/abi/lib$name.abi.xz
    abidw --headers-dir "$place/headers" --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs --short-locs \
        --no-write-default-sizes --type-id-style hash --out-file "$place/lib$name.abi" "$library"
    # The number in the name of the file is that of a release, not of the interface.
    sed -i -E "s/ (soname|path|architecture)='[^']*'//g" "$place/lib$name.abi"
    if [ "${1:-}" = --keep ]; then
        xz -9e --check=crc32 --stdout "$place/lib$name.abi" >"$kept"
        ls -l "$kept" | awk '{ print $5, $9 }'
        continue
    fi
    xz -dc "$kept" >"$place/lib$name.kept.abi"
    # abidiff aborts on two translation units of one name, and their names are that of files that may move.
    for file in kept.abi abi; do
        awk -v q="'" '/<abi-instr/ { n++; sub(/<abi-instr/, "<abi-instr path=" q "unit" n q) } 1' "$place/lib$name.$file" >"$place/lib$name.$file.named"
    done
    # abidiff: 4 is a change, 8 one that breaks programs.
    status=0
    abidiff --no-unreferenced-symbols "$place/lib$name.kept.abi.named" "$place/lib$name.abi.named" >"$place/lib$name.diff" || status=$?
    if [ $((status & 3)) -ne 0 ] || [ $((status & 8)) -ne 0 ] || grep -qE '^ *[1-9][0-9]* (Removed|Changed)|, [1-9][0-9]* (Changed|Removed)|: [1-9][0-9]* Removed' "$place/lib$name.diff"; then
        cat "$place/lib$name.diff" >&2
        echo "abi: lib$name breaks programs that were built before (tools/abi.sh --keep, in a new minor version only)" >&2
        failed=1
    else
        echo "lib$name: $(head -n 1 "$place/lib$name.diff" | grep . || echo "no change of the interface")"
    fi
done
exit $failed
