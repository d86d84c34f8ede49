#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program as one file that needs no library, for the processor that builds it: FOLDER/semblance.
#   tools/static.sh [FOLDER]      build/static unless told otherwise
# Everything is linked from Debian's static libraries, but for libmicrohttpd: Debian's needs GnuTLS, which has none. Its sources are
# those of Debian's archive, checked by their sum, built without TLS. Without a network, `semblance serve` is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/static}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

name=libmicrohttpd_0.9.75.orig.tar.xz
sum=796e7e217a4802679fcac667a4e98501c53185dcf50ca0583870e84192620131
where=http://deb.debian.org/debian/pool/main/libm/libmicrohttpd
# Paths of this machine leave no trace in the file.
same=(-ffile-prefix-map="$PWD=." -ffile-prefix-map="$folder=build")

server() {
    [ ! -e "$folder/server/.done-$sum" ] || return 0
    local sources=$folder/server.sources log=$folder/server.log
    rm -rf "$sources" "$folder/server"
    mkdir -p "$sources"
    [ -e "$folder/$name" ] || curl --silent --show-error --fail --max-time 120 -o "$folder/$name.part" "$where/$name" || return 1
    [ -e "$folder/$name" ] || mv "$folder/$name.part" "$folder/$name"
    if [ "$(sha256sum "$folder/$name" | cut -d ' ' -f 1)" != "$sum" ]; then
        rm "$folder/$name"
        echo "static: $name is not what it should be" >&2
        exit 1
    fi
    tar xJf "$folder/$name" -C "$sources" --strip-components 1
    echo "static: building libmicrohttpd" >&2
    (
        cd "$sources"
        ./configure --prefix="$folder/server" --disable-https --disable-shared --enable-static --disable-doc --disable-examples \
            --disable-curl --disable-tools CFLAGS="-O2 -fPIC ${same[*]}"
        make -j "${JOBS:-$(nproc)}" -C src/microhttpd install
        make -C src/include install
        make install-pkgconfigDATA
    ) >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        exit 1
    }
    rm -rf "$sources"
    touch "$folder/server/.done-$sum"
}
serve=ON
if ! server; then
    echo "static: no sources of libmicrohttpd: the program has no 'semblance serve'" >&2
    serve=OFF
fi

PKG_CONFIG_PATH=$folder/server/lib/pkgconfig cmake -S . -B "$folder/cmake" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSBL_STATIC_PROGRAM=ON \
    -DSBL_BUILD_TESTS=OFF -DSBL_BUILD_PYTHON=OFF -DSBL_INSTALL=OFF -DSBL_WITH_SERVE=$serve -DCMAKE_C_FLAGS="${same[*]}" >"$folder/cmake.log" 2>&1 || {
    tail -n 20 "$folder/cmake.log" >&2
    exit 1
}
cmake --build "$folder/cmake" --parallel "${JOBS:-$(nproc)}" --target sbl_cli >"$folder/build.log" 2>&1 || {
    tail -n 40 "$folder/build.log" >&2
    exit 1
}
strip -o "$folder/semblance" "$folder/cmake/semblance"
ls -l "$folder/semblance" | awk '{ print $5, $9 }'
