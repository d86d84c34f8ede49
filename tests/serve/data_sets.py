# SPDX-License-Identifier: Apache-2.0
"""Small data sets for tests of `semblance serve`, written with the standard library."""
import datetime
import gzip
import json
import os
import random
import struct
import zlib

SIDE = 12


def bars(count, classes=3, seed=1):
    """(label, rows of grey pixels): an upright bar, a level one, a diagonal, with noise."""
    draw = random.Random(seed)
    for i in range(count):
        label = i % classes
        rows = []
        for y in range(SIDE):
            on = [(label == 0 and 3 <= x <= 5) or (label == 1 and 3 <= y <= 5) or (label == 2 and abs(x - y) < 2) for x in range(SIDE)]
            rows.append(bytes(max(0, min(255, (220 if one else 20) + draw.randrange(-20, 20))) for one in on))
        yield label, rows


def write_idx(folder, count):
    """An IDX pair, the labels as gzip; the name of the images."""
    images = list(bars(count))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "train-images-idx3-ubyte"), "wb") as file:
        file.write(struct.pack(">IIII", 0x803, count, SIDE, SIDE) + b"".join(b"".join(rows) for _, rows in images))
    with gzip.open(os.path.join(folder, "train-labels-idx1-ubyte.gz"), "wb") as file:
        file.write(struct.pack(">II", 0x801, count) + bytes(label for label, _ in images))
    return "train-images-idx3-ubyte"


def png(rows):
    """Grey, 8 bits."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b"")


def write_pngs(folder, count):
    """A folder for each class."""
    for i, (label, rows) in enumerate(bars(count, classes=2)):
        place = os.path.join(folder, ("left", "right")[label])
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"{i:04}.png"), "wb") as file:
            file.write(png(rows))


def people(count, seed=3):
    """(region, born, paid), of whom nobody exists."""
    draw = random.Random(seed)
    return [(draw.choice(["north", "south"]), 1950 + draw.randrange(50), round(draw.random() * 90, 2)) for _ in range(count)]


PEOPLE = {"fields": [{"name": "region", "type": "string", "constraints": {"enum": ["north", "south"], "required": True}},
                     {"name": "born", "type": "integer", "constraints": {"minimum": 1920, "maximum": 2010, "required": True}},
                     {"name": "paid", "type": "number", "constraints": {"minimum": 0, "maximum": 100, "required": True}, "semblance": {"decimals": 2}}]}


SHOP = {"resources": [
    {"name": "regions", "path": "regions.csv", "semblance": {"public": True},
     "schema": {"primaryKey": "region", "fields": [{"name": "region", "type": "string"}, {"name": "capital", "type": "string"}]}},
    {"name": "customers", "path": "customers.csv",
     "schema": {"primaryKey": "id", "foreignKeys": [{"fields": "region", "reference": {"resource": "regions", "fields": "region"}}],
                "fields": [{"name": "id", "type": "integer"}, {"name": "region", "type": "string", "constraints": {"required": True}},
                           {"name": "born", "type": "integer", "constraints": {"minimum": 1920, "maximum": 2010, "required": True}}]}},
    {"name": "orders", "path": "orders.csv", "schema": "orders.schema.json"}]}
ORDERS = {"foreignKeys": [{"fields": "customer", "reference": {"resource": "customers", "fields": "id"}}],
          "fields": [{"name": "customer", "type": "integer"},
                     {"name": "price", "type": "number", "constraints": {"minimum": 0, "maximum": 500, "required": True}, "semblance": {"decimals": 2}}],
          "semblance": {"max_rows_per_unit": 5}}


def write_shop(folder, customers, seed=7):
    """Customers, their orders, and regions, which are public; the name of the package."""
    draw = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    people, orders = ["id,region,born"], ["customer,price"]
    for i in range(1, customers + 1):
        south = draw.random() < 0.4
        people.append(f"{i},{'south' if south else 'north'},{1950 + draw.randrange(50)}")
        orders += [f"{i},{(40 if south else 20) * (1 + draw.random()):.2f}" for _ in range(draw.randrange(4))]
    texts = {"regions.csv": "region,capital\nnorth,Ayr\nsouth,Bath\n", "customers.csv": "\n".join(people) + "\n", "orders.csv": "\n".join(orders) + "\n",
             "datapackage.json": json.dumps(SHOP), "orders.schema.json": json.dumps(ORDERS)}
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return "datapackage.json"


def write_hospital(folder, patients, seed=5):
    """A small made-up hospital: patients, their visits, lab results of each visit; the names of the files."""
    draw = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    tables = {"patients.csv": ["patient,sex,born"], "visits.csv": ["visit,patient,admitted,ward"], "labs.csv": ["visit,test,value"]}
    visit = 1000
    for i in range(1, patients + 1):
        tables["patients.csv"].append(f"P{i:05},{draw.choice('fm')},{draw.randrange(1940, 2015)}")
        for _ in range(draw.randrange(1, 4)):
            visit += 1
            day = datetime.date(2023, 1, 1) + datetime.timedelta(days=draw.randrange(700))
            tables["visits.csv"].append(f"{visit},P{i:05},{day},{draw.choice(['eyes', 'skin', 'heart'])}")
            for _ in range(draw.randrange(4)):
                is_potassium = draw.random() < 0.5
                tables["labs.csv"].append(f"{visit},K,{4 + draw.random():.1f}" if is_potassium else f"{visit},Na,{135 + 10 * draw.random():.1f}")
    for name, rows in tables.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")
    return list(tables)
