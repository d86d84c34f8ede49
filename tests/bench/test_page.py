# SPDX-License-Identifier: Apache-2.0
"""The page made from a results file."""
import copy
import unittest

import support

import table

PROTOCOL = {"max_train": 50, "max_test": 20, "bins": 8, "column_sets": 2000, "ways": [1, 2]}
PUBLISHED = {"sources": {"paper": "Somebody (2020)"}, "entries": [
    {"source": "paper", "part": "classifiers", "set": "s", "method": "real", "eps": None, "delta": None,
     "neighbours": None, "metrics": {"roc": 0.8, "prc": 0.5}},
    {"source": "paper", "part": "classifiers", "set": "s", "method": "theirs", "eps": 1.0, "delta": 1e-5,
     "neighbours": "replace-one", "metrics": {"roc": 0.6, "prc": 0.4}}]}


def line(method, seed, metrics, part="classifiers", eps=1.0, **more):
    private = method not in ("real", "independent")
    return {"part": part, "set": "s", "method": method, "eps": eps if private else None,
            "delta": 1e-5 if private else None, "neighbours": "replace-one" if private else None, "seed": seed,
            "options": [], "limits": {"max_train": 50, "max_test": 20, "thinning": 1.0}, "run": None,
            "version": "1.2.3" if private else None, "build": "abc", "machine": {"cpu": "a cpu", "cores": 2},
            "libraries": {"python": "3", "sklearn": "1"}, "seconds": {"measure": 1.0, "synth": 9.0, "synth_cpu": 2.0},
            "metrics": metrics, **more}


LINES = [line("real", 0, {"roc": 0.8, "prc": 0.5, "classes": 2, "models": {"LDA": {"note": "odd"}}}),
         line("mine", 0, {"roc": 0.70, "prc": 0.40, "classes": 2}),
         line("mine", 1, {"roc": 0.74, "prc": 0.44, "classes": 2})]


def render(lines):
    return table.render(copy.deepcopy(lines), PUBLISHED, PROTOCOL)


ASKED = {"method": "mine", "floor": "marginals", "delta": 1e-5, "names": {"roc": "ROC", "tvd_2way": "2-way"},
         "questions": [{"title": "Distances", "part": "marginals", "kind": "distance", "rows": [
             {"set": "s", "eps": 1, "neighbours": "replace-one", "figures": {"tvd_2way": 0.03}}]},
                       {"title": "Learners", "part": "classifiers", "kind": "of real", "rows": [
                           {"set": "s", "eps": 1, "neighbours": "replace-one", "figures": {"roc": 0.95}}]}]}


class Asked(unittest.TestCase):
    def page(self, distance, floor, asked=ASKED):
        lines = LINES + [line("mine", 0, {"tvd_2way": distance}, "marginals"),
                         line("marginals", 0, {"tvd_2way": floor}, "marginals")]
        return table.render(copy.deepcopy(lines), PUBLISHED, PROTOCOL, asked)

    def test_distance_is_met_at_most_and_classifiers_at_least_as_part_of_real(self):
        page = self.page(0.03, 0.05)
        self.assertIn("| s | 1 | replace-one | 2-way | 0.0300 | 0.03 | yes | 0.0500 | - | 1 | 2.0 |", page)
        self.assertIn("| s | 1 | replace-one | ROC | 0.900 (0.720) | 0.95 | short by 0.050 | - | - | 2 | 2.0 ± 0.0 |", page)
        self.assertIn("1 of 2 figures reach their target.", page)
        self.assertIn("- s, epsilon 1, replace-one, ROC: short by 0.050", page)
        self.assertIn("Of these the floor is better than `mine`: none.", page)

    def test_classifiers_that_lose_most_are_named_where_the_mean_falls_short(self):
        lines = [line("real", 0, {"roc": 0.8, "classes": 2, "models": {"LDA": {"roc": 0.9}, "tree": {"roc": 0.7}}}),
                 line("mine", 0, {"roc": 0.6, "classes": 2, "models": {"LDA": {"roc": 0.5}, "tree": {"roc": 0.7}}})]
        page = table.render(lines, PUBLISHED, PROTOCOL, ASKED)
        self.assertIn("short by 0.200; furthest behind: LDA 0.500 (real 0.900), tree 0.700 (real 0.700)", page)

    def test_mean_that_reaches_its_target_says_how_many_seeds_do(self):
        lines = LINES + [line("mine", seed, {"tvd_2way": d}, "marginals") for seed, d in enumerate((0.02, 0.02, 0.035))]
        page = table.render(copy.deepcopy(lines), PUBLISHED, PROTOCOL, ASKED)
        self.assertIn("| 0.03 | yes (2 of 3 seeds) |", page)
        self.assertIn("- s, epsilon 1, replace-one, 2-way: 2 of 3 seeds", page)

    def test_floor_that_wins_is_named_also_where_the_target_is_met(self):
        self.assertIn("the floor has 0.0100, `mine` 0.0200", self.page(0.02, 0.01))

    def test_floor_without_a_label_stands_beside_and_is_named_where_it_wins(self):
        lines = LINES + [line("mine", 0, {"tvd_2way": 0.02}, "marginals"),
                         {**line("marginals", 0, {"tvd_2way": 0.01}, "marginals"), "set": "s_unlabelled"}]
        page = table.render(copy.deepcopy(lines), PUBLISHED, PROTOCOL, ASKED)
        self.assertIn("| 0.0200 | 0.03 | yes | - | 0.0100 |", page)
        self.assertIn("without a label the floor has 0.0100, `mine` 0.0200", page)

    def test_target_may_be_the_floor(self):
        asked = copy.deepcopy(ASKED)
        asked["questions"][0]["rows"][0]["figures"]["tvd_2way"] = "floor"
        self.assertIn("| 0.0200 | the floor | short by 0.0100 |", self.page(0.02, 0.01, asked))
        self.assertIn("| 0.0200 | the floor | yes |", self.page(0.02, 0.03, asked))

    def test_what_was_not_run_is_listed(self):
        page = table.render(copy.deepcopy(LINES), PUBLISHED, PROTOCOL, ASKED)
        self.assertIn("Not run:\n\n- s, epsilon 1, replace-one, 2-way", page)


class Results(unittest.TestCase):
    def test_mean_spread_and_fraction_of_real_over_seeds(self):
        # mean .72, deviation .0283; .72 / .8 = .9 and .42 / .5 = .84
        self.assertIn("| s | **mine** | 1 | replace-one | 0.720 ± 0.028 | 0.420 ± 0.028 | 0.900 / 0.840 | 2 | 2.0 ± 0.0 |",
                      render(LINES))

    def test_published_figures_stand_beside_as_fractions_of_their_own_real(self):
        page = render(LINES)
        self.assertIn("| s | *theirs* [1] | 1 | replace-one | 0.600 | 0.400 | 0.750 / 0.800 |", page)
        self.assertIn("1. Somebody (2020)", page)

    def test_lines_without_noise_are_rows_of_their_own_and_have_their_own_command(self):
        page = render(LINES + [line("mine", 0, {"roc": 0.78, "prc": 0.48, "classes": 2}, noise="off")])
        self.assertIn("| s | **mine** | 1 | replace-one | 0.720 ± 0.028 |", page)
        self.assertIn("| s | **mine** (no noise) | 1 | replace-one | 0.780 |", page)
        self.assertIn("--program build/release/bench/semblance-without-noise --results bench/results/utility.jsonl --methods mine", page)

    def test_classifiers_are_shown_one_by_one(self):
        models = lambda roc: {"roc": roc, "prc": 0.4, "classes": 2, "models": {"LDA": {"roc": roc, "prc": 0.3}}}
        page = render([line("real", 0, models(0.8)), line("mine", 0, models(0.6))])
        self.assertIn("### ROC", page)
        self.assertIn("| s | **mine** | 1 | replace-one | - | - | - | - | - | 0.600 |", page)
        self.assertNotIn("### F1", page)

    def test_latest_line_of_a_seed_counts(self):
        again = LINES + [line("mine", 1, {"roc": 0.70, "prc": 0.40, "classes": 2})]
        self.assertIn("| 0.700 ± 0.000 | 0.400 ± 0.000 | 0.875 / 0.800 | 2 |", render(again))

    def test_lines_under_other_limits_are_left_out_and_counted(self):
        other = line("mine", 2, {"roc": 0.1, "prc": 0.1, "classes": 2}, limits={"max_train": 5, "max_test": 20})
        page = render(LINES + [other])
        self.assertIn("0.720 ± 0.028", page)
        self.assertIn("1 lines measured under other limits", page)

    def test_command_names_methods_epsilons_and_seeds(self):
        self.assertIn("--methods mine --eps 1 --seeds 0,1 --delta 1e-05", render(LINES))

    def test_marginals_table_and_infinite_epsilon(self):
        page = render([line("mine", 0, {"tvd_1way": 0.01, "tvd_2way": 0.02, "out_of_domain": 3}, "marginals", "inf"),
                       line("independent", 0, {"tvd_1way": 0.0, "tvd_2way": 0.1}, "marginals")])
        self.assertIn("| s | **mine** | inf | replace-one | 0.0100 | 0.0200 | 1 |", page)
        self.assertIn("domain, over all tables above: 3", page)
        self.assertLess(page.index("**mine**"), page.index("| independent |"))

    def test_several_classes_give_f1(self):
        page = render([line("real", 0, {"f1": 0.9, "classes": 5}), line("mine", 0, {"f1": 0.45, "classes": 5})])
        self.assertIn("| s | **mine** | 1 | replace-one | 0.450 | 0.500 | 1 |", page)

    def test_notes_machine_and_version_are_said_and_not_private(self):
        page = render(LINES)
        for text in ("NOT PRIVATE", "LDA: odd (s)", "a cpu, 2 cores", "semblance 1.2.3 (build abc)"):
            self.assertIn(text, page)

    def test_hostile_names_stay_in_their_cell(self):
        page = render([line("a|b<script>", 0, {"tvd_1way": 0.0}, "marginals")])
        self.assertIn("**a\\|b&lt;script>**", page)

    def test_nothing_measured_is_a_page_that_says_so(self):
        self.assertIn("Nothing has been measured", render([]))


if __name__ == "__main__":
    support.main()
