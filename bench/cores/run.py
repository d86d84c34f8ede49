#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much faster are training, encoding and `pairs` on 2, 4, 8, 16 threads, and are the results the same bits?

    run.py BUILD [--threads 1,2,4,8,16] [--jobs NAME,...] [--results FILE] [--keep FOLDER]
    run.py BUILD --as-if LIBRARY [--threads 16] ...

BUILD holds semblance and bench_cores (or bench/bench_cores), as the preset `release` builds them. Data is made up from a fixed seed. Steps of training,
the private pass over images, and `pairs` and `forest` from their releases on to a model in memory are timed inside of bench_cores, the last two with the
short spins that the program asks for; `copies` is what the machine allows (a clock that falls as cores wake, a bus
that they share): copies of a program with one thread, side by side, none of which knows of the others; `sample` and `read` are whole commands, start and
files included, the faster of two where one is short, and `sample-copies` and `read-copies` as many of them on one thread each.
Printed: wall seconds, and the speed-up over the number of threads (those of the machine at most). Where the bits of a job differ between
numbers of threads the exit status is 1; `read` writes a sealed file, which is another one each time, and is not compared. Standard
library of Python only; under three minutes. --keep leaves the data there, and takes what is there already.

--as-if runs each job on one core as if on more, by as_if.c's library (gcc -O2 -shared -fPIC): what the division of the work alone allows, printed
in place of a clock. FOLDER/JOB.THREADS.as_if says which parallel regions lose most.
"""
import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ROWS = 32768
FOREST_ROWS = 16384
READ_TIMES = 160  # as often has the file that is only read the table's rows: a large one
SAMPLE_TIMES = 64  # as many rows are drawn
FOREST_COLUMNS = ("age", "years", "level", "job", "relation", "sex", "income")  # of the table below; all would take minutes
LONG = 4  # seconds after which a command is not run a second time
NOISE = ["--epsilon", "10", "--delta", "1e-5"]
# Steps or passes inside of bench_cores, the first of which does not count where there are more, and rounds over all numbers
# of threads, of which the quickest counts: the clock of a machine, and its neighbours on it, change from one second to the next.
TIMES = {"mepf": (4, 3), "mepf-residual": (2, 3), "merf-images": (6, 3), "merf": (40, 3), "encode": (1, 1)}
TRAINED = {"pairs": (1, 2), "forest": (1, 1)}  # the same from a release on
COMMANDS = ["sample", "read"]
COPIES = "copies"  # programs of one thread each, side by side: what the machine gives to those who share nothing
COPIED = {"sample-copies": "sample", "read-copies": "read"}  # the same of these commands
TARGETS = {2: 0.95, 4: 0.85, 8: 0.75, 16: 0.6}


# ---- data ----

TABLE = [("age", "integer", 17, 90), ("weight", "integer", 10000, 1500000), ("years", "integer", 1, 16),
         ("gain", "integer", 0, 99999), ("loss", "integer", 0, 4356), ("hours", "integer", 1, 99),
         ("work", 8), ("level", 16), ("married", 7), ("job", 14), ("relation", 6), ("race", 5), ("sex", 2), ("country", 41), ("income", 2)]


def columns_of(job):
    return [column for column in TABLE if job != "forest" or column[0] in FOREST_COLUMNS]


def describe(path, job):
    fields = []
    for name, *rest in columns_of(job):
        if len(rest) == 3:
            fields.append({"name": name, "type": rest[0], "constraints": {"minimum": rest[1], "maximum": rest[2], "required": True}})
        else:
            fields.append({"name": name, "type": "string", "constraints": {"enum": [f"{name[0]}{v}" for v in range(rest[0])], "required": True}})
    with open(path, "w") as out:
        json.dump({"fields": fields, "semblance": {"label": "income", "task": "classification"}}, out)


def make_table(path, rows, job):
    """Columns as Adult's: six numbers, nine categories, held together by two hidden numbers."""
    draw = random.Random(3)
    with open(path, "w") as out:
        out.write(",".join(column[0] for column in columns_of(job)) + "\n")
        for _ in range(rows):
            u, v = draw.random(), draw.random()
            cells = []
            for j, (name, *rest) in enumerate(columns_of(job)):
                mix = (u if j % 3 else v) * 0.7 + draw.random() * 0.3
                if len(rest) == 3:
                    cells.append(str(int(rest[1] + (rest[2] - rest[1]) * (mix ** 3 if name in ("gain", "loss") else mix))))
                else:
                    cells.append(f"{name[0]}{int(rest[0] * mix * mix)}")
            out.write(",".join(cells) + "\n")


