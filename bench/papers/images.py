#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The images of DP-MEPF: every training of the page, each with its stored line. NOT PRIVATE: real images are read.

usage: bench/papers/images.py --program SEMBLANCE --data DATA --out OUT --encoder vgg16.safetensors --judge squeezenet1.1.safetensors
       [--results FILE] [--device cuda] [--only REGEX] [--seconds S] [--list]

DATA holds cifar10 (data_batch_1.bin to 5 and test_batch.bin), mnist and fashion_mnist (IDX, gzip) and celeba (folders train and test
of pictures, in subfolders by class); a set that is not there is left out. Each job has five stages: the release (the pass over the
private images, processor cores), the training (the card), the drawing of a synthetic set, the Frechet distance by the network --judge,
which is named with the figure, and the accuracy of networks that learned from the synthetic set (bench/utility/colour.py and three.py;
a card is quick). Cores and card work at the same time, on different jobs. A finished stage is kept under OUT, so the same command continues
a run that was stopped, a training from its last checkpoint. After --seconds the script stops by itself.

A finished job appends one line to --results: set, method, epsilon, options, commands, commit, seconds and figures.
Needs numpy, and torch for the accuracies (--without-scores leaves them out)."""
import argparse
import dataclasses
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
UTILITY = os.path.join(os.path.dirname(HERE), "utility")
sys.path.insert(0, UTILITY)

import frechet  # noqa: E402
import needs  # noqa: E402
import program  # noqa: E402
import store  # noqa: E402

GREY = ("mnist", "fashion_mnist")
FACES = {"celeba32": "32x32", "celeba64": "64x64"}  # the size to which the pictures of celeba are brought
LARGE = ("--embedding", "pixels+perceptual", "--early-stopping", "no")  # of grey images by VGG 16, docs/mechanisms/mepf.md
SHORT = ("--steps", "1500", "--batch", "500")  # without labels noise is small at every epsilon: by default 3,000 of 1,000


@dataclasses.dataclass
class Work:
    """One synthetic set: what is asked of the release and of the training."""
    job: store.Job
    labelled: bool = True
    large: bool = False  # by the encoder that is given, not the built-in one
    plan: tuple = ()
    train: tuple = ()

    @property
    def name(self):
        words = [self.job.set, "" if self.labelled else "unlabelled", self.job.method, "vgg16" if self.large and
                 self.job.set in GREY else "vgg-s" if "vgg-s" in self.plan else "", "stopped" if "yes" in self.plan else "",
                 "eps" + self.job.eps]
        return "-".join(word for word in words if word)

    @property
    def folder(self):
        return "celeba" if self.job.set in FACES else self.job.set


def work(name, method, eps, plan=(), train=(), **more):
    return Work(store.Job(name, method, eps, "1e-5", "replace-one", 0, (*plan, *train)), plan=plan, train=train, **more)


def jobs():
    """What matters most first, short before long."""
    made = [work("cifar10", "mepf", eps, large=True) for eps in ("1", "10")]
    made += [work(name, "mepf", "1") for name in GREY]
    made += [work("cifar10", "mepf", eps, large=True) for eps in ("2", "0.5", "5", "0.2")]
    made += [work("cifar10", "mepf", eps, large=True, labelled=False, train=SHORT) for eps in ("10", "5", "2", "1", "0.5")]
    made += [work("cifar10", "mepf", eps, large=True, plan=("--early-stopping", "yes")) for eps in ("1", "0.5", "0.2")]
    made += [work(name, "mepf", eps) for eps in ("10", "5", "2", "0.2") for name in GREY]
    made += [work(name, "mepf", eps, large=True, plan=LARGE, train=("--generator", "residual")) for eps in ("1", "10") for name in GREY]
    made += [work("celeba32", "mepf", eps, large=True, labelled=False, train=SHORT) for eps in ("1", "0.2")]
    made += [work("celeba32", "mepf", "0.2", labelled=False, plan=("--encoder", "vgg-s"), train=SHORT)]
    made += [work("celeba64", "mepf", eps, large=True, labelled=False, train=SHORT) for eps in ("10", "1")]
    return made


# ---- data ----

def private(one, args):
    folder = os.path.join(args.data, one.folder)
    if one.job.set in FACES:
        return ["--images", pictures(args, "train"), "--size", FACES[one.job.set], "--resize", "--title", "CelebA"]
    if one.job.set == "cifar10":
        source = folder if one.labelled else idx_of_cifar(args, "train")
        return ["--images", source, "--title", "CIFAR-10"]
    return ["--images", os.path.join(folder, "train-images-idx3-ubyte.gz"),
            "--labels", os.path.join(folder, "train-labels-idx1-ubyte.gz")]


def test_images(one, args):
    if one.job.set in FACES:
        return [pictures(args, "test"), "--size", FACES[one.job.set], "--resize"]
    if one.job.set == "cifar10":
        return [idx_of_cifar(args, "test")]
    return [os.path.join(args.data, one.job.set, "t10k-images-idx3-ubyte.gz")]


MAKING = threading.Lock()


def pictures(args, split):
    """CelebA's pictures without their classes: one folder of links."""
    flat = os.path.join(args.out, f"celeba-{split}")
    with MAKING:
        if not os.path.exists(flat):
            shutil.rmtree(flat + ".new", ignore_errors=True)
            os.makedirs(flat + ".new")
            for path in glob.glob(os.path.join(args.data, "celeba", split, "*", "*")):
                os.symlink(os.path.abspath(path), os.path.join(flat + ".new", os.path.basename(path)))
            os.replace(flat + ".new", flat)
    return flat


