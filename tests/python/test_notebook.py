#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows of a sample, a plan, a schema, an evaluation and a synthesizer, without any other package."""
import copy
import html.parser
import io
import json
import pickle
import sys
import tempfile
import unittest
import unittest.mock
import warnings
from pathlib import Path

import semblance
from semblance import Schema, Synthesizer, _progress, _synthesizer

import people

HOSTILE = "<script>alert(1)</script>"
# Its names and categories are markup that a page must not run.
MARKUP = {
    "fields": [
        {"name": HOSTILE, "type": "string", "constraints": {"enum": ["<img src=x onerror=alert(1)>", "&amp;"], "required": True}},
        {"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": True}},
    ],
    "missingValues": [""],
    "semblance": {"label": HOSTILE, "task": "classification"},
}  # fmt: skip


class Tables(html.parser.HTMLParser):
    """The cells of the tables of a page, row by row, and all tags."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.tags, self._open = [], set(), False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._open = True

    def handle_endtag(self, tag):
        self._open = self._open and tag not in ("td", "th")

    def handle_data(self, data):
        if self._open:
            self.rows[-1][-1] += data


def setUpModule():
    """Two fits that the tests draw from."""
    global fitted, markup, folder
    folder = tempfile.TemporaryDirectory()
    path = people.write(Path(folder.name) / "people.csv", 600)
    fitted = Synthesizer(epsilon=4, schema=people.SCHEMA, method="marginals").fit(path)
    other = Path(folder.name) / "markup.csv"
    other.write_text(f'"{HOSTILE}",n\n' + "".join(f"&amp;,{row % 10}\n<img src=x onerror=alert(1)>,{row % 7}\n" for row in range(200)))
    markup = Synthesizer(epsilon=9, schema=MARKUP, method="marginals").fit(other)


def tearDownModule():
    folder.cleanup()


class Samples(unittest.TestCase):
    def test_a_sample_reads_like_a_table(self):
        sample = fitted.sample(200, seed=3)
        rows = sample.to_dict()
        self.assertEqual(len(sample), 200)
        self.assertEqual([*sample], people.NAMES)
        self.assertEqual([*reversed(sample)], people.NAMES[::-1])
        self.assertEqual({name: sample[name] for name in sample}, rows)
        self.assertEqual(dict(sample), rows)
        self.assertEqual({**sample}, rows)
        self.assertEqual([*sample.items()], [*rows.items()])
        self.assertEqual([*sample.values()], [*rows.values()])
        self.assertEqual(sample.get("town"), rows["town"])
        self.assertIsNone(sample.get("no"))
        self.assertTrue("town" in sample and "no" not in sample)
        with self.assertRaises(KeyError):
            sample["no"]

    def test_a_sample_is_a_dict_as_pandas_asks_and_draws_columns_once(self):
        sample = fitted.sample(50, seed=4)
        self.assertIsInstance(sample, dict)
        with unittest.mock.patch.object(sample, "to_dict", wraps=sample.to_dict) as drawn:
            read = {name: sample[name] for name in sample.keys()}
        self.assertEqual((read, drawn.call_count), (sample.to_dict(), 1))

    def test_a_sample_cannot_be_changed(self):
        sample = fitted.sample(20, seed=5)
        before = sample.to_dict()
        sample["age"].clear()
        sample.copy()["age"].clear()
        self.assertEqual(dict(sample), before)
        for change in (lambda: sample.update(age=[]), sample.clear, lambda: sample.pop("age"), lambda: sample.__setitem__("age", []),
                       lambda: sample.__delitem__("age"), lambda: sample.setdefault("age", []), sample.popitem, lambda: sample | {}):
            with self.assertRaisesRegex(TypeError, "to_dict"):
                change()
        self.assertEqual(dict(sample), before)
        self.assertIs(copy.deepcopy(copy.copy(sample)), sample)
        with self.assertRaisesRegex(TypeError, "Synthesizer"):
            pickle.dumps(sample)
        self.assertEqual(len({sample, fitted.sample(20, seed=5)}), 2)

    def test_a_sample_is_fitted_and_compared_as_before(self):
        sample = fitted.sample(300, seed=6)
        again = Synthesizer(epsilon=9, schema=people.SCHEMA, method="marginals").fit(sample)
        self.assertEqual([*again.sample(5)], people.NAMES)
        self.assertIn("marginals", semblance.evaluate(sample, fitted.sample(300), people.SCHEMA, models="none").to_dict())

    def test_head_gives_the_first_rows(self):
        sample = fitted.sample(200, seed=3)
        rows = sample.to_dict()
        self.assertEqual(sample.head(), {name: values[:5] for name, values in rows.items()})
        self.assertEqual(sample.head(7), {name: values[:7] for name, values in rows.items()})
        self.assertEqual({*map(len, sample.head(0).values())}, {0})
        self.assertEqual(len(sample.head(900)["age"]), 200)
        with self.assertRaisesRegex(semblance.OptionError, "n must be at least 0"):
            sample.head(-1)
        lines = repr(sample.head(3)).splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual(lines[0].split(), people.NAMES)
        self.assertEqual(lines[1].split()[0], str(rows["age"][0]))
        table = Tables(sample.head(3)._repr_html_()).rows
        self.assertEqual(table[0], people.NAMES)
        self.assertEqual([row[0] for row in table[1:]], [str(age) for age in rows["age"][:3]])

    def test_the_first_rows_of_persons(self):
        event = {"name": "day", "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": True}}
        schema = {"fields": [{"name": "who", "type": "integer"}, event], "semblance": {"unit": "who", "order": "day", "max_rows_per_unit": 3}}
        path = Path(folder.name) / "events.csv"
        path.write_text("who,day\n" + "".join(f"{person},{day}\n" for person in range(200) for day in range(1 + person % 3)))
        sample = Synthesizer(epsilon=9, schema=schema).fit(path).sample(persons=40, seed=1)
        rows = sample.to_dict()
        self.assertEqual(len(sample), len(rows["day"]))
        self.assertEqual(sample.head(4), {name: values[:4] for name, values in rows.items()})

    def test_the_html_of_a_sample_shows_its_first_rows(self):
        sample = fitted.sample(200, seed=3)
        table = Tables(sample._repr_html_()).rows
        self.assertEqual((len(table), table[0]), (6, people.NAMES))
        self.assertIn("epsilon 4", sample._repr_html_())


class Pages(unittest.TestCase):
    def test_a_plan_is_a_text_and_a_table(self):
        plan = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals").plan(4000)
        self.assertIsInstance(plan, str)
        self.assertEqual((repr(plan), plan.to_dict()["method"]), (str(plan), "marginals"))
        page = plan._repr_html_()
        table = Tables(page).rows
        self.assertEqual(len(table), 1 + len(plan.to_dict()["blocks"]))
        self.assertEqual(table[1][1], str(plan.to_dict()["blocks"][0]["values"]))
        for words in ("method marginals", "epsilon 1, delta 1e-05", "A fit takes about", "4000 records"):
            self.assertIn(words, page)
        few = Synthesizer(epsilon=1, schema=people.SCHEMA).plan(30)._repr_html_()
        self.assertIn("<b>Warning:</b> at this epsilon 30 rows are few", few)

    def test_the_plan_of_images_is_a_table(self):
        pixels = memoryview(bytes(60 * 64)).cast("B", (60, 8, 8))
        plan = Synthesizer(epsilon=1, method="merf", features=16, hidden=[4], latent=2, steps=2, batch=10).plan(60, data=pixels)
        self.assertEqual(len(Tables(plan._repr_html_()).rows), 1 + len(plan.to_dict()["blocks"]))
        self.assertIn("60 images", plan._repr_html_())

    def test_a_schema_is_a_table(self):
        table = Tables(Schema(people.SCHEMA)._repr_html_()).rows
        self.assertEqual([row[0] for row in table[1:]], people.NAMES)
        self.assertEqual(table[1], ["age", "integer", "18 to 90", "no", ""])
        self.assertEqual(table[-1], ["wage", "string", "low, high", "no", "label"])
        self.assertNotIn("NOT PRIVATE", Schema(people.SCHEMA)._repr_html_())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inspected = Schema.inspect(fitted.sample(100, seed=1))
        self.assertIn("NOT PRIVATE", inspected._repr_html_())
        self.assertNotIn("NOT PRIVATE", inspected.accept()._repr_html_())

    def test_a_package_is_a_table_for_each_of_its_tables(self):
        keys = [{"fields": "who", "reference": {"resource": "people", "fields": "id"}}]
        town = {"name": "town", "type": "string", "constraints": {"enum": [f"t{number}" for number in range(9)], "required": True}}
        dose = {"name": "dose", "type": "number", "constraints": {"minimum": 0, "maximum": 10, "required": True}}
        package = Schema({"resources": [
            {"name": "people", "path": "p.csv", "schema": {"primaryKey": "id", "fields": [{"name": "id", "type": "integer"}, town]}},
            {"name": "doses", "path": "d.csv", "schema": {"foreignKeys": keys, "fields": [{"name": "who", "type": "integer"}, dose],
                                                         "semblance": {"max_rows_per_unit": 4}}},
        ]})  # fmt: skip
        page = package._repr_html_()
        self.assertEqual((page.count("<table>"), page.count("<caption>people"), page.count("<caption>doses")), (2, 1, 1))
        self.assertIn("t0, t1, t2, t3, t4, t5, and 3 more", page)
        self.assertIn("<table>", Synthesizer(epsilon=1, schema=package).plan(500)._repr_html_())

    def test_an_evaluation_is_a_table_that_says_not_private(self):
        found = semblance.evaluate(fitted.sample(200, seed=1), fitted.sample(200, seed=2), people.SCHEMA, models="none")
        page = found._repr_html_()
        self.assertIn("<b>NOT PRIVATE</b>", page)
        table = Tables(page).rows
        self.assertEqual([row[0] for row in table[1:7]], people.NAMES)
        expected = found.to_dict()["columns"][0]["tvd"]
        self.assertEqual(table[1][1:], [f"{expected[name]:.4f}" for name in ("synthetic", "floor", "ceiling")])

    def test_names_and_categories_are_escaped(self):
        sample = markup.sample(40, seed=1)
        found = semblance.evaluate(sample, markup.sample(40, seed=2), MARKUP, models="none")
        for made in (sample, sample.head(), markup, markup.plan(400), Schema(MARKUP), found):
            with self.subTest(kind=type(made).__name__):
                page = made._repr_html_()
                self.assertFalse({"script", "img"} & Tables(page).tags)
                self.assertIn("&lt;script&gt;", page)

    def test_a_cell_brings_no_control_character_to_a_terminal(self):
        shown = repr(semblance._show.Rows({"a\x1b[2J": ["b\u202ec", None]}))
        self.assertFalse([one for one in shown if one != "\n" and not one.isprintable()])


class Words(unittest.TestCase):
    def test_a_synthesizer_says_whether_it_is_fitted_to_what_and_at_what_epsilon(self):
        new = Synthesizer(epsilon=2, schema=people.SCHEMA, method="marginals", bins=9)
        self.assertEqual(
            repr(new),
            "<semblance.Synthesizer, not fitted: epsilon=2, schema=columns 'age', 'height', 'town', 'member', 'joined', 'wage', "
            "method='marginals', bins=9>",
        )
        for words in ("fitted with marginals to columns 'age'", "epsilon 4 at delta 1e-05"):
            self.assertIn(words, repr(fitted))
            self.assertIn(words.replace("'", "&#x27;"), fitted._repr_html_())
        self.assertIn("not fitted", repr(Synthesizer(epsilon=1, schema={"fields": [{}]})))  # which is not a schema
        self.assertIn("schema='people.json'", repr(Synthesizer(epsilon=1, schema="people.json")))
        self.assertIn("a JSON text", repr(Synthesizer(epsilon=1, schema=json.dumps(people.SCHEMA))))
        wide = {"fields": [{"name": f"c{number}", "type": "boolean"} for number in range(30)]}
        self.assertIn("'c7' and 22 more", repr(Synthesizer(epsilon=1, schema=wide)))

    def test_a_synthesizer_tells_no_number_of_rows(self):
        made = Synthesizer(epsilon=4, schema=people.SCHEMA, method="marginals", neighbours="add-remove").fit(fitted.sample(517, seed=1))
        self.assertNotIn("517", repr(made))
        self.assertNotIn(str(made.n_), repr(made))

    def test_a_synthesizer_that_is_being_fitted_says_so(self):
        said = []
        rows = fitted.sample(100, seed=2)
        made = Synthesizer(epsilon=4, schema=people.SCHEMA, method="marginals")

        class Source:
            def __arrow_c_stream__(self, requested_schema=None):
                said.append(repr(made))
                return rows.__arrow_c_stream__()

        made.fit(Source())
        self.assertIn("being fitted: epsilon=4", said[0])

    def test_a_study_warns_once(self):
        _synthesizer._scored.clear()
        rows = fitted.sample(200, seed=8)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(3):
                self.assertTrue(0 < copy.deepcopy(fitted).score(rows) <= 1)  # a search scores copies
        self.assertEqual([one.category for one in told], [semblance.NotPrivateWarning])
        self.assertEqual(told[0].filename, __file__)
        with self.assertWarns(semblance.NotPrivateWarning):  # other data is another study
            markup.score(markup.sample(100, seed=1))

    def estimate_of(self, **options):
        """What standard error holds when the bar is first drawn, and the warnings of the fit."""
        before, sys.stderr = sys.stderr, io.StringIO()
        slow = dict(method="merf", features=16, hidden=[4], latent=2, steps=10**8, batch=10, threads=1, expect_rows=300)

        def stop(*unused):
            raise KeyboardInterrupt

        try:
            with warnings.catch_warnings(record=True) as told, unittest.mock.patch.object(_progress.Progress, "__call__", stop):
                warnings.simplefilter("always")
                with self.assertRaises(KeyboardInterrupt):
                    Synthesizer(epsilon=9, schema=people.SCHEMA, **slow, **options).fit(Path(folder.name) / "people.csv")
            return sys.stderr.getvalue(), [str(one.message) for one in told]
        finally:
            sys.stderr = before

    def test_an_estimate_comes_before_the_bar(self):
        shown, warned = self.estimate_of(progress=True)
        self.assertRegex(shown, "^this run takes about .*\n$")
        self.assertEqual([line for line in warned if "takes about" in line], [])
        self.assertEqual(self.estimate_of(progress=False)[0], "")


if __name__ == "__main__":
    unittest.main()
