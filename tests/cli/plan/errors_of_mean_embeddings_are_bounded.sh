# SPDX-License-Identifier: Apache-2.0
# plan bounds the distance of released mean embeddings from the true ones, and what random features add; the formulas of
# docs/mechanisms/bounds.md once more. Other methods and other blocks have no such bounds.
. "$CLI_TESTS/lib.sh"
make_people
make_images
table=(plan --schema people.json --epsilon 1 --delta 1e-5 --no-estimate --json)
accepted "${table[@]}" -n 20000 --method merf && mv accepted.out merf.json
accepted "${table[@]}" -n 20000 --method merf --neighbours add-remove && mv accepted.out private.json
accepted "${table[@]}" -n 20000 --method hp && mv accepted.out hp.json
accepted "${table[@]}" -n 20000 --method pairs && mv accepted.out pairs.json
images=(plan --images images --labels labels --classes 3 --epsilon 1 --delta 1e-5 --no-estimate --json)
accepted "${images[@]}" && mv accepted.out mepf.json
accepted "${images[@]}" --balanced --neighbours add-remove -n 6000 --method merf --features 500 && mv accepted.out balanced.json
python3 - <<'PYTHON' || fail "$(<wrong)"
import json
from math import exp, lgamma, log, pi, sqrt
wrong = open("wrong", "w")
blocks = lambda name: {block["name"]: block for block in json.load(open(name))["blocks"]}
def check(got, want, what):
    assert abs(got - want) <= 1e-6 * want, print(what, got, want, file=wrong)
def mean(values): return sqrt(2) * exp(lgamma((values + 1) / 2) - lgamma(values / 2))
def most(values, t): return sqrt(values + 2 * sqrt(values * t) + 2 * t)
def bound(noise, values, records, count):
    """(expected, most) of 95 %; count: the noise on the number of records, 0 where it is public."""
    off, t = count * sqrt(2 * log(80)), log(40) if count else log(20)
    left = max(records - off, 1)
    return (noise * mean(values) + count * sqrt(2 / pi)) / left, (noise * most(values, t) + off) / left
def check_noise(name, n, classes, count, all_count, embeddings):
    plan = blocks(name)
    assert {block for block in plan if "bounds" in plan[block]} == embeddings, print(name, plan.keys(), file=wrong)
    for block in embeddings:
        told, values = plan[block]["bounds"], plan[block]["values"]
        noise = plan[block]["noise_share"] * n / sqrt(values)
        assert told["probability"] == 0.95
        for got, want in zip(("expected", "most"), bound(noise, values, n, all_count(plan))): check(told["mean"][got], want, (name, block, got))
        for got, want in zip(("expected", "most"), bound(noise, values / classes, n / classes, count(plan))):
            check(told["class_mean"][got], want, (name, block, "class", got))
counts = lambda plan: plan["counts"]["noise_deviation"]
check_noise("merf.json", 20000, 2, counts, lambda plan: 0, {"rff", "onehot"})
check_noise("private.json", 20000, 2, counts, lambda plan: sqrt(2) * counts(plan), {"rff", "onehot"})
check_noise("hp.json", 20000, 2, counts, lambda plan: 0, {"hermite", "onehot", "hermite-product"})
check_noise("mepf.json", 40, 3, counts, lambda plan: 0, {"rff", "phi1"})
total = lambda plan: plan["total"]["noise_deviation"]
check_noise("balanced.json", 6000, 3, lambda plan: total(plan) / 3, total, {"rff"})
assert not any("bounds" in block for block in blocks("pairs.json").values()), print("pairs", file=wrong)
# Random features: of rff alone; nothing of moments and codes is random.
for name, block, features in ("merf.json", "rff", 2000), ("mepf.json", "rff", 10000), ("balanced.json", "rff", 500):
    told = blocks(name)[block]["bounds"]["random_features"]
    assert told["features"] == features, print(name, told, file=wrong)
    check(told["expected"], 2 * sqrt(2 / features), name)
    check(told["most"], 4 * sqrt(log(40) / features), name)
assert all("random_features" not in blocks(name)[block]["bounds"] for name, block in (("merf.json", "onehot"), ("mepf.json", "phi1"), ("hp.json", "hermite")))
# Hermite functions hold 0.9 of each kernel at least: of a product of two numbers, .81.
hp = blocks("hp.json")
assert 0 < hp["hermite"]["bounds"]["truncation"] <= 0.4, print(hp["hermite"], file=wrong)
assert hp["hermite"]["bounds"]["truncation"] != hp["hermite-product"]["bounds"]["truncation"] <= 4 * .19 and "truncation" not in hp["onehot"]["bounds"]
PYTHON
# The same in words.
accepted plan --schema people.json --epsilon 1 --delta 1e-5 --no-estimate -n 20000 --method merf
grep -q '^errors, where the embedding of each row has length 1 at most; the second number holds with probability 95 %$' accepted.out || fail "no head"
grep -q '^  rff: noise moves the mean by 0\.[0-9]* on average, by 0\.[0-9]* at most$' accepted.out || fail "no noise"
grep -q '^    and the mean of a class of 10000 rows by 0\.[0-9]*, by 0\.[0-9]* at most$' accepted.out || fail "no class"
grep -q '^    2000 random features change a squared distance between data sets by up to 0.0632 on average, by 0.172 at most$' accepted.out || fail "no features"
accepted plan --schema people.json --epsilon 1 --no-estimate -n 20000 --method pairs
grep -q '^errors, where' accepted.out && fail "pairs has no embedding"
:
