#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Remove what the last `make install` put under PREFIX: tools/uninstall.sh PREFIX [BUILD]
set -euo pipefail
prefix=$(realpath -ms -- "$1")
root=${DESTDIR:+$(realpath -ms -- "$DESTDIR")}
cd "$(dirname "$0")/.."
manifest=${2:-build/release}/install_manifest.txt
folders=${2:-build/release}/install_folders.txt

[ -f "$manifest" ] || {
    echo "uninstall: $manifest is gone; nothing tells what was installed" >&2
    exit 1
}
while IFS= read -r file || [ -n "$file" ]; do
    [[ $file == "$prefix"/* ]] || {
        echo "uninstall: the last install did not go to '$prefix'; give PREFIX as then" >&2
        exit 1
    }
done <"$manifest"
while IFS= read -r file || [ -n "$file" ]; do rm -f -- "$root$file"; done <"$manifest"
# The folders that the install made, the inner ones first, where nothing else came into them.
if [ -f "$folders" ]; then
    tac "$folders" | while IFS= read -r folder; do rmdir -- "$folder" 2>/dev/null || true; done
fi
rm -f -- "$manifest" "$folders"
