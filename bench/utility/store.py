# SPDX-License-Identifier: Apache-2.0
"""The results file: one JSON line per measured part, appended, so that a run can be resumed."""
import dataclasses
import fcntl
import hashlib
import importlib
import json
import os
import platform
import subprocess
import sys

NOT_PRIVATE = "NOT PRIVATE: computed from real records"


@dataclasses.dataclass(frozen=True)
class Job:
    """What is measured: a method on a data set. A baseline has no privacy parameters."""
    set: str
    method: str
    eps: str = None  # as it is given to the program
    delta: str = None
    neighbours: str = None
    seed: int = 0
    options: tuple = ()
    noise: str = None  # "off": by the program that adds none

    @property
    def fields(self):
        """As the results file has it: numbers where they are numbers, "inf" where JSON has none."""
        return {"set": self.set, "method": self.method, "eps": _json_number(self.eps),
                "delta": _json_number(self.delta), "neighbours": self.neighbours, "seed": self.seed,
                "options": list(self.options), **({"noise": self.noise} if self.noise else {})}

    @property
    def name(self):
        text = json.dumps(self.fields, sort_keys=True)
        label = "-".join(str(part) for part in (self.set, self.method, self.eps, self.seed) if part is not None)
        return f"{label}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _json_number(text):
    if text is None:
        return None
    return "inf" if float(text) == float("inf") else float(text)


class Store:
    def __init__(self, path):
        self.path = path
        self.commit = commit()  # of the start: a run may last while others commit
        self.lines, self.damaged = read_lines(path)

    def find(self, job, limits):
        """The latest line of each part of this job under these limits."""
        wanted = job.fields
        found = {}
        for line in self.lines:
            if (line["limits"] == limits and line.get("noise") == job.noise
                    and all(line[key] == value for key, value in wanted.items())):
                found[line["part"]] = line
        return found

    def append(self, line):
        line = {"notice": NOT_PRIVATE, "command": command(sys.argv), "commit": self.commit, **line}
        text = json.dumps(line, allow_nan=False) + "\n"
        os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
        with open(self.path, "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, os.SEEK_END)
            if size > 0:
                file.seek(size - 1)
                if file.read(1) != b"\n":  # an interrupted write: start on a fresh line
                    text = "\n" + text
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)


def read_lines(path):
    """The lines that are whole, and how many are not (an interrupted write leaves half a line)."""
    lines, damaged = [], 0
    if not os.path.exists(path):
        return lines, damaged
    with open(path, encoding="utf-8") as file:
        for text in file:
            try:
                line = json.loads(text)
                lines.append(line) if isinstance(line, dict) and "part" in line else None
            except ValueError:
                damaged += 1 if text.strip() else 0
    return lines, damaged


def command(words):
    """The command as others would type it: the script from the project's root, DATA for the data sets."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
    said = [os.path.relpath(words[0], root)]
    for before, word in zip(words, words[1:]):
        path = "DATA" if before == "--data" else word
        said.append(os.path.basename(path) if os.path.isabs(path) else path)
    return " ".join(said)


def commit():
    """The commit of program and scripts, "-dirty" where a source differs from it; None outside a checkout."""
    here = os.path.dirname(os.path.abspath(__file__))
    git = ["git", "-C", os.path.join(here, os.pardir, os.pardir)]
    try:
        head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        same = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "src", "cli", "include", "bench/**.py"], check=False).returncode == 0
    except (OSError, subprocess.CalledProcessError):
        return None
    return head if same else head + "-dirty"


def machine():
    """The processor and the number of cores this process may use; never the machine's name."""
    model = platform.machine()
    try:
        listing = subprocess.run(["lscpu"], capture_output=True, text=True, check=True,
                                 env={**os.environ, "LC_ALL": "C"}).stdout
        names = [line.split(":", 1)[1].strip() for line in listing.splitlines() if line.startswith("Model name:")]
        model = names[0] if names else model
    except (OSError, subprocess.CalledProcessError):
        pass
    return {"cpu": model, "cores": len(os.sched_getaffinity(0))}


def libraries(modules=("numpy", "pandas", "sklearn", "xgboost")):
    """Versions of those that are there: tables are read without pandas, too."""
    versions = {"python": platform.python_version()}
    for module in modules:
        try:
            versions[module] = importlib.import_module(module).__version__
        except ImportError:
            continue
    return versions
