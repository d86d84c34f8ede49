#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Remove a build folder that CMake configured somewhere else, such as that of a clone that was copied or moved: it names the
# files of the other place.   tools/forget_moved.sh BUILD SOURCE
set -euo pipefail
cache=$1/CMakeCache.txt
[ -f "$cache" ] || exit 0
place() { sed -n "s/^$1:INTERNAL=//p" "$cache"; }
if [ "$(place CMAKE_CACHEFILE_DIR)" -ef "$1" ] && [ "$(place CMAKE_HOME_DIRECTORY)" -ef "$2" ]; then exit 0; fi
echo "build: $1 was configured in another place, and is made anew" >&2
rm -rf -- "$1"
