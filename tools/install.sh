#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Install what build/release holds under PREFIX, and under DESTDIR if that is set: tools/install.sh PREFIX [BUILD]
# All files are first written beside their places and then renamed: an install that fails changes no file.
set -euo pipefail
prefix=$(realpath -ms -- "$1")
root=${DESTDIR:+$(realpath -ms -- "$DESTDIR")}
cd "$(dirname "$0")/.."
build=$(realpath -- "${2:-build/release}")
manifest=$build/install_manifest.txt # the files, for tools/uninstall.sh
folders=$build/install_folders.txt   # the folders that did not exist before

stage=$(mktemp -d "$build/stage-XXXXXX")
new=() made=()
finish() {
    rm -rf -- "$stage"
    [ ${#new[@]} -eq 0 ] || rm -f -- "${new[@]}"
    local i
    for ((i = ${#made[@]} - 1; i >= 0; i--)); do rmdir -- "${made[i]}" 2>/dev/null || true; done
}
trap finish EXIT
fail() {
    echo "install: $*; nothing was installed" >&2
    exit 1
}

# make_folder FOLDER: with its parents, and remember which of them are new.
make_folder() {
    [ ! -d "$1" ] || return 0
    make_folder "$(dirname "$1")"
    mkdir -- "$1" 2>/dev/null || fail "cannot make the folder $1"
    made+=("$1")
}

cp -- "$manifest" "$stage/manifest" 2>/dev/null || true # of the install before, in case that this one fails
restore() { if [ -e "$stage/manifest" ]; then cp -- "$stage/manifest" "$manifest"; else rm -f -- "$manifest"; fi; }
if ! DESTDIR="$stage/files" cmake --install "$build" --prefix "$prefix" >"$stage/log" 2>&1; then
    tail -n 3 "$stage/log" >&2
    restore
    fail "a file that is to be installed is missing"
fi
cp -- "$manifest" "$stage/now"
restore

while IFS= read -r file || [ -n "$file" ]; do
    [ ! -d "$root$file" ] || fail "$root$file is a folder"
    make_folder "$(dirname "$root$file")"
    new+=("$root$file.new-$$")
    cp -P --preserve=mode,links -- "$stage/files$file" "$root$file.new-$$" 2>/dev/null || fail "cannot write $root$file"
done <"$stage/now"
while IFS= read -r file || [ -n "$file" ]; do mv -fT -- "$root$file.new-$$" "$root$file"; done <"$stage/now"

cp -- "$stage/now" "$manifest"
[ ${#made[@]} -eq 0 ] || printf '%s\n' "${made[@]}" >>"$folders"
new=() made=()
if [ -z "$root" ] && [ "$(id -u)" -eq 0 ]; then ldconfig; fi
echo "installed $(grep -c '' "$manifest") files in $root$prefix"
