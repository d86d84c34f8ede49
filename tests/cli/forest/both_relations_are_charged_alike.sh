# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# One promise, of neighbours of either kind: all six releases are charged to it, and nothing beyond.
make_gate
accepted ledger init one.ledger --neighbours add-remove --quiet
gate_run one --neighbours add-remove --expect-rows 400
gate_holds one.csv 70
gate_run other --neighbours replace-one
gate_holds other.csv 65
for name in one other; do
    accepted ledger show $name.ledger
    awk '$2 ~ /^forest/ { rounds++; total = $NF } END { exit !(rounds == 6 && total > 39 && total <= 40) }' accepted.out ||
        fail "$name: $(<accepted.out)"
done
exit 0
