#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Debian packages of a commit, by the distribution's own tools: libsemblanceABI, libsemblance-evaluateABI, libsemblance-dev, semblance.
#   tools/deb.sh [FOLDER [COMMIT]]     build/deb and HEAD unless told otherwise
# ABI is major.minor of the version, which is in CMakeLists.txt. Sources are those of the commit (tools/dist.sh); packaging/debian says what goes where.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
folder=${1:-build/deb} commit=${2:-HEAD}
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
tools/dist.sh "$folder" "$commit" >/dev/null
archive=$(basename "$folder"/semblance-*.tar.gz)
name=${archive%.tar.gz}
version=${name#semblance-}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)} nocheck noddebs"

cd "$folder"
tar xzf "$archive"
mv "$archive" "semblance_$version.orig.tar.gz"
cp -r "$name/packaging/debian" "$name/debian"
abi=${version%.*}
sed -i "s/@ABI@/$abi/g" "$name/debian/control"
for library in libsemblance libsemblance-evaluate; do mv "$name/debian/$library.install" "$name/debian/$library$abi.install"; done
cat >"$name/debian/changelog" <<CHANGES
semblance ($version-1) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $(sed -n 's/^Maintainer: //p' "$name/debian/control")  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGES
if ! (cd "$name" && dpkg-buildpackage --build=binary --no-sign) >build.log 2>&1; then
    tail -n 40 build.log >&2
    echo "deb: the build failed; all of it is in ${folder#"$root"/}/build.log" >&2
    exit 1
fi
rm -rf "$name"
ls -- *.deb
