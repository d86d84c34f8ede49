#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other people's measures of ours, SDV's GaussianCopula (without privacy) and held-out rows, in one run.

    bench/outside/run.py --data DATA [--sets adult] [--methods held-out,auto,copula] [--eps 1] [--attacks 500]

DATA holds a folder for each set: train.csv.gz, which is fitted, test.csv.gz, which is not, and schema.json. The parts are sdmetrics'
quality and diagnostic reports against the fitted rows, and anonymeter's attacks (singling out, linkability, inference) on as many
fitted rows as control rows. `held-out` measures the test table as if it were synthetic. For the attacks the test table is cut into
halves: one is the control, the other is the table of `held-out`. Ours is run with delta 1e-5 under add-remove, as in bench/peers. A line for each
(set, method, epsilon, seed, part) is appended to --results; what is there is not measured again. Every figure is computed from real
records: NOT PRIVATE. page.py makes the tables.

The packages (requirements.txt) are installed into --venv, by pip from a package index, where they are not there yet; this takes
some gigabytes, since SDV needs torch.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
sys.path[1:1] = [HERE, os.path.join(BENCH, "utility")]
import needs

PACKAGES = ("numpy", "pandas", "sklearn", "sdmetrics", "sdv", "anonymeter")
METHODS = ("held-out", "auto", "pairs", "marginals", "copula")
NO_PRIVACY = ("held-out", "copula")
ATTACKS = ("singling-out-univariate", "singling-out-multivariate", "linkability", "inference")


def arguments(given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda value: [word for word in value.split(",") if word]
    add = parser.add_argument
    add("--data", required=True, help="folder of data sets")
    add("--program", default="build/release/semblance")
    add("--venv", default="build/bench-outside/python", help="virtual environment of the packages; made where it is not there")
    add("--results", default="bench/results/outside.jsonl")
    add("--sets", type=words, default=["adult"])
    add("--methods", type=words, default=["held-out", "auto", "copula"])
    add("--parts", type=words, default=["reports", *ATTACKS])
    add("--eps", type=words, default=["1"])
    add("--seeds", type=words, default=["0"])
    add("--attacks", type=int, default=500, help="attacks of each kind")
    add("--work", default="build/bench-outside")
    args = parser.parse_args(given)
    for names, known in ((args.methods, METHODS), (args.parts, ("reports", *ATTACKS))):
        for name in names:
            if name not in known:
                parser.error(f"{name} is not known: {', '.join(known)} are")
    for name in args.sets:
        if not os.path.exists(os.path.join(args.data, name, "schema.json")):
            parser.error(f"{args.data} has no set {name}: schema.json is not there")
    return args


def enter(venv):
    """Go on inside the environment, which is made where it is not there."""
    python = os.path.join(venv, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(venv):
        return
    mark = os.path.join(venv, ".outside")
    wanted = os.path.join(HERE, "requirements.txt")
    if not os.path.exists(mark) or os.path.getmtime(mark) < os.path.getmtime(wanted):
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        if subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted]).returncode != 0:
            needs.stop(f"the packages of {wanted} cannot be installed: name an environment that has them with --venv")
        with open(mark, "w", encoding="utf-8"):
            pass
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])


def copula(known, train, seed):
    """As many rows as were fitted. SDV's own defaults; no privacy."""
    import numpy
    import torch
    from sdv.metadata import Metadata
    from sdv.single_table import GaussianCopulaSynthesizer

    numpy.random.seed(seed)
    torch.manual_seed(seed)
    metadata = Metadata.load_from_dict({"tables": {"table": known.metadata()}, "relationships": [], "METADATA_SPEC_VERSION": "V1"})
    model = GaussianCopulaSynthesizer(metadata)
    model.fit({"table": train})
    return model.sample(num_rows=len(train))["table"]


def halves(test, seed):
    """Rows that play the synthetic table, and rows that are the control; no row is in both."""
    mixed = test.sample(len(test), random_state=seed)
    return mixed.iloc[: len(mixed) // 2].reset_index(drop=True), mixed.iloc[len(mixed) // 2 :].reset_index(drop=True)


def make(args, job, known, train, run):
    """The table of a method and the facts of its run; `run` is that of parts which are measured already."""
    import program

    if job.method == "copula":
        return copula(known, train, job.seed), {"run": run or "seeded"}
    needs.require_program(args.program)
    expected = program.rows_to_expect(job, lambda: len(train))
    path, facts = program.table_of(job, args.program, known.path("train"), os.path.join(known.folder, "schema.json"), args.work,
                                   run, expected)
    return known.read(path), facts


def measure(args, kept, job):
    """Append the parts of a job that are not there yet."""
    import frames
    import measures
    import store

    limits = {"attacks": args.attacks}
    found = kept.find(job, limits)
    wanted = [part for part in args.parts if part not in found]
    if not wanted:
        return
    known = frames.Set(os.path.join(args.data, job.set))
    train, test = known.read(known.path("train")), known.read(known.path("test"))
    shown, control = halves(test, job.seed)
    run = next(iter(found.values()))["run"] if found else None
    if job.method == "held-out":
        made, facts = shown, {"run": "held-out"}
    else:
        made, facts = make(args, job, known, train, run)
        if run is not None and facts["run"] != run:  # its table is gone, and the noise has no seed: all parts anew
            wanted = args.parts
    for part in wanted:
        subject = test if job.method == "held-out" and part == "reports" else made
        if part == "reports":
            result = measures.reports(known, train, subject)
        else:
            result = measures.attack(part, known, train, subject, control, args.attacks, job.seed)
        kept.append({**job.fields, "limits": limits, "part": part, **facts, "rows": len(subject), "result": result,
                     "libraries": versions(), "machine": store.machine()})
        shown_result = {key: value for key, value in result.items() if isinstance(value, (int, float))}
        print(f"{job.set} {job.method} {job.eps or '-'} {part}: {shown_result}", file=sys.stderr, flush=True)


def versions():
    import importlib.metadata
    import platform

    names = {"sklearn": "scikit-learn"}
    return {"python": platform.python_version(), **{name: importlib.metadata.version(names.get(name, name)) for name in PACKAGES}}


def jobs(args):
    import store

    for seed in args.seeds:
        for name in args.sets:
            for method in args.methods:
                for eps in [None] if method in NO_PRIVACY else args.eps:
                    private = {} if eps is None else {"eps": eps, "delta": "1e-5", "neighbours": "add-remove"}
                    yield store.Job(name, method, seed=int(seed), **private)


def main(given=None):
    args = arguments(given)
    enter(args.venv)
    import program
    import store

    kept = store.Store(args.results)
    failures = 0
    for job in jobs(args):
        try:
            measure(args, kept, job)
        except program.ProgramError as error:
            failures += 1
            print(f"{job.name}: failed: {error}", file=sys.stderr, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
