# SPDX-License-Identifier: Apache-2.0
"""A run goes on where it stopped, and never mixes parts of two tables.

A small script stands for the program: it copies the training table, counts how often it is called
and fails for the method `broken`.
"""
import contextlib
import io
import json
import os
import sys
import tempfile
import types
import unittest

import support

support.need("numpy", "pandas", "scipy", "sklearn", "xgboost")
import grid
import npy_table
import numpy
import program
import run
import store

PROGRAM = """#!{python}
import gzip, sys
if sys.argv[1:] == ["--version"]:
    print("semblance 9.9.9")
    sys.exit()
if sys.argv[1:3] == ["ledger", "init"]:
    open(sys.argv[3], "x").close()
    sys.exit()
option = lambda name: sys.argv[sys.argv.index(name) + 1]
with open({calls!r}, "a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
if option("--method") == "broken":
    sys.exit("broken: no such method")
reader = gzip.open if sys.argv[2].endswith(".gz") else open
with reader(sys.argv[2], "rt") as source, open(option("-o"), "w") as out:
    out.write(source.read())
"""
SCHEMA = {"fields": [{"name": "x", "type": "number", "constraints": {"minimum": 0, "maximum": 1}},
                     {"name": "y", "type": "string", "constraints": {"enum": ["n", "p"], "required": True}}],
          "semblance": {"label": "y", "task": "classification"}}
ROWS = "x,y\n" + "".join(f"{i / 60},{'p' if i % 3 == 0 else 'n'}\n" for i in range(60))


class Execute(unittest.TestCase):
    def test_peak_memory_is_that_of_the_program_and_not_of_the_bench(self):
        held = numpy.ones(40 << 20)  # 320 MB
        facts = program.execute([sys.executable, "-c", "pass"])
        self.assertEqual(set(facts), {"seconds", "cpu_seconds", "peak_mb"})
        self.assertLess(facts["peak_mb"] * 2, held.nbytes / 2**20)
        self.assertGreater(program.execute([sys.executable, "-c", "x = b'1' * (200 << 20)"])["peak_mb"], 200)

    def test_a_command_that_fails_is_told_by_its_last_line(self):
        with self.assertRaisesRegex(program.ProgramError, "^exit 3: the last$"):
            program.execute([sys.executable, "-c", "import sys; print('a\\nthe last', file=sys.stderr); sys.exit(3)"])


