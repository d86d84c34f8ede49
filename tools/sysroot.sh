#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What compiling for another processor needs: Debian 12's libraries for it, and a file that tells CMake about them and the emulator.
#   tools/sysroot.sh aarch64|s390x      into the folder of that name in build/cross
# Nothing in the root is run, and nothing is installed on this system. Needs Debian's archive; 77 without it.
set -euo pipefail
cd "$(dirname "$0")/.."
machine=${1:-}
case $machine in
aarch64) architecture=arm64 ;;
s390x) architecture=s390x ;;
*)
    echo "sysroot: '$machine' is not aarch64 or s390x" >&2
    exit 2
    ;;
esac
place=$PWD/build/cross/$machine
packages=(
    libc6-dev libgcc-12-dev libgomp1 libstdc++6 libssl-dev libjansson-dev zlib1g-dev libpng-dev libjpeg62-turbo-dev libcmocka-dev
    libopenblas-openmp-dev liblinear-dev libmicrohttpd-dev libreadstat-dev libpython3.11-dev
)
for tool in mmdebstrap "$machine-linux-gnu-gcc" "qemu-$machine-static"; do
    command -v "$tool" >/dev/null || {
        echo "sysroot: $tool is not installed (tools/setup.sh --cross)" >&2
        exit 77
    }
done
if [ "$(cat "$place/packages" 2>/dev/null)" != "${packages[*]}" ] || [ ! -d "$place/root" ]; then
    rm -rf "$place/root" "$place/packages"
    mkdir -p "$place"
    # Which package a library is from, for the bill of materials.
    cat >"$place/hook.sh" <<'HOOK'
for deb in "$1"/var/cache/apt/archives/*.deb; do
    about=$(dpkg-deb --show --showformat '${Package}\t${source:Package}\t${Version}\t${Architecture}' "$deb")
    dpkg-deb --contents "$deb" | sed -nE 's#.*/((lib|ld-)[^/ ]+[.]so[.][^/ ]*)( -> .*)?$#\1#p' | sed "s|\$|\t$about|"
done >"$1/libraries"
HOOK
    echo "sysroot: fetching Debian's libraries for $machine" >&2
    mmdebstrap --mode=chrootless --variant=extract --arch=$architecture --include="$(IFS=,; echo "${packages[*]}")" --extract-hook="sh $place/hook.sh \"\$1\"" \
        bookworm "$place/root" http://deb.debian.org/debian >"$place/log" 2>&1 || {
        tail -n 5 "$place/log" >&2
        exit 77
    }
    # What Debian links by update-alternatives, which is not run.
    for name in libblas.so.3 liblapack.so.3 libopenblas.so.0; do ln -s "openblas-openmp/$name" "$place/root/usr/lib/$machine-linux-gnu/$name"; done
    # A link to /lib means that of the root.
    find "$place/root" -type l -lname '/*' | while read -r link; do ln -sfn "$(realpath -sm --relative-to="$(dirname "$link")" "$place/root$(readlink "$link")")" "$link"; done
    echo "${packages[*]}" >"$place/packages"
fi
cat >"$place/toolchain.cmake" <<CMAKE
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $machine)
set(CMAKE_C_COMPILER $machine-linux-gnu-gcc)
set(CMAKE_SYSROOT $place/root)
set(CMAKE_LIBRARY_ARCHITECTURE $machine-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-$machine-static -L $place/root)
set(CMAKE_FIND_ROOT_PATH $place/root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $place/root)
set(ENV{PKG_CONFIG_LIBDIR} $place/root/usr/lib/$machine-linux-gnu/pkgconfig:$place/root/usr/share/pkgconfig)
CMAKE
