#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package without any other: PYTHONPATH names the one that was built.

Tables go in as CSV files and as Arrow streams (of the package's own samples), images as memoryviews.
"""
import contextlib
import copy
import datetime
import decimal
import inspect
import io
import json
import os
import pickle
import pwd
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
import warnings
from pathlib import Path

import semblance
from semblance import Ledger, Schema, Synthesizer, _core
from semblance._data import table

import people

SMALL = dict(method="merf", features=32, hidden=[8], latent=2, steps=5, batch=20, threads=1)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Batches:
    """A table that gives its stream each time."""

    def __init__(self, sample):
        self.sample, self.asked = sample, 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.asked += 1
        return self.sample.__arrow_c_stream__()


def without(document, name):
    return {key: value for key, value in document.items() if key != name}


def setUpModule():
    """One fit that most tests draw from."""
    global fitted, folder
    folder = tempfile.TemporaryDirectory()
    path = people.write(Path(folder.name) / "people.csv", 600)
    fitted = Synthesizer(epsilon=4, schema=people.SCHEMA, method="marginals").fit(path)


def tearDownModule():
    folder.cleanup()


class Fits(Case):
    def test_a_file_is_fitted_with_the_ledger_beside_it(self):
        path = people.write(self.folder / "people.csv", 300)
        synthesizer = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals").fit(path)
        self.assertEqual(sorted(os.listdir(self.folder)), ["people.csv", "people.csv.ledger"])
        certificate = synthesizer.certificate_
        self.assertTrue(certificate.holds)
        self.assertFalse(certificate.run_only)
        self.assertAlmostEqual(certificate.epsilon, 1, places=6)
        self.assertEqual((certificate.neighbours, certificate.n, certificate.method), ("replace-one", 300, "marginals"))
        self.assertEqual(Ledger(path + ".ledger").releases, 1)

    def test_a_policy_is_kept_before_a_charge_and_the_ledger_names_the_user(self):
        path, policy = self.folder / "people.csv", self.folder / "policy.json"
        path.write_text("x\n" + "true\nfalse\n" * 200)
        schema = {"fields": [{"name": "x", "type": "boolean"}]}
        kept = dict(epsilon=1, schema=schema, method="marginals", policy=policy)
        for text, words in (("{", "JSON"), ('{"format": "semblance-policy", "version": 1, "titel_required": true}', "titel_required")):
            policy.write_text(text)
            with self.assertRaisesRegex(semblance.SemblanceError, words):
                Synthesizer(**kept).fit(path)
        policy.write_text('{"format": "semblance-policy", "version": 1, "title_required": true, "who": ["anna"], "epsilon_per_period": 1.2}')
        with self.assertRaisesRegex(semblance.OptionError, "requires a title"):
            Synthesizer(**kept, who="anna").fit(path)
        with self.assertRaisesRegex(semblance.OptionError, "does not allow releases by"):
            Synthesizer(**kept, title="T").fit(path)
        self.assertFalse((self.folder / "people.csv.ledger").exists())
        Synthesizer(**kept, title="T", who="anna").fit(path)
        with self.assertRaisesRegex(semblance.BudgetError, "policy .*: epsilon would reach"):
            Synthesizer(**kept, title="T", who="anna").fit(path)
        Synthesizer(epsilon=1, schema=schema, method="marginals").fit(path)
        lines = [line for line in Ledger(self.folder / "people.csv.ledger").describe()["lines"] if line["op"] == "RESERVE"]
        self.assertEqual([(line["who"], line["title"]) for line in lines], [("anna", "T"), (pwd.getpwuid(os.geteuid()).pw_name, "")])

    def test_several_files_are_one_table(self):
        with tempfile.TemporaryDirectory() as name:
            paths = [people.write(Path(name) / f"{i}.csv", 100, seed=i) for i in range(3)]
            made = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals").fit(paths)
            self.assertEqual(made.n_, 300)
            self.assertTrue((Path(name) / "2.csv.ledger").is_symlink())
            with self.assertRaisesRegex(semblance.OptionError, "not contain a comma"):
                made.fit([*paths, "a,b.csv"])
            with self.assertRaisesRegex(semblance.OptionError, "twice"):
                made.fit([*paths, paths[0]])

    def test_an_arrow_stream_is_fitted_and_can_be_read_again(self):
        table = Batches(fitted.sample(500, seed=3))
        synthesizer = Synthesizer(epsilon=2, schema=people.SCHEMA, method="pairs").fit(table)
        self.assertGreater(table.asked, 1)
        self.assertTrue(synthesizer.certificate_.run_only)
        self.assertEqual(synthesizer.n_, 500)
        self.assertGreater(len(synthesizer.releases_), 1)
        self.assertEqual(synthesizer.sample(10, seed=1).columns, people.NAMES)

    def test_numbers_keep_the_bounds_of_their_category(self):
        bounds = {"a": {"minimum": 2, "maximum": 8, "decimals": 1}, "b": {"minimum": 110, "maximum": 170, "decimals": 0}}
        schema = {"fields": [{"name": "test", "type": "string", "constraints": {"enum": ["a", "b"], "required": True}},
                             {"name": "value", "type": "number", "constraints": {"minimum": 0, "maximum": 500, "required": True},
                              "semblance": {"by": "test", "bounds": bounds}}]}
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "labs.csv"
            path.write_text("test,value\n" + "".join(f"a,{3 + i % 40 / 10:.1f}\nb,{120 + i % 30}\n" for i in range(500)))
            made = Synthesizer(epsilon=5, schema=schema).fit(path).sample(400, seed=1).to_dict()
        for test, value in zip(made["test"], made["value"]):
            self.assertTrue(bounds[test]["minimum"] <= value <= bounds[test]["maximum"], (test, value))
            self.assertEqual(value, round(value, bounds[test]["decimals"]))

    def test_fits_of_one_object_add_up(self):
        data = fitted.sample(400, seed=1)
        synthesizer = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals").fit(data)
        first, sample = synthesizer.certificate_, synthesizer.sample(5, seed=1)
        before = sample.to_csv()
        with self.assertRaises(semblance.OptionError):
            synthesizer.set_params(epsilon=-1).fit(data)
        second = synthesizer.set_params(epsilon=1).fit(data).certificate_
        self.assertTrue(first.run_only and not second.run_only)
        self.assertEqual((first.others, second.others), (0, 1))
        self.assertAlmostEqual(first.epsilon, 1, 6)
        self.assertAlmostEqual(second.mu, 2**0.5 * first.mu, 9)
        self.assertGreater(second.epsilon, 1.4)
        self.assertAlmostEqual(second.epsilon_of_run, 1, 6)
        self.assertEqual(sample.to_csv(), before)  # of the earlier model
        other = Synthesizer(**synthesizer.get_params()).fit(data)  # another object has another account
        self.assertTrue(other.certificate_.run_only)
        with self.assertRaisesRegex(semblance.OptionError, "another ledger.*pass the same ledger"):
            synthesizer.set_params(release=self.folder / "release").fit(data)

    def test_a_copy_draws_and_is_fitted_again_with_a_ledger_only(self):
        data = fitted.sample(400, seed=1)
        fresh = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals")
        ways = (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)))
        self.assertTrue(ways[0](fresh).fit(data).certificate_.run_only)  # of one that cost nothing
        fresh.fit(data)
        beside = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", release=self.folder / "release").fit(data)
        for way in ways:
            for one in (way(fresh), way(way(fresh)), way(beside)):
                self.assertAlmostEqual(one.certificate_.epsilon, 1, 6)
                for call in (one.fit, one.resume):
                    with self.assertRaisesRegex(semblance.OptionError, "is a copy.*the account.*in the original.*ledger"):
                        call(data)
                self.assertEqual(len(one.sample(3)), 3)
        named = copy.copy(fresh).set_params(ledger=self.folder / "all.ledger").fit(data)
        self.assertFalse(named.certificate_.run_only)
        self.assertEqual(fresh.fit(data).certificate_.others, 1)  # the original goes on

    def test_a_fit_within_a_fit_is_refused_and_every_release_is_in_the_account(self):
        sample, data = fitted.sample(400, seed=1), fitted.sample(300, seed=2)
        synthesizer = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals")
        said = []

        class Again(Batches):
            def __arrow_c_stream__(self, requested_schema=None):
                for call in (
                    lambda: synthesizer.fit(data),
                    lambda: synthesizer.resume(data),
                    lambda: synthesizer.fit(Path(folder.name) / "people.csv"),
                    lambda: synthesizer.train(),
                    lambda: synthesizer.sample(1),
                    lambda: synthesizer.save("nowhere"),
                    lambda: synthesizer.report(),
                    lambda: synthesizer.releases_,
                    lambda: pickle.dumps(synthesizer),
                    lambda: copy.copy(synthesizer),
                ):
                    try:
                        call()
                        said.append("done")
                    except semblance.InUseError as error:
                        said.append(str(error))
                return super().__arrow_c_stream__()

        for made in (1, 2):
            synthesizer.fit(Again(sample))
            self.assertEqual(synthesizer.certificate_.others, made - 1)
        self.assertGreaterEqual(len(said), 20)
        for line in said:
            self.assertRegex(line, "is being fitted.*use another Synthesizer")

        class Uncaught(Batches):
            def __arrow_c_stream__(self, requested_schema=None):
                synthesizer.fit(data)

        for source in (Uncaught(sample), iter([Uncaught(sample)]), [Uncaught(sample)]):
            with self.assertRaises(semblance.InUseError):
                synthesizer.fit(source)
        self.assertEqual(synthesizer.fit(sample).certificate_.others, 2)

    def test_fits_of_several_threads_lose_no_release(self):
        synthesizer = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", threads=1)
        made, refused = [], []

        def work():
            for _ in range(4):
                try:
                    synthesizer.fit(fitted.sample(200, seed=1))
                    made.append(1)
                except semblance.InUseError:
                    refused.append(1)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(made) + len(refused), 16)
        self.assertGreater(len(made), 0)
        self.assertEqual(synthesizer.fit(fitted.sample(200, seed=1)).certificate_.others, len(made))

    def test_drawing_while_another_thread_draws_waits(self):
        samples = [fitted.sample(20_000, seed=1) for _ in range(3)]
        threads = [threading.Thread(target=lambda: (one.to_csv(), fitted.schema_, fitted.n_, fitted.sample(2).to_dict()))
                   for one in samples]
        with unittest.mock.patch("threading.excepthook") as failed:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        failed.assert_not_called()

    def test_a_delta_that_allows_a_record_to_be_published_is_refused(self):
        data = fitted.sample(1000, seed=1)
        given = Synthesizer(epsilon=1, delta=1e-3, schema=people.SCHEMA, method="marginals")
        with self.assertRaisesRegex(semblance.OptionError, "not below 1/n for n = 1000: .*; pass a delta"):
            given.fit(data)
        usual = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals")
        self.assertIn("delta 1e-05", usual.plan(10_000))
        self.assertIn("delta 5e-07", usual.plan(200_000))

    def test_what_a_notice_raises_stops_the_work(self):
        """As Ctrl-C does that comes while one is told."""
        def raising(*line):
            raise KeyboardInterrupt

        schema = Schema({"fields": people.SCHEMA["fields"][:2]})  # the other columns are told
        synthesizer = Synthesizer(epsilon=1, schema=schema, **{**SMALL, "steps": 10**7}, health="off")
        data = table(fitted.sample(500, seed=1))
        with self.assertRaises(KeyboardInterrupt):
            _core.synth_fit(synthesizer._model.handle, data, schema._handle, False, synthesizer._pairs(), None, raising)

    def test_an_iterable_of_batches_is_fitted(self):
        batches = [fitted.sample(100, seed=s) for s in range(4)]
        self.assertEqual(Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals").fit(batches).n_, 400)
        once = iter(batches)
        self.assertEqual(Synthesizer(epsilon=1, schema=people.SCHEMA, method="pairs").fit(once).n_, 400)
        streamed = Synthesizer(epsilon=1, schema=people.SCHEMA, method="pairs", rounds=1).fit(iter(batches))
        self.assertEqual(len(streamed.releases_), 1)

    def test_batches_that_differ_and_iterables_that_fail_are_refused(self):
        other = Synthesizer(epsilon=1, schema={"fields": people.SCHEMA["fields"][:2]}, method="marginals", health="off").fit(fitted.sample(100))
        with self.assertRaisesRegex(TypeError, "differ in their columns"):
            Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals").fit([fitted.sample(5), other.sample(5)])

        def failing():
            yield fitted.sample(5)
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals").fit(failing())
        with self.assertRaisesRegex(ValueError, "no batches"):
            Synthesizer(epsilon=1, schema=people.SCHEMA).fit([])
        for nothing in (None, 5, object(), [1, 2], [(1, 2)], [fitted.sample(5), "age"]):
            with self.assertRaisesRegex(TypeError, "__arrow_c_stream__"):
                Synthesizer(epsilon=1, schema=people.SCHEMA).fit(nothing)

    def test_what_would_be_ignored_or_is_of_a_wrong_type_is_refused_by_name(self):
        path = os.path.join(folder.name, "people.csv")
        make = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals")
        for declared in (dict(labels=[1]), dict(classes=3), dict(class_names=["a"]), dict(balanced=True)):
            for fit in (make.fit, make.resume):
                with self.assertRaisesRegex(semblance.OptionError, "apply to images only"):
                    fit(path, **declared)
        with self.assertRaisesRegex(TypeError, "clases"):
            make.resume(path, clases=3)
        for n in (0, -1, 1.5, "x", 2**63, 10**30):
            for asked in ("n", "persons"):
                with self.assertRaisesRegex(semblance.OptionError, f"^{asked} must be "):
                    fitted.sample(**{asked: n})
        with self.assertRaisesRegex(semblance.OptionError, "both"):
            fitted.sample(3, persons=3)
        for epsilon in ("x", [1], object()):
            with self.assertRaisesRegex(semblance.OptionError, "epsilon must be a number"):
                Synthesizer(epsilon=epsilon, schema=people.SCHEMA).fit(path)
        with self.assertRaisesRegex(TypeError, "mapping or JSON text, not int"):
            Schema(5)
        with self.assertRaisesRegex(semblance.OptionError, "no method 'mref'; choose one of auto, "):
            semblance.options("mref")

    def test_a_frame_of_pandas_without_pyarrow_says_what_it_lacks(self):
        pandas = types.ModuleType("pandas")
        pandas.DataFrame = type("DataFrame", (), {"__module__": "pandas.core.frame", "ndim": 2})
        with unittest.mock.patch.dict(sys.modules, {"pandas": pandas, "pyarrow": None}):
            with self.assertRaisesRegex(ModuleNotFoundError, "frame of pandas needs pyarrow"):
                Synthesizer(epsilon=1, schema=people.SCHEMA).fit(pandas.DataFrame())

    def test_rows_in_lists_and_dicts_are_refused_with_what_to_do(self):
        record = type("recarray", (list,), {"__module__": "numpy", "ndim": 1, "dtype": type("dtype", (), {"names": ("age",)})})
        for data, words in (([{"age": 1}], "not a list of dicts: .*DataFrame"), ({"age": [1]}, "not dict: .*DataFrame.*package"),
                            ([[1]], "not list: .*DataFrame"), (record([1]), "frame of the record array")):
            with self.assertRaisesRegex(TypeError, words):
                Synthesizer(epsilon=1, schema=people.SCHEMA).fit(data)

    def test_a_name_with_a_line_break_is_refused_as_such(self):
        named = {"fields": [{"name": "a\nb", "type": "boolean"}]}
        with self.assertRaisesRegex(semblance.SchemaError, "name has a line break.*rename the column"):
            Schema(named)

    def test_an_inspection_warns_in_the_words_of_the_program(self):
        path = self.folder / "odd.csv"
        rows = "".join(f"{i % 50},,12345678901234{10 + i % 80}\n" for i in range(300))
        path.write_text("a,empty,card\n" + rows)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            inspected = Schema.inspect(path)
        found = [str(one.message) for one in said if one.category is semblance.NotPrivateWarning]
        self.assertEqual(found[1:], [*inspected.notes])
        program = subprocess.run([os.environ["SEMBLANCE"], "schema", "inspect", path, "-o", self.folder / "odd.json"], capture_output=True,
                                 text=True, check=True)
        for words in ("empty: holds nothing: ignored", "card: whole numbers of 16 digits or more"):
            self.assertTrue(any(line.startswith(words) for line in found), found)
            self.assertIn(words, program.stderr)
        for line in inspected.notes:
            self.assertIn(line, program.stderr)

    def test_scikit_learn_takes_it_for_an_estimator(self):
        """check_estimator, and of its other checks those that pass no array to fit: a table of numbers without names is not read.

        The rest does not apply: they fit arrays, score against a target, or want the same result of the same fit, and the noise
        has no seed. check_do_not_raise_errors_in_init_or_set_params takes **options for a parameter.
        """
        try:
            import sklearn
        except ImportError:
            self.skipTest("scikit-learn is not installed")
        from sklearn.base import clone
        from sklearn.exceptions import NotFittedError
        from sklearn.utils import estimator_checks
        from sklearn.utils.validation import check_is_fitted

        made = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # says that arrays are not tested
            estimator_checks.check_estimator(made)
        older = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 6)
        checks = ["check_get_params_invariance", "check_set_params"]
        if not older:
            checks += ["check_estimator_cloneable", "check_estimator_tags_renamed", "check_valid_tag_types", "check_estimator_repr",
                       "check_no_attributes_set_in_init", "check_estimators_unfitted", "check_mixin_order",
                       "check_parameters_default_constructible"]
        for check in checks:
            with self.subTest(check):
                getattr(estimator_checks, check)("Synthesizer", made)
        with self.assertRaises(NotFittedError):
            check_is_fitted(made)
        before = made.get_params()
        self.assertIs(made.fit(people.write(self.folder / "estimated.csv", 300)), made)
        check_is_fitted(made)
        check_is_fitted(pickle.loads(pickle.dumps(made)))
        self.assertEqual(made.get_params(), before)
        with self.assertRaises(NotFittedError):
            check_is_fitted(clone(made))

    def test_a_schema_is_discovered_where_there_is_none(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            synthesizer = Synthesizer(epsilon=20).fit(fitted.sample(3000, seed=5))
        self.assertEqual(synthesizer.schema_.columns, people.NAMES)
        self.assertGreaterEqual(synthesizer.certificate_.releases, 2)

    def test_a_plan_opens_no_data(self):
        plan = Synthesizer(epsilon=1, schema=people.SCHEMA).plan(4000)
        self.assertIn("epsilon 1, delta 1e-05", plan)
        self.assertIsInstance(plan.to_dict(), dict)
        persons = {**people.SCHEMA, "fields": [*people.SCHEMA["fields"], {"name": "who"}]}
        persons["semblance"] = {**people.SCHEMA["semblance"], "unit": "who", "max_rows_per_unit": 3}
        self.assertIn("one person, with all rows; at most 3 of them enter", Synthesizer(epsilon=1, schema=persons).plan(4000))
        rows = Synthesizer(epsilon=1, schema=persons, method="pairs").plan(4000)
        self.assertIn("at most 3 rows of a person count", rows)
        with self.assertRaisesRegex(semblance.OptionError, "schema"):
            Synthesizer(epsilon=1).plan(100)

    def test_a_plan_bounds_errors_and_chooses_features(self):
        blocks = Synthesizer(epsilon=1, schema=people.SCHEMA, method="merf", features="auto").plan(40000).to_dict()["blocks"]
        bounds = {block["name"]: block["bounds"] for block in blocks if "bounds" in block}
        self.assertEqual({*bounds}, {"rff", "onehot"})
        usual = Synthesizer(epsilon=1, schema=people.SCHEMA, method="merf").plan(40000).to_dict()["blocks"][0]["bounds"]
        self.assertEqual(usual["random_features"]["features"], 2000)
        self.assertGreater(bounds["rff"]["random_features"]["features"], 2000)
        self.assertLess(usual["mean"]["expected"], usual["mean"]["most"])
        self.assertLess(bounds["rff"]["random_features"]["most"], usual["random_features"]["most"])
        few = {"features": "auto", "steps": 2, "hidden": 8}
        for told in ({}, {"expect_rows": 300}):
            made = Synthesizer(epsilon=1, schema=people.SCHEMA, method="merf", neighbours="add-remove", **few, **told)
            if told:
                self.assertIn("the number of random features, 128, chosen for 300 rows", made.fit(fitted.sample(300, seed=5)).certificate_.to_json())
                continue
            with self.assertRaisesRegex(semblance.OptionError, "features auto needs a number of rows"):
                made.fit(fitted.sample(300, seed=5))

    def test_a_fit_that_was_stopped_goes_on_and_pays_once(self):
        class Failing(Batches):
            def __arrow_c_stream__(self, requested_schema=None):
                if self.asked == 2:
                    raise KeyboardInterrupt
                return super().__arrow_c_stream__()

        table, ledger = fitted.sample(500, seed=3), Ledger.create(self.folder / "l")
        synthesizer = Synthesizer(epsilon=2, schema=people.SCHEMA, method="pairs", ledger=ledger)
        with self.assertRaises(KeyboardInterrupt):
            synthesizer.fit(Failing(table))
        self.assertEqual(len(synthesizer.releases_), 1)
        self.assertEqual(ledger.releases, 1)
        with self.assertRaises(semblance.NotFittedError):
            synthesizer.sample(3)
        first = synthesizer.releases_[0]
        synthesizer.resume(table)
        self.assertEqual(synthesizer.releases_[0], first)
        self.assertEqual(ledger.releases, len(synthesizer.releases_))
        self.assertLessEqual(ledger.epsilon_spent, 2 + 1e-6)
        self.assertEqual(len(synthesizer.sample(3).to_dict()["age"]), 3)

    def test_a_fit_of_a_file_is_resumed_and_pays_once(self):
        path = people.write(self.folder / "people.csv", 300)
        synthesizer = Synthesizer(epsilon=1, schema=people.SCHEMA, **SMALL).fit(path)
        before = synthesizer.releases_
        self.assertEqual(len(before), 1)
        synthesizer.resume(path)
        self.assertEqual(synthesizer.releases_, before)
        self.assertEqual(Ledger(f"{path}.ledger").releases, 1)
        self.assertEqual(len(synthesizer.sample(3).to_dict()["age"]), 3)

    def test_an_earlier_sample_keeps_its_model(self):
        synthesizer = Synthesizer(epsilon=1, schema=people.SCHEMA, **SMALL).fit(fitted.sample(200, seed=1))
        sample = synthesizer.sample(20, seed=4)
        before = sample.to_dict()
        synthesizer.train(steps=9)
        self.assertEqual(sample.to_dict(), before)
        self.assertNotEqual(synthesizer.sample(20, seed=4).to_dict(), before)
        synthesizer.fit(fitted.sample(200, seed=2))
        self.assertEqual(sample.to_dict(), before)


class Draws(Case):
    def test_the_same_seed_gives_the_same_rows_in_every_form(self):
        sample = fitted.sample(40, seed=9)
        table = sample.to_dict()
        self.assertEqual(table, sample.to_dict())
        self.assertEqual(table, fitted.sample(40, seed=9).to_dict())
        self.assertNotEqual(table, fitted.sample(40, seed=10).to_dict())
        self.assertNotEqual(fitted.sample(40).to_dict(), fitted.sample(40).to_dict())
        lines = sample.to_csv().splitlines()
        self.assertEqual(lines[0], ",".join(people.NAMES))
        self.assertEqual(len(lines), 41)
        self.assertEqual([line.split(",")[0] for line in lines[1:]], [str(age) for age in table["age"]])
        self.assertEqual([line.split(",")[4] for line in lines[1:]],
                         ["" if day is None else day.isoformat() for day in table["joined"]])
        sample.to_csv(self.folder / "rows.csv")
        self.assertEqual((self.folder / "rows.csv").read_text(), sample.to_csv())
        with self.assertRaisesRegex(semblance.FileError, "overwrite=True"):
            sample.to_csv(self.folder / "rows.csv")

    def test_parquet_is_written_by_its_own_name(self):
        sample, place = fitted.sample(40, seed=9), self.folder / "rows.parquet"
        with self.assertRaisesRegex(semblance.OptionError, "use to_parquet for Parquet"):
            sample.to_csv(place)
        with self.assertRaisesRegex(semblance.OptionError, "must end in .parquet"):
            sample.to_parquet(self.folder / "rows.csv2")
        with self.assertRaisesRegex(semblance.OptionError, "is not DuckDB's library"):
            sample.to_parquet(place, duckdb=self.folder / "no.so")
        self.assertFalse(place.exists())
        engine = Path(__file__).parents[2] / "build/engines/libduckdb.so"
        if not engine.exists():
            self.skipTest("no library of DuckDB (make engines)")
        sample.to_parquet(place, duckdb=engine)
        self.assertEqual((place.read_bytes()[:4], place.read_bytes()[-4:]), (b"PAR1", b"PAR1"))
        with self.assertRaisesRegex(semblance.FileError, "overwrite=True"):
            sample.to_parquet(place, duckdb=engine)

    def test_values_keep_their_types_and_bounds(self):
        table = fitted.sample(2000, seed=2).to_dict()
        self.assertTrue(all(isinstance(age, int) and 18 <= age <= 90 for age in table["age"]))
        self.assertTrue(all(h is None or 1.2 <= h <= 2.2 for h in table["height"]))
        self.assertIn(None, table["height"])
        self.assertLessEqual(set(table["town"]), {"Ayr", "Bath", "Cork", "Deal", None})
        self.assertEqual(set(table["member"]), {True, False})

    def test_where_and_n(self):
        self.assertEqual(set(fitted.sample(50, where={"wage": "high"}).to_dict()["wage"]), {"high"})
        self.assertEqual(len(fitted.sample()), 600)
        self.assertEqual(len(fitted.sample().to_dict()["age"]), 600)

        def drawn(where):
            rows = fitted.sample(40, where=where, seed=3).to_dict()
            self.assertEqual(len(rows["age"]), 40)
            return rows

        for where in ("age > 60", ["age > 60"], {"age": (61, None)}):
            self.assertTrue(all(age > 60 for age in drawn(where)["age"]))
        self.assertTrue(all(20 <= age <= 30 for age in drawn({"age": (20, 30)})["age"]))
        self.assertLessEqual(set(drawn({"town": {"Ayr", "Cork"}})["town"]), {"Ayr", "Cork"})
        self.assertLessEqual(set(drawn({"town": ["Ayr", None]})["town"]), {"Ayr", None})
        self.assertEqual(set(drawn({"town": None})["town"]), {None})
        self.assertEqual(set(drawn({"member": True, "age": [30, 31, 32]})["member"]), {True})
        day = datetime.date(2023, 6, 1)
        self.assertTrue(all(joined >= day for joined in drawn({"joined": (day, None)})["joined"]))
        self.assertTrue(all(joined < day for joined in drawn("joined < 2023-06-01")["joined"]))
        for wrong in ({"age": ()}, {"age": (None, None)}, {"town": []}, {"town": ["O'Hara"]}, {"age": (500, None)}, "age >", ["nobody = 1"]):
            with self.subTest(where=wrong), self.assertRaises(semblance.OptionError):
                fitted.sample(5, where=wrong).to_dict()
        for wrong in (dict(n=0), dict(n=-1), dict(seed=-1), dict(seed=2**64), dict(where={"wage": "none"}), dict(where={"no": 1})):
            with self.assertRaises(semblance.SemblanceError):
                fitted.sample(**{"n": 3, **wrong}).to_dict()
        with self.assertRaises(semblance.NotFittedError):
            Synthesizer(epsilon=1).sample(3)

    def test_html_shows_the_guarantee_and_a_preview(self):
        page = fitted.sample(2000, seed=1)._repr_html_()
        self.assertIn("epsilon 4", page)
        self.assertEqual(page.count("<tr>"), 6)
        self.assertIn("<th>town</th>", page)
        self.assertIn("epsilon", fitted._repr_html_())
        self.assertNotIn("<script", page)

    def test_a_stream_is_read_once_and_freed_unread(self):
        capsule = fitted.sample(5).__arrow_c_stream__()
        self.assertIn("arrow_array_stream", repr(capsule))
        del capsule


class Promises(Case):
    def test_the_ledger_adds_up_and_refuses(self):
        ledger = Ledger.create(self.folder / "l", epsilon=1.2)
        Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", ledger=ledger).fit(fitted.sample(100))
        self.assertAlmostEqual(ledger.epsilon_spent, 1, places=6)
        with self.assertRaisesRegex(semblance.BudgetError, "budget"):
            Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", ledger=ledger).fit(fitted.sample(100))
        self.assertEqual(ledger.releases, 1)
        second = Synthesizer(epsilon=0.3, schema=people.SCHEMA, method="marginals", ledger=str(ledger.path)).fit(fitted.sample(100))
        self.assertFalse(second.certificate_.run_only)
        self.assertEqual(second.certificate_.others, 1)
        ledger.limit(1.1)
        with self.assertRaises(semblance.SemblanceError):
            ledger.limit(5)
        for wrong in (None, "x", [1]):
            with self.assertRaises(semblance.OptionError):
                ledger.limit(wrong)
        new = self.folder / "new"
        Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", ledger=new).fit(fitted.sample(100))
        self.assertEqual(Ledger(new).releases, 1)
        with self.assertRaises(semblance.FileError):
            Ledger(self.folder / "none")

    def test_a_certificate_is_checked(self):
        certificate = fitted.certificate_
        self.assertIn("GUARANTEE", str(certificate))
        forged = json.loads(certificate.to_json())
        forged["guarantee"]["epsilon"] = 0.1
        with self.assertRaises(semblance.CertificateError):
            semblance.Certificate(json.dumps(forged))
        certificate.save(self.folder / "c.json")
        self.assertEqual(semblance.Certificate.from_file(self.folder / "c.json").to_json(), certificate.to_json())
        fitted.save(self.folder / "m")
        self.assertIn("GUARANTEE", certificate.verify())

    def test_a_certificate_says_what_it_is_of_and_can_be_signed(self):
        table = fitted.sample(200, seed=2)
        told = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", title="People", by="A. Officer").fit(table)
        certificate = told.certificate_
        about = certificate.to_dict()["about"]
        self.assertEqual((about["title"], about["by"]), ("People", "A. Officer"))
        with self.assertRaises(ValueError):
            Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", title="two\nlines").fit(table)
        secret, shown, signature = (self.folder / name for name in ("secret.pem", "public.pem", "c.sig"))
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", secret], check=True, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", secret, "-pubout", "-out", shown], check=True)
        certificate.sign(secret, signature)
        self.assertIn("GUARANTEE", certificate.verify(key=shown, signature=signature))
        with self.assertRaises(semblance.CertificateError):
            fitted.certificate_.verify(key=shown, signature=signature)
        with self.assertRaises(semblance.CertificateError):
            certificate.verify(key=shown, signature=self.folder / "none.sig")
        with self.assertRaises(ValueError):
            certificate.verify(key=shown)

    def test_pure_and_add_remove(self):
        pure = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", pure=True).fit(fitted.sample(200))
        self.assertEqual(pure.certificate_.delta, 0)
        private = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", neighbours="add-remove").fit(fitted.sample(200))
        self.assertEqual((private.certificate_.n, private.certificate_.neighbours), (0, "add-remove"))

    def test_two_fits_have_different_noise_also_after_a_fork(self):
        table, make = fitted.sample(200, seed=1), lambda: Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals")
        first, second = make().fit(table).releases_, make().fit(table).releases_
        self.assertNotEqual(first, second)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, make().fit(table).releases_[0][-64:])
            finally:
                os._exit(0)
        mine = make().fit(table).releases_[0][-64:]
        os.close(writer)
        theirs = os.read(reader, 64)
        os.close(reader)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(theirs), 64)
        self.assertNotEqual(mine, theirs)

    def test_a_pickle_holds_the_model_and_no_record(self):
        again = pickle.loads(pickle.dumps(fitted))
        self.assertEqual(again.sample(5, seed=1).to_dict(), fitted.sample(5, seed=1).to_dict())
        self.assertEqual(again.certificate_.epsilon, fitted.certificate_.epsilon)
        self.assertEqual(copy.deepcopy(fitted.certificate_).to_json(), fitted.certificate_.to_json())
        with self.assertRaises(TypeError):
            pickle.dumps(semblance._core.data_arrow(fitted.sample(3), False, False, None))

    def test_linked_tables_are_compared(self):
        text = lambda name, **more: {"name": name, "type": "string", **more}
        listed = {"constraints": {"enum": ["a", "b"], "required": True}}
        package = {"resources": [
            {"name": "accounts", "path": "accounts.csv", "schema": {
                "primaryKey": "id", "fields": [text("id"), text("region", **listed)]}},
            {"name": "orders", "path": "orders.csv", "schema": {
                "foreignKeys": [{"fields": "account", "reference": {"resource": "accounts", "fields": "id"}}],
                "fields": [text("account"), text("purpose", **listed)], "semblance": {"max_rows_per_unit": 3}}}]}
        accounts = ["id,region", *(f"A{i},{'ab'[i % 2]}" for i in range(200))]
        orders = ["account,purpose", *(f"A{i},{'ab'[i % 2]}" for i in range(200) for _ in range(i % 4))]
        for name, lines in (("accounts.csv", accounts), ("orders.csv", orders), ("datapackage.json", [json.dumps(package)])):
            (self.folder / name).write_text("\n".join(lines) + "\n")
        path = self.folder / "datapackage.json"
        made = Synthesizer(epsilon=8, schema=path, health="off").fit(path).sample()
        found = semblance.evaluate(path, made, path, train=self.folder)
        first, second = found.to_dict()["tables"]
        self.assertEqual((first["keys"]["synthetic"]["repeated"], second["keys"]["synthetic"]["orphans"]), (0, 0))
        self.assertEqual(first["keys"]["synthetic"]["rows"], len(made))
        self.assertIn("NOT PRIVATE", str(found))
        self.assertIn("Some synthetic units", found.report())
        names = {"accounts": self.folder / "accounts.csv", "orders": self.folder / "orders.csv"}
        same = semblance.evaluate(path, names, Schema.from_file(path))  # files by their names, beside themselves
        self.assertEqual(same.to_dict()["tables"][1]["histories"]["person_event"]["synthetic"], 0)
        with self.assertRaisesRegex(semblance.OptionError, "synthetic has no table 'orders'"):
            semblance.evaluate(path, {"accounts": names["accounts"]}, path)

    def test_evaluation_says_not_private(self):
        real, train = fitted.sample(300, seed=21), fitted.sample(300, seed=22)
        found = semblance.evaluate(real, fitted.sample(300, seed=23), people.SCHEMA, train, models="none")
        for text in (str(found), repr(found), found._repr_html_(), found.to_json()):
            self.assertIn("NOT PRIVATE", text)
        self.assertIsInstance(found.to_dict(), dict)
        paths = [people.write(self.folder / f"{seed}.csv", 200, seed) for seed in (5, 6)]
        schema = Schema(people.SCHEMA)
        by_file = semblance.evaluate(paths[0], fitted.sample(100, seed=1), schema, paths[1], models=["bayes"],
                                     report=self.folder / "report.html")
        self.assertIn("NOT PRIVATE", (self.folder / "report.html").read_text())
        self.assertIn("NOT PRIVATE", str(by_file))
        self.assertEqual((self.folder / "report.html").read_text(), by_file.report())
        self.assertIn("NOT PRIVATE", found.report())
        mixed = semblance.evaluate(real, paths[0], schema, models="none")  # a sample beside a file
        self.assertEqual(mixed.to_dict()["inputs"]["synthetic"]["rows"], 200)

    def test_the_worst_relations_are_named(self):
        import random
        draw = random.Random(5)
        field = {"type": "string", "constraints": {"enum": ["0", "1"], "required": True}}
        schema = {"fields": [{"name": name, **field} for name in "abc"]}
        rows = [(a, a, draw.choice("01")) for a in (draw.choice("01") for _ in range(2000))]
        def written(name, rows):
            (self.folder / name).write_text("a,b,c\n" + "".join(",".join(row) + "\n" for row in rows))
            return self.folder / name
        real, other = written("first.csv", rows[:1000]), written("second.csv", rows[1000:])
        broken = written("broken.csv", [(a, draw.choice("01"), c) for a, _, c in rows[1000:]])
        found = semblance.evaluate(real, broken, schema, models="none")
        [pair] = found.worst["pairs"]
        self.assertEqual((pair["what"], pair["columns"]), ("a with b", ["a", "b"]))
        self.assertGreater(pair["distance"], 0.4)
        self.assertEqual(found.worst, found.to_dict()["worst"])
        self.assertEqual(semblance.evaluate(real, other, schema, models="none").worst,
                         {"pairs": [], "histories": None, "parents": None})

    def test_persons_are_compared_with_their_histories(self):
        sex = {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}, "semblance": {"per": "unit"}}
        day = {"name": "day", "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": True}}
        schema = {"fields": [{"name": "who", "type": "string"}, sex, day], "semblance": {"unit": "who", "order": "day"}}
        real, mixed = self.folder / "real.csv", self.folder / "mixed.csv"
        real.write_text("who,sex,day\na,f,1\nb,m,2\na,f,3\nb,m,4\n")
        mixed.write_text("who,sex,day\na,f,1\nb,m,4\na,m,3\nb,m,2\n")
        found = semblance.evaluate(real, mixed, schema, models="none").to_dict()["histories"]
        self.assertEqual((found["constant"]["synthetic"], found["constant"]["ceiling"]), (0.5, 1.0))
        self.assertEqual((found["in_order"]["synthetic"], found["gap"]["synthetic"]), (0.5, 0.0))

    def test_persons_are_drawn_with_all_their_rows(self):
        sex = {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": True}, "semblance": {"per": "unit"}}
        day = {"name": "day", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": True}}
        schema = {"fields": [{"name": "who", "type": "string"}, sex, day], "semblance": {"unit": "who", "order": "day"}}
        rows = [(f"p{i % 400}", "fm"[i % 2], 7 * i % 101) for i in range(1600)]
        table = self.folder / "visits.csv"
        table.write_text("who,sex,day\n" + "".join(f"{who},{sex},{day}\n" for who, sex, day in rows))
        synthesizer = Synthesizer(epsilon=20, schema=schema).fit(table)
        sample = synthesizer.sample(persons=25, seed=3)
        drawn = sample.to_dict()
        self.assertEqual((len(set(drawn["who"])), len(sample)), (25, len(drawn["sex"])))
        self.assertIn("25 synthetic persons", repr(sample))
        self.assertIn("5 rows of 25 synthetic persons", sample._repr_html_())
        self.assertEqual(sample.to_csv().count("\n"), len(sample) + 1)
        self.assertEqual(drawn, {name: values[: len(sample)] for name, values in synthesizer.sample(500, seed=3).to_dict().items()})
        late = synthesizer.sample(persons=9, where=["sex = f", "day > 60"], seed=3).to_dict()
        last = {who: day for who, day in zip(late["who"], late["day"])}
        self.assertEqual((len(last), set(late["sex"])), (9, {"f"}))
        self.assertTrue(all(day > 60 for day in last.values()) and min(late["day"]) <= 60)
        # Rules between a person's rows stand in the schema.
        own = {**schema["semblance"], "constraints": ["day >= previous day + 25"]}
        self.assertIn("rows break it", semblance.Schema({**schema, "semblance": own}).check(table))
        apart = Synthesizer(epsilon=4, schema={**schema, "semblance": own}).fit(table).sample(persons=60, seed=3).to_dict()
        pairs = list(zip(apart["who"], apart["day"]))
        self.assertTrue(all(b >= a + 25 for (who, a), (other, b) in zip(pairs, pairs[1:]) if who == other))
        with self.assertRaisesRegex(semblance.OptionError, "use the method histories"):
            Synthesizer(epsilon=4, schema={**schema, "semblance": own}, histories="off").fit(table)
        for wrong in (dict(n=5, persons=5), dict(persons=0)):
            with self.assertRaisesRegex(semblance.OptionError, "persons"):
                synthesizer.sample(**wrong)
        with self.assertRaisesRegex(semblance.OptionError, "only models of the method histories draw persons"):
            fitted.sample(persons=3).to_dict()

    def test_images_are_compared_as_arrays(self):
        side, count = 8, 60
        labels = [i % 3 for i in range(count)]
        bars = [bytes(220 if (y if i % 3 else x) == i % side else i * 7 % 40 for y in range(side) for x in range(side))
                for i in range(count)]
        pixels = memoryview(b"".join(bars)).cast("B", (count, side, side))
        odd = ["1", None, float("nan"), decimal.Decimal("NaN"), [1], -1]  # of some records: they stop nothing
        fit = Synthesizer(epsilon=3, **SMALL).fit(pixels, odd + labels[len(odd):], classes=3)
        drawn = fit.sample(40, seed=2)
        found = semblance.evaluate(pixels, drawn, train=pixels, real_labels=labels, train_labels=labels, models="mlp",
                                   certificate=fit.certificate_, title="Bars", report=self.folder / "report.html")
        self.assertEqual((found.to_dict()["kind"], found.to_dict()["images"]["classes"]), ("images", 3))
        self.assertEqual(found.to_dict()["inputs"]["real"]["path"], "real")
        for text in (str(found), repr(found), found._repr_html_(), found.to_json(), found.report()):
            self.assertIn("NOT PRIVATE", text)
        self.assertGreaterEqual(found._repr_html_().count('src="data:image/png;base64,'), 4)
        page = found.report()
        self.assertIn('id="preview"', page)
        self.assertIn("<h1>Bars</h1>", page)
        self.assertEqual((self.folder / "report.html").read_text(), page)
        self.assertEqual((self.folder / "report.html").stat().st_mode & 0o777, 0o600)
        with self.assertRaises(FileExistsError):
            semblance.evaluate(pixels, drawn, real_labels=labels, report=self.folder / "report.html")
        again = semblance.evaluate(pixels, drawn.images, real_labels=labels, synthetic_labels=drawn.labels, classes=3,
                                   train=pixels, train_labels=labels, models="mlp")
        self.assertEqual(again.to_dict()["images"], found.to_dict()["images"])
        self.assertNotIn('id="preview"', again.report())
        bare = semblance.evaluate(pixels, drawn.images, models="none")
        self.assertEqual(bare.to_dict()["images"]["classes"], 0)
        with self.assertRaisesRegex(semblance.InputError, "no labels"):
            semblance.evaluate(pixels, drawn)
        for wrong in (dict(schema=people.SCHEMA), dict(synthetic_labels=labels)):
            with self.assertRaises(semblance.OptionError):
                semblance.evaluate(pixels, drawn, real_labels=labels, **wrong)
        with self.assertRaisesRegex(semblance.OptionError, "schema"):
            semblance.evaluate(fitted.sample(9), fitted.sample(9))
        with self.assertRaisesRegex(semblance.OptionError, "labels"):
            semblance.evaluate(fitted.sample(9), fitted.sample(9), people.SCHEMA, real_labels=labels)
        # The same images in files: IDX, and a folder of PNG files that the program wrote.
        header = lambda *sizes: bytes([0, 0, 8, len(sizes)]) + b"".join(size.to_bytes(4, "big") for size in sizes)
        (self.folder / "images").write_bytes(header(count, side, side) + pixels.tobytes())
        (self.folder / "labels").write_bytes(header(count) + bytes(labels))
        files = dict(real_labels=self.folder / "labels", train=str(self.folder / "images"), train_labels=self.folder / "labels")
        from_files = semblance.evaluate(self.folder / "images", drawn, **files, models="mlp", certificate=fit.certificate_)
        self.assertEqual(without(from_files.to_dict()["images"], "grids"), without(found.to_dict()["images"], "grids"))
        self.assertEqual(from_files.to_dict()["inputs"]["real"]["path"], str(self.folder / "images"))
        program = os.environ.get("SEMBLANCE")
        if program:
            fit.save(self.folder / "bars.safetensors")
            subprocess.run([program, "sample", self.folder / "bars.safetensors", "-n", "40", "--seed", "2", "--format", "png", "-o",
                            self.folder / "png", "--quiet"], check=True)
            from_files = semblance.evaluate(pixels, self.folder / "png", real_labels=labels, classes=3, models="none")
            self.assertEqual(from_files.to_dict()["inputs"]["synthetic"]["path"], str(self.folder / "png"))
            halved = memoryview(bytes(16 * 20)).cast("B", (20, 4, 4))
            scaled = semblance.evaluate(self.folder / "png", halved, synthetic_labels=[i % 3 for i in range(20)], classes=3,
                                        size=(4, 4), resize=True, models="none")
            self.assertEqual(scaled.to_dict()["images"]["shape"], [4, 4, 1])
        network = semblance.evaluate(pixels, drawn.images, models="none", encoder="vgg-s").to_dict()["images"]["frechet"]
        self.assertEqual((network["encoder"][:14], len(network["sha256"])), ("vgg-s (sha256 ", 64))
        for wrong in (dict(resize=True), dict(size=(8, 8), schema=people.SCHEMA)):
            with self.assertRaises(semblance.OptionError):
                semblance.evaluate(pixels, drawn.images, models="none", **wrong)
        for wrong in (dict(real_labels=labels), dict(real_labels=self.folder / "nothing"), dict()):
            with self.assertRaises(semblance.SemblanceError):
                semblance.evaluate(self.folder / "images", drawn, **wrong)
        with self.assertRaisesRegex(semblance.OptionError, "schema"):
            semblance.evaluate("people.csv", "people.csv")
        public = fit.report(n=40, seed=2)
        self.assertIn('id="preview"', public)
        self.assertNotIn("NOT PRIVATE", public)

    def test_an_evaluation_is_interrupted(self):
        asked = []

        def press(bar, what, step, steps):
            asked.append((what, step, steps))
            if len(asked) == 30:
                os.kill(os.getpid(), signal.SIGINT)

        pixels = memoryview(bytes(i * i % 251 for i in range(40 * 64))).cast("B", (40, 8, 8))
        labels = [i % 2 for i in range(40)]
        with unittest.mock.patch("semblance._evaluate.Progress.__call__", press):
            with self.assertRaises(KeyboardInterrupt):
                semblance.evaluate(pixels, pixels, real_labels=labels, synthetic_labels=labels, classes=2, models="mlp")
            self.assertEqual(len(asked), 30)
            self.assertEqual(asked, sorted(asked, key=lambda call: call[1]))
            asked.clear()
            with self.assertRaises(KeyboardInterrupt):
                semblance.evaluate(fitted.sample(200, seed=1), fitted.sample(200, seed=2), people.SCHEMA, models="none",
                                   threads=1)
            self.assertEqual(len(asked), 30)

    def test_a_fit_warns_of_an_inspected_schema_until_it_is_accepted(self):
        path = self.folder / "stays.csv"
        path.write_text("patient_id,age\n" + "".join(f"P{i % 40:03d},{i * 7 % 90}\n" for i in range(400)))
        for data in (path, fitted.sample(300, seed=1)):
            with self.assertWarns(semblance.NotPrivateWarning):
                inspected = Schema.inspect(data)
            made = Synthesizer(epsilon=1, schema=inspected, method="marginals")
            with self.assertWarnsRegex(semblance.SemblanceWarning, "read from the records"):
                made.fit(data)
            self.assertIn("inspected: read from the table", made.certificate_.to_json())
            made = Synthesizer(epsilon=1, schema=inspected.accept(), method="marginals", health="off")
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                made.fit(data)
            self.assertFalse([one for one in said if "read from the records" in str(one.message)])
            self.assertIn("accepted as public by its owner", made.certificate_.to_json())
        with self.assertWarns(semblance.NotPrivateWarning):
            inspected = Schema.inspect(path)
        self.assertTrue(inspected.proposals[0].startswith("unit: patient_id: values repeat"))
        taken = inspected.accept(["unit"])
        self.assertEqual(taken.to_dict()["semblance"]["unit"], "patient_id")
        self.assertEqual(inspected.accept(1).to_dict()["semblance"]["unit"], "patient_id")
        self.assertEqual(taken.proposals, ())
        with self.assertRaises(semblance.OptionError):
            inspected.accept("9")

    def test_old_names_are_refused_with_the_new_one(self):
        with self.assertRaisesRegex(AttributeError, "Schema.guess was renamed: use Schema.inspect"):
            Schema.guess  # noqa: B018
        with self.assertRaisesRegex(semblance.OptionError, "'engine' is not an option .did you mean 'duckdb'"):
            Synthesizer(epsilon=1, engine="x")
        with self.assertRaisesRegex(semblance.OptionError, "'driver' is not an option .did you mean 'adbc_driver'"):
            Synthesizer(epsilon=1, driver="x")
        with self.assertRaisesRegex(semblance.OptionError, "did you mean 'duckdb'"):
            fitted.sample(20).to_parquet(self.folder / "x.parquet", engine="x")

    def test_an_inspected_schema_warns(self):
        path = people.write(self.folder / "people.csv", 300)
        for data in (path, fitted.sample(300, seed=1)):
            with self.assertWarnsRegex(semblance.NotPrivateWarning, "NOT PRIVATE"):
                inspected = Schema.inspect(data)
            self.assertEqual(inspected.columns, people.NAMES)
        self.assertIn("NOT PRIVATE", Schema(people.SCHEMA).check(path))
        self.assertIn("NOT PRIVATE", Schema(people.SCHEMA).check(fitted.sample(20)))


class Objects(Case):
    def test_parameters_are_scikit_learns(self):
        synthesizer = Synthesizer.create("merf", epsilon=3, steps=7)
        self.assertEqual((synthesizer.method, synthesizer.epsilon), ("merf", 3))
        parameters = synthesizer.get_params()
        self.assertEqual(parameters["steps"], 7)
        again = Synthesizer(**parameters)
        self.assertEqual(again.get_params(), parameters)
        again.set_params(steps=8, epsilon=2)
        self.assertEqual((again.get_params()["steps"], again.epsilon), (8, 2))
        with self.assertRaisesRegex(semblance.OptionError, "'stps' is not an option"):
            Synthesizer(epsilon=1, stps=1)
        for made in (Synthesizer, Synthesizer.create):
            with self.assertRaisesRegex(TypeError, "epsilon"):
                made(schema=people.SCHEMA)
        fitted.save(self.folder / "model")
        with self.assertRaisesRegex(semblance.OptionError, "epsilon is not given"):
            Synthesizer.load(self.folder / "model").set_params(schema=people.SCHEMA).fit(fitted.sample(100))
        for name in inspect.signature(Synthesizer).parameters:
            self.assertTrue(name == "options" or name in parameters, name)

    def test_options_come_from_the_librarys_table(self):
        self.assertEqual(semblance.methods()[0].name, "auto")
        names = [option.name for option in semblance.options("marginals")]
        self.assertIn("bins", names)
        self.assertNotIn("hidden", names)
        with self.assertRaisesRegex(semblance.OptionError, "bins"):
            Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", bins=0).plan(10)
        with self.assertRaisesRegex(semblance.OptionError, "hidden"):
            Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", hidden=[4]).fit(fitted.sample(10))

    def test_a_score_says_not_private(self):
        with self.assertWarns(semblance.NotPrivateWarning):
            score = fitted.score(fitted.sample(500, seed=8))
        self.assertTrue(0.5 < score <= 1)

    def test_columns_of_a_table_in_memory_may_be_named_by_numbers(self):
        fields = [{**field, "name": number} for number, field in enumerate(people.SCHEMA["fields"][:3])]
        schema = Schema({"fields": fields, "missingValues": [""]})
        self.assertEqual(schema.columns, ["0", "1", "2"])
        path = self.folder / "numbered.csv"
        path.write_text("0,1,2\n" + "".join(f"{age},{height},{town}\n" for age, height, town, *_ in people.rows(2000)))
        numbered = Synthesizer(epsilon=20, schema=schema, method="marginals").fit(path).sample(2000, seed=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(Schema.inspect(numbered).columns, ["0", "1", "2"])
            self.assertEqual(Synthesizer(epsilon=20).fit(numbered).sample(3).columns, ["0", "1", "2"])
        with self.assertRaisesRegex(semblance.InputError, "no header"):  # a file's first line may be a record
            Synthesizer(epsilon=20).fit(path)

    def test_messages_about_frames_have_no_words_of_files(self):
        fields = people.SCHEMA["fields"]
        cases = {
            "has no column 'more'$": [{**fields[0], "name": "more"}, fields[1]],
            "has no column 'more', and 1 more": [{**fields[0], "name": "more"}, {**fields[1], "name": "and_more"}, fields[2]],
            "has no column 'Age', but one called 'age'": [{**fields[0], "name": "Age"}],
        }
        for words, wrong in cases.items():
            schema = Schema({"fields": wrong, "missingValues": [""]})
            for use in (Synthesizer(epsilon=1, schema=schema, method="marginals").fit, schema.check,
                        lambda data: semblance.evaluate(data, fitted.sample(9), schema, models="none")):
                with self.subTest(words=words), self.assertRaisesRegex(semblance.InputError, words) as said:
                    use(fitted.sample(30))
                self.assertNotRegex(str(said.exception), "header|file|line|csv")

    def test_schemas(self):
        schema = Schema(people.SCHEMA)
        self.assertEqual((schema.columns, schema.label), (people.NAMES, "wage"))
        schema.save(self.folder / "s.json")
        self.assertEqual(Schema.from_file(self.folder / "s.json"), schema)
        self.assertEqual(pickle.loads(pickle.dumps(schema)), schema)
        with self.assertRaisesRegex(semblance.SchemaError, "height"):
            Schema({"fields": [{"name": "height", "type": "number"}]})
        with self.assertRaises(semblance.SchemaError):
            Schema("{")

    def test_a_ledger_that_a_fit_makes_is_of_persons_where_the_schema_has_a_unit(self):
        persons = {**people.SCHEMA, "fields": [{"name": "who"}, *people.SCHEMA["fields"]]}
        persons["semblance"] = {**people.SCHEMA["semblance"], "unit": "who", "max_rows_per_unit": 3}
        rows = fitted.sample(300, seed=8).to_csv().splitlines()
        table = self.folder / "visits.csv"
        lines = ["who," + rows[0], *(f"{i // 2},{row}" for i, row in enumerate(rows[1:]))]
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        path = self.folder / "visits.ledger"
        Synthesizer(epsilon=1, schema=persons, method="marginals", ledger=path).fit(table)
        self.assertEqual((Ledger(path).describe()["unit"], Ledger(path).describe()["rows_per_unit"]), ("person", 3))
        self.assertEqual(Ledger.create(self.folder / "k", max_rows_per_unit=7).describe()["rows_per_unit"], 7)

    def test_how_a_file_is_written_can_be_said(self):
        table = self.folder / "other.csv"
        table.write_text(fitted.sample(300, seed=8).to_csv().replace(",", "|"), encoding="utf-8")
        said = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", delimiter="|").fit(table)
        self.assertIn("|", said.sample(3).to_csv())
        for name, value in (("delimiter", "x"), ("header", "maybe"), ("encoding", "klingon")):
            with self.assertRaisesRegex(semblance.OptionError, f"{name} must be"):
                Synthesizer(epsilon=1, schema=people.SCHEMA, **{name: value}).plan(300)

    def test_tables_in_json_are_read(self):
        rows = fitted.sample(300, seed=8).to_csv().splitlines()
        names = rows[0].split(",")
        objects = [dict(zip(names, row.split(","))) for row in rows[1:]]
        array, lines = self.folder / "people_array.json", self.folder / "people_lines.ndjson"
        array.write_text(json.dumps(objects), encoding="utf-8")
        lines.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
        for table in (array, lines):
            made = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", health="off").fit(table)
            self.assertEqual(len(made.sample(5).to_csv().splitlines()), 6)
        with self.assertRaisesRegex(semblance.OptionError, "pass columns=, or a schema"):
            Synthesizer(epsilon=1).fit(lines)
        with self.assertRaisesRegex(semblance.OptionError, "only to JSON files"):
            Synthesizer(epsilon=1, schema=people.SCHEMA, columns="age").fit(self.folder / "other.csv")

    def test_tables_of_sqlite_are_read(self):
        rows = [row.split(",") for row in fitted.sample(300, seed=8).to_csv().splitlines()]
        path = self.folder / "people.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute(f"CREATE TABLE people ({', '.join(rows[0])})")
            database.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(rows[0]))})", rows[1:])
            database.commit()
            database.execute("CREATE VIEW old AS SELECT * FROM people")
        self.assertEqual(semblance.tables(path), [("old", "view"), ("people", "table")])
        made = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", health="off", table="people").fit(path)
        self.assertEqual(len(made.sample(5).to_csv().splitlines()), 6)
        asked = {"query": "SELECT * FROM people", "ledger": self.folder / "asked.ledger", "neighbours": "add-remove"}
        with self.assertRaisesRegex(semblance.OptionError, "pass one_row_per_person=True"):
            Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", health="off", **asked).fit(path)
        made = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", health="off", one_row_per_person=True, **asked).fit(path)
        self.assertIn("the owner's word", str(made.certificate_))

    def test_tables_of_other_files_are_refused(self):
        path = self.folder / "no_database.csv"
        path.write_text("a,b\n1,2\n", encoding="utf-8")
        with self.assertRaisesRegex(semblance.InputError, "no_database.csv"):
            semblance.tables(path)
        with self.assertRaisesRegex(semblance.FileError, "absent.sqlite"):
            semblance.tables(self.folder / "absent.sqlite")

    def test_no_output_replaces_a_ledger(self):
        ledger = semblance.Ledger.create(self.folder / "kept.ledger", epsilon=3)
        before = (self.folder / "kept.ledger").read_bytes()
        with self.assertRaisesRegex(semblance.OptionError, "is a ledger"):
            fitted.save(ledger.path, overwrite=True)
        with self.assertRaisesRegex(semblance.OptionError, "replace the ledger"):
            fitted.sample(3).to_csv(ledger.path, overwrite=True)
        self.assertEqual((self.folder / "kept.ledger").read_bytes(), before)

    def test_save_and_load_and_the_program_reads_the_file(self):
        fitted.save(self.folder / "m.safetensors")
        again = Synthesizer.load(self.folder / "m.safetensors")
        self.assertEqual(again.sample(7, seed=3).to_csv(), fitted.sample(7, seed=3).to_csv())
        self.assertEqual(again.certificate_.epsilon, fitted.certificate_.epsilon)
        with self.assertRaises(FileExistsError):
            fitted.save(self.folder / "m.safetensors")
        again.save(self.folder / "m.safetensors", overwrite=True)
        self.assertEqual(Synthesizer.load(self.folder / "m.safetensors").certificate_.epsilon, fitted.certificate_.epsilon)
        with self.assertRaises(semblance.InputError):
            Synthesizer._of_model(b"no model")
        program = os.environ.get("SEMBLANCE")
        if program:
            rows = subprocess.run([program, "sample", self.folder / "m.safetensors", "-n", "7", "--seed", "3"], check=True,
                                  capture_output=True, text=True).stdout
            self.assertEqual(rows, fitted.sample(7, seed=3).to_csv())
        self.assertIn("<html", fitted.report(self.folder / "r.html"))

    def test_a_fit_warns_of_what_its_plan_warns_of(self):
        few = fitted.sample(60)
        synthesizer = Synthesizer(epsilon=0.5, schema=people.SCHEMA, health="off", threads=1)
        planned = synthesizer.plan(60).to_dict()["warnings"]
        self.assertTrue(any("come out independent of each other" in line for line in planned), planned)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            synthesizer.fit(few)
        self.assertEqual([str(one.message) for one in told if one.category is semblance.SemblanceWarning], planned)
        self.assertEqual({one.filename for one in told}, {__file__})

    def test_a_decimal_comma_is_asked_about_before_anything_is_charged(self):
        path = self.folder / "german.csv"
        path.write_text("price;kind\n" + "".join(f"{i % 9},5;{'ab'[i % 2]}\n" for i in range(3000)), encoding="utf-8")
        with self.assertRaisesRegex(semblance.InputError, "separates its cells by semicolons.*; pass decimal=',' or decimal='.'"):
            Synthesizer(epsilon=4, method="marginals", delimiter=";").fit(path)
        self.assertFalse(list(self.folder.glob("*.ledger")))
        told = Synthesizer(epsilon=4, method="marginals", delimiter=";", decimal=",").fit(path)
        self.assertEqual(told.schema_.to_dict()["fields"][0]["type"], "number")

    def test_names_reach_no_terminal_with_controls_or_overrides_of_direction(self):
        hostile = "ward\x9b\u202e\u2066"
        fields = [{"name": name, "type": "string", "constraints": {"enum": ["a", "b"], "required": True}} for name in ("town", hostile)]
        (self.folder / "d.csv").write_text(f"town,{hostile}\n" + "a,b\nb,a\n" * 50, encoding="utf-8")
        both = Synthesizer(epsilon=4, schema={"fields": fields}, method="marginals", health="off").fit(self.folder / "d.csv")
        with self.assertWarnsRegex(semblance.SemblanceWarning, "left out") as told:
            Synthesizer(epsilon=4, schema={"fields": fields[:1]}, method="marginals", health="off").fit(Batches(both.sample(60)))
        words = [str(told.warning)]
        for wrong in (lambda: Synthesizer(epsilon=1, **{hostile: 1}), lambda: fitted.sample(1, where={hostile: []}),
                      lambda: fitted.sample(1, where={hostile: (1, 2, 3)})):
            with self.assertRaises(semblance.OptionError) as told:
                wrong()
            words.append(str(told.exception))
        for line in words:
            self.assertIn("ward", line)
            self.assertTrue(line.isprintable(), ascii(line))

    def test_images_go_in_and_out_as_arrays(self):
        count, side = 60, 8
        pixels = memoryview(bytes((i * 7 + (i // 64) % 3 * 90) % 256 for i in range(count * side * side))).cast("B", (count, side, side))
        options = dict(epsilon=5, method="merf", features=32, hidden=[8], latent=2, steps=4, batch=8, threads=1)
        odd = [float("inf"), float("-inf"), float("nan"), -1, 2**70, None, "2"]  # of no class, and no reason to stop
        synthesizer = Synthesizer(**options).fit(pixels, [i % 3 for i in range(count - len(odd))] + odd, classes=3)
        drawn = synthesizer.sample(9, seed=1)
        self.assertEqual(drawn.images.shape, (9, side, side))
        self.assertEqual(len(drawn.labels), 9)
        self.assertLess(max(drawn.labels), 3)
        self.assertEqual(set(synthesizer.sample(6, where={"label": 2}).labels), {2})
        self.assertEqual(bytes(synthesizer.sample(9, seed=1).images), bytes(drawn.images))
        self.assertIn("data:image/png;base64,", drawn._repr_html_())
        self.assertTrue(synthesizer.certificate_.images)
        self.assertIn("rows       60, 3 classes", synthesizer.plan(data=pixels, classes=3))
        self.assertIn("rows       60, 1 class\n", synthesizer.plan(data=pixels))
        for epsilon, cells in ((30, 20), (1, 1)):
            planned = Synthesizer(epsilon=epsilon, method="mepf", features=2, cells="auto").plan(data=pixels)
            self.assertEqual(planned.to_dict()["cells"]["number"], cells)
        with self.assertRaisesRegex(semblance.OptionError, "classes apply to images only"):
            Synthesizer(epsilon=1, schema=people.SCHEMA).plan(100, classes=3)
        with self.assertRaisesRegex(TypeError, "uint8"):
            Synthesizer(**options).fit(memoryview(bytes(64)).cast("h").cast("B").cast("f", (4, 2, 2)))
        with self.assertRaisesRegex(ValueError, "one label for each"):
            Synthesizer(**options).fit(pixels, [1, 2])

    def test_the_device_that_trains_and_trained_is_said(self):
        count, side = 60, 8
        pixels = memoryview(bytes(i * 7 % 256 for i in range(count * side * side))).cast("B", (count, side, side))
        options = dict(epsilon=5, method="merf", features=32, hidden=[8], latent=2, steps=4, batch=8, threads=1)
        none = str(self.folder)
        plain = Synthesizer(**options, device_path=none)
        self.assertEqual(plain.plan(data=pixels).to_dict()["training"], {"device": "cpu"})
        with warnings.catch_warnings():  # there is no card, and nobody asked for one
            warnings.simplefilter("error", semblance.SemblanceWarning)
            warnings.filterwarnings("ignore", message=".*(at this epsilon|seed of).*")
            self.assertEqual(plain.fit(pixels).certificate_.trained_on, "cpu")
        missing = f"the plug-in libsemblance-cuda.so is not found in {none}"
        asked = Synthesizer(**options, device="auto", device_path=none).plan(data=pixels)
        self.assertEqual(asked.to_dict()["training"], {"device": "cpu", "why": missing})
        self.assertIn(f"device     cpu trains: {missing}", asked)
        with self.assertRaisesRegex(semblance.SemblanceError, "is not found .*; pass device='cpu', or 'auto'"):
            Synthesizer(**options, device="cuda", device_path=none).plan(data=pixels)
        with self.assertRaisesRegex(semblance.OptionError, "device must be auto, cpu, cuda or cuda:N"):
            Synthesizer(**options, device="gpu").plan(data=pixels)
        self.assertEqual(Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals").fit(fitted.sample(50)).certificate_.trained_on, "")
        if "CUDA_PLUGIN" not in os.environ:  # the wheel's environments have no card that computes nothing
            return
        for library, target in {"libsemblance-cuda.so": "CUDA_PLUGIN", **dict.fromkeys(("libcuda.so.1", "libnvrtc.so.13", "libcublas.so.13"), "CUDA_FAKE")}.items():
            (self.folder / library).symlink_to(os.environ[target])
        carded = Synthesizer(**options, device="cuda:1", device_path=none)
        self.assertEqual(carded.plan(data=pixels).to_dict()["training"], {"device": "cuda:1 Fake"})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            certificate = carded.fit(pixels).certificate_
        self.assertEqual(certificate.trained_on, "cuda:1 Fake")
        self.assertIn("TRAINED ON: cuda:1 Fake", certificate.statement)

    def test_ctrl_c_is_heard_and_other_threads_go_on(self):
        script = (
            "import semblance, people, signal, sys\n"
            # What runs in the background of a shell begins with the signal ignored.
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            f"table = semblance.Synthesizer.load({str(self.folder / 'm')!r}).sample(500)\n"
            "try:\n"
            "    semblance.Synthesizer(epsilon=1, schema=people.SCHEMA, method='merf', steps=10**7, threads=1, progress=True).fit(table)\n"
            "except KeyboardInterrupt:\n"
            "    print('heard', flush=True)\n"
        )
        fitted.save(self.folder / "m")
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 cwd=os.path.dirname(os.path.abspath(__file__)))
        self.addCleanup(child.kill)
        for letter in iter(lambda: child.stderr.read(1), "%"):  # its bar: the fit has begun
            self.assertNotEqual(letter, "", "the fit ended before it said how far it is")
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=60)[0], "heard\n")

        ticks = []
        done = threading.Event()
        ticker = threading.Thread(target=lambda: [ticks.append(1) for _ in iter(lambda: done.wait(0.002), True)])
        ticker.start()
        most = 0  # ticks within one fit, of some fits: the machine may have no time for either
        for _ in range(20):
            before = len(ticks)
            Synthesizer(epsilon=1, schema=people.SCHEMA, **{**SMALL, "steps": 400}).fit(fitted.sample(500))
            most = max(most, len(ticks) - before)
            if most > 3:
                break
        done.set()
        ticker.join()
        self.assertGreater(most, 3)

    def test_ctrl_c_is_heard_in_a_notice_too(self):
        def notice(kind, line):
            raise KeyboardInterrupt

        asked = []
        pairs = [("method", "merf"), ("epsilon", "0.1"), ("features", "32"), ("steps", "100"), ("threads", "1")]
        with self.assertRaises(KeyboardInterrupt):
            semblance._core.synth_fit(semblance._core.synth_new(), semblance._core.data_arrow(fitted.sample(100), False, False, None),
                                      Schema(people.SCHEMA)._handle, False, pairs, lambda *call: asked.append(call), notice)
        self.assertEqual([call for call in asked if call[0] == "training"], [])

    def test_a_fit_by_pairs_says_how_far_it_is(self):
        asked = []
        pairs = [("method", "pairs"), ("epsilon", "8"), ("threads", "1")]
        semblance._core.synth_fit(semblance._core.synth_new(), semblance._core.data_arrow(fitted.sample(500), False, False, None), Schema(people.SCHEMA)._handle,
                                  False, pairs, lambda *call: asked.append(call), lambda *line: None)
        steps = [call[1] for call in asked if call[0] == "fitting"]
        self.assertGreaterEqual(len(set(steps)), 10)
        self.assertEqual(steps, sorted(steps))
        self.assertEqual(steps[-1], [call[2] for call in asked if call[0] == "fitting"][-1])

    def test_the_bar_is_shown_where_asked_and_says_nothing_of_private_numbers(self):
        def shown(**options):
            before, sys.stderr = sys.stderr, io.StringIO()
            try:
                with warnings.catch_warnings():  # which quote the line below, and depend on the noise
                    warnings.simplefilter("ignore")
                    Synthesizer(epsilon=1, schema=people.SCHEMA, **SMALL, **options).fit(fitted.sample(300))
                return sys.stderr.getvalue()
            finally:
                sys.stderr = before

        self.assertEqual(shown(), "")
        self.assertEqual(shown(progress=False), "")
        bar = shown(progress=True)
        self.assertTrue(bar.startswith("\r") and "%" in bar, bar)
        self.assertNotIn("300", shown(progress=True, neighbours="add-remove"))

    def test_build_and_arithmetic(self):
        self.assertIn("kernels", semblance.build())
        self.assertAlmostEqual(semblance.mu_of(1, 1e-5), 0.268051, places=6)
        self.assertAlmostEqual(semblance.epsilon_of(semblance.mu_of(1, 1e-5), 1e-5), 1, places=9)
        self.assertEqual(semblance.__version__, os.environ.get("SEMBLANCE_VERSION", semblance.__version__))

    def test_another_project_of_the_same_name_is_told(self):
        def said(*distributions):
            with tempfile.TemporaryDirectory() as folder:
                for name, version in distributions:
                    place = Path(folder) / f"{name.replace('-', '_')}-{version}.dist-info"
                    place.mkdir()
                    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
                paths = os.pathsep.join([*filter(None, sys.path), folder])
                result = subprocess.run([sys.executable, "-S", "-c", "import semblance"], env={**os.environ, "PYTHONPATH": paths},
                                        capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stderr)
                return result.stderr
        self.assertEqual(said(("semblance-dp", semblance.__version__)), "")
        words = said(("semblance-dp", semblance.__version__), ("semblance", "0.9.2"))
        self.assertIn("'semblance' 0.9.2, another project", words)
        self.assertIn("pip uninstall semblance semblance-dp", words)
        self.assertEqual(words.count("Warning"), 1)


class OtherProject(Case):
    """The distribution ``semblance`` of another project, which an index has under the name that we import."""

    def imported(self, *more):
        command = [sys.executable, "-W", "always", "-c", "import semblance; print(semblance.Synthesizer.__module__)"]
        path = os.pathsep.join([*map(str, more), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})

    def test_import_warns_where_it_is_installed(self):
        metadata = self.folder / "semblance-0.9.2.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text("Metadata-Version: 2.1\nName: semblance\nVersion: 0.9.2\n")
        found = self.imported(self.folder)
        self.assertEqual((found.returncode, found.stdout), (0, "semblance\n"), found.stderr)
        self.assertEqual(found.stderr.count("RuntimeWarning"), 1, found.stderr)
        for words in ("'semblance' 0.9.2, another project", "pip uninstall semblance semblance-dp", "pip install semblance-dp"):
            self.assertIn(words, found.stderr)

    def test_import_is_silent_without_it(self):
        self.assertEqual(self.imported().stderr, "")


if __name__ == "__main__":
    unittest.main()
