#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A hospital's table end to end, by the commands of the README: inspect, edit, check, plan, synth, evaluate.
#
#     bench/hospital/run.sh SEMBLANCE [FOLDER [ROWS]]
#
# Then the same table as one of visits: a patient with up to 3 that count is protected, ids and names are made up, and every row keeps
# four rules.
#
# Fails where a cell of the output is out of its domain, a health figure is further than five deviations from the truth, a row breaks a
# rule or an id is not as declared.
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
"$semblance" schema inspect hospital.csv -o inspected.json
"$semblance" schema accept inspected.json --take spikes
# What an owner edits: plain bounds that are known anyway, the label, what names people.
/usr/bin/python3 - <<'PY'
import json
schema = json.load(open("inspected.json"))
facts = {"age": (0, 110), "height_cm": (40, 220), "weight_kg": (2, 250), "systolic": (50, 250), "diastolic": (20, 160), "hours_icu": (0, 720),
         "hours_ventilated": (0, 720), "cost": (0, 200000), "copay_percent": (0, 100)}
for field in schema["fields"]:
    if field["name"] in facts:
        field["constraints"]["minimum"], field["constraints"]["maximum"] = facts[field["name"]]
    if field["name"] in ("visit_id", "patient_id", "postcode"):
        field["semblance"] = {"role": "ignore"}
schema["semblance"]["label"] = "readmitted"
json.dump(schema, open("hospital.json", "w"), indent=2)
PY
"$semblance" schema check hospital.json hospital.csv > checked.txt
cat checked.txt
"$semblance" plan --schema hospital.json --epsilon 1 --delta 1e-6 -n "$rows"
time "$semblance" synth hospital.csv --schema hospital.json --epsilon 1 --delta 1e-6 -o synthetic.csv
"$semblance" schema check hospital.json synthetic.csv > output.txt
if grep -E 'unparseable|out of range|unknown category|cell not there|required' output.txt; then
    echo "a synthetic cell is out of its domain" >&2
    exit 1
fi
/usr/bin/python3 "$here"/check_domain.py hospital.json synthetic.csv
"$here"/check_health.py checked.txt synthetic.csv.certificate.json "$rows"
# The same table and a schema with mistakes in it: an insurer forgotten, a bound too low, a date format of another country.
/usr/bin/python3 - <<'PY'
import json
schema = json.load(open("hospital.json"))
for field in schema["fields"]:
    if field["name"] == "insurer":
        field["constraints"]["enum"].remove("privat")
    if field["name"] == "weight_kg":
        field["constraints"]["maximum"] = 100
    if field["name"] == "birth_date":
        field["format"] = "%m/%d/%Y"
json.dump(schema, open("mistaken.json", "w"), indent=2)
PY
"$semblance" schema check mistaken.json hospital.csv > mistaken.txt
"$semblance" synth hospital.csv --schema mistaken.json --epsilon 1 --delta 1e-6 --method marginals --health tell -o mistaken.csv
"$here"/check_health.py mistaken.txt mistaken.csv.certificate.json "$rows"
"$semblance" evaluate --real test.csv --synthetic synthetic.csv --train hospital.csv --schema hospital.json --report report.html
# Visits of patients.
/usr/bin/python3 - <<'PY'
import json
schema = json.load(open("hospital.json"))
made = {"visit_id": {"role": "id"}, "patient_id": {"role": "id", "id": "P-######"}, "name": {"role": "fake", "fake": "name"}}
for field in schema["fields"]:
    if field["name"] in made:
        field["semblance"] = made[field["name"]]
    if field["name"] in ("admission", "discharge"):
        field["constraints"]["required"] = True
schema["semblance"].update(unit="patient_id", max_rows_per_unit=3, constraints=[
    "admission <= discharge", "diastolic < systolic", "hours_ventilated <= hours_icu", "if ward = maternity then sex = w"])
json.dump(schema, open("visits.json", "w"), indent=2)
PY
"$semblance" ledger init visits.ledger --rows-per-person 3 --quiet
time "$semblance" synth hospital.csv --schema visits.json --epsilon 1 --delta 1e-6 --expect-rows "$rows" --ledger visits.ledger -o visits.csv
"$semblance" verify visits.csv.certificate.json --ledger visits.ledger > verified.txt
/usr/bin/python3 "$here"/check_visits.py visits.csv hospital.csv 3
