# SPDX-License-Identifier: Apache-2.0
# Paid answers are one more subject: hostile rows and persons stay within the charge, and neighbours cannot be told apart better than it says.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=$SEMBLANCE_TESTKEY # 2000 runs of fresh noise lack power once in a thousand times; `make check-all` attacks with fresh noise
accepted audit --method ask --runs 2000 --json audit.json
python3 - <<'PYTHON' || fail "not every release of answers was attacked, or one did not hold"
import json
found = json.load(open("audit.json"))
text = json.dumps(found)
assert found["verdict"] == "held", found["verdict"]
assert '"ask"' in text and "add-remove" in text and "table of persons" in text
PYTHON
grep -q '^table with classes  ask ' accepted.out || fail "$(cat accepted.out)"
