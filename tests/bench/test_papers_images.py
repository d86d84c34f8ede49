# SPDX-License-Identifier: Apache-2.0
"""The papers' images: a run goes on where it stopped, a line says how it was made, packed images come back to the byte.

A small script stands for the program: it writes the files that each command would, counts its calls and fails where told.
"""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

import support

support.need("numpy")
import numpy

import frechet

images = support.load("papers_images", "bench", "papers", "images.py")
carry = support.load("papers_carry", "bench", "papers", "carry.py")

PROGRAM = """#!{python}
import json, os, sys
if sys.argv[1:] == ["--version"]:
    print("semblance 9.9.9")
    sys.exit()
with open({calls!r}, "a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
option = lambda name: sys.argv[sys.argv.index(name) + 1]
kind = sys.argv[1]
if os.path.exists({broken!r}) and kind == open({broken!r}).read():
    sys.exit("broken: " + kind)
if kind == "fit":
    for name in ("--release", "--certificate", "--model"):
        open(option(name), "x").close()
elif kind == "train":
    open(option("--model"), "w").close()
elif kind == "sample":
    os.mkdir(option("-o"))
    open(os.path.join(option("-o"), "images-idx4-ubyte.gz"), "w").close()
elif kind == "evaluate":
    found = {{"distance": {{"synthetic": 12.3456, "floor": 99.0, "ceiling": 1.5}}, "images": 7, "side": 32, "sha256": "5ca1ab1e",
              "trained_on": "ImageNet-1k"}}
    print(json.dumps({{"images": {{"frechet": found}}}}))
"""


