#!/usr/bin/env bash
# Remove what the last `make install` put under PREFIX: tools/uninstall.sh PREFIX
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=$1
manifest=build/release/install_manifest.txt

[ -f "$manifest" ] || {
    echo "uninstall: $manifest is gone; nothing tells what was installed" >&2
    exit 1
}
if grep -vqF -- "$prefix/" "$manifest"; then
    echo "uninstall: the last install did not go to '$prefix'; give PREFIX as then" >&2
    exit 1
fi
while IFS= read -r file || [ -n "$file" ]; do
    rm -f -- "${DESTDIR:-}$file"
    rmdir --ignore-fail-on-non-empty -- "$(dirname "${DESTDIR:-}$file")" 2>/dev/null || true
done <"$manifest"
rm -f "$manifest"
