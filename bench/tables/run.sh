#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rows per processor second of the same table as CSV and as Parquet: run.sh [ROWS]     (default 4000000)
# Needs the build `release` with its tests, which have the program that makes the tables, and `make engines`.
set -euo pipefail
cd "$(dirname "$0")/../.."
rows=${1:-4000000}
library=$PWD/build/engines/libduckdb.so
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
integer='(random() * 999)::INTEGER'
number='round(random(), 6)'
town="['Ayr', 'Bath', 'Cork', 'Deal', 'Ely', 'Fort William'][(random() * 5)::INTEGER + 1]"
build/release/tests/cli/cli_run_sql "$library" "SELECT setseed(0.5)" \
    "CREATE TABLE t AS SELECT $integer AS i0, $integer AS i1, $integer AS i2, $integer AS i3, $number AS x0, $number AS x1, $number AS x2,
    $number AS x3, $town AS t0, $town AS t1, $town AS t2, DATE '2000-01-01' + (random() * 9000)::INTEGER AS day FROM range($rows)" \
    "COPY t TO '$scratch/t.csv'" "COPY t TO '$scratch/t.parquet'"
{
    printf '{"fields": ['
    for k in 0 1 2 3; do
        printf '{"name": "i%d", "type": "integer", "constraints": {"minimum": 0, "maximum": 999}}, ' $k
        printf '{"name": "x%d", "type": "number", "constraints": {"minimum": 0, "maximum": 1}}, ' $k
    done
    for k in 0 1 2; do
        printf '{"name": "t%d", "type": "string", "constraints": {"enum": ["Ayr", "Bath", "Cork", "Deal", "Ely", "Fort William"]}}, ' $k
    done
    printf '{"name": "day", "type": "date", "constraints": {"minimum": "2000-01-01", "maximum": "2029-12-31"}}]}\n'
} >"$scratch/s.json"
build/release/bench/read_tables "$scratch/s.json" "$library" "$scratch/t.csv" "$scratch/t.parquet"
