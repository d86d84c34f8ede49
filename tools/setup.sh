#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Install the Debian packages that are missing; say nothing when all are there.
#   tools/setup.sh         what building and the demo need
#   tools/setup.sh --test  also what `make test` needs
#   tools/setup.sh --all   also what `make check-all`, `make fuzz` and `make format` need
#   tools/setup.sh --deb   what `make deb` needs
#   tools/setup.sh --static  what `make static` needs
#   tools/setup.sh --cross  what compiling and testing for other processors needs
#   tools/setup.sh --release  what `make release` needs
#   tools/setup.sh --prove what `make prove` needs, CBMC aside (tools/provers.sh)
#   tools/setup.sh --list  print the package names and install nothing
set -euo pipefail

# gcc only recommends libc6-dev, so it is named.
build_packages=(
    gcc libc6-dev make cmake ninja-build pkg-config binutils python3
    libssl-dev libjansson-dev zlib1g-dev libpng-dev libjpeg-dev libopenblas-openmp-dev libcmocka-dev
    liblinear-dev libxgboost-dev libmicrohttpd-dev libreadstat-dev
)
# What tests compare with, read the manual with, complete with, make a locale from and run Spark with. A test that skips for want of
# one fails the run (tests/may_skip.txt).
test_packages=(
    python3-numpy python3-scipy python3-pandas python3-sklearn python3-xgboost groff-base locales zsh python3-dev openssl
    python3-venv python3-pip postgresql libsqlite3-0 default-jre-headless
)
# libclang-rt-dev holds the sanitizer and fuzzer run times; libomp-dev is the one of that clang:
# ThreadSanitizer gives false alarms with gcc's OpenMP.
check_packages=(
    clang libclang-rt-dev libomp-dev llvm clang-format clang-tidy
    gcovr valgrind python3-mpmath chromium
    r-base-core r-base-dev r-cran-knitr r-cran-tibble r-cran-bit64 r-cran-readxl
)

# What proves (docs/SOUNDNESS.md).
prove_packages=(gcc libc6-dev python3 python3-mpmath frama-c-base why3 z3 cvc4 cvc5)

# What turns the sources into packages.
deb_packages=(build-essential debhelper)
# What the program is linked with when it is one file, and what fetches the sources of its server.
static_packages=(libblas-dev liblapack-dev gfortran g++ curl xz-utils ca-certificates)
# What compiles for other processors, fetches their libraries and runs the result.
cross_packages=(gcc-aarch64-linux-gnu gcc-s390x-linux-gnu qemu-user-static mmdebstrap)
# All of these, the wheels, and what compares interfaces and signs.
release_packages=("${deb_packages[@]}" "${static_packages[@]}" "${cross_packages[@]}" python3-dev python3-venv python3-pip git abigail-tools openssl)

fail() {
    echo "setup: $*" >&2
    exit 1
}

packages=("${build_packages[@]}")
list_only=no
for argument in "$@"; do
    case $argument in
    --test) packages+=("${test_packages[@]}") ;;
    --prove) packages=("${prove_packages[@]}") ;;
    --deb) packages+=("${deb_packages[@]}") ;;
    --static) packages+=("${static_packages[@]}") ;;
    --cross) packages+=("${cross_packages[@]}") ;;
    --release) packages+=("${release_packages[@]}") ;;
    --all) packages+=("${test_packages[@]}" "${check_packages[@]}" "${release_packages[@]}") ;;
    --list) list_only=yes ;;
    -h | --help)
        sed -n '/^#   tools/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    *) fail "unknown option '$argument'; see tools/setup.sh --help" ;;
    esac
done

if [ "$list_only" = yes ]; then
    printf '%s\n' "${packages[@]}"
    exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: not a Debian system; going on without installing; needed are: ${packages[*]}" >&2
    exit 0
fi

# A package counts as there when it is installed or when an installed package provides it
# (pkgconf provides pkg-config on newer releases).
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package} ${Provides}\n' | sed -n 's/^installed //p' | tr -s ', ' '\n')
missing=()
for package in "${packages[@]}"; do
    if ! grep -qxF -- "$package" <<<"$installed"; then
        missing+=("$package")
    fi
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "needs root or sudo to install: ${missing[*]}"
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n) # nobody is there to type a password
    "${as_root[@]}" true 2>/dev/null || fail "sudo was refused; as root run: apt-get install ${missing[*]}"
fi

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

echo "setup: installing ${missing[*]}" >&2
apt update >&2 || fail "apt-get update failed; is the network there?"
apt install --no-install-recommends "${missing[@]}" >&2 || fail "apt-get could not install: ${missing[*]}"