def idx_of_cifar(args, split):
    """CIFAR-10's images without their labels, as one IDX file (images, height, width, channels)."""
    import numpy
    path = os.path.join(args.out, f"cifar10-{split}-images-idx4-ubyte")
    with MAKING:
        if os.path.exists(path):
            return path
        os.makedirs(args.out, exist_ok=True)
        names = sorted(glob.glob(os.path.join(args.data, "cifar10", "data_batch_*.bin" if split == "train" else "test_batch.bin")))
        records = numpy.concatenate([numpy.fromfile(name, numpy.uint8) for name in names]).reshape(-1, 3073)
        images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        with open(path + ".new", "wb") as file:
            file.write(bytes([0, 0, 8, 4]) + b"".join(n.to_bytes(4, "big") for n in images.shape) + images.tobytes())
        os.replace(path + ".new", path)
    return path


# ---- stages: each returns its commands, or its figures ----

def release(one, args, at):
    """The private pass alone: the one step of training makes a model that is not used."""
    shutil.rmtree(at(""), ignore_errors=True)
    os.makedirs(at(""))
    encoder = ["--encoder", args.encoder] if one.large else []
    return [[args.program, "ledger", "init", at("ledger"), "--neighbours", one.job.neighbours, "--quiet"],
            [args.program, "fit", *private(one, args), "--method", one.job.method, "--epsilon", one.job.eps, "--delta",
             one.job.delta, "--neighbours", one.job.neighbours, "--seed", str(one.job.seed), *encoder, *one.plan, "--ledger",
             at("ledger"), "--release", at("release"), "--certificate", at("certificate.json"), "--model", at("first.model"),
             "--steps", "1", "--batch", "20", "--device", "cpu", "--quiet"]]


def train(one, args, at):
    device = ["--device", "cpu"]
    if args.device != "cpu":
        device = ["--device", args.device, "--device-cache", os.path.join(args.out, "kernels"),
                  *(["--device-precision", "tf32"] if one.large else [])]
    encoder = ["--encoder", args.encoder] if one.large else []
    return [[args.program, "train", at("release"), *encoder, *(args.train_option or one.train), "--seed", str(one.job.seed), "--certificate",
             at("certificate.json"), *device, "--overwrite", "--quiet", "--model", at("model")]]


def draw(one, args, at):
    shutil.rmtree(at("set"), ignore_errors=True)
    rows = ["-n", str(args.rows)] if args.rows else []
    return [[args.program, "sample", at("model"), *rows, "--seed", str(one.job.seed), "--preview", at("grid.png"), "--overwrite",
             "--quiet", "-o", at("set")]]


def drawn(at):
    return glob.glob(at("set", "images-idx?-ubyte.gz"))[0]


def distance(one, args, at):
    real, *shape = test_images(one, args)
    return [frechet.command(args.program, real, drawn(at), args.judge, one.job.seed) + shape]


