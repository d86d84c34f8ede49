# SPDX-License-Identifier: Apache-2.0
"""Every figure of a results page has a stored line, and a page without one is found."""
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import support

figures = support.load("figures", "bench", "papers", "figures.py")
PAGE = "# Results\n\n| set | asked | method | share |\n|---|---|---|---|\n| tiny | .9 | .512 ± .010 | {share} |\n{more}"
LINES = [{"set": "tiny", "method": "real", "seed": 0, "metrics": {"auc": 0.8, "deep": {"a": 1.5}}},
         {"set": "tiny", "method": "merf", "seed": 0, "metrics": {"auc": 0.5049}},
         {"set": "tiny", "method": "merf", "seed": 1, "metrics": {"auc": 0.519}},
         {"set": "other", "method": "merf", "seed": 0, "metrics": {"auc": 0.777}}]
TABLE = {"heading": "Results", "file": "bench/results/a.jsonl", "paths": ["metrics.auc"], "skip": ["asked"],
         "rows": {"tiny": {"set": "tiny"}}, "command": "bench/x.py"}


class Figures(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = holder.name
        for folder in ("bench/papers", "bench/results", "docs"):
            os.makedirs(os.path.join(self.root, folder))
        self.write("bench/results/a.jsonl", "".join(json.dumps(line) + "\n" for line in LINES))
        self.page()
        self.pages({"page": "docs/R.md", "tables": [TABLE]})

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
            file.write(text)

    def page(self, share=".640", more=""):
        self.write("docs/R.md", PAGE.format(share=share, more=more))

    def pages(self, *pages):
        self.write("bench/papers/figures.json", json.dumps({"pages": pages}))

    def check(self):
        said, before = io.StringIO(), sys.argv
        sys.argv = ["figures.py", self.root]
        try:
            with contextlib.redirect_stdout(said):
                return figures.main(), said.getvalue()
        finally:
            sys.argv = before

    def test_mean_deviation_and_part_of_real_are_found(self):
        self.assertEqual(self.check(), (0, "3 figures have their stored lines\n"))

    def test_a_figure_that_no_line_holds_is_named(self):
        self.page(share=".641")
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("tiny: share: no line of bench/results/a.jsonl holds .641", said)

    def test_a_line_of_another_set_does_not_count(self):
        self.page(share=".777")
        self.assertEqual(self.check()[0], 1)

    def test_a_row_without_lines_must_be_retold_word_for_word(self):
        self.page(more="| old | - | .3 | |\n")
        self.assertIn("the row 'old' has no stored line", self.check()[1])
        told = {"retold": True, "page": "docs/R.md", "heading": "Results", "table": 1, "row": "old | - | .3 | ", "source": "docs at commit 1",
                "command": None}
        self.write("bench/results/retold.jsonl", json.dumps(told) + "\n")
        self.assertEqual(self.check()[0], 0)
        self.page(more="| old | - | .4 | |\n")
        self.assertEqual(self.check()[0], 1)
        self.page(more="| old | - | .3 | |\n")
        self.write("bench/results/retold.jsonl", json.dumps({**told, "retold": False}) + "\n")
        self.assertEqual(self.check()[0], 1)

    def test_a_new_table_must_be_listed(self):
        self.page(more="\n| new |\n|---|\n| 1 |\n")
        self.assertIn("table 2 is not in bench/papers/figures.json", self.check()[1])

    def test_a_table_that_is_gone_is_named(self):
        self.pages({"page": "docs/R.md", "tables": [TABLE, {**TABLE, "number": 2}]})
        self.assertIn("docs/R.md has no table 2", self.check()[1])

    def test_a_page_that_a_script_makes_is_what_it_makes(self):
        self.write("bench/make.py", "print('made')\n")
        self.write("docs/M.md", "made\n")
        self.pages({"page": "docs/M.md", "made_by": ["bench/make.py"]})
        self.assertEqual(self.check()[0], 0)
        self.write("docs/M.md", "edited\n")
        self.assertIn("docs/M.md is not what bench/make.py makes", self.check()[1])

    def test_numbers_in_code_links_and_names_do_not_count(self):
        self.assertEqual(figures.numbers_of("`--signs 8`, **.5** ± .1 of [7](x9) v2 1,234"), [".5", ".1", "7", "1234"])


class Papers(unittest.TestCase):
    """The page of the papers, and the script that measures it."""

    def page(self, item, lines=(), retold=()):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "bench", "papers"))
            os.makedirs(os.path.join(root, "bench", "results"))
            told = {"head": [], "foot": [], "papers": [{"title": "P", "head": [], "items": [{"item": "Table 1", "command": "x", **item}]}]}
            for name, text in (("papers/items.json", json.dumps(told)), ("results/a.jsonl", "\n".join(map(json.dumps, lines))),
                               ("results/retold.jsonl", "\n".join(map(json.dumps, retold)))):
                with open(os.path.join(root, "bench", name), "w", encoding="utf-8") as file:
                    file.write(text)
            return subprocess.run([sys.executable, os.path.join(support.SOURCE, "bench", "papers", "page.py"), root], capture_output=True,
                                  text=True, check=False)

    def test_figures_are_means_of_stored_lines_and_noise_is_kept_apart(self):
        ours = {"file": "a.jsonl", "where": {"set": "tiny", "method": "merf"}, "show": [["", "metrics.auc", 3]]}
        lines = [*LINES, {**LINES[1], "noise": "off", "metrics": {"auc": 0.9}}]
        said = self.page({"ours": [ours, {**ours, "where": {**ours["where"], "noise": "off"}, "label": "no noise:"}], "paper": ".4"}, lines).stdout
        self.assertIn("| Table 1 | `x` | .512 ± .010 (2 seeds); no noise: .900 | .4 | a.jsonl: tiny, merf; a.jsonl: tiny, merf, noise off |", said)

    def test_what_is_not_stored_is_not_measured(self):
        said = self.page({"ours": {"file": "a.jsonl", "where": {"set": "none"}, "show": [["", "metrics.auc", 3]]}}).stdout
        self.assertIn("| Table 1 | `x` | not measured |  |  |  |", said)

    def test_a_retold_figure_must_be_retold(self):
        item = {"ours": {"retold": ["docs/R.md", "old |"], "says": ".3"}}
        told = {"page": "docs/R.md", "row": "old | - | .3", "source": "docs/R.md at commit abc"}
        self.assertIn("| .3 |  | retold.jsonl (abc) |", self.page(item, retold=[told]).stdout)
        self.assertNotEqual(self.page(item, retold=[{**told, "row": "old | - | .4"}]).returncode, 0)
        stored = {"ours": {**item["ours"], "file": "a.jsonl", "where": {"set": "tiny"}, "show": [["", "metrics.auc", 1]]}}
        self.assertIn("| .3 |  | retold.jsonl (abc) |", self.page(stored, retold=[told]).stdout)
        self.assertIn("| .7 |  | a.jsonl: tiny |", self.page(stored, [{"set": "tiny", "metrics": {"auc": 0.7}}], [told]).stdout)
        self.assertNotEqual(self.page(item).returncode, 0)

    def test_run_ends_well_where_something_is_left_out_and_names_it(self):
        stub = "#!/bin/sh\ncase \"$*\" in *--list*) echo left;; esac\n"
        with tempfile.TemporaryDirectory() as root:
            at = lambda name: os.path.join(root, *name.split("/"))
            of_utility = [f"bench/utility/{name}.py" for name in ("run", "npy_table", "grid", "images", "table")]
            of_papers = [f"bench/papers/{name}.py" for name in ("images", "sizes", "page", "figures")]
            for name in ["build/release/semblance", "build/release/bench/semblance-without-noise", *of_utility, *of_papers]:
                os.makedirs(os.path.dirname(at(name)), exist_ok=True)
                with open(at(name), "w", encoding="utf-8") as file:
                    file.write(stub)
                os.chmod(at(name), 0o755)
            for name in ("data", "docs"):
                os.makedirs(at(name))
            shutil.copy(os.path.join(support.SOURCE, "bench", "papers", "run.sh"), at("bench/papers/run.sh"))
            run = lambda *words: subprocess.run([at("bench/papers/run.sh"), at("data"), *words], capture_output=True, text=True, check=False,
                                                env={"PATH": os.environ["PATH"], "ENCODER": "e", "JUDGE": "j"})
            done = run("--minutes", "5")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("grid.py --program build/release/semblance --methods merf,hp --seeds 0 --minutes 5\n", done.stderr)
            said = done.stdout.splitlines()
            self.assertEqual(said[0], "papers: left out:")
            self.assertTrue(any(line.startswith("tables: covtype is not in ") and "covtype.py" in line for line in said), said)
            self.assertTrue(any(line.startswith("ron: membership: ") for line in said), said)
            self.assertIn("left", run("--list").stdout.splitlines())
            with open(at("bench/utility/grid.py"), "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nexit 1\n")
            failed = run("--minutes", "5")
            self.assertEqual((failed.returncode, "papers: grid failed" in failed.stderr), (1, True))

    def test_run_without_data_is_one_line(self):
        for words in ([], ["/no/such/folder"], ["/", "/"], ["/", "--minutes"], ["/", "--minutes", "-1"], ["/", "--lists"], ["--list"]):
            done = subprocess.run([os.path.join(support.SOURCE, "bench", "papers", "run.sh"), *words], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertIn("bench/papers/run.sh DATA", done.stderr)


if __name__ == "__main__":
    support.main()