class Resume(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.calls = self.path("calls")
        self.results = self.path("results.jsonl")
        support.write_set(self.path("data", "tiny"), SCHEMA, ROWS, ROWS)
        with open(self.path("program"), "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(python=sys.executable, calls=self.calls))
        os.chmod(self.path("program"), 0o755)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def bench(self, *more, methods="copy"):
        """Run the bench in this process: its exit code and what it said."""
        return self.call(run.main, "--data", self.path("data"), "--baselines", "", "--jobs", "1",
                         "--methods", methods, *more)

    def call(self, main, *arguments):
        talk, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(talk), contextlib.redirect_stdout(said):
            try:
                code = main(["--program", self.path("program"), "--results", self.results,
                             "--work", self.path("work"), *arguments])
            except SystemExit as stop:
                code = stop.code
        return types.SimpleNamespace(returncode=code, stderr=talk.getvalue(), stdout=said.getvalue())

    def lines(self):
        return store.read_lines(self.results)[0]

    def called(self):
        if not os.path.exists(self.calls):
            return []
        with open(self.calls, encoding="utf-8") as file:
            return file.read().splitlines()

    def test_second_run_measures_nothing_and_calls_nothing(self):
        self.assertEqual(self.bench().returncode, 0)
        self.assertEqual([line["part"] for line in self.lines()], ["marginals", "classifiers", "scores"])
        self.assertEqual(self.bench().returncode, 0)
        self.assertEqual((len(self.lines()), len(self.called())), (3, 1))

    def test_a_list_of_what_is_left_measures_nothing(self):
        self.assertEqual(self.bench("--parts", "marginals").returncode, 0)
        done = self.bench("--list", "--seeds", "0,1", "--parts", "marginals", methods="copy,other")
        synths = [call for call in self.called() if call.startswith("synth")]
        self.assertEqual((done.returncode, len(self.lines()), len(synths)), (0, 1, 1))
        named = [line.split(": ") for line in done.stdout.splitlines()]
        self.assertEqual([words[:2] for words in named], [["tiny other eps 1 seed 0", "of unknown length"], ["tiny copy eps 1 seed 1", "about 0 s"],
                                                         ["tiny other eps 1 seed 1", "of unknown length"]])
        self.assertRegex(named[1][2], " --methods copy --eps 1 --seeds 1$")

    def test_what_would_take_too_long_is_left_out_and_the_rest_is_measured(self):
        self.assertEqual(self.bench("--parts", "marginals").returncode, 0)
        slow = {**self.lines()[0], "method": "slow", "seconds": {"measure": 1, "synth": 900, "synth_cpu": 300}}
        with open(self.results, "a", encoding="utf-8") as file:
            file.write(json.dumps(slow) + "\n")
        done = self.bench("--minutes", "5", "--seeds", "1", "--parts", "marginals", methods="slow,copy,other")
        self.assertEqual([line.split(": ")[:2] for line in done.stdout.splitlines()],
                         [["tiny slow eps 1 seed 1", "about 5 minutes"], ["tiny other eps 1 seed 1", "of unknown length"]])
        self.assertEqual([(line["method"], line["seed"]) for line in self.lines()], [("copy", 0), ("slow", 0), ("copy", 1)])
        self.assertIn("tiny other eps 1 seed 1: too little time", self.bench("--minutes", "0", "--seeds", "1", "--parts", "marginals",
                                                                             methods="other").stdout)

    def test_every_run_has_a_ledger_of_its_own_and_none_is_left_beside_the_data(self):
        self.assertEqual(self.bench("--parts", "marginals", "--seeds", "0,1", "--keep").returncode, 0)
        words = [call.split() for call in self.called()]
        ledgers = [call[call.index("--ledger") + 1] for call in words]
        self.assertEqual(len(set(ledgers)), 2)
        self.assertTrue(all(os.path.isfile(ledger) for ledger in ledgers))
        self.assertEqual(sorted(os.listdir(self.path("data", "tiny"))), ["schema.json", "test.csv.gz", "train.csv.gz"])

    def test_rows_are_declared_to_one_digit_where_they_are_private_and_asked_for(self):
        more = "--parts", "marginals", "--neighbours"
        self.assertEqual(self.bench(*more, "add-remove", methods="pairs,copy").returncode, 0)
        self.assertEqual(self.bench(*more, "replace-one", methods="pairs").returncode, 0)
        self.assertEqual(["--expect-rows 60" in call for call in self.called()], [True, False, False])
        self.assertEqual([line["expect_rows"] for line in self.lines()], [60, None, None])

    def test_interrupted_run_continues_with_the_same_table(self):
        self.assertEqual(self.bench("--parts", "marginals", "--keep").returncode, 0)
        self.assertEqual(self.bench().returncode, 0)
        self.assertEqual((len(self.lines()), len(self.called())), (3, 1))
        self.assertEqual(len({line["run"] for line in self.lines()}), 1)
        self.assertEqual(os.listdir(self.path("work")), [])

    def test_lost_table_is_made_anew_and_all_parts_measured_on_it(self):
        self.assertEqual(self.bench("--parts", "marginals").returncode, 0)
        self.assertEqual(self.bench().returncode, 0)
        lines = self.lines()
        self.assertEqual([line["part"] for line in lines], ["marginals", "marginals", "classifiers", "scores"])
        self.assertEqual(len({line["run"] for line in lines[1:]}), 1)
        self.assertNotEqual(lines[0]["run"], lines[1]["run"])

    def test_half_written_line_is_measured_again_and_others_stay(self):
        self.assertEqual(self.bench("--parts", "marginals", "--keep").returncode, 0)
        with open(self.results, "a", encoding="utf-8") as file:
            file.write('{"part": "scores", "set": "ti')
        done = self.bench("--parts", "marginals,scores")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 unreadable", done.stderr)
        self.assertEqual([line["part"] for line in self.lines()], ["marginals", "scores"])

    def test_line_says_what_was_measured_and_that_it_is_not_private(self):
        self.bench("--parts", "marginals", "--eps", ".5", "--seeds", "3", "--option=--steps=7")
        line = self.lines()[0]
        self.assertTrue(line["notice"].startswith("NOT PRIVATE"))
        self.assertEqual((line["set"], line["method"], line["eps"], line["delta"], line["neighbours"], line["seed"],
                          line["version"], line["options"], line["rows"]),
                         ("tiny", "copy", 0.5, 1e-5, "replace-one", 3, "9.9.9", ["--steps=7"], 60))
        self.assertEqual(set(line["machine"]), {"cpu", "cores"})
        self.assertIn("command", line)
        self.assertEqual(line["commit"], store.commit())
        self.assertEqual(line["metrics"]["tvd_2way"], 0.0)
        for word in ("--epsilon .5", "--delta 1e-5", "--method copy", "--seed 3", "--steps=7",
                     "--neighbours replace-one"):
            self.assertIn(word, self.called()[0])

    def test_program_without_noise_marks_its_lines_and_is_measured_apart(self):
        self.assertEqual(self.bench("--parts", "marginals").returncode, 0)
        with open(self.path("program"), encoding="utf-8") as file:
            text = file.read()
        with open(self.path("program"), "w", encoding="utf-8") as file:
            file.write(text.replace("semblance 9.9.9", "semblance 9.9.9 (NOT PRIVATE: adds no noise, for benches only)"))
        self.assertEqual(self.bench("--parts", "marginals").returncode, 0)
        self.assertEqual(self.bench("--parts", "marginals").returncode, 0)
        self.assertEqual([line.get("noise") for line in self.lines()], [None, "off"])
        self.assertEqual(len(self.called()), 2)

    def test_command_of_a_line_names_no_place_of_this_machine(self):
        script = os.path.join(support.BENCH, "run.py")
        self.assertEqual(store.command([script, "--data", "/here/sets", "--program", "/there/semblance", "--eps", "1"]),
                         "bench/utility/run.py --data DATA --program semblance --eps 1")

    def test_results_hold_no_cell_of_the_table(self):
        support.write_set(self.path("data", "tiny"), json.loads(json.dumps(SCHEMA).replace('"p"', '"zebra"')),
                          ROWS.replace(",p", ",zebra"), ROWS.replace(",p", ",zebra"))
        self.assertEqual(self.bench().returncode, 0)
        with open(self.results, encoding="utf-8") as file:
            self.assertNotIn("zebra", file.read())

    def test_failing_method_is_reported_and_the_next_one_measured(self):
        done = self.bench("--parts", "marginals", methods="broken,copy")
        self.assertEqual(done.returncode, 1)
        self.assertIn("broken: no such method", done.stderr)
        self.assertEqual([line["method"] for line in self.lines()], ["copy"])

    def test_smaller_limits_are_kept_apart(self):
        self.bench("--parts", "marginals")
        self.bench("--parts", "marginals", "--max-train", "10")
        self.assertEqual([line["limits"]["max_train"] for line in self.lines()], [50000, 10])

    def test_set_without_classes_is_measured_by_marginals_only(self):
        schema = {"fields": SCHEMA["fields"], "semblance": {"label": "x", "task": "regression"}}
        support.write_set(self.path("data", "tiny"), schema, ROWS, ROWS)
        done = self.bench()
        self.assertEqual((done.returncode, [line["part"] for line in self.lines()]), (0, ["marginals"]))
        self.assertIn("task is regression", done.stderr)

    def test_set_with_its_own_thinning_uses_it(self):
        with open(self.path("data", "tiny", "bench.json"), "w", encoding="utf-8") as file:
            file.write('{"thinning": 0.25}')
        self.bench("--parts", "marginals")
        self.assertEqual(self.lines()[0]["limits"]["thinning"], 0.25)

    def test_absent_program_or_data_is_said_before_anything_runs(self):
        done = self.bench("--program", self.path("nothing"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not a program", done.stderr)
        done = self.bench("--sets", "tiny,unknown")
        self.assertIn("unknown does not hold", done.stderr)
        self.assertEqual(self.lines(), [])

    def test_grid_is_measured_once_and_drawn(self):
        for _ in range(2):
            done = self.call(grid.main, "--methods", "copy", "--plot", self.path("plot"))
            self.assertEqual(done.returncode, 0)
        real, copied = self.lines()
        self.assertEqual((real["method"], copied["method"], len(self.called())), ("real", "copy", 1))
        self.assertEqual(real["metrics"], copied["metrics"])
        self.assertEqual(os.listdir(self.path("plot")), ["grid-copy-eps1.svg"])

    def test_discretised_table_is_measured_once(self):
        numpy.save(self.path("codes.npy"), numpy.random.default_rng(0).integers(0, 3, (50, 4)))
        for _ in range(2):
            self.assertEqual(self.call(npy_table.main, self.path("codes.npy"), "--methods", "copy").returncode, 0)
        self.assertEqual([line["method"] for line in self.lines()], ["independent", "shuffled", "copy"])
        self.assertEqual(self.lines()[2]["metrics"]["tvd_4way"], 0.0)
        self.assertGreater(self.lines()[1]["metrics"]["tvd_4way"], 0.1)
        self.assertEqual(len(self.called()), 1)

    def test_discretised_file_that_is_no_table_of_integers_is_refused(self):
        numpy.save(self.path("codes.npy"), numpy.zeros((3, 2)))
        done = self.call(npy_table.main, self.path("codes.npy"))
        self.assertIn("not a two-dimensional array of integers", done.stderr)


if __name__ == "__main__":
    support.main()
