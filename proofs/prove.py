#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prove what docs/SOUNDNESS.md lists, and see that planted bugs are refused.

    proofs/prove.py [--quick] [--tools FOLDER] [--no-mutants] [NAME...]

One line per function: goals, tool, seconds of processor. The exit status is 1 if a goal is open or a planted bug is not refused,
and 77 if the tools are not installed (tools/provers.sh). --quick leaves out what takes long. A NAME chooses proofs and planted
bugs that hold it in their names.

All limits are on seconds of processor, so that a busy machine fails no goal. A planted bug has the limits of the proof that must
refuse it.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from list_of_proofs import CBMC, SMT, TABLES, WP
from mutants import MUTANTS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEFINES = ["-D_GNU_SOURCE"]
GOAL_SECONDS = 5      # of a prover, for one goal of WP
PROGRAM_SECONDS = 900 # of any other program
WAIT = 20             # a program that takes this many times its limit by the clock is taken for stuck
spent = []            # seconds of processor of every program
seconds = threading.local() # those of the job that a thread is at


class Result:
    """goals and how many of them are proved; ran: the tool came to a verdict."""

    def __init__(self, goals=0, proved=0, ran=True, text=""):
        self.goals, self.proved, self.ran, self.text = goals, proved, ran, text

    @property
    def good(self):
        return self.ran and self.goals > 0 and self.proved == self.goals


def run(command, limit, environment=None):
    """Runs a program with a limit of seconds of processor. Returns its exit status, or None if it ran past it, and what it printed."""
    limited = ["sh", "-c", 'ulimit -t "$0" && exec "$@"', str(limit), *command]
    program = subprocess.Popen(limited, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               env={**os.environ, **(environment or {})}, start_new_session=True)
    watch = threading.Timer(WAIT * limit, os.killpg, (program.pid, signal.SIGKILL))
    watch.start()
    text = program.stdout.read()
    _, status, usage = os.wait4(program.pid, 0)
    watch.cancel()
    program.returncode = os.waitstatus_to_exitcode(status)
    spent.append(usage.ru_utime + usage.ru_stime)
    seconds.value = getattr(seconds, "value", 0) + spent[-1]
    if program.returncode < 0:
        return None, f"no answer within {limit} s"
    return program.returncode, text


def includes(overlay):
    """A changed file is found before the one it stands for."""
    return ([f"-I{overlay}/src", f"-I{overlay}/include"] if overlay else []) + [f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{ROOT}/proofs/cbmc"]


def by_cbmc(proof, tools, overlay=None):
    harness = os.path.join(ROOT, "proofs/cbmc", proof["file"])
    command = [os.path.join(tools, "cbmc"), *DEFINES, *includes(overlay), harness, "--function", proof["entry"],
               "--drop-unused-functions", "--signed-overflow-check", "--unwind", str(proof.get("unwind", 4)), "--unwinding-assertions",
               *proof.get("options", [])]
    status, text = run(command, PROGRAM_SECONDS)
    found = re.findall(r"^\[\S+\] .*: (SUCCESS|FAILURE|UNKNOWN|ERROR)$", text, re.M)
    ran = status in (0, 10) and bool(found)
    failed = [line for line in text.splitlines() if re.match(r"^\[\S+\] .*: (FAILURE|UNKNOWN|ERROR)$", line)]
    return Result(len(found), found.count("SUCCESS"), ran, "\n".join(failed) if ran else text[-2000:])


def by_wp(proof, tools, overlay=None):
    source = proof["file"]
    if overlay and os.path.exists(os.path.join(overlay, source)):
        source = os.path.join(overlay, source)
    flags = [f"-I{ROOT}/proofs/stubs", *includes(overlay), *DEFINES]
    if proof.get("meanings"):
        flags += ["-include", f"{ROOT}/proofs/wp/fractions.h"]
    command = ["frama-c", "-cpp-extra-args=" + " ".join(flags), "-wp", "-wp-rte", "-wp-prover", "cvc4,z3", "-wp-par", "1",
               "-wp-timeout", str(WAIT * GOAL_SECONDS), "-wp-cache", "none"]
    if "function" in proof:
        command += ["-wp-fct", proof["function"]]
    with tempfile.TemporaryDirectory() as session:
        status, text = run(command + ["-wp-session", session, source], PROGRAM_SECONDS,
                           {"WHY3CONFIG": os.path.join(tools, "why3.conf"), "PROVER_SECONDS": str(GOAL_SECONDS)})
    found = re.search(r"Proved goals:\s+(\d+) / (\d+)", text)
    if status != 0 or not found:
        return Result(ran=False, text=text[-2000:])
    return Result(int(found[2]), int(found[1]), text="\n".join(re.findall(r"Goal (\S+) : (?!Valid)", text)))


def by_smt(proof, tools, overlay=None):
    status, text = run(["z3", os.path.join(ROOT, "proofs/smt", proof["file"])], 120)
    answers = text.split()
    return Result(len(answers), answers.count("unsat"), status == 0, text)


def by_table(proof, tools, overlay=None):
    """A program that compares a table with numbers of 200 digits. Its last line is 'PROVED of GOALS'."""
    status, text = run(["/usr/bin/python3", os.path.join(ROOT, "proofs/tables", proof["file"]), overlay if overlay else ROOT], PROGRAM_SECONDS)
    found = re.search(r"^(\d+) of (\d+)$", text, re.M)
    return Result(int(found[2]), int(found[1]), text=text) if status in (0, 1) and found else Result(ran=False, text=text)


TOOLS = {"CBMC": (by_cbmc, CBMC), "WP": (by_wp, WP), "z3": (by_smt, SMT), "mpmath": (by_table, TABLES)}


def all_proofs():
    return {proof["name"]: (tool, method, proof) for tool, (method, proofs) in TOOLS.items() for proof in proofs}


def timed(method, *arguments):
    seconds.value = 0
    result = method(*arguments)
    return result, seconds.value


def axioms_are_lemmas():
    """Each axiom on products in shrink_factor.h is a lemma of fractions.h, word by word. Returns the faults."""
    def statements(path, kind):
        with open(os.path.join(ROOT, path), encoding="ascii") as file:
            text = " ".join(file.read().split())
        return {name: " ".join(body.split()) for name, body in re.findall(kind + r" (\w+): ([^;]*;[^;]*);", text)}
    axioms = statements("src/records/accumulate/shrink_factor.h", "axiom")
    lemmas = statements("proofs/wp/fractions.h", "lemma")
    return [name for name in axioms if lemmas.get(name) != axioms[name]] if axioms else ["no axioms found"]


def functions_are_listed():
    """Every function of a file that WP proves is in the list, in one way or another. Returns the faults."""
    listed = {name.rsplit("/", 1)[1] for name in all_proofs()}
    faults = []
    for path in sorted({proof["file"] for proof in WP if "function" in proof}):
        with open(os.path.join(ROOT, path), encoding="ascii") as file:
            faults += [name for name in re.findall(r"^[a-zA-Z][\w ]*?[ *](\w+)\([^;]*?\)\s*{", file.read(), re.M) if name not in listed]
    return faults


def plant(mutant, folder):
    for path, edits in mutant["edits"].items():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        for old, new in edits:
            if text.count(old) != 1:
                sys.exit(f"mutant '{mutant['name']}': its text is in {path} {text.count(old)} times, not once: {old}")
            text = text.replace(old, new)
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)


