# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# With the same seed, replicates are the tables that estimate draws: the statistics of the files, combined, are its answer.
cat > t.json <<'JSON'
{"fields": [
  {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b"], "required": true}},
  {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
  {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 1000, "required": true}}], "missingValues": [""]}
JSON
awk 'BEGIN { srand(1); print "ward,age,cost"; for (i = 0; i < 800; i++) { age = int(100 * rand())
    printf "%s,%s,%.2f\n", rand() < .4 ? "b" : "a", i % 9 ? age : "", 100 + 5 * age + 200 * rand() } }' > t.csv
accepted synth t.csv --schema t.json --epsilon 5 --method pairs -o s.csv --quiet
accepted sample s.csv.release --replicates 12 --seed 3 -o r --quiet
accepted estimate s.csv.release --draws 12 --seed 3 --count --mean cost,age --share ward=b --quantile cost=0.25 --correlation age,cost \
    --where 'cost > 150' --json
cp accepted.out whole.json
accepted estimate s.csv.release --draws 12 --seed 3 --count --mean age --by ward --difference a --json
python3 - <<'PYTHON' || fail "not the numbers of replicates"
import csv, glob, json, math, os, statistics, subprocess

def mean(x):
    m = statistics.fmean(x)
    return m, statistics.pvariance(x) / len(x)

def correlation(x, y):
    w, mx, my = len(x), statistics.fmean(x), statistics.fmean(y)
    sx, sy = statistics.pstdev(x), statistics.pstdev(y)
    a, b = [(v - mx) / sx for v in x], [(v - my) / sy for v in y]
    r = sum(p * q for p, q in zip(a, b)) / w
    e = [(p * q - r * (p * p + q * q) / 2) / w for p, q in zip(a, b)]
    return math.atanh(r), sum(v * v for v in e) / (1 - r * r) ** 2

def quantile(x, p, n):
    x, w = sorted(x), len(x)
    at = lambda q: x[min(max(math.ceil(q * w) - 1, 0), w - 1)]
    step = math.sqrt(p * (1 - p) / w)
    f = (at(p + step) - at(p - step)) / (2 * step)
    e = [(p - (v <= at(p))) * f / w for v in x]
    return at(p), sum(v * v for v in e) - sum(e) ** 2 / n

def count(hit, n):
    return len(hit), len(hit) - len(hit) ** 2 / n

results = {}
for path in sorted(glob.glob("r/*.csv")):
    rows = list(csv.DictReader(open(path)))
    n, some = len(rows), [row for row in rows if float(row["cost"]) > 150]
    told = [row for row in some if row["age"]]
    ages = {ward: [float(row["age"]) for row in rows if row["ward"] == ward and row["age"]] for ward in "ab"}
    a, b = mean(ages["a"]), mean(ages["b"])
    wards = {ward: [row for row in rows if row["ward"] == ward] for ward in "ab"}
    gap = len(wards["b"]) - len(wards["a"])
    answers = {
        "whole": [count(some, n), mean([row["ward"] == "b" for row in some]), mean([float(row["cost"]) for row in some]),
                  mean([float(row["age"]) for row in told]), quantile([float(row["cost"]) for row in some], 0.25, n),
                  correlation([float(row["age"]) for row in told], [float(row["cost"]) for row in told])],
        "groups": [count(wards["a"], n), count(wards["b"], n), (gap, n - gap * gap / n), a, b, (b[0] - a[0], a[1] + b[1])]}
    for name, list_of in answers.items():
        for i, one in enumerate(list_of):
            results.setdefault((name, i), []).append(one)
assert len(results) == 12 and all(len(one) == 12 for one in results.values())
for name, file in (("whole", "whole.json"), ("groups", "accepted.out")):
    estimates = json.load(open(file))["estimates"]
    assert len(estimates) == 6, estimates
    for i, one in enumerate(estimates):
        with open("results.csv", "w") as out:
            out.write("estimate,variance\n" + "".join(f"{q!r},{u!r}\n" for q, u in results[name, i]))
        text = subprocess.run([os.environ["SEMBLANCE"], "combine", "results.csv", "--json"], check=True, capture_output=True).stdout
        (expected,) = json.loads(text)
        if one["statistic"] == "correlation":
            expected.update({key: math.tanh(expected[key]) for key in ("estimate", "low", "high")})
        for key in ("estimate", "low", "high"):
            assert abs(one[key] - expected[key]) <= 1e-6 * (1 + abs(expected[key])), (one, expected)
PYTHON
