# SPDX-License-Identifier: Apache-2.0
"""Total variation distances against values worked out by hand."""
import unittest

import support

support.need("numpy", "pandas")
import numpy

import marginals
import tables


def category(name, count, missing=False):
    return tables.Column(name, "category", "string", [""], missing, spellings={}, count=count)


def number(name, low, high, missing=False):
    return tables.Column(name, "number", "number", [""], missing, minimum=low, maximum=high)


def table(columns, *values):
    return tables.Table(tables.Schema(columns, None, "none"), [numpy.array(v) for v in values], 0)


SETTINGS = {"bins": 8, "column_sets": 2000, "sampling_seed": 0}


class Marginals(unittest.TestCase):
    def test_two_binary_columns_by_hand(self):
        columns = [category("a", 2), category("b", 2)]
        real = table(columns, [0, 0, 1, 1], [0, 0, 1, 1])
        made = table(columns, [0, 0, 1, 1], [0, 1, 0, 1])
        got = marginals.measure(real, made, (1, 2, 3), SETTINGS)
        self.assertEqual(got["tvd_1way"], 0.0)
        # cells 00 01 10 11: (1/2, 0, 0, 1/2) against (1/4, 1/4, 1/4, 1/4)
        self.assertEqual(got["tvd_2way"], 0.5)
        self.assertNotIn("tvd_3way", got)

    def test_tuples_with_equal_sums_of_codes_are_different_cells(self):
        columns = [category("a", 2), category("b", 2)]
        real, made = table(columns, [0, 0], [1, 1]), table(columns, [1, 1], [0, 0])
        self.assertEqual(marginals.measure(real, made, (2,), SETTINGS)["tvd_2way"], 1.0)

    def test_tables_of_different_length_compare_as_distributions(self):
        columns = [category("a", 3)]
        real, made = table(columns, [0, 1, 2, 2]), table(columns, [0, 1])
        self.assertAlmostEqual(marginals.measure(real, made, (1,), SETTINGS)["tvd_1way"], 0.5)

    def test_numbers_fall_in_equal_bins_over_the_bounds_and_the_maximum_in_the_last(self):
        codes, sizes = marginals.discretise(table([number("x", 10, 18)], [10.0, 10.9, 11.0, 17.0, 18.0]), 8)
        self.assertEqual(codes[0].tolist(), [0, 0, 1, 7, 7])
        self.assertEqual(sizes, [8])

    def test_missing_is_one_more_value(self):
        columns = [number("x", 0, 1, missing=True), category("a", 2, missing=True)]
        codes, sizes = marginals.discretise(table(columns, [0.0, numpy.nan], [0, 2]), 8)
        self.assertEqual(([c.tolist() for c in codes], sizes), ([[0, 8], [0, 2]], [9, 3]))

    def test_constant_number_has_one_bin_in_use(self):
        codes, _ = marginals.discretise(table([number("x", 3, 3)], [3.0, 3.0]), 8)
        self.assertEqual(codes[0].tolist(), [0, 0])

    def test_column_sets_are_all_or_a_seeded_sample_without_repeats(self):
        sets, total = marginals.column_sets(4, 2, 6, 0)
        self.assertEqual((len(sets), total), (6, 6))
        sets, total = marginals.column_sets(30, 3, 100, 0)
        self.assertEqual((len(set(sets)), total), (100, 4060))
        self.assertEqual(sets, marginals.column_sets(30, 3, 100, 0)[0])
        self.assertNotEqual(sets, marginals.column_sets(30, 3, 100, 1)[0])

    def test_sparse_and_dense_histograms_agree(self):
        random = numpy.random.default_rng(0)
        sizes = [50, 60, 70]
        a = [random.integers(0, s, 500) for s in sizes]
        b = [random.integers(0, s, 400) for s in sizes]
        dense = marginals.distance(a, b, sizes, (0, 1, 2))
        kept, marginals.DENSE_CELLS = marginals.DENSE_CELLS, 10
        try:
            self.assertAlmostEqual(marginals.distance(a, b, sizes, (0, 1, 2)), dense, places=12)
        finally:
            marginals.DENSE_CELLS = kept

    def test_equal_edges_give_the_bins_of_the_protocol(self):
        made = table([number("x", 0, 1, missing=True), category("a", 2)],
                     [0.0, 0.1, 0.125, 0.5, 0.99, 1.0, numpy.nan], [0, 1, 0, 1, 0, 1, 0])
        (codes, sizes), (expected, same) = marginals.cut(made, marginals.equal_edges(made, 8)), marginals.discretise(made, 8)
        self.assertEqual([c.tolist() for c in codes], [c.tolist() for c in expected])
        self.assertEqual(sizes, same)

    def test_quantile_edges_share_the_rows_out_and_a_spike_has_one_edge(self):
        column = [number("x", 0, 100)]
        even = table(column, numpy.arange(100.0))
        codes, sizes = marginals.cut(even, marginals.quantile_edges(even, 10))
        self.assertEqual((numpy.bincount(codes[0]).tolist(), sizes), ([10] * 10, [10]))
        spike = table(column, [40.0] * 8 + [50.0, 60.0])
        self.assertEqual(marginals.quantile_edges(spike, 5)[0].tolist(), [40.0, 42.0])

    def test_other_bins_are_measured_by_the_edges_of_the_real_table(self):
        columns = [number("x", 0, 10), category("a", 2)]
        real, made = table(columns, [1.0, 1.2, 9.0, 9.2], [0, 0, 1, 1]), table(columns, [1.2, 1.2, 9.2, 9.2], [0, 0, 1, 1])
        settings = {**SETTINGS, "other_bins": {"halves": ["equal", 2], "quarters": ["quantile", 4]}}
        got = marginals.measure_bins(real, made, settings)
        # quantile edges 1.15, 5.1, 9.05: one row in each of the four bins, against none, two, none, two
        self.assertEqual((got["tvd_2way_halves"], got["tvd_2way_quarters"]), (0.0, 0.5))

    def test_empty_synthetic_table_is_refused(self):
        columns = [category("a", 2)]
        with self.assertRaises(ValueError):
            marginals.measure(table(columns, [0]), table(columns, numpy.array([], dtype=int)), (1,), SETTINGS)


if __name__ == "__main__":
    support.main()
