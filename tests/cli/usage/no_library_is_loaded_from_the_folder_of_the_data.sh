# SPDX-License-Identifier: Apache-2.0
# A library beside the data is not run, whatever name it has: the loader searches its own folders, never the working directory.
. "$CLI_TESTS/lib.sh"
unset LD_LIBRARY_PATH
make_people
make_images
for name in $(readelf -d "$SEMBLANCE" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p') liblinear.so.4 libblas.so.3 libopenblas.so.0 \
    libsqlite3.so.0 libsqlite3.so libduckdb.so libxgboost.so.0 libxgboost.so libadbc_driver_postgresql.so libcuda.so.1 \
    libcuda.so libsemblance-cuda.so libsemblance-numeric.so "libsemblance.so.$("$SEMBLANCE" --version | sed -n 's/^semblance \([0-9]*\.[0-9]*\).*/\1/p')"; do
    cp "$TRAP" "$name"
done
cp "$TRAP" other.so
/usr/bin/python3 -c 'import sqlite3; data = sqlite3.connect("t.db"); data.execute("CREATE TABLE t (age INTEGER)"); data.commit()'
printf 'PAR1PAR1' > t.parquet
# safe COMMAND...: whatever it answers, nothing of this folder was loaded.
safe() {
    "$@" > said 2>&1 || true
    [ ! -e trapped ] || fail "a library of the working directory was loaded: $*"
}
run=(--schema people.json --epsilon 1 --overwrite)
safe "$SEMBLANCE" --version --build
safe "$SEMBLANCE" synth people.csv "${run[@]}" --method ron-gauss -o out.csv
grep -q '^age,town,income' out.csv || fail "no synthetic table: $(<said)"
safe "$SEMBLANCE" evaluate --real people.csv --synthetic out.csv --schema people.json --models logistic,xgboost
grep -q 'NOT PRIVATE' said || fail "no evaluation: $(<said)"
safe "$SEMBLANCE" schema inspect t.db --table t -o inspected.json
safe "$SEMBLANCE" schema inspect t.parquet -o inspected.json
safe "$SEMBLANCE" synth "postgresql://127.0.0.1:9/x" --table t "${run[@]}" -o out.csv
safe "$SEMBLANCE" plan --images images --labels labels --classes 3 --method merf --epsilon 1
# A name without a slash is one of the system's libraries. A path is the user's word.
safe "$SEMBLANCE" schema inspect t.parquet -o inspected.json --duckdb libduckdb.so
safe "$SEMBLANCE" schema inspect t.parquet -o inspected.json --duckdb other.so
safe "$SEMBLANCE" schema inspect t.db --table t -o inspected.json --adbc-driver other.so
"$SEMBLANCE" schema inspect t.db --table t -o inspected.json --adbc-driver ./other.so > said 2>&1
[ -e trapped ] || fail "the trap does not work, or a relative path is not taken: $(<said)"
