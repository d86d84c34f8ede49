# SPDX-License-Identifier: Apache-2.0
# After a fit: how many relations stand out from the noise, and which may be lost. From the releases, in every output.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=$SEMBLANCE_TESTKEY # which relations stand out from the noise depends on it: it is always the same
python3 - > table.csv <<'PY'
import random
random.seed(5)
print("a,copy,weak,coin")
for i in range(4000):
    a = random.choice("xyz")
    print(a, a if random.random() < .9 else random.choice("xyz"), a if random.random() < .08 else random.choice("xyz"),
          random.choice("xyz"), sep=",")
PY
field() { printf '{"name": "%s", "type": "string", "constraints": {"enum": ["x", "y", "z"], "required": true}}' "$1"; }
printf '{"fields": [%s, %s, %s, %s]}' "$(field a)" "$(field copy)" "$(field weak)" "$(field coin)" > schema.json
for method in pairs forest; do
    for epsilon in 0.1 20; do
        rm -f table.csv.ledger
        accepted synth table.csv --schema schema.json --method $method --epsilon $epsilon --delta 1e-6 --overwrite -o out.csv
        accepted verify out.csv.certificate.json --ledger table.csv.ledger
        python3 - "$epsilon" out.csv.certificate.json <<'PY' || fail "$method at $epsilon: the certificate's relations"
import json, sys
told = json.load(open(sys.argv[2]))["relations"]
assert told["measured"] == 6, told
assert len(told["suspects"]) <= 5, told
# The copy is seen at any epsilon; the weak one, and with it the copy's, at a large one.
assert told["seen"] >= (1 if sys.argv[1] == "0.1" else 3), told
assert not any({s["first"], s["second"]} == {"a", "copy"} for s in told["suspects"]), told
PY
    done
done
grep -q 'RELATIONS: [0-9]* of 6 relations between columns stand out from the noise' accepted.out || fail "verify does not say it"
# At the first epsilon some pair is not seen, and the run says how many are.
rm -f table.csv.ledger
accepted synth table.csv --schema schema.json --method pairs --epsilon 0.1 --delta 1e-6 --overwrite -o out.csv --report out.html
grep -q 'of 6 relations between columns stand out from the noise; the others come out independent' accepted.err ||
    fail "the run does not say what stands out"
grep -q 'What did the noise take' out.html || fail "the report does not say it"
# Methods that count no pairs say nothing of them.
rm -f table.csv.ledger
accepted synth table.csv --schema schema.json --method marginals --epsilon 1 --delta 1e-6 --overwrite -o out.csv
! grep -q 'relations between columns' accepted.err || fail "marginals measures no relation"