# ---- commands ----

def own_waiting(environment):
    """Threads wait as the program asks for, not as the shell that starts the bench does."""
    return {name: value for name, value in environment.items() if name != "OMP_WAIT_POLICY"}


def call(command, environment=None):
    environment = own_waiting(environment or os.environ)
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"run.py: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def fit(program, folder, method, rows):
    """The release that a job trains from."""
    table, release, schema = f"{folder}/{method}.csv", f"{folder}/{method}.release", f"{folder}/{method}.schema.json"
    if os.path.exists(release):
        return
    make_table(table, rows, method)
    describe(schema, method)
    call([program, "fit", table, "--schema", schema, "--method", method, *NOISE, "--model", f"{folder}/{method}.safetensors",
          "--release", release, "--certificate", f"{folder}/{method}.json", "--quiet", "-f"])


def prepare(program, folder, jobs):
    os.makedirs(folder, exist_ok=True)
    jobs = {COPIED.get(job, job) for job in jobs}
    if {"pairs", "sample", "read"} & jobs:
        fit(program, folder, "pairs", ROWS)
    if "forest" in jobs:
        fit(program, folder, "forest", FOREST_ROWS)
    if "read" in jobs and not os.path.exists(f"{folder}/read.plan"):
        with open(f"{folder}/pairs.csv", "rb") as table, open(f"{folder}/read.csv", "wb") as large:
            large.write(table.readline())
            large.write(table.read() * READ_TIMES)
        call([program, "plan", "--schema", f"{folder}/pairs.schema.json", "-n", str(READ_TIMES * ROWS), *NOISE, "--method", "marginals", "--save", f"{folder}/read.plan"])


def command_of(program, folder, job, out):
    if job == "sample":
        return [program, "sample", f"{folder}/pairs.safetensors", "-n", str(SAMPLE_TIMES * ROWS), "--output", out, "-q", "-f"]
    return [program, "sum", f"{folder}/read.csv", "--plan", f"{folder}/read.plan", "-o", out, "-q", "-f"]


def bench_of(tool, folder, job, times, counts):
    """The command line of a job inside of bench_cores, and what it adds to the environment."""
    if job in TRAINED:
        return [tool, f"train={folder}/{job}.release", str(times), *map(str, counts)], {"GOMP_SPINCOUNT": "1000"}
    return [tool, job, str(times), *map(str, counts)], {}


def times_of(job):
    return TRAINED[job] if job in TRAINED else TIMES[job]


# ---- measuring ----

def sha(path):
    with open(path, "rb") as read:
        return hashlib.sha256(read.read()).hexdigest()[:16]


def measure_command(tools, folder, job, threads):
    out = f"{folder}/{job}.{threads}.out"
    command, times = [*command_of(tools[0], folder, job, out), "--threads", str(threads)], []
    while len(times) < 2 and sum(times) < LONG:
        begun = time.monotonic()
        call(command)
        times.append(time.monotonic() - begun)
    return min(times), None if job == "read" else sha(out)


def measure_copies(tools, count):
    """Seconds of so many copies divided by their number, as if they were the threads of one."""
    job = "merf-images"
    copies = [subprocess.Popen([tools[1], job, str(TIMES[job][0]), "1"], stdout=subprocess.PIPE, text=True) for _ in range(count)]
    said = [json.loads(copy.communicate()[0]) for copy in copies]
    return sum(one["seconds"] for one in said) / count / count, said[0]["bits"]


def measure_copied(tools, folder, job, count):
    """The same of a command: how long all of them take, divided by their number."""
    begun = time.monotonic()
    copies = [subprocess.Popen([*command_of(tools[0], folder, job, f"{folder}/{job}.copy{k}"), "--threads", "1"], env=own_waiting(os.environ))
              for k in range(count)]
    if any([copy.wait() for copy in copies]):
        sys.exit(f"run.py: a copy of {job} failed")
    seconds = (time.monotonic() - begun) / count
    bits = None if job == "read" else sha(f"{folder}/{job}.copy0")
    for k in range(count):
        os.remove(f"{folder}/{job}.copy{k}")
    return seconds, bits


