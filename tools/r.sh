#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The R package in r/, with what it is built against in build/r.
#   tools/r.sh            build the library and the package, and run R CMD check on it
#   tools/r.sh --library  only the library and its headers, into build/r/prefix; build/r/pkgconfig says where
set -euo pipefail
cd "$(dirname "$0")/.."
fail() {
    echo "r: $*" >&2
    exit 1
}

mkdir -p build/r
prefix=$PWD/build/r/prefix
tools/build.sh release --target sbl_install_files >build/r/build.log 2>&1 || { tail -n 20 build/r/build.log >&2; fail "the library could not be built"; }
cmake --install build/release --prefix "$prefix" >build/r/install.log
dirname "$(find "$prefix" -name semblance.pc)" >build/r/pkgconfig
[ "${1:-}" != --library ] || exit 0

command -v R >/dev/null || fail "R is not installed: apt-get install r-base-core r-base-dev"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(cat build/r/pkgconfig)
cd build/r
rm -rf semblance_*.tar.gz semblance.Rcheck
R CMD build --no-manual ../../r
_R_CHECK_FORCE_SUGGESTS_=false R CMD check --no-manual semblance_*.tar.gz
! grep -E '^Status: .*(ERROR|WARNING|NOTE)' semblance.Rcheck/00check.log || fail "R CMD check has something to say: build/r/semblance.Rcheck/00check.log"
