#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Install to a folder with a space in its name, run what is there, and uninstall: nothing is left. An install that fails
# leaves nothing, either, and changes no file.   uninstall_test.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "uninstall: $*" >&2
    exit 1
}
listing() { (cd "$scratch/$1" && find . -printf '%p %y %s %l\n' | sort); }
install() { (cd "$scratch" && "$source/tools/install.sh" "$@" "$build") >"$scratch/log" 2>&1; }
uninstall() { (cd "$scratch" && "$source/tools/uninstall.sh" "$@" "$build") >"$scratch/log" 2>&1; }

# A relative prefix, a folder of which exists and holds a file of somebody else's.
mkdir -p "$scratch/a folder/usr/lib"
echo theirs >"$scratch/a folder/usr/lib/theirs"
before=$(listing 'a folder')
install 'a folder/usr' || fail "no install: $(cat "$scratch/log")"
program="$scratch/a folder/usr/bin/semblance"
[ "$(cd / && "$program" --version)" = "$("$build/semblance" --version)" ] || fail "the installed program does not run"
install 'a folder/usr' || fail "no second install: $(cat "$scratch/log")"
uninstall "$scratch/elsewhere" && fail "another prefix was uninstalled"
[ -x "$program" ] || fail "the program is gone"
uninstall 'a folder/usr' || fail "no uninstall: $(cat "$scratch/log")"
diff <(echo "$before") <(listing 'a folder') || fail "something is left, or gone"

# The same below DESTDIR, where everything is new.
(cd "$scratch" && DESTDIR=$scratch/stage "$source/tools/install.sh" /opt/semblance "$build") >/dev/null
[ -x "$scratch/stage/opt/semblance/bin/semblance" ] || fail "DESTDIR was not heeded"
DESTDIR=$scratch/stage "$source/tools/uninstall.sh" /opt/semblance "$build"
[ ! -e "$scratch/stage" ] || fail "something is left below DESTDIR"

# Failures: a file in the place of a folder, a folder in the place of a file; an older file stays as it was.
mkdir -p "$scratch/b/bin" "$scratch/c/lib/pkgconfig/semblance.pc" "$scratch/c/bin"
echo file >"$scratch/b/share"
for place in b c; do
    echo older >"$scratch/$place/bin/semblance"
    before=$(listing $place)
    install "$place" && fail "an install that cannot be whole succeeded"
    grep -q 'nothing was installed$' "$scratch/log" || fail "it says: $(cat "$scratch/log")"
    diff <(echo "$before") <(listing $place) || fail "a failed install leaves something"
    uninstall "$place" && fail "what failed can be uninstalled"
done
echo "installed, run and uninstalled"
