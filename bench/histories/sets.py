# SPDX-License-Identifier: Apache-2.0
"""Persons with histories: four public sets, as tables with a schema, and their persons split in halves.

Three lie in one folder (--data, or HISTORIES_DATA), the fourth is generated:
  cdnow     CDNOW_master.txt, purchases (id, day, quantity, amount)
            (github.com/xiaobeicheng/User-consumption-data)
  insteval  insteval.csv, ratings (Debian: r-cran-lme4)
            Rscript -e 'write.csv(lme4::InstEval, "insteval.csv", row.names = FALSE)'
  berka     berka/{account,client,disp,district,loan,order}.asc, accounts of a bank (github.com/mmarossi/Banco)
  hospital  visits, by bench/utility/persons.py
"""
import dataclasses
import os

import numpy
import pandas

import persons as generator


@dataclasses.dataclass
class Table:
    """Rows of persons in their order; `most` rows of a person count."""
    name: str
    fields: list
    most: int
    rows: pandas.DataFrame
    order: str = None


@dataclasses.dataclass
class Set:
    """Persons by id with their own columns, and what hangs on them. One table: it has the persons' columns too."""
    unit: str
    fields: list
    persons: pandas.DataFrame
    tables: list
    caps: tuple = ()  # max_rows_per_unit of independent rows, for comparison

    @property
    def linked(self):
        return len(self.tables) > 1

    def half(self, ids):
        tables = [dataclasses.replace(t, rows=t.rows[t.rows[self.unit].isin(ids)].reset_index(drop=True))
                  for t in self.tables]
        return dataclasses.replace(self, persons=self.persons.loc[ids], tables=tables)

    def halves(self, split):
        """To fit, and to measure against."""
        order = numpy.random.RandomState(split).permutation(len(self.persons))
        middle = len(order) // 2
        return [self.half(self.persons.index[numpy.sort(part)]) for part in (order[:middle], order[middle:])]

    def alone(self, table):
        """One of the tables, with the persons' columns, as a set of its own."""
        return dataclasses.replace(self, tables=[table])

    def joined(self, table):
        """Rows with the columns of the person they belong to."""
        return table.rows.join(self.persons, on=self.unit)

    def schema(self, most=None):
        """Of one table; `most`: another cap."""
        table = self.tables[0]
        own = [{**field, "semblance": {**field.get("semblance", {}), "per": "unit"}} for field in self.fields]
        options = {"unit": self.unit, "max_rows_per_unit": most or table.most}
        if table.order:
            options["order"] = table.order
        return {"fields": [{"name": self.unit, "type": "string"}, *own, *table.fields], "semblance": options}

    def package(self):
        """Of linked tables: the persons' table has the key, every other one refers to it."""
        key = {"name": self.unit, "type": "string"}
        parent = {"name": self.unit.removesuffix("_id"), "path": "persons.csv",
                  "schema": {"fields": [key, *self.fields], "primaryKey": self.unit}}
        children = [{"name": t.name, "path": f"{t.name}.csv", "schema": {
            "fields": [key, *t.fields], "semblance": {"max_rows_per_unit": t.most},
            "foreignKeys": [{"fields": self.unit, "reference": {"resource": parent["name"], "fields": self.unit}}],
        }} for t in self.tables]
        return {"name": self.unit.removesuffix("_id"), "resources": [parent, *children]}

    def write(self, folder):
        if self.linked:
            self.persons.to_csv(os.path.join(folder, "persons.csv"), index_label=self.unit)
        for table in self.tables:
            rows = table.rows if self.linked else self.joined(table)
            names = [self.unit] + [f["name"] for f in ([] if self.linked else self.fields) + table.fields]
            rows[names].to_csv(os.path.join(folder, f"{table.name}.csv"), index=False)


def category(name, values, ordered=False):
    field = {"name": name, "type": "string", "constraints": {"required": True}, "categories": [str(v) for v in values]}
    return {**field, "categoriesOrdered": True} if ordered else field


def number(name, low, high, type="integer", **options):
    field = {"name": name, "type": type, "constraints": {"minimum": low, "maximum": high, "required": True}}
    return {**field, "semblance": options} if options else field


