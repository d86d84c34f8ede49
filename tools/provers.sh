#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Install what `make prove` runs: Frama-C, Why3 and the SMT solvers as Debian packages, and CBMC, which Debian 12 lacks. CBMC
# comes from a later Debian release by this machine's own package source, and is unpacked beside its own C library:
#   tools/provers.sh [FOLDER]      default: build/provers; FOLDER/cbmc is then the program
# Ends with 77 where CBMC cannot be fetched. A system whose own release has CBMC 6 uses that one.
set -euo pipefail
cd "$(dirname "$0")/.."

release=trixie
packages=(cbmc libc6 libgcc-s1 libstdc++6 minisat zlib1g libgmp10)
folder=${1:-build/provers}

tools/setup.sh --prove

mkdir -p "$folder"
# What Why3 knows of the solvers, in a file of its own. Each solver is started with a limit on its own time of the processor,
# PROVER_SECONDS, as the limits of Why3 are by the clock, and a busy machine would fail a goal.
for solver in cvc4 z3; do
    printf '#!/bin/sh\nulimit -t "${PROVER_SECONDS:?}"\nexec "%s" "$@"\n' "$(command -v $solver)" >"$folder/$solver.new"
    chmod 755 "$folder/$solver.new"
    mv "$folder/$solver.new" "$folder/$solver"
done
WHY3CONFIG=$folder/why3.new why3 config detect >/dev/null 2>&1
sed "s|^path = \"/.*/\([a-z0-9]*\)\"|path = \"$(realpath "$folder")/\1\"|" "$folder/why3.new" >"$folder/why3.conf"
rm "$folder/why3.new"
[ ! -x "$folder/cbmc" ] || exit 0
if command -v cbmc >/dev/null && [[ $(cbmc --version) == 6.* ]]; then
    ln -sfn "$(command -v cbmc)" "$folder/cbmc"
    exit 0
fi
command -v apt-get >/dev/null || {
    echo "provers: CBMC is fetched by apt-get, which is not here; put CBMC 6 into $folder/cbmc" >&2
    exit 77
}

# The first package source of this machine, for the later release. apt checks its signatures as for any other.
source=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
echo "deb ${source:-http://deb.debian.org/debian} $release main" >"$work/sources.list"
options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)
if ! apt-get "${options[@]}" update >&2 || ! (cd "$work/debs" && apt-get "${options[@]}" download "${packages[@]}" >&2); then
    echo "provers: CBMC cannot be fetched (apt-get download cbmc, from $release)" >&2
    exit 77
fi
rm -rf "$folder/root"
for package in "$work"/debs/*.deb; do dpkg-deb --extract "$package" "$folder/root"; done

# Each program is started by the loader that came with it, so that it does not meet this system's C library.
root=$(realpath "$folder/root")
libraries=$(dirname "$(find "$root/usr/lib" -name libc.so.6 | head -n 1)")
loader=$(find "$libraries" -maxdepth 1 -name 'ld-linux*' | head -n 1)
printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$libraries:$root/usr/lib" "$root/usr/bin/cbmc" >"$folder/cbmc.new"
chmod 755 "$folder/cbmc.new"
"$folder/cbmc.new" --version >/dev/null
mv "$folder/cbmc.new" "$folder/cbmc"
echo "provers: CBMC $("$folder/cbmc" --version)"
