#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that a release consists of, from a commit, in FOLDER:
#   tools/release.sh [FOLDER [COMMIT]]     build/release-files and HEAD unless told otherwise
#   tools/release.sh --twice [FOLDER [COMMIT]]   make it in two places and compare byte by byte
# RELEASE_KEY names a private Ed25519 key in PEM: SHA256SUMS is signed with it, as SHA256SUMS.sig. The sources of the commit are unpacked
# into a fresh folder, so that what is not in the commit is not in the release. packaging/RELEASING.md is the checklist.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
twice=no
if [ "${1:-}" = --twice ]; then
    twice=yes
    shift
fi
folder=${1:-build/release-files} commit=$(git rev-parse "${2:-HEAD}")
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC

step() { echo "release: $*" >&2; }

# pack ARCHIVE FOLDER NAME...: an archive whose bytes are those of its files and nothing else.
pack() {
    local archive=$1 place=$2
    shift 2
    tar -C "$place" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw -cf - "$@" |
        gzip -9 -n >"$archive"
}

# make_files OUT WORK: all files of the release in OUT; WORK is for what it takes.
make_files() {
    umask 022 # a wheel keeps the modes of its files
    local out=$1 work=$2 version machine built_for libraries
    rm -rf "$out" "$work"
    mkdir -p "$out" "$work/unpacked"
    git clone --quiet --no-hardlinks "$root" "$work/sources"
    git -C "$work/sources" checkout --quiet --detach "$commit"
    cd "$work/sources"
    version=$(sed -n 's/^project(semblance VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
    machine=$(uname -m)
    step "sources"
    tools/dist.sh "$out" >/dev/null
    if [ -d r ]; then
        step "R package"
        mkdir "$work/r"
        cp -r r "$work/r/semblance"
        pack "$out/semblance-r-$version.tar.gz" "$work/r" semblance
    fi
    step "the program as one file"
    tools/static.sh "$work/static" >/dev/null
    cp "$work/static/semblance" "$out/semblance-$version-linux-$machine"
    step "Python package"
    tools/wheel.sh >/dev/null
    cp build/wheel/dist/*.whl build/wheel/dist/*.tar.gz "$out/"
    if [ "$machine" = x86_64 ]; then
        step "Python package for AArch64"
        MACHINE=aarch64 tools/wheel.sh >/dev/null
        cp build/wheel-aarch64/dist/*.whl "$out/"
    fi
    step "Debian packages"
    tools/deb.sh "$work/deb" >/dev/null
    cp "$work"/deb/*.deb "$out/"
    step "documents"
    python3 tools/make_site.py . "$work/site/semblance-$version-docs" >/dev/null
    pack "$out/semblance-$version-docs.tar.gz" "$work/site" "semblance-$version-docs"
    [ ! -e "docs/releases/$version.md" ] || cp "docs/releases/$version.md" "$out/RELEASE-NOTES.md"
    step "bill of materials"
    for package in "$out"/*.deb; do dpkg-deb --extract "$package" "$work/unpacked/deb"; done
    local wheels=() hashes=()
    for file in "$out"/*.whl; do
        built_for=$(sed -E 's/.*_(x86_64|aarch64)\.whl$/\1/' <<<"$file")
        python3 -m zipfile --extract "$file" "$work/unpacked/wheel-$built_for"
        libraries=build/cross/$built_for/root/libraries
        [ "$built_for" != "$machine" ] || libraries=
        wheels+=(--dynamic "wheel for $built_for=$work/unpacked/wheel-$built_for${libraries:+@$libraries}")
    done
    for file in "$out"/*; do hashes+=(--hash "$file"); done
    python3 tools/sbom.py "$out/semblance-$version.cdx.json" "$commit" "$SOURCE_DATE_EPOCH" --static "$work/static/cmake/build.ninja" \
        --dynamic "Debian packages=$work/unpacked/deb" "${wheels[@]}" "${hashes[@]}"
    step "sums"
    (cd "$out" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
    if [ -n "${RELEASE_KEY:-}" ]; then
        openssl pkeyutl -sign -rawin -inkey "$RELEASE_KEY" -in "$out/SHA256SUMS" -out "$out/SHA256SUMS.sig"
        openssl pkey -in "$RELEASE_KEY" -pubout -out "$out/release-key.pem"
    fi
    step "offline bundle"
    mkdir "$work/bundle"
    cp -r "$out" "$work/bundle/semblance-$version"
    pack "$out/semblance-$version-offline.tar.gz" "$work/bundle" "semblance-$version"
    cd "$root"
}

mkdir -p "$(dirname "$folder")"
folder=$(realpath -m "$folder")
scratch=$(mktemp -d)
trap 'chmod -R u+rwX "$scratch"; rm -rf "$scratch"' EXIT
make_files "$folder" "$scratch/one"
if [ "$twice" = yes ]; then
    step "once more, in another folder"
    (umask 077 && make_files "$scratch/again" "$scratch/another/place")
    diff -r "$folder" "$scratch/again" || {
        echo "release: two runs give different files" >&2
        exit 1
    }
    step "both runs gave the same bytes"
fi
(cd "$folder" && sha256sum -- *)
