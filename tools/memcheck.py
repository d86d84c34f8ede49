#!/usr/bin/env python3
"""Run the test programs of a build under valgrind: memcheck.py BUILD JOBS"""
import concurrent.futures
import json
import subprocess
import sys
import tempfile
from pathlib import Path

LEFT_OUT = {"slow", "nightly", "mutants", "audit", "stat", "no-valgrind"}
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite"]
TIMEOUT_SECONDS = 1200


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
            status = -1
        log.seek(0)
        return name, status, log.read().decode(errors="replace")


def main(build, jobs):
    tests = list(programs(build))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, status, log in pool.map(run, tests):
            print(f"{'ok    ' if status == 0 else 'FAILED'} {name}", flush=True)
            if status != 0:
                failed += 1
                print(log[-6000:] if status != -1 else f"no end after {TIMEOUT_SECONDS} s")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