def score(one, args, at):
    if not one.labelled or args.without_scores:
        return []
    folder = os.path.join(args.data, one.job.set)
    if one.job.set == "cifar10":
        return [[sys.executable, os.path.join(UTILITY, "colour.py"), at("set"), os.path.join(folder, "test_batch.bin")]]
    return [[sys.executable, os.path.join(UTILITY, "three.py"), folder, f"{one.name}={at('set')}"]]


STAGES = (("release", release), ("train", train), ("draw", draw), ("distance", distance), ("score", score))


def resource(one, stage):
    """Cores or the card: who works on this stage."""
    return "card" if STAGES[stage][0] in ("train", "score") else "cores"


# ---- running ----

class Stopped(Exception):
    """The time is over; what was running was ended, and is continued or begun anew by the next run."""


class Run:
    def __init__(self, args):
        self.args = args
        self.end = time.monotonic() + args.seconds if args.seconds else None
        self.results = store.Store(args.results)
        self.turn = threading.Condition()
        self.stage, self.taken, self.failed = {}, set(), set()
        self.jobs = [one for one in jobs() if re.search(args.only, one.name) and self.wanted(one)]
        for one in self.jobs:
            done = [os.path.exists(self.at(one)(name + ".json")) for name, _ in STAGES]
            self.stage[one.name] = done.index(False) if False in done else len(STAGES)
            if all(done):
                self.keep(one)

    def wanted(self, one):
        if not os.path.isdir(os.path.join(self.args.data, one.folder)):
            return False
        return not any(line.get("name") == one.name for line in self.results.lines)

    def at(self, one):
        return lambda *names: os.path.join(self.args.out, one.name, *names)

    def over(self):
        return self.end is not None and time.monotonic() >= self.end

    def ready(self, kind):
        """The job that this worker takes next, or None. Releases come first while the card has little to do."""
        free = [one for one in self.jobs if one.name not in self.taken | self.failed and self.stage[one.name] < len(STAGES)]
        mine = [one for one in free if resource(one, self.stage[one.name]) == kind]
        if kind == "card":
            return max(mine, key=lambda one: self.stage[one.name], default=None)
        waiting = sum(resource(one, self.stage[one.name]) == "card" for one in free)
        first = [one for one in mine if (self.stage[one.name] == 0) == (waiting < 2)]
        return (first or mine or [None])[0]

    def take(self, kind):
        """Waits for work of this kind; None when there is none left to come."""
        with self.turn:
            while not self.over():
                one = self.ready(kind)
                if one is not None:
                    self.taken.add(one.name)
                    return one
                left = [job for job in self.jobs if job.name not in self.failed and self.stage[job.name] < len(STAGES)]
                if not left:
                    return None
                self.turn.wait(1)
        return None

    def execute(self, command, one, log):
        cores = max(1, len(os.sched_getaffinity(0)) - 1)
        threads = cores if resource(one, self.stage[one.name]) == "cores" else min(4, cores)
        env = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
        with open(log, "a", encoding="utf-8") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, text=True, env=env)
            try:
                output, _ = process.communicate(timeout=None if self.end is None else max(1, self.end - time.monotonic()))
            except subprocess.TimeoutExpired as late:
                process.terminate()
                process.communicate()
                raise Stopped from late
        if process.returncode != 0:
            with open(log, encoding="utf-8", errors="replace") as errors:
                last = (errors.read().strip().splitlines() or ["no message"])[-1]
            raise program.ProgramError(f"exit {process.returncode}: {last}")
        return output

    def do(self, one):
        """One stage of a job. Its file, STAGE.json, appears when it is whole."""
        name, made = STAGES[self.stage[one.name]]
        at, start, output = self.at(one), time.monotonic(), ""
        commands = made(one, self.args, at)
        for command in commands:
            output = self.execute(command, one, at("log"))
        facts = {"seconds": round(time.monotonic() - start, 1), "commands": [self.shown(command) for command in commands]}
        if name == "distance":
            facts["frechet"] = frechet.read(output, self.args.judge)
        if name == "score" and output:
            facts["accuracy"] = json.loads(output.strip().splitlines()[-1])["accuracy"]
        with open(at(name + ".new"), "w", encoding="utf-8") as file:
            json.dump(facts, file)
        os.replace(at(name + ".new"), at(name + ".json"))
        print(f"{one.name}: {name} in {facts['seconds']} s", flush=True)

    def shown(self, command):
        """Without the folders of this machine."""
        text = " ".join(command)
        for folder, word in ((self.args.out, "OUT"), (self.args.data, "DATA"), (UTILITY, "bench/utility")):
            text = text.replace(os.path.normpath(folder) + "/", word + "/")
        for path in (self.args.program, self.args.encoder, self.args.judge, sys.executable):
            text = text.replace(path, os.path.basename(path)) if path else text
        return text

    def keep(self, one):
        facts = {}
        for name, _ in STAGES:
            with open(self.at(one)(name + ".json"), encoding="utf-8") as file:
                facts[name] = json.load(file)
        metrics = {"frechet": facts["distance"]["frechet"]}
        if "accuracy" in facts["score"]:
            metrics["accuracy"] = facts["score"]["accuracy"]
        self.results.append({"part": "papers-images", "name": one.name, **one.job.fields, "labelled": one.labelled,
                             "encoder": frechet.named(self.args.encoder) if one.large else "vgg-s",
                             "limits": {}, "commit": self.args.commit, **program.describe(carried(self.args.program)),
                             "machine": {**store.machine(), "card": self.args.card if self.args.device != "cpu" else None},
                             "seconds": {name: facts[name]["seconds"] for name, _ in STAGES},
                             "commands": [text for name, _ in STAGES for text in facts[name]["commands"]], "metrics": metrics})
        print(f"{one.name}: {json.dumps(metrics)}", flush=True)

    def work(self, kind):
        while (one := self.take(kind)) is not None:
            failure, done = None, False
            try:
                self.do(one)
                done = True
                if self.stage[one.name] + 1 == len(STAGES):
                    self.keep(one)
            except Stopped:
                failure = "stopped"
            except (program.ProgramError, OSError, ValueError, KeyError, IndexError) as error:
                failure = f"failed: {error}"
            with self.turn:
                self.taken.discard(one.name)
                if failure:
                    self.failed.add(one.name)
                    print(f"{one.name}: {STAGES[self.stage[one.name]][0]} {failure}", file=sys.stderr, flush=True)
                elif done:
                    self.stage[one.name] += 1
                self.turn.notify_all()


