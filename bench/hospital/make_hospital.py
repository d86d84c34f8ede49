#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A made-up hospital's table, as such tables come: semicolons, Windows-1252, decimal commas, German dates, ids, names, remarks, 300
codes, hours that are mostly zero, an empty and a constant column, several visits per patient.

    make_hospital.py [ROWS [SEED]] > hospital.csv

Nobody in it exists; everything follows from the seed."""
import random
import sys

COLUMNS = ["visit_id", "patient_id", "name", "birth_date", "sex", "postcode", "admission", "discharge", "ward", "diagnosis", "insurer",
           "age", "height_cm", "weight_kg", "systolic", "diastolic", "hours_icu", "hours_ventilated", "cost", "copay_percent", "smoker",
           "readmitted", "country", "remark", "old_system_id"]
FIRST = ["Anna", "Jörg", "Mária", "Özlem", "Paul", "Renée", "Sofia", "Tom", "Ursula", "Zoë"]
LAST = ["Müller", "Groß", "Šimić", "Weiß", "Bäcker", "Novák", "Åberg", "Schmidt"]
WARDS = ["cardiology", "emergency", "geriatrics", "intensive care", "maternity", "neurology", "oncology", "orthopaedics", "surgery"]
INSURERS = ["AOK", "Barmer", "DAK", "TK", "privat"]
REMARKS = ["", "", "", "Rückruf erbeten", "siehe Akte; Blatt 2", 'Patient sagt "nein"', "allergisch auf Penicillin"]


def comma(value, digits):
    whole, _, part = f"{value:.{digits}f}".partition(".")
    return whole + ("," + part if part else "")


def euros(value):
    """1.234,56 €"""
    whole, _, part = f"{value:,.2f}".partition(".")
    return whole.replace(",", ".") + "," + part + " €"


def date(chance, year):
    return f"{chance.randint(1, 28):02d}.{chance.randint(1, 12):02d}.{year}"


def patient(chance, number):
    """What is the same at every visit."""
    born = chance.choice([chance.randint(1930, 1965), chance.randint(1940, 2015)])
    sex = chance.choice("mw")
    tall = chance.gauss(178 if sex == "m" else 165, 7)
    return {"patient_id": 500000 + number, "name": f"{chance.choice(FIRST)} {chance.choice(LAST)}-{number}", "birth_date": date(chance, born),
            "sex": sex, "postcode": f"0{chance.randint(1, 9)}{chance.randint(0, 30):03d}", "insurer": chance.choices(INSURERS, [30, 20, 15, 25, 10])[0],
            "height_cm": round(tall), "weight_kg": tall - 100 + chance.gauss(0, 12), "smoker": "ja" if chance.random() < 0.25 else "nein",
            "born": born}


def visit(chance, number, who):
    age = 2024 - who["born"]
    ward = chance.choices(WARDS, [12, 20, 3 + age / 8, 5, 6, 9, 10, 12, 14])[0]
    # 300 codes, few of them frequent.
    diagnosis = f"{'ABCDEFGHIJ'[WARDS.index(ward)]}{min(int(chance.expovariate(0.12)), 29):02d}.{chance.randint(0, 1)}"
    stay = min(int(chance.expovariate(1 / (2 + age / 20))), 60)
    day, month = chance.randint(1, 20), chance.randint(1, 12)
    icu = 0.0 if chance.random() < (0.3 if ward == "intensive care" else 0.93) else min(chance.expovariate(1 / 60), 720)
    air = 0.0 if icu == 0 or chance.random() < 0.6 else icu * chance.random()
    systolic = min(max(round(chance.gauss(112 + age / 3, 15)), 70), 230)
    cost = 400 + 610 * stay + 95 * icu + 40 * air + chance.expovariate(1 / 500)
    return {**who, "visit_id": 9000000 + number, "admission": f"{day:02d}.{month:02d}.2023 {chance.randint(0, 23):02d}:{chance.choice([0, 15, 30, 45]):02d}",
            "discharge": f"{min(day + stay, 28):02d}.{month:02d}.2023 {chance.choice([10, 11, 14]):02d}:00", "ward": ward, "diagnosis": diagnosis, "age": age,
            "weight_kg": comma(max(who["weight_kg"], 2.5), 1), "systolic": systolic if chance.random() > 0.06 else "NA",
            "diastolic": round(systolic * 0.62 + chance.gauss(0, 6)) if chance.random() > 0.06 else "", "hours_icu": comma(icu, 1),
            "hours_ventilated": comma(air, 1), "cost": euros(cost), "copay_percent": f"{chance.choice([0, 0, 5, 10])} %",
            "readmitted": int(chance.random() < 0.08 + age / 500 + (0.1 if icu else 0)), "country": "DE", "remark": chance.choice(REMARKS), "old_system_id": ""}


def cell(value):
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ';"\n') else text


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    out = open(sys.stdout.fileno(), "w", encoding="windows-1252", errors="replace", newline="\n", closefd=False)
    print("# Export of the ward system, made up", file=out)
    print(";".join(COLUMNS), file=out)
    people, number = [], 0
    while number < rows:
        if not people or chance.random() < 0.6:
            people.append(patient(chance, len(people)))
        record = visit(chance, number, people[-1] if chance.random() < 0.7 else chance.choice(people))
        print(";".join(cell(record[name]) for name in COLUMNS), file=out)
        number += 1
    out.flush()


main()
