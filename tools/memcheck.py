#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the test programs of a build under valgrind: memcheck.py BUILD JOBS"""
import concurrent.futures
import json
import subprocess
import sys
import tempfile
from pathlib import Path

LEFT_OUT = {"slow", "nightly", "mutants", "audit", "stat", "no-valgrind"}
TIMEOUT_SECONDS = 300
# Valgrind computes long double in 64 bits, so a test of the last digits may fail in it without a memory error:
# only valgrind's own findings and crashes count here. What a test says is for `make test`.
FOUND = 99
VALGRIND = ["valgrind", "--quiet", f"--error-exitcode={FOUND}", "--leak-check=full",
            "--errors-for-leak-kinds=definite"]


def programs(build):
    """(name, command, working directory) of every test that is a compiled program of this build."""
    listing = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True,
                             capture_output=True, text=True).stdout
    for test in json.loads(listing)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        command = test.get("command") or [""]
        program = Path(command[0])
        if LEFT_OUT & set(properties.get("LABELS", [])):
            continue
        if program.is_file() and build.resolve() in program.resolve().parents and program.read_bytes()[:4] == b"\x7fELF":
            yield test["name"], command, properties.get("WORKING_DIRECTORY", str(build))


def run(test):
    name, command, directory = test
    with tempfile.TemporaryFile() as log:
        try:
            status = subprocess.run(VALGRIND + command, cwd=directory, stdout=log, stderr=log,
                                    timeout=TIMEOUT_SECONDS, check=False).returncode
        except subprocess.TimeoutExpired:
            return name, "too long", ""
        log.seek(0)
        return name, "FAILED" if status == FOUND or status < 0 else "ok", log.read().decode(errors="replace")


def main(build, jobs):
    counts = {"ok": 0, "FAILED": 0, "too long": 0}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, verdict, log in pool.map(run, list(programs(build))):
            counts[verdict] += 1
            print(f"{verdict:<8} {name}", flush=True)
            if verdict == "FAILED":
                print(log[-6000:])
    if counts["too long"]:
        print(f"{counts['too long']} left out after {TIMEOUT_SECONDS} s")
    print(f"{counts['ok']} passed, {counts['FAILED']} failed")
    return 0 if counts["ok"] and not counts["FAILED"] else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
