#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetch axe-core, which looks for faults of accessibility in a page, from a package registry (npm), check it, and put it into a folder:
#   tools/axe.sh [FOLDER]      default: build/axe
# The test browser_axe_serve uses it. It is neither part of the project nor of what is installed.
# Ends with 77 where the registry cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."

version=4.10.3
sum=Xm7bpRXnDSX2YE2YFfBk2FnF0ep6tmG7xPh8iHee8MIcrgq762Nkce856dYtJYLkuIoYZvGfTs/PbZhideTcEg==
folder=${1:-build/axe}
mark=$folder/.axe-$version
[ ! -e "$folder/axe.min.js" ] || [ ! -e "$mark" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
address=https://registry.npmjs.org/axe-core/-/axe-core-$version.tgz
if command -v curl >/dev/null; then
    get=(curl --fail --silent --location --max-time 100 --output "$work/axe.tgz" "$address")
else
    get=(python3 -c 'import sys, urllib.request; urllib.request.urlretrieve(sys.argv[1], sys.argv[2])' "$address" "$work/axe.tgz")
fi
"${get[@]}" 2>/dev/null || {
    echo "axe: $address cannot be reached" >&2
    exit 77
}
[ "$(openssl dgst -sha512 -binary "$work/axe.tgz" | openssl base64 -A)" = "$sum" ] || {
    echo "axe: the file at $address does not have the expected hash" >&2
    exit 1
}
mkdir -p "$folder"
tar -xzf "$work/axe.tgz" -C "$work" package/axe.min.js package/LICENSE
install -m 644 "$work/package/axe.min.js" "$work/package/LICENSE" "$folder"
touch "$mark"
echo "axe: $folder/axe.min.js"
