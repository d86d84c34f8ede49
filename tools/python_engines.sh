#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages that tests of engines need, from a package index, in a virtual environment: build/engines/python.
#   tools/python_engines.sh        pyspark, pyarrow, pandas, duckdb and openpyxl
#   tools/python_engines.sh --all  Dask and Ray, too
# PYTHON names the interpreter (python3). Ends with 77 where the index cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build/engines/python
wanted=(pyspark==4.3.0 pyarrow==26.0.1 pandas==3.1.1 numpy==2.4.6 duckdb==1.5.5 openpyxl==3.1.5)
mark=$folder/.spark
if [ "${1:-}" = --all ]; then
    wanted+=('dask[dataframe,distributed]==2026.8.0' 'ray[data]==2.60.0')
    mark=$folder/.all
fi
# All of them are newer than some of them.
[ ! -e "$folder/.all" ] || [ ! "$folder/.all" -nt "$0" ] || exit 0
[ ! -e "$mark" ] || [ ! "$mark" -nt "$0" ] || exit 0

[ -x "$folder/bin/python" ] || "${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check "${wanted[@]}" || {
    echo "python_engines: the packages cannot be had: ${wanted[*]}" >&2
    exit 77
}
touch "$mark"
echo "python_engines: $folder"