def carried(path):
    """The program itself, where `path` is the script of carry.py that starts it."""
    inner = os.path.join(os.path.dirname(path), "bin", "semblance")
    return inner if os.path.isfile(inner) else path


def card_name():
    try:
        answer = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True)
        return answer.stdout.strip().splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def commit_of_tree():
    answer = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return answer.stdout.strip() or None


def read_arguments(given=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--program", default="build/release/semblance")
    add("--data", required=True)
    add("--out", required=True)
    add("--encoder", required=True, help="VGG 16, as bench/utility/vgg16.py writes it")
    add("--judge", required=True, help="the network of the Frechet distance: another one than the encoder")
    add("--results", default=os.path.join(os.path.dirname(HERE), "results", "papers_images.jsonl"))
    add("--device", default="cuda", help="who trains: cuda or cpu")
    add("--only", default="", metavar="REGEX", help="jobs whose names match")
    add("--seconds", type=float, help="stop after these; the same command continues")
    add("--commit", default=commit_of_tree(), help="of the program; default: of this tree")
    add("--rows", type=int, help="images drawn; default: as many as were fitted")
    add("--train-option", action="append", default=[], help="instead of a job's own options of train, e.g. --train-option=--steps=100")
    add("--without-scores", action="store_true", help="no accuracies, so that torch is not needed")
    add("--list", action="store_true", help="print the names of the jobs that are left, and stop")
    args = parser.parse_args(given)
    args.data, args.out, args.card = os.path.normpath(args.data), os.path.normpath(args.out), card_name()
    return args


def main(given=None):
    args = read_arguments(given)
    run = Run(args)
    if args.list:
        print("".join(one.name + "\n" for one in run.jobs), end="")
        return 0
    needs.require_program(args.program)
    needs.require(("numpy",) if args.without_scores else ("numpy", "torch"))
    workers = [threading.Thread(target=run.work, args=(kind,)) for kind in ("cores", "card")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    left = [one.name for one in run.jobs if run.stage[one.name] < len(STAGES)]
    print(f"{len(run.jobs) - len(left)} done, {len(left)} left" + (": " + ", ".join(left) if left else ""))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
