# SPDX-License-Identifier: Apache-2.0
# DuckDB's library is found without --duckdb: in the tree after `make engines`, and beside an installed library. So is the
# plug-in of a graphics card. Where there is none, one line says what to do.
. "$CLI_TESTS/lib.sh"
[ -r "$ENGINE" ] || skip "no library of DuckDB (make engines)"
make_images
"$RUN_SQL" "$ENGINE" "COPY (SELECT i % 90 AS age FROM range(50) r(i)) TO 't.parquet'" || fail "no table"
accepted schema inspect t.parquet -o g.json
# Without a driver it is the driver that is missing, not the plug-in.
"$SEMBLANCE" plan --images images --labels labels --classes 3 --method merf --epsilon 1 --device cuda > said 2>&1 || true
! grep -q 'plug-in' said || fail "$(<said)"
# An install, which knows nothing of the tree.
mkdir -p 'a prefix/bin' && mkdir -p "a prefix/bin/$BIN_TO_LIB"
cp "$SEMBLANCE" 'a prefix/bin/semblance'
SEMBLANCE='a prefix/bin/semblance'
if ! ldconfig -p | grep -q libduckdb && [ ! -e /usr/local/lib/libduckdb.so ]; then
    refused 2 "t.parquet needs DuckDB's library, libduckdb.so: it is not installed here*" schema inspect t.parquet -o no.json
fi
ln -s "$ENGINE" "a prefix/bin/$BIN_TO_LIB/libduckdb.so"
accepted schema inspect t.parquet -o h.json
cmp g.json h.json || fail "another schema"
# By a link to the program, too, called from anywhere.
mkdir links && ln -s "$PWD/a prefix/bin/semblance" links/semblance
SEMBLANCE=$PWD/links/semblance
accepted schema inspect t.parquet -o i.json
cmp g.json i.json || fail "another schema"
