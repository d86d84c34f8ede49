#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sources of a commit as FOLDER/semblance-VERSION.tar.gz: the same bytes wherever and whenever it is run.
#   tools/dist.sh [FOLDER [COMMIT]]     build/dist and HEAD unless told otherwise
# Times in the archive are those of the commit; neither the compressor's time nor its name stand in it.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/dist} commit=${2:-HEAD}
version=$(git show "$commit:CMakeLists.txt" | sed -n 's/^project(semblance VERSION \([0-9.]*\).*/\1/p')
name=semblance-$version
mkdir -p "$folder"
git -c tar.umask=0022 archive --format=tar --prefix="$name/" "$commit" | gzip -9 -n >"$folder/$name.tar.gz.part"
mv "$folder/$name.tar.gz.part" "$folder/$name.tar.gz"
(cd "$folder" && sha256sum "$name.tar.gz")
