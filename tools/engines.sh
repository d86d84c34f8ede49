#!/usr/bin/env bash
# Fetch DuckDB's library, with which the program reads and writes Parquet, from a package registry (npm; it is in the
# package of DuckDB's own bindings), check it, and put it into a folder:
#   tools/engines.sh [FOLDER]      default: build/engines
# Then: semblance synth people.parquet --engine FOLDER/libduckdb.so ...
# In a folder where libraries are looked for, such as /usr/local/lib, it is found without --engine.
# Ends with 77 where the registry cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."

version=1.5.5-r.5
case $(uname -m) in
x86_64)
    package=node-bindings-linux-x64
    sum=kCyq6BXhn6QXfwF8yVdVKriSSHP+rfVWcJ56cG8qZzlOZpxyvT5WGm6jMshxg4ditLlOsHsIN/D47RYrcjXuHQ==
    ;;
aarch64)
    package=node-bindings-linux-arm64
    sum=CafH2AIvXtpwDynG3KB/4uEOHRGlFoB7auCRMIwH3BKNIobsANV5LSpDJ3tfyRCFIsK6e8AT1eseWVnu2Dv3cw==
    ;;
*)
    echo "engines: there is no library of DuckDB for $(uname -m)" >&2
    exit 77
    ;;
esac

folder=${1:-build/engines}
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
