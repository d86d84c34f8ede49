# SPDX-License-Identifier: Apache-2.0
"""What two fits released, for tests that compare them: the library with the fixed key, each fit in a process of its own.

    python same_bits.py CALL FOLDER NAME    runs MODULE:FUNCTION with (folder, name)
"""
import importlib
import json
import subprocess
import sys
from pathlib import Path


def read(release):
    """What was planned and the noisy values (docs/FORMATS.md): all but the names of ledger and release."""
    assert release[:8] == b"SBLRELS\n"
    length = int.from_bytes(release[12:16], "little")
    header = json.loads(release[16 : 16 + length])
    assert header["guarantee"].startswith("NONE"), "the library has the fixed key"
    return header["plan"], header["n"], header["blocks"], release[16 + length : -32]


def files(folder, name):
    """Where a fit called by this name writes: options of a Synthesizer."""
    folder = Path(folder)
    return {"release": folder / f"{name}.release", "certificate": folder / f"{name}.json", "ledger": folder / f"{name}.ledger"}


def releases(folder, name):
    """All rounds of it."""
    return [read(file.read_bytes()) for file in sorted(Path(folder).glob(f"{name}.release*"))]


def alone(function, folder, name):
    """Run a function of a module with (folder, name) in a process of its own; its releases."""
    call = f"{Path(sys.modules[function.__module__].__file__).stem}:{function.__name__}"
    subprocess.run([sys.executable, "-W", "ignore", __file__, call, str(folder), name], check=True)
    return releases(folder, name)


if __name__ == "__main__":
    module, function = sys.argv[1].split(":")
    getattr(importlib.import_module(module), function)(*sys.argv[2:])
