#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A made-up hospital as a package of files: patients, their admissions, lab results, bills, and a public list of wards.

    make_package.py FOLDER [--patients 20000] [--seed 1] [--style german|other] [--plain] [--errors 0]

The files are as messy as real exports: Windows-1252, semicolons, decimal commas, mixed date formats, sentinels, 800 diagnosis codes.
`--style other` is a second hospital with other names, formats and relations. Use it for final figures only: choose no constant on it.
`--plain` writes one date format per column. `--errors` is the share of admissions with a mistyped age and a random ward.

Without errors these rules hold in every row (believable.py counts what breaks them):
- a lab result lies within the stay, and an admission is after the birth;
- paediatrics has no patient of 16 or older, and O codes are of women;
- the age is the year of admission minus the year of birth, or one less;
- the values of a test lie within the test's own range.

No person in it exists; everything follows from the seed."""
import argparse
import datetime
import os
import random

DAY = datetime.timedelta(days=1)
BEGIN, END = datetime.datetime(2019, 1, 1), datetime.datetime(2023, 12, 31)
# Letter, number of codes, weight, wards. 800 codes in all.
CHAPTERS = [("A", 40, 5, "im"), ("C", 80, 9, "oi"), ("E", 60, 6, "im"), ("F", 60, 5, "p"), ("G", 50, 5, "n"), ("H", 30, 2, "s"),
            ("I", 100, 18, "im"), ("J", 70, 10, "im"), ("K", 90, 12, "s"), ("M", 70, 9, "t"), ("N", 50, 6, "s"), ("O", 50, 9, "g"),
            ("R", 20, 3, "m"), ("S", 30, 8, "t")]
# Middle, spread, lowest, highest, digits; "log": the spread is a factor.
TESTS = {"K": (4.2, 0.45, 3, 6, 1), "Na": (139, 3.5, 130, 150, 0), "CRP": (12, "log", 0, 500, 1), "Krea": (1.0, "log", 0.4, 9, 2),
         "Hb": (13.4, 1.8, 6, 19, 1), "Leuko": (8.2, 2.6, 1.5, 40, 1), "Gluk": (105, 28, 50, 450, 0), "TSH": (1.8, "log", 0.1, 12, 2)}
FIRST = {"m": ["Jörg", "Paul", "Tom", "Andrés", "Kemal", "Felix"], "w": ["Anna", "Mária", "Renée", "Özlem", "Ursula", "Zoë"]}
LAST = ["Müller", "Groß", "Weiß", "Bäcker", "Åberg", "Schmidt", "Lindner", "O'Neill", "de la Cruz"]

GERMAN = {
    "files": {"patients": "patienten.csv", "stays": "aufnahmen.csv", "labs": "labor.csv", "bills": "rechnungen.csv", "wards": "stationen.csv"},
    "wards": {"i": "Innere", "m": "Kardiologie", "o": "Onkologie", "p": "Psychiatrie", "n": "Neurologie", "s": "Chirurgie",
              "t": "Unfallchirurgie", "g": "Gynäkologie", "k": "Pädiatrie", "r": "Geriatrie"},
    "sex": {"m": "m", "w": "w"}, "tests": {name: name for name in TESTS}, "missing": ["", "", "k.A."], "unknown_weight": "999",
    "encoding": "windows-1252", "separator": ";", "dates": ["%d.%m.%Y", "%Y-%m-%d"], "times": ["%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M"],
    "rare": 0.12, "comma": True, "dotted": True}
OTHER = {
    "files": {"patients": "people.csv", "stays": "stays.csv", "labs": "results.csv", "bills": "invoices.csv", "wards": "units.csv"},
    "wards": {"i": "General medicine", "m": "Cardiac care", "o": "Cancer centre", "p": "Mental health", "n": "Brain and nerves",
              "s": "Theatre", "t": "Trauma", "g": "Maternity", "k": "Children", "r": "Elderly care"},
    "sex": {"m": "male", "w": "female"},
    "tests": {"K": "potassium", "Na": "sodium", "CRP": "crp", "Krea": "creatinine", "Hb": "haemoglobin", "Leuko": "wbc",
              "Gluk": "glucose", "TSH": "tsh"},
    "missing": ["NULL", "?", ""], "unknown_weight": "-1", "encoding": "utf-8", "separator": ",", "dates": ["%m/%d/%Y", "%d %b %Y"],
    "times": ["%Y-%m-%dT%H:%M:%S", "%m/%d/%Y %H:%M:%S"], "rare": 0.05, "comma": False, "dotted": False}


def all_codes():
    """The 800 codes of each chapter, frequent ones first; the same in every hospital."""
    return {letter: [f"{letter}{20 + i // 4:02d}.{i % 4}" for i in range(count)] for letter, count, _, _ in CHAPTERS}


class Hospital:
    def __init__(self, style, seed, plain, errors):
        self.style, self.chance, self.plain, self.errors = style, random.Random(seed), plain, errors
        self.codes = all_codes()
        self.rows = {name: [] for name in style["files"]}

    def written(self, moment, formats):
        rare = not self.plain and self.chance.random() < self.style["rare"]
        return moment.strftime(formats[1 if rare else 0])

    def number(self, value, digits):
        text = f"{value:.{digits}f}"
        return text.replace(".", ",") if self.style["comma"] else text

    def missing(self):
        return self.chance.choice(self.style["missing"])

    def patient(self, number):
        chance = self.chance
        sex = chance.choice("mw")
        year = chance.choices([chance.randint(1925, 1960), chance.randint(1950, 2002), chance.randint(2003, 2021)], [45, 40, 15])[0]
        born = datetime.datetime(year, 1, 1) + DAY * chance.randint(0, 364)
        first, last = chance.choice(FIRST[sex]), chance.choice(LAST)
        weight = chance.gauss(84 if sex == "m" else 70, 13)
        kept = {"sex": sex, "born": born, "weight": weight}
        known = chance.random() > 0.01
        if self.style is GERMAN:
            kept["key"] = f"P{700000 + 7 * number}"
            row = [kept["key"], last, first, self.style["sex"][sex], self.written(born, self.style["dates"]) if known else "",
                   f"0{chance.randint(1, 9)}{chance.randint(0, 25):03d}" if chance.random() > 0.02 else "00000",
                   chance.choices(["AOK", "Barmer", "TK", "privat"], [40, 20, 28, 12])[0]]
        else:
            kept["key"] = str(31000 + 3 * number)
            row = [kept["key"], f"{first} {last}", self.style["sex"][sex], str(born.year) if known else self.missing(),
                   chance.choices(["north", "city", "coast"], [30, 50, 20])[0],
                   self.written(BEGIN - DAY * chance.randint(0, 3000), self.style["dates"])]
        self.rows["patients"].append(row)
        return kept

    def diagnosis(self, who, age):
        """The chapter depends on sex and age, the code on the chapter."""
        chance = self.chance
        weights = [weight * (0 if letter == "O" and not (who["sex"] == "w" and 16 <= age <= 45) else 3 if letter == "O" else
                             2.5 if letter in "CI" and age > 55 else 0.2 if letter in "CIM" and age < 16 else
                             3 if letter in "JS" and age < 16 else 1) for letter, _, weight, _ in CHAPTERS]
        letter, count, _, wards = chance.choices(CHAPTERS, weights)[0]
        code = self.codes[letter][min(int(chance.expovariate(6 / count)), count - 1)]
        return letter, code if self.style["dotted"] else code.replace(".", ""), wards

    def ward(self, letter, wards, age):
        chance = self.chance
        if age < 16 and letter != "O" and chance.random() < 0.9: return "k"
        if self.style is OTHER and age >= 75 and letter not in "CSO" and chance.random() < 0.5: return "r"
        if self.style is GERMAN and age >= 70 and letter in "IJR" and chance.random() < 0.3: return "r"
        return chance.choices(wards, [3, 1][:len(wards)])[0]

    def stay(self, who, begin):
        """One admission with its lab results and bills. Returns: when it ends."""
        chance, style = self.chance, self.style
        year = begin.year - who["born"].year
        age = year - ((begin.month, begin.day) < (who["born"].month, who["born"].day))
        letter, code, wards = self.diagnosis(who, age)
        ward = self.ward(letter, wards, age)
        length = min(chance.expovariate(1 / (2.5 + age / 15 + (4 if letter in "CF" else 0))), 60)
        end = (begin + DAY * (0.1 + length)).replace(second=0)
        key = str(5000000 + len(self.rows["stays"])) if style is GERMAN else f"S-{100000 + len(self.rows['stays'])}"
        said_age = age
        if chance.random() < self.errors:
            said_age, ward = chance.randint(0, 99), chance.choice(list(style["wards"]))
        weight = who["weight"] * (min(1, 0.2 + age / 20)) + chance.gauss(0, 1.5)
        weight = style["unknown_weight"] if chance.random() < 0.04 else self.number(max(weight, 2.5), 1)
        times = self.written(begin, style["times"]), self.written(end, style["times"])
        if style is GERMAN:
            self.rows["stays"].append([key, who["key"], *times, style["wards"][ward], code, str(said_age), weight])
        else:
            self.rows["stays"].append([who["key"], key, str(said_age), style["wards"][ward], *times, code, weight,
                                       "yes" if length > 3 and chance.random() < 0.4 else "no"])
        self.labs(who, key, letter, begin, end)
        self.bills(who, key, end, length, ward)
        return end

    def labs(self, who, key, letter, begin, end):
        chance, style = self.chance, self.style
        hours = (end - begin) / DAY
        for _ in range(min(int(chance.expovariate(1 / (1.5 + 0.55 * hours))), 40)):
            name = chance.choices(list(TESTS), [22, 20, 14, 12, 12, 10, 8, 2])[0]
            middle, spread, low, high, digits = TESTS[name]
            middle *= {("CRP", "A"): 6, ("CRP", "J"): 4, ("Gluk", "E"): 1.6, ("Krea", "N"): 2.2}.get((name, letter), 1)
            if name == "Hb" and who["sex"] == "w": middle -= 1.4
            value = middle * chance.lognormvariate(0, 0.8 if name == "CRP" else 0.35) if spread == "log" else chance.gauss(middle, spread)
            text = self.number(min(max(value, low), high), digits)
            if chance.random() < 0.01: text = self.missing()
            when = (begin + (end - begin) * chance.random()).replace(second=0, microsecond=0)
            when = max(when, begin)
            row = [key, self.written(when, style["times"][:1] * 2), style["tests"][name], text]
            if style is OTHER: row = [key, style["tests"][name], text, self.written(when, style["times"][:1] * 2)]
            self.rows["labs"].append(row)

    def bills(self, who, key, end, length, ward):
        chance, style = self.chance, self.style
        for part in range(1 if chance.random() < 0.8 else 2):
            sum_ = (350 + 480 * length + chance.expovariate(1 / 400)) * (1.8 if ward in "so" else 1) / (part + 1)
            day = self.written((end + DAY * chance.randint(1, 45)), style["dates"])
            if style is GERMAN:
                whole, _, cents = f"{sum_:,.2f}".partition(".")
                self.rows["bills"].append([f"R{len(self.rows['bills']):07d}", key, day, whole.replace(",", ".") + "," + cents + " €"])
            else:
                self.rows["bills"].append([who["key"], day, f"{sum_:.2f}", chance.choices(["paid", "open", "disputed"], [85, 12, 3])[0]])

    def fill(self, patients):
        for number in range(patients):
            who = self.patient(number)
            first = max(BEGIN, who["born"] + DAY)
            when = first + (END - first) * self.chance.random() * 0.7
            while when < END:
                when = self.stay(who, when.replace(second=0, microsecond=0))
                if self.chance.random() < 0.28: break
                when += DAY * (1 + self.chance.expovariate(1 / 160))
        for letter, name in self.style["wards"].items():
            self.rows["wards"].append([name, f"{'house' if self.style is OTHER else 'Haus'} {'ABC'[len(name) % 3]}", str(12 + 3 * len(name))])

    def write(self, folder):
        heads = {"patients": ["PatNr", "Name", "Vorname", "Geschlecht", "Geburtsdatum", "PLZ", "Kasse"],
                 "stays": ["FallNr", "PatNr", "Aufnahme", "Entlassung", "Station", "Diagnose", "Alter", "Gewicht"],
                 "labs": ["FallNr", "Zeit", "Test", "Wert"], "bills": ["RechNr", "FallNr", "Datum", "Betrag"],
                 "wards": ["Station", "Haus", "Betten"]}
        if self.style is OTHER:
            heads = {"patients": ["mrn", "full_name", "gender", "birth_year", "area", "registered"],
                     "stays": ["mrn", "stay", "age", "unit", "arrived", "left", "code", "kg", "transfer"],
                     "labs": ["stay", "analyte", "value", "taken"], "bills": ["mrn", "issued", "amount", "state"],
                     "wards": ["unit", "building", "beds"]}
        os.makedirs(folder, exist_ok=True)
        for name, file in self.style["files"].items():
            with open(os.path.join(folder, file), "w", encoding=self.style["encoding"], newline="") as out:
                end = "\r\n" if self.style is GERMAN else "\n"
                for row in [heads[name], *self.rows[name]]: out.write(self.style["separator"].join(row) + end)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--patients", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--style", choices=["german", "other"], default="german")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--errors", type=float, default=0.0)
    given = parser.parse_args()
    hospital = Hospital(GERMAN if given.style == "german" else OTHER, given.seed, given.plain, given.errors)
    hospital.fill(given.patients)
    hospital.write(given.folder)


if __name__ == "__main__":
    main()
