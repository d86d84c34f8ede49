#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Install into a fresh prefix, move the prefix, and build a client by pkg-config and by find_package.
#   install_test.sh BUILD SOURCE CMAKE CC
set -euo pipefail
build=$1 source=$2 cmake=$3 cc=$4
expected="mu 0.268051" # the largest mu that is (1, 1e-5) private

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$cmake" --install "$build" --prefix "$scratch/first" >/dev/null
mkdir "$scratch/a folder"
prefix="$scratch/a folder/moved"
mv "$scratch/first" "$prefix"

fail() {
    echo "install: $*" >&2
    exit 1
}

# Only public headers, every one of them, and nothing of the tests.
diff <(cd "$source/include/semblance" && ls ./*.h ./*.h.in | sed 's/\.in$//' | sort) \
    <(cd "$prefix/include/semblance" && ls ./*.h | sort) || fail "the installed headers differ from include/semblance"
if find "$prefix" -name '*test*' | grep .; then fail "something of the tests was installed"; fi
if grep -rIl -- "$scratch/first" "$prefix" || grep -rIlF -- "$source" "$prefix"; then
    fail "an installed file holds a path of the machine that built it"
fi
if [ -e "$build/semblance" ] || [ -e "$build/cli/semblance" ]; then
    [ -x "$prefix/bin/semblance" ] || fail "the program was not installed"
fi

# Every public header can be had by the one that includes them all.
for header in "$prefix"/include/semblance/*.h; do
    grep -qF "\"semblance/$(basename "$header")\"" "$prefix/include/semblance.h" || fail "semblance.h lacks $header"
done

# The manual: a page a command, a page a header, and one for every function that a header declares.
man=$prefix/share/man
for function in $(sed -nE 's/^SBL_API [^;(]*\b(sbl_[a-z0-9_]+)\(.*/\1/p' "$prefix"/include/semblance/*.h); do
    [ -s "$man/man3/$function.3" ] || fail "$function has no man page"
done
for page in "$man"/man1/semblance*.1 "$man"/man3/semblance_*.3; do
    warnings=$(cd "$man" && groff -man -ww -z -Tutf8 "$page" 2>&1) || fail "$page is no page"
    [ -z "$warnings" ] || fail "$page: $warnings"
done
[ -s "$man/man3/semblance_ledger.3" ] || fail "ledger.h has no man page"
for script in bash-completion/completions/semblance zsh/site-functions/_semblance; do
    [ -s "$prefix/share/$script" ] || fail "no completion: $script"
done

[ -s "$man/man3/semblance.3" ] || fail "semblance.h has no man page"

# A shared library with its links, and a plain pkg-config that links with it: no --static, no other flags.
pc_dir=$(dirname "$(find "$prefix" -name semblance.pc)")
library_dir=$(dirname "$pc_dir")
for library in semblance semblance-evaluate; do
    [ -f "$library_dir/lib$library.so" ] || fail "no shared lib$library was installed"
done
if readelf -d "$library_dir/libsemblance.so" | grep NEEDED | grep -E 'linear|evaluate'; then fail "the core needs what only evaluation does"; fi
export PKG_CONFIG_PATH=$pc_dir
flags=$(pkg-config --cflags --libs semblance)
eval "$cc -std=c17 -Wall -Werror '$source/tests/layout/client/main.c' -o '$scratch/by-pkg-config' $flags"
[ "$(LD_LIBRARY_PATH=$library_dir "$scratch/by-pkg-config")" = "$expected" ] || fail "the pkg-config client printed something else"
# A static program, of which pkg-config knows all parts. glibc warns that such a program opens other libraries at run time.
flags=$(pkg-config --static --cflags --libs semblance)
eval "$cc -static -std=c17 -Wall -Werror -D_GNU_SOURCE '$source/examples/table.c' -o '$scratch/static' $flags" 2>"$scratch/static.log" ||
    fail "no static program: $(tail -n 3 "$scratch/static.log")"
if readelf -d "$scratch/static" | grep NEEDED; then fail "a static program needs a library"; fi
mkdir "$scratch/run"
(cd "$scratch/run" && ../static) >/dev/null || fail "the static program failed"
flags=$(pkg-config --static --cflags --libs semblance-evaluate)
eval "$cc -static -std=c17 -Wall -Werror '$source/tests/layout/client/evaluate.c' -o '$scratch/evaluate-static' $flags" 2>"$scratch/static.log" ||
    fail "no static program that evaluates: $(tail -n 3 "$scratch/static.log")"
"$scratch/evaluate-static" || fail "the static client that evaluates failed"
flags=$(pkg-config --cflags --libs semblance-evaluate)
eval "$cc -std=c17 -Wall -Werror '$source/tests/layout/client/evaluate.c' -o '$scratch/evaluate' $flags"
LD_LIBRARY_PATH=$library_dir "$scratch/evaluate" || fail "the client that evaluates failed"

"$cmake" -S "$source/tests/layout/client" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >/dev/null
"$cmake" --build "$scratch/cmake" >/dev/null
[ "$("$scratch/cmake/client")" = "$expected" ] || fail "the find_package client printed something else"
"$scratch/cmake/evaluate" || fail "the find_package client that evaluates failed"
echo "installed, moved, and used by pkg-config and by find_package"
