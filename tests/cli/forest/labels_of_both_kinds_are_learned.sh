# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# A category and, in about ten groups, a number.
make_gate
gate_run category
gate_holds category.csv 70
LABEL='{"label": "level", "task": "regression"}' make_gate
gate_run number
awk -F, 'NR > 1 { odd = (($1 > 7) + ($2 > 7) + ($3 > 7)) % 2; sum[odd] += $6; rows[odd]++ }
    END { exit !(sum[1] / rows[1] > sum[0] / rows[0] + 15) }' number.csv || fail "the number does not follow the gate"
exit 0
