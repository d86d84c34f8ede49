#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build the Debian packages, install them into a scratch root, run the demo from there, build a client against it.
#   deb_test.sh SOURCE CC
set -euo pipefail
source=$1 cc=$2
if ! git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
    echo "SKIP: no git repository"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "deb: $*" >&2
    exit 1
}
"$source/tools/deb.sh" "$scratch/deb"

# A root that knows of no package: what ours depend on is the machine's, which has it since it built them.
root=$scratch/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
dpkg --root="$root" --force-depends --force-not-root --install "$scratch"/deb/*.deb >"$scratch/dpkg.log" 2>&1 ||
    fail "$(tail -n 5 "$scratch/dpkg.log")"
abi=$(sed -n 's/^project(semblance VERSION \([0-9]*\.[0-9]*\).*/\1/p' "$source/CMakeLists.txt")
for package in "libsemblance$abi" "libsemblance-evaluate$abi" libsemblance-dev semblance; do
    dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${db:Status-Status}\n' "$package" | grep -qx installed ||
        fail "$package is not installed"
done
libraries=$(dirname "$(find "$root/usr/lib" -name semblance.pc)")/..
export LD_LIBRARY_PATH=$libraries

# The demo, by the installed program; what makes its table is built as anyone would.
demo=$scratch/demo
mkdir -p "$demo/bin/examples"
cp -r "$source/examples" "$demo/examples"
ln -s "$root/usr/bin/semblance" "$demo/bin/semblance"
"$cc" -std=c17 -D_GNU_SOURCE -O1 "$source/examples/make_clinic.c" -o "$demo/bin/examples/make_clinic" -lm
(cd "$demo" && sh examples/demo.sh bin) >"$scratch/demo.log" 2>&1 || fail "$(tail -n 20 "$scratch/demo.log")"
[ -s "$demo/build/demo/report.html" ] || fail "the demo left no report"

flags=$(PKG_CONFIG_PATH=$libraries/pkgconfig pkg-config --cflags --libs semblance)
eval "$cc -std=c17 -Wall -Werror '$source/tests/layout/client/main.c' -o '$scratch/client' $flags"
[ "$("$scratch/client")" = "mu 0.268051" ] || fail "the client printed something else"
[ -s "$root/usr/share/man/man3/sbl_ledger_open.3.gz" ] || [ -L "$root/usr/share/man/man3/sbl_ledger_open.3.gz" ] ||
    fail "no man pages of the library"
echo "built, installed into a scratch root, demo and client run"