def measure(tools, folder, job, counts):
    """[(seconds, bits)] for each number of threads"""
    if job in COMMANDS:
        return [measure_command(tools, folder, job, threads) for threads in counts]
    if job in COPIED:
        return [measure_copied(tools, folder, COPIED[job], count) for count in counts]
    if job == COPIES:
        return [measure_copies(tools, count) for count in counts]
    times, repeats = times_of(job)
    command, more = bench_of(tools[1], folder, job, times, counts * repeats)
    said = [json.loads(line) for line in call(command, dict(os.environ, **more)).splitlines()]
    got = []
    for i in range(len(counts)):
        rounds = said[i::len(counts)]
        bits = {one["bits"] for one in rounds}
        got.append((min(one["seconds"] for one in rounds), bits.pop() if len(bits) == 1 else f"differ on {counts[i]}"))
    return got


def taken(command, threads, library, report):
    """Seconds that the command would take on so many cores, and what it wrote to standard output."""
    environment = dict(os.environ, LD_PRELOAD=os.path.abspath(library), AS_IF_THREADS=str(threads), AS_IF_REPORT=report)
    text = call(command, environment)
    with open(report) as lines:
        words = lines.readline().split()
    return float(words[words.index("taken") + 1]), text


def guess(tools, folder, job, threads, library):
    out, report = f"{folder}/{job}.{threads}.out", f"{folder}/{job}.{threads}.as_if"
    if job in COMMANDS:
        seconds, _ = taken(command_of(tools[0], folder, job, out), threads, library, report)
        return seconds, None if job == "read" else sha(out)
    times = max(2, times_of(job)[0])
    few, _ = taken(bench_of(tools[1], folder, job, 1, [threads])[0], threads, library, report + ".few")
    many, text = taken(bench_of(tools[1], folder, job, times, [threads])[0], threads, library, report)
    return (many - few) / (times - 1), json.loads(text)["bits"]


def tools_of(build):
    bench = [path for path in (f"{build}/bench_cores", f"{build}/bench/bench_cores") if os.path.exists(path)]
    if not bench or not os.path.exists(f"{build}/semblance"):
        sys.exit(f"run.py: {build} has no semblance and bench_cores; build the preset release")
    return [f"{build}/semblance", bench[0]]


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("build")
    ask.add_argument("--threads", default="1,2,4,8,16")
    ask.add_argument("--jobs", default=",".join([*TIMES, *TRAINED, *COMMANDS, *COPIED, COPIES]))
    ask.add_argument("--results")
    ask.add_argument("--keep")
    ask.add_argument("--as-if")
    said = ask.parse_args()
    tools, cores = tools_of(said.build), len(os.sched_getaffinity(0))
    jobs = [job for job in said.jobs.split(",") if not said.as_if or job not in (COPIES, *COPIED)]
    counts = [int(t) for t in said.threads.split(",") if said.as_if or int(t) <= cores]
    if counts[0] != 1:
        counts.insert(0, 1)
    folder, all_same = said.keep or tempfile.mkdtemp(prefix="cores-"), True
    prepare(tools[0], folder, jobs)
    print(f"{'seconds on':14}" + "".join(f"{t:>9}" for t in counts) + "   of linear on " + "".join(f"{t:>6}" for t in counts[1:]) + "   bits")
    for job in jobs:
        got = [guess(tools, folder, job, t, said.as_if) for t in counts] if said.as_if else measure(tools, folder, job, counts)
        seconds, bits = [one[0] for one in got], {one[1] for one in got}
        linear = [seconds[0] / s / t for s, t in zip(seconds, counts)]
        verdict = "not compared" if None in bits else "same" if len(bits) == 1 else "DIFFER"
        all_same = all_same and verdict != "DIFFER"
        print(f"{job:14}" + "".join(f"{s:9.4f}" for s in seconds) + " " * 16 + "".join(f"{v:6.2f}" for v in linear[1:]) + "   " + verdict, flush=True)
        if said.results:
            with open(said.results, "a") as out:
                out.write(json.dumps({"job": job, "cores": cores, "as_if": bool(said.as_if), "threads": counts, "seconds": [round(s, 5) for s in seconds],
                                      "of_linear": [round(v, 3) for v in linear], "bits": verdict}) + "\n")
    print(f"{'asked':14}" + " " * (9 * len(counts) + 16) + "".join(f"{TARGETS.get(t, 0):6.2f}" for t in counts[1:]))
    sys.exit(0 if all_same else 1)


if __name__ == "__main__":
    main()
