# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# A tenth of the cells of two columns; trees send what is missing one way.
SKIP=10 make_gate
gate_run missing
gate_holds missing.csv 65
for column in b word; do
    empty=$(cells missing.csv $column | grep -c '^$')
    [ "$empty" -gt 40 ] && [ "$empty" -lt 180 ] || fail "$empty of 1000 cells of $column are missing, not about 100"
done
! cells missing.csv a | grep -q '^$' || fail "a cell that is required is missing"
exit 0