def cdnow(folder):
    rows = pandas.read_csv(os.path.join(folder, "CDNOW_master.txt"), sep=r"\s+", dtype={"id": str},
                           names=["id", "day", "quantity", "amount"])
    rows["day"] = pandas.to_datetime(rows.day.astype(str)).dt.strftime("%Y-%m-%d")
    rows = rows.sort_values(["id", "day"], kind="stable").reset_index(drop=True)
    fields = [number("day", "2021-01-01", "2022-06-30", "date"), number("quantity", 1, 99, transform="log"),
              number("amount", 0, 1300, "number", decimals=2, transform="log")]
    persons = pandas.DataFrame(index=sorted(rows.id.unique()))
    return Set("id", [], persons, [Table("purchases", fields, 50, rows, order="day")], caps=(10, 20))


def insteval(folder):
    rows = pandas.read_csv(os.path.join(folder, "insteval.csv"), dtype=str).rename(columns={"s": "student"})
    listed = lambda name: sorted(rows[name].unique(), key=int)
    fields = [category("lectage", listed("lectage"), True), category("dept", listed("dept")),
              category("service", listed("service")), category("y", listed("y"), True)]
    own = [category("studage", listed("studage"), True)]
    persons = rows.groupby("student")[["studage"]].first()
    persons = persons.loc[sorted(persons.index, key=int)]
    rows = rows[["student"] + [f["name"] for f in fields]]
    return Set("student", own, persons, [Table("ratings", fields, 64, rows)], caps=(20, 50))


def hospital(_, count=16000, seed=5):
    generator.PERSONS = count
    fields = {field["name"]: field for field in generator.SCHEMA["fields"]}
    rows = pandas.DataFrame(generator.visits(seed), columns=list(fields))
    own, event = ["sex", "region", "born"], ["ward", "again", "days", "cost"]
    persons = rows.groupby("patient")[own].first()
    return Set("patient", [fields[n] for n in own], persons,
               [Table("visits", [fields[n] for n in event], 30, rows[["patient"] + event])], caps=(3, 10))


def berka(folder):
    read = lambda name: pandas.read_csv(os.path.join(folder, "berka", f"{name}.asc"), sep=";",
                                        dtype={"birth_number": str})
    region = read("district").set_index("A1").A3
    accounts = read("account").sort_values("account_id").set_index("account_id")
    accounts = pandas.DataFrame({"region": accounts.district_id.map(region), "frequency": accounts.frequency,
                                 "year": accounts.date // 10000 + 1900})
    clients = read("disp").merge(read("client"), on="client_id")
    clients = clients.sort_values(["account_id", "type"], ascending=[True, False])  # the owner first
    month = clients.birth_number.str[2:4].astype(int)
    clients = pandas.DataFrame({"account_id": clients.account_id, "sex": numpy.where(month > 50, "f", "m"),
                                "born": 1900 + clients.birth_number.str[:2].astype(int),
                                "home": clients.district_id.map(region)})
    orders = read("order").sort_values(["account_id", "order_id"])
    orders = orders.rename(columns={"bank_to": "bank", "k_symbol": "purpose"})
    orders["purpose"] = orders.purpose.str.strip().replace("", "other")
    loans = read("loan").sort_values("account_id").rename(columns={"amount": "lent", "duration": "months"})
    listed = lambda column: sorted(column.unique())
    regions = listed(region)
    own = [category("region", regions), category("frequency", listed(accounts.frequency)), number("year", 1993, 1997)]
    tables = [
        Table("clients", [category("sex", ["f", "m"]), number("born", 1900, 1999), category("home", regions)],
              2, clients),
        Table("orders", [category("bank", listed(orders.bank)), category("purpose", listed(orders.purpose)),
                         number("amount", 0, 15000, "number", decimals=2)], 5, orders),
        Table("loans", [category("status", listed(loans.status)), category("months", listed(loans.months), True),
                        number("lent", 0, 600000)], 1, loans)]
    return Set("account_id", own, accounts, tables)


SETS = {"cdnow": cdnow, "insteval": insteval, "hospital": hospital, "berka": berka}