class Papers(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.calls, self.broken, self.results = self.path("calls"), self.path("broken"), self.path("lines.jsonl")
        os.makedirs(self.path("data", "cifar10"))
        random = numpy.random.default_rng(0)
        for name in ("data_batch_1.bin", "data_batch_2.bin", "test_batch.bin"):
            random.integers(0, 256, (5, 3073)).astype(numpy.uint8).tofile(self.path("data", "cifar10", name))
        with open(self.path("program"), "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(python=sys.executable, calls=self.calls, broken=self.broken))
        os.chmod(self.path("program"), 0o755)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def bench(self, *more):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            code = images.main(["--program", self.path("program"), "--data", self.path("data"), "--out", self.path("out"),
                                "--encoder", self.path("vgg16.safetensors"), "--judge", self.path("judge.safetensors"),
                                "--results", self.results, "--commit", "c0ffee", "--without-scores", *more])
        return code, out.getvalue()

    def kinds(self):
        with open(self.calls, encoding="utf-8") as file:
            return [line.split()[0] for line in file]

    def test_a_stopped_run_continues_with_the_stage_that_failed(self):
        with open(self.broken, "w", encoding="utf-8") as file:
            file.write("sample")
        code, said = self.bench("--only", "^cifar10-mepf-eps1$")
        self.assertEqual(code, 1)
        self.assertIn("cifar10-mepf-eps1: draw failed: exit 1: broken: sample", said)
        self.assertEqual(self.kinds(), ["ledger", "fit", "train", "sample"])
        self.assertFalse(os.path.exists(self.results))
        os.remove(self.broken)
        self.assertEqual(self.bench("--only", "^cifar10-mepf-eps1$")[0], 0)
        self.assertEqual(self.kinds(), ["ledger", "fit", "train", "sample", "sample", "evaluate"])
        self.assertEqual(self.bench("--only", "^cifar10-mepf-eps1$"), (0, "0 done, 0 left\n"))
        self.assertEqual(len(self.kinds()), 6)

    def test_a_line_tells_command_commit_and_figure_but_no_folder(self):
        self.bench("--only", "^cifar10-unlabelled-mepf-eps0.5$")
        with open(self.results, encoding="utf-8") as file:
            text = file.read()
        line = json.loads(text)
        self.assertTrue(line["notice"].startswith("NOT PRIVATE"))
        self.assertEqual((line["set"], line["eps"], line["labelled"], line["commit"]), ("cifar10", 0.5, False, "c0ffee"))
        self.assertEqual(line["metrics"]["frechet"]["name"], "FD by judge")
        self.assertEqual(line["metrics"]["frechet"]["synthetic"], 12.35)
        self.assertIn("fit --images OUT/cifar10-train-images-idx4-ubyte --title CIFAR-10", line["commands"][1])
        self.assertIn("--device cuda", line["commands"][2])
        self.assertNotIn(self.folder, text)

    def test_images_without_labels_are_the_same_pixels(self):
        self.bench("--only", "^cifar10-unlabelled-mepf-eps1$")
        made = numpy.fromfile(self.path("out", "cifar10-train-images-idx4-ubyte"), numpy.uint8)
        self.assertEqual(list(made[:20]), [0, 0, 8, 4, 0, 0, 0, 10, 0, 0, 0, 32, 0, 0, 0, 32, 0, 0, 0, 3])
        first = numpy.fromfile(self.path("data", "cifar10", "data_batch_1.bin"), numpy.uint8)[1:3073].reshape(3, 32, 32)
        numpy.testing.assert_array_equal(made[20:20 + 3072].reshape(32, 32, 3).transpose(2, 0, 1), first)

    def test_faces_are_read_without_their_classes_at_the_size_of_the_job(self):
        for split in ("train", "test"):
            for name in ("female/1.jpg", "male/2.jpg"):
                os.makedirs(os.path.dirname(self.path("data", "celeba", split, name)), exist_ok=True)
                open(self.path("data", "celeba", split, name), "w", encoding="utf-8").close()
        self.bench("--only", "^celeba64-unlabelled-mepf-eps10$")
        self.assertEqual(sorted(os.listdir(self.path("out", "celeba-train"))), ["1.jpg", "2.jpg"])
        self.assertTrue(os.path.exists(self.path("out", "celeba-test", "2.jpg")))
        with open(self.calls, encoding="utf-8") as file:
            of_kind = {line.split()[0]: line for line in file}
        self.assertIn(f"--images {self.path('out', 'celeba-train')} --size 64x64 --resize", of_kind["fit"])
        self.assertIn(f"--real {self.path('out', 'celeba-test')}", of_kind["evaluate"])
        self.assertIn("--size 64x64 --resize", of_kind["evaluate"])

    def test_every_job_has_a_name_of_its_own(self):
        names = [one.name for one in images.jobs()]
        self.assertEqual(len(set(names)), len(names))

    def test_packed_images_come_back_to_the_byte(self):
        for name in ("packed", "again"):
            os.mkdir(self.path(name))
        source = self.path("data", "cifar10", "test_batch.bin")
        smooth = numpy.add.outer(numpy.arange(5), numpy.arange(3073)).astype(numpy.uint8)
        for bytes_of in (numpy.fromfile(source, numpy.uint8), smooth, numpy.full((2, 3073), 255, numpy.uint8)):
            bytes_of.tofile(source)
            carry.pack(source, self.path("packed"))
            carry.unpack(self.path("packed", "test_batch.bin.packed"), self.path("again"))
            with open(source, "rb") as one, open(self.path("again", "test_batch.bin"), "rb") as other:
                self.assertEqual(one.read(), other.read())

    def test_a_distance_carries_the_name_of_its_network(self):
        found = frechet.distance(self.path("program"), "a", "b", "/somewhere/resnet18.safetensors")
        self.assertEqual((found["name"], found["synthetic"], found["images"]), ("FD by resnet18", 12.35, 7))
        with open(self.broken, "w", encoding="utf-8") as file:
            file.write("evaluate")
        with self.assertRaisesRegex(images.program.ProgramError, "broken: evaluate"):
            frechet.distance(self.path("program"), "a", "b", "c")


if __name__ == "__main__":
    support.main()
