# SPDX-License-Identifier: Apache-2.0
"""The image part of the bench: IDX files, which images a classifier sees, accuracy, the page."""
import gzip
import os
import tempfile
import unittest
import unittest.mock

import support

support.need("numpy", "sklearn", "xgboost")

import numpy

import images
import store
import table

TWELVE = images.twelve()


def idx(path, array):
    head = bytes([0, 0, 8, array.ndim]) + b"".join(int(n).to_bytes(4, "big") for n in array.shape)
    with gzip.open(path, "wb") as file:
        file.write(head + array.astype(numpy.uint8).tobytes())


class Images(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_idx_files_are_read_and_others_refused(self):
        path = os.path.join(self.folder, "a.gz")
        array = numpy.arange(24).reshape(2, 3, 4)
        idx(path, array)
        numpy.testing.assert_array_equal(images.read_idx(path), array)
        with gzip.open(path, "wb") as file:
            file.write(b"\0\0\x0d\3" + bytes(30))
        with self.assertRaises(ValueError):
            images.read_idx(path)

    def test_few_images_are_all_taken_and_many_are_sampled_by_seed(self):
        self.assertEqual(list(images.choose(4, 10, 0)), [0, 1, 2, 3])
        one, other = images.choose(1000, 50, 1), images.choose(1000, 50, 2)
        self.assertEqual(len(set(one)), 50)
        numpy.testing.assert_array_equal(one, images.choose(1000, 50, 1))
        self.assertNotEqual(list(one), list(other))

    def test_twelve_classifiers_learn_what_is_easy(self):
        random = numpy.random.default_rng(0)
        self.assertEqual(len(images.twelve()), 12)
        y = numpy.arange(400) % 10  # class c is bright in row c
        x = random.integers(0, 60, (400, 12, 12))
        x[numpy.arange(400), y] += 190
        for name in ("Gaussian NB", "Bernoulli NB", "LDA", "random forest"):
            result = images.accuracy(name, x[:300].astype(numpy.uint8), y[:300], x[300:].astype(numpy.uint8), y[300:], 0)
            self.assertGreater(result["accuracy"], 0.95, name)
            self.assertEqual(result["images"], 300)
            wrong = images.accuracy(name, x[:300].astype(numpy.uint8), (y[:300] + 1) % 10,
                                    x[300:].astype(numpy.uint8), y[300:], 0)
            self.assertLess(wrong["accuracy"], 0.05, name)

    def test_accuracy_by_size_is_stored_once_and_every_class_is_seen(self):
        sizes = support.load("sizes", "bench", "papers", "sizes.py")
        labels = numpy.repeat(numpy.arange(10), 40)
        for seed in range(3):
            seen = labels[sizes.pick(labels, 65, seed)]
            self.assertEqual(set(numpy.bincount(seen)), {6, 7})
        random = numpy.random.default_rng(0)
        x = random.integers(0, 60, (400, 12, 12))
        x[numpy.arange(400), labels] += 190
        os.mkdir(os.path.join(self.folder, "tiny"))
        for name, array in zip(images.FILES, (x, labels, x, labels)):
            idx(os.path.join(self.folder, "tiny", name), array)
        results = os.path.join(self.folder, "sizes.jsonl")
        words = [self.folder, "tiny", "--methods", "", "--results", results, "--program", "/no/program"]
        with unittest.mock.patch.object(sizes, "SIZES", (60, 20)), unittest.mock.patch.object(
                sizes.images, "twelve", lambda: {name: make for name, make in TWELVE.items() if name in ("Gaussian NB", "Bernoulli NB")}):
            self.assertEqual((sizes.main(words), sizes.main(words)), (0, 0))
        lines = store.read_lines(results)[0]
        self.assertEqual([(line["part"], line["set"], line["method"]) for line in lines], [("sizes", "tiny", "real")])
        self.assertEqual(set(lines[0]["metrics"]["accuracy"]), {"60", "20"})
        self.assertGreater(lines[0]["metrics"]["accuracy"]["60"], 0.95)

    def test_folders_without_the_four_files_are_passed_over(self):
        for name in ("whole", "half"):
            os.mkdir(os.path.join(self.folder, name))
            for file in images.FILES[:4 if name == "whole" else 3]:
                open(os.path.join(self.folder, name, file), "wb").close()
        self.assertEqual(images.data_sets(self.folder, None), ["whole"])

    def test_page_shows_mean_and_classifiers_beside_published_ones(self):
        protocol = {"images": 60000, "images_slow": 20000, "max_train": 1, "max_test": 1, "bins": 8, "column_sets": 1,
                    "ways": [1]}
        line = {"part": "images", "set": "s", "method": "merf", "eps": 1.0, "delta": 1e-5,
                "neighbours": "replace-one", "seed": 0, "options": [], "limits": {"images": 60000, "images_slow": 20000},
                "version": "1", "build": "b", "machine": {"cpu": "c", "cores": 2}, "libraries": {},
                "seconds": {"measure": 1.0, "synth": 5.0},
                "metrics": {"accuracy": 0.75, "models": {"CNN": {"accuracy": 0.875}}}}
        published = {"sources": {"p": "Somebody"}, "entries": [
            {"source": "p", "part": "images", "set": "s", "method": "theirs", "eps": 1.0, "delta": 1e-5,
             "neighbours": None, "metrics": {"accuracy": 0.5}}]}
        page = table.render([line], published, protocol)
        self.assertIn("| s | **merf** | 1 | replace-one | 0.750 | - | - | 0.875 |", page)
        self.assertIn("| s | *theirs* [1] | 1 | - | 0.500 |", page)
        other = {**line, "limits": {"images": 100, "images_slow": 100}}
        self.assertIn("1 lines measured under other limits", table.render([line, other], published, protocol))


if __name__ == "__main__":
    support.main()
