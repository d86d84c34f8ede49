# SPDX-License-Identifier: Apache-2.0
"""The 2-D grid: its data, its likelihood and its picture."""
import math
import unittest
import xml.etree.ElementTree

import support

support.need("numpy", "pandas")
import numpy

import grid


class Grid(unittest.TestCase):
    def test_data_has_its_ideal_likelihood_and_all_modes(self):
        x, y, label = grid.points(0)
        self.assertEqual((len(x), numpy.bincount(label).tolist()), (90000, [18000] * 5))
        got = grid.measure(x, y, label)
        # entropy of the mixture: log 25 + 1 + log(sqrt(2 pi) s), and log 25 + 1 + log(2 pi s^2)
        self.assertAlmostEqual(got["nll_code"], math.log(25) + 1 + math.log(math.sqrt(2 * math.pi) * 0.2), delta=0.02)
        self.assertAlmostEqual(got["nll"], math.log(25) + 1 + math.log(2 * math.pi * 0.04), delta=0.02)
        self.assertEqual(got["modes"], 25)
        self.assertAlmostEqual(got["within_3s"], 1 - math.exp(-4.5), delta=0.002)

    def test_likelihood_of_one_point_by_hand(self):
        got = grid.measure(numpy.array([0.2]), numpy.array([0.0]), numpy.array([0]))  # one deviation off centre
        self.assertAlmostEqual(got["nll_code"], math.log(25) + 0.5 + math.log(math.sqrt(2 * math.pi) * 0.2), places=9)

    def test_point_with_the_label_of_another_centre_is_far_and_finite(self):
        right = grid.measure(numpy.array([0.0]), numpy.array([0.0]), numpy.array([0]))
        wrong = grid.measure(numpy.array([0.0]), numpy.array([0.0]), numpy.array([1]))
        # class 1 has its nearest centre at distance 1: 1 / (2 * 0.04) = 12.5
        self.assertAlmostEqual(wrong["nll_code"] - right["nll_code"], 12.5, places=6)
        self.assertEqual(wrong["within_3s"], 0.0)

    def test_missing_mode_is_counted(self):
        x, y, label = grid.points(0)
        keep = (x - 2) ** 2 + (y - 2) ** 2 > 0.9**2
        got = grid.measure(x[keep], y[keep], label[keep])
        self.assertEqual((got["modes"], got["least_mode"]), (24, 0.0))

    def test_picture_is_well_formed_and_small(self):
        data = grid.points(0)
        text = grid.scatter([("data", *data), ("again", *data)])
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(sum(child.tag.endswith("path") for child in root), 10)
        self.assertLess(len(text), 120_000)


if __name__ == "__main__":
    support.main()
