#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetch DuckDB's library, with which the program reads Parquet, from a package registry (npm; it is in the package of
# DuckDB's own bindings), and the ADBC driver of PostgreSQL from another (PyPI), check them, and put them into a folder:
#   tools/engines.sh [FOLDER]      default: build/engines
# In build/engines the program of this tree finds both. Elsewhere:
#       semblance synth people.parquet --duckdb FOLDER/libduckdb.so ...
# In PREFIX/lib of an installed program, or where libraries are looked for, such as /usr/local/lib, they are found without options.
#       semblance synth postgresql://host/database --table people --adbc-driver FOLDER/libadbc_driver_postgresql.so ...
# Ends with 77 where DuckDB's registry cannot be reached; without the other one it says so and goes on.
set -euo pipefail
cd "$(dirname "$0")/.."

version=1.5.5-r.5
case $(uname -m) in
x86_64)
    package=node-bindings-linux-x64
    driver_sum=a86819ba7c79b1d067c4a5344358b4d346bab58e888d7879ed2b25d97cc59ba1
    sum=kCyq6BXhn6QXfwF8yVdVKriSSHP+rfVWcJ56cG8qZzlOZpxyvT5WGm6jMshxg4ditLlOsHsIN/D47RYrcjXuHQ==
    ;;
aarch64)
    package=node-bindings-linux-arm64
    driver_sum=f2f3c51076fc27ba768bad2dc4cc3888655ac719473aa7d933b2813860491014
    sum=CafH2AIvXtpwDynG3KB/4uEOHRGlFoB7auCRMIwH3BKNIobsANV5LSpDJ3tfyRCFIsK6e8AT1eseWVnu2Dv3cw==
    ;;
*)
    echo "engines: there is no library of DuckDB for $(uname -m)" >&2
    exit 77
    ;;
esac

folder=${1:-build/engines}
mkdir -p "$folder"

# The driver is in the wheel of its Python package.
driver_version=1.13.0
fetch_driver() {
    local wheels file=libadbc_driver_postgresql.so
    [ ! -e "$folder/$file" ] || [ ! -e "$folder/.adbc-$driver_version" ] || return 0
    wheels=$(mktemp -d)
    if ! python3 -m pip download --quiet --no-deps --only-binary=:all: --platform "manylinux_2_28_$(uname -m)" --dest "$wheels" \
        "adbc_driver_postgresql==$driver_version" > /dev/null 2>&1; then
        echo "engines: the driver of PostgreSQL cannot be had (pip download adbc_driver_postgresql)" >&2
    elif [ "$(openssl dgst -sha256 -r "$wheels"/*.whl | cut -d ' ' -f 1)" != "$driver_sum" ]; then
        echo "engines: the driver of PostgreSQL is not what it should be" >&2
    else
        python3 -c 'import sys, zipfile; open(sys.argv[2], "wb").write(zipfile.ZipFile(sys.argv[1]).read("adbc_driver_postgresql/" + sys.argv[3]))' \
            "$wheels"/*.whl "$folder/$file.new" "$file"
        mv "$folder/$file.new" "$folder/$file"
        touch "$folder/.adbc-$driver_version"
        echo "engines: $folder/$file"
    fi
    rm -rf "$wheels"
}
fetch_driver

mark=$folder/.duckdb-$version
[ ! -e "$folder/libduckdb.so" ] || [ ! -e "$mark" ] || exit 0

archive=$(mktemp)
trap 'rm -rf "$archive" "$archive.d"' EXIT
address=https://registry.npmjs.org/@duckdb/$package/-/$package-$version.tgz
if command -v curl >/dev/null; then
    get=(curl --fail --silent --show-error --location --max-time 300 --output "$archive" "$address")
else
    get=(python3 -c 'import sys, urllib.request; urllib.request.urlretrieve(sys.argv[1], sys.argv[2])' "$address" "$archive")
fi
"${get[@]}" 2>"$archive.d" || {
    echo "engines: $address cannot be reached" >&2
    exit 77
}
rm -f "$archive.d"
[ "$(openssl dgst -sha512 -binary "$archive" | openssl base64 -A)" = "$sum" ] || {
    echo "engines: what came from $address is not what it should be" >&2
    exit 1
}
mkdir -p "$folder" "$archive.d"
tar -xzf "$archive" -C "$archive.d" package/libduckdb.so package/LICENSE
install -m 644 "$archive.d/package/libduckdb.so" "$folder/libduckdb.so.new"
install -m 644 "$archive.d/package/LICENSE" "$folder/LICENSE.duckdb"
mv "$folder/libduckdb.so.new" "$folder/libduckdb.so"
touch "$mark"
echo "engines: $folder/libduckdb.so"
