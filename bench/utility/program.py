# SPDX-License-Identifier: Apache-2.0
"""Running the program under test, and keeping its table until every part is measured.

The privacy noise has no seed, so a second run gives another table: all parts of one job must come
from one table. It is kept in the work folder, under a run number that every line carries; when
it is gone, the job starts again from the beginning.
"""
import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIMITED = os.path.join(HERE, os.pardir, "limited.py")
PEERS = ("aim",)  # other people's methods, each a script beside this one


class ProgramError(Exception):
    """The program did not make a table."""


def describe(program):
    """Version as the program says it, and the first digits of the file's SHA-256."""
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    first = (answer.stdout.strip().splitlines() or ["unknown"])[0]
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return {"version": first.removeprefix("semblance").strip(), "build": digest[:12]}


def noise_of(program):
    """"off" for the program without noise (bench/without_noise), else None: the program says what it is, so that no line can
    be marked wrongly. None also where there is no such program: a bench of baselines needs none."""
    if not os.path.isfile(program):
        return None
    return "off" if "NOT PRIVATE" in describe(program)["version"] else None


def make_ledger(program, job, path, rows_per_person=None):
    """A ledger without a limit, of rows or of persons. The program's default is one beside the data, which adds up all its
    runs and holds one relation: here every run has its own, and nothing is written beside the data."""
    persons = [] if rows_per_person is None else ["--rows-per-person", str(rows_per_person)]
    execute([program, "ledger", "init", path, "--neighbours", job.neighbours, "--quiet", *persons])


def command(program, job, train, schema, output, expect_rows=None):
    expected = [] if expect_rows is None else ["--expect-rows", str(expect_rows)]
    return [program, "synth", train, "--schema", schema, "--epsilon", job.eps, "--delta", job.delta,
            "--neighbours", job.neighbours, "--method", job.method, "--seed", str(job.seed), "--overwrite",
            "--quiet", "--ledger", output + ".ledger", "-o", output, *expected, *job.options]


def peer_command(python, job, train, schema, output):
    if job.neighbours != "add-remove":
        raise ProgramError(f"{job.method} accounts for add-remove neighbours only")
    return [python, os.path.join(HERE, job.method + ".py"), train, schema, output, "--eps", job.eps,
            "--delta", job.delta, "--seed", str(job.seed)]


def describe_peer(python, job):
    """The peer's version, and of which script its bins are."""
    answer = subprocess.run([python, "-c", "import importlib.metadata as m; print(m.version('dpmm'))"],
                            capture_output=True, text=True, check=False)
    with open(os.path.join(HERE, job.method + ".py"), "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return {"version": f"dpmm {answer.stdout.strip()}", "build": digest[:12]}


def rows_to_expect(job, rows):
    """What a run declares as its number of rows, a public guess: n to one digit. Only where n is
    private, and of methods whose rules ask for it."""
    if job.neighbours != "add-remove" or job.method not in ("auto", "pairs", "ron-gauss"):
        return None
    return int(float(f"{rows():.0e}"))


def table_of(job, program, train, schema, work, run=None, expect_rows=None, peer_python=None,
             rows_per_person=None):
    """Path of the synthetic table and the facts of its run; made anew unless `run` is still there."""
    peer = job.method in PEERS
    folder = os.path.join(work, job.name)
    facts = _read(os.path.join(folder, "run.json"))
    if facts is not None and run in (None, facts["run"]):
        return os.path.join(folder, "synthetic.csv"), facts
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    output = os.path.join(folder, "synthetic.csv")
    facts = {"run": secrets.token_hex(6), "expect_rows": expect_rows}
    if peer:
        facts.update(describe_peer(peer_python, job))
        facts.update(execute(peer_command(peer_python, job, train, schema, output)))
    else:
        facts.update(describe(program))
        make_ledger(program, job, output + ".ledger", rows_per_person)
        facts.update(execute(command(program, job, train, schema, output, expect_rows)))
    with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as file:
        json.dump(facts, file)
    return output, facts


def forget(job, work):
    """Remove the table of a job whose parts are all measured."""
    shutil.rmtree(os.path.join(work, job.name), ignore_errors=True)


def execute(arguments):
    """What a command takes; it must succeed. A small program starts it (limited.py): the peak of a process is at least that of
    the one which it was forked from, and this one holds tables."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as talk:
        answer = subprocess.run([sys.executable, LIMITED, "0", "0", os.devnull, talk.name, *arguments], stdout=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, text=True, check=True)
        facts = json.loads(answer.stdout)
        status = facts.pop("status")
        if status != 0:
            last = (talk.read().strip().splitlines() or ["no message"])[-1]
            raise ProgramError(f"exit {status}: {last}")
    return facts


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None
