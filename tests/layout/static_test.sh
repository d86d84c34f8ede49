#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program as one file needs nothing: in a root that holds it, a table and a schema, it plans, makes a table, verifies, evaluates
# and serves its page; what needs a library is refused in one line.
#   static_test.sh SOURCE [PROGRAM]      without a program it is built first
set -euo pipefail
source=$(cd "$1" && pwd) program=${2:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "static: $*" >&2
    exit 1
}
skip() {
    echo "SKIP: $*"
    exit 77
}
enter=(chroot)
[ "$(id -u)" -eq 0 ] || enter=(unshare --map-root-user chroot)
"${enter[@]}" / true 2>/dev/null || skip "this user may not change the root"
if [ -z "$program" ]; then
    "$source/tools/static.sh" "$scratch/static"
    program=$scratch/static/semblance
fi
if readelf -d "$program" | grep -q NEEDED || readelf -l "$program" | grep -q INTERP; then
    fail "$program needs $(readelf -d "$program" | grep NEEDED)"
fi
! grep -qaF "$source" "$program" || fail "the file names the folder that it was built in"

root=$scratch/root
mkdir "$root"
cp "$program" "$root/semblance"
python3 "$source/tests/python/readme_lines.py" --write "$source/README.md" "$root"
iconv -f utf-8 -t windows-1252 "$root/patients.csv" >"$root/windows.csv"
run() { "${enter[@]}" "$root" /semblance "$@" >"$scratch/said" 2>&1 || fail "$*: $(<"$scratch/said")"; }
run --version --build
run plan --schema clinic.json --epsilon 1 -n 8000
run synth patients.csv --schema clinic.json --epsilon 1 -o out.csv
run verify out.csv.certificate.json --output out.csv
run evaluate --real patients.csv --synthetic out.csv --schema clinic.json --models logistic --report out.html
run synth patients.csv --schema clinic.json --epsilon 1 --method ron-gauss -o gauss.csv
[ "$(wc -l <"$root/out.csv")" -gt 1000 ] || fail "the table is short"
for words in "t.parquet needs DuckDB's library, libduckdb.so: this program, which is one file, opens no libraries"; do
    printf 'PAR1PAR1' >"$root/t.parquet"
    ! "${enter[@]}" "$root" /semblance schema inspect t.parquet -o no.json >"$scratch/said" 2>&1 || fail "Parquet was read"
    grep -qF "$words" "$scratch/said" || fail "not said: $words; but $(<"$scratch/said")"
    [ "$(wc -l <"$scratch/said")" -eq 1 ] || fail "more than a line: $(<"$scratch/said")"
done
"${enter[@]}" "$root" /semblance serve / --port 0 >"$scratch/served" 2>&1 &
server=$!
for _ in $(seq 100); do
    ! grep -q http "$scratch/served" || break
    sleep 0.1
done
kill "$server" && wait "$server" || true
grep -q 'http://127.0.0.1' "$scratch/served" || fail "no page: $(<"$scratch/served")"
echo "one file of $(stat -c %s "$program") bytes: plan, synth, verify, evaluate, ron-gauss and serve in an empty root"
