#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# with_engines.sh MARK TEST.py [ARGUMENT...]: run a test in the environment that tools/python_engines.sh made; 77 where it is not.
#   MARK: spark (pyspark, pyarrow, pandas) or all (Dask and Ray, too)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=$here/../../build/engines/python
[ -e "$home/.$1" ] || [ -e "$home/.all" ] || {
    echo "SKIP: $2 needs packages of a package index (tools/python_engines.sh)"
    exit 77
}
test=$2
shift 2
export PYSPARK_PYTHON=$home/bin/python
exec "$home/bin/python" -W ignore "$here/$test" -v "$@"
