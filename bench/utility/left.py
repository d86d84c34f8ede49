# SPDX-License-Identifier: Apache-2.0
"""What is left to measure: --list names it and measures nothing, --minutes leaves out what would take longer.

A measurement takes about as long as its nearest stored line did: the same data set and method, and for a synthetic table the same
options. Where there is none, `semblance plan` says how long the synthetic table takes, if it knows within PATIENCE processor seconds
and the minutes that are left.
What is left out is printed with the command that measures it alone.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import program
import store

PATIENCE = 60
DROPPED = ("--minutes", "--list", "--sets", "--methods", "--eps", "--seeds", "--baselines", "--baseline-seeds")


def add_options(parser):
    parser.add_argument("--list", action="store_true", help="name what is left, with the time it would take, and measure nothing")
    parser.add_argument("--minutes", type=float, help="leave out, by name, what would not end within these")


def said(seconds):
    """A time as one would say it."""
    if seconds is None:
        return "of unknown length"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} minutes" if seconds < 90 * 60 else f"about {seconds / 3600:.0f} hours"


def planned(command, patience=PATIENCE):
    """Processor seconds of a run by `semblance plan`, None where it does not say so in time."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "plan.json")
        limited = [sys.executable, program.LIMITED, str(patience), "0", out, os.devnull, *command, "--json"]
        answer = subprocess.run(limited, capture_output=True, text=True, check=False)
        if answer.returncode != 0 or json.loads(answer.stdout)["status"] != 0:
            return None
        with open(out, encoding="utf-8") as file:
            return json.load(file)["estimate"]["processor_seconds"]


def plan_of(args, job, private):
    """The command of `planned` for a job on `private`: --schema FILE -n ROWS, or --images FILE --labels FILE."""
    return [args.program, "plan", *private, "--method", job.method, "--epsilon", job.eps, "--delta", job.delta,
            "--neighbours", job.neighbours, *job.options]


def latest(lines, *kinds):
    """The seconds of the last line that has some of the first of these kinds, or None."""
    found = [line["seconds"][kind] for kind in kinds for line in reversed(lines) if (line.get("seconds") or {}).get(kind) is not None]
    return found[0] if found else None


def estimate(lines, job, parts, plan=None, patience=PATIENCE):
    """Seconds that a job takes, or None. `plan()` gives the command of `planned`; a job without it is a baseline."""
    here = [line for line in lines if line.get("set") == job.set]
    total = 0
    for part in parts:
        of_part = [line for line in here if line["part"] == part]
        own = [line for line in of_part if line["method"] == job.method]
        seconds = latest(own, "measure") or latest(of_part, "measure")
        if seconds is None:
            return None
        total += seconds
    if plan is None:
        return total
    own = [line for line in here if line["method"] == job.method and line["options"] == list(job.options)]
    synth = latest(own, "synth_cpu", "synth")
    if synth is None:
        synth = planned(plan(), patience)
    return None if synth is None else total + synth


def alone(words, job, baseline, by_set):
    """The command line that measures this job alone; `by_set`: of a script that takes --sets."""
    kept, skip = [words[0]], False
    for word in words[1:]:
        if skip:
            skip = False
        elif word.split("=", 1)[0] in DROPPED:
            skip = word != "--list" and "=" not in word
        else:
            kept.append(word)
    if by_set:
        kept += ["--sets", job.set]
    if baseline:
        return kept + ["--methods", "''"]
    return kept + ["--methods", job.method, "--eps", job.eps, "--seeds", str(job.seed)]


class Left:
    def __init__(self, args):
        self.listed, self.by_set = args.list, hasattr(args, "sets")
        self.end = None if args.minutes is None else time.monotonic() + 60 * args.minutes

    def out(self, title, lines, job, parts, plan=None):
        """True where a job is not measured now; it has been named then. `plan` is None for a baseline."""
        if not self.listed and self.end is None:
            return False
        spare = PATIENCE if self.listed else self.end - time.monotonic()
        seconds = estimate(lines, job, parts, plan, max(1, int(min(PATIENCE, spare))))
        if not self.listed and seconds is not None and seconds <= spare:
            return False
        length = said(seconds) if seconds is not None or spare >= PATIENCE else "too little time is left to plan it"
        print(f"{title}: {length}: {store.command(alone(sys.argv, job, plan is None, self.by_set))}", flush=True)
        return True
