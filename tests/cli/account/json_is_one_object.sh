# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
command -v python3 > /dev/null || skip "no python3"
"$SEMBLANCE" account --epsilon 1 --json | python3 -c '
import json, sys
facts = json.load(sys.stdin)
assert list(facts) == ["mu", "mu_per_row", "sigma", "epsilon", "delta", "releases",
                       "rows_per_person", "neighbours"], facts
assert facts["epsilon"] == 1 and facts["delta"] == 1e-5 and facts["releases"] == 1, facts'