def try_mutant(mutant, tools):
    tool, method, proof = all_proofs()[mutant["by"]]
    with tempfile.TemporaryDirectory() as folder:
        plant(mutant, folder)
        return tool, *timed(method, proof, tools, folder)


def chosen(names, wanted, quick):
    return [name for name, (_, _, proof) in names.items()
            if (not wanted or any(word in name for word in wanted)) and (not quick or proof.get("quick", True))]


def report_proofs(pool, names, tools):
    proofs = all_proofs()
    jobs = [(name, pool.submit(timed, proofs[name][1], proofs[name][2], tools)) for name in names]
    open_goals = 0
    print(f"{'proof':58} {'goals':>9}  tool    seconds", flush=True)
    for name, job in jobs:
        result, taken = job.result()
        print(f"{name:58} {result.proved:>4}/{result.goals:<4}  {proofs[name][0]:7} {taken:7.1f}", flush=True)
        if not result.good:
            open_goals += max(1, result.goals - result.proved)
            print("    OPEN: " + result.text.strip().replace("\n", "\n    "), flush=True)
    total = sum(job.result()[0].proved for _, job in jobs)
    print(f"{total} goals proved, {open_goals} open")
    return open_goals


def report_mutants(pool, mutants, tools):
    jobs = [(mutant, pool.submit(try_mutant, mutant, tools)) for mutant in mutants]
    accepted = 0
    for mutant, job in jobs:
        tool, result, taken = job.result()
        refused = result.ran and result.proved < result.goals
        accepted += not refused
        word = "refused " if refused else "ACCEPTED" if result.ran else "NO ANSWER"
        print(f"{word} {mutant['name']:60} {tool}: {mutant['by']}, {taken:.1f} s", flush=True)
        if not result.ran:
            print("    " + result.text.strip().replace("\n", "\n    "))
    print(f"planted bugs: {len(mutants) - accepted} refused, {accepted} not")
    return accepted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-mutants", action="store_true")
    parser.add_argument("--tools", default=os.path.join(ROOT, "build/provers"))
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    needed = [os.path.join(given.tools, "cbmc"), "z3"] + ([] if given.quick else ["frama-c"])
    missing = [tool for tool in needed if shutil.which(tool) is None]
    if missing:
        print("prove: not installed: " + ", ".join(missing) + "; tools/provers.sh installs it")
        return 77
    start = time.monotonic()
    faults = axioms_are_lemmas()
    if faults:
        print("prove: axioms of shrink_factor.h that are not lemmas of fractions.h: " + ", ".join(faults))
        return 1
    faults = functions_are_listed()
    if faults:
        print("prove: functions that list_of_proofs.py does not name: " + ", ".join(faults))
        return 1
    names = chosen(all_proofs(), given.names, given.quick)
    mutants = [mutant for mutant in MUTANTS if mutant["by"] in names or
               (given.names and any(word in mutant["name"] for word in given.names))]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        bad = report_proofs(pool, names, given.tools) if names else 0
        if not given.no_mutants:
            bad += report_mutants(pool, mutants, given.tools)
    print(f"{sum(spent):.0f} s of processor, {time.monotonic() - start:.0f} s by the clock")
    return 1 if bad or not (names or mutants) else 0


if __name__ == "__main__":
    sys.exit(main())
