#!/usr/bin/env bash
# A hospital's table end to end, by the commands of the README: guess, edit, check, plan, synth, evaluate.
#
#     bench/hospital/run.sh SEMBLANCE [FOLDER [ROWS]]
#
# Fails where a cell of the output is out of its domain, or a health figure is further than five deviations from the truth.
set -eu
semblance=$(realpath "${1:?usage: bench/hospital/run.sh SEMBLANCE [FOLDER [ROWS]]}")
out=${2:-build/hospital}
rows=${3:-100000}
here=$(dirname "$(realpath "$0")")
rm -rf "$out"
mkdir -p "$out"
cd "$out"
/usr/bin/python3 "$here"/make_hospital.py "$rows" 1 > hospital.csv
/usr/bin/python3 "$here"/make_hospital.py $((rows / 5)) 2 > test.csv
"$semblance" schema guess hospital.csv -o guessed.json
# What an owner edits: plain bounds that are known anyway, the label, what names people.
/usr/bin/python3 - <<'PY'
import json
schema = json.load(open("guessed.json"))
facts = {"age": (0, 110), "height_cm": (40, 220), "weight_kg": (2, 250), "systolic": (50, 250), "diastolic": (20, 160), "hours_icu": (0, 720),
         "hours_ventilated": (0, 720), "cost": (0, 200000), "copay_percent": (0, 100)}
for field in schema["fields"]:
    if field["name"] in facts:
        field["constraints"]["minimum"], field["constraints"]["maximum"] = facts[field["name"]]
    if field["name"] in ("cost", "hours_icu", "hours_ventilated"):
        field["semblance"]["transform"] = "log"
    if field["name"] in ("visit_id", "patient_id", "postcode"):
        field["semblance"] = {"role": "ignore"}
schema["semblance"]["label"] = "readmitted"
json.dump(schema, open("hospital.json", "w"), indent=2)
PY
"$semblance" schema check hospital.json hospital.csv > checked.txt
cat checked.txt
"$semblance" plan --schema hospital.json --epsilon 1 --delta 1e-6 --n "$rows"
time "$semblance" synth hospital.csv --schema hospital.json --epsilon 1 --delta 1e-6 -o synthetic.csv
"$semblance" schema check hospital.json synthetic.csv > output.txt
if grep -E 'unparseable|out of range|unknown category|cell not there|required' output.txt; then
    echo "a synthetic cell is out of its domain" >&2
    exit 1
fi
/usr/bin/python3 - "$rows" <<'PY'
import json, re, sys
truth = {}
for line in open("checked.txt"):
    name, _, counts = line.rstrip().partition(": ")
    found = [int(n) for n, what in re.findall(r"(\d+) (unparseable|out of range|unknown category|cell not there|missing though required)", counts)]
    if counts == "all cells good" or re.match(r"\d+ ", counts):
        truth[name] = sum(found) / int(sys.argv[1]) * 1e4
for figure in json.load(open("synthetic.csv.certificate.json"))["health"]:
    off = abs(figure["misfits"] - truth[figure["column"]]) / max(figure["deviation"], 1)
    print(f"{figure['column']:18} misfits {figure['misfits'] / 100:6.2f} %, true {truth[figure['column']] / 100:6.2f} % (NOT PRIVATE), {off:.1f} deviations off")
    if off > 5:
        sys.exit("a health figure is too far from the truth")
PY
"$semblance" evaluate --real test.csv --synthetic synthetic.csv --train hospital.csv --schema hospital.json --report report.html
