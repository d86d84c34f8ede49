#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ships always adds noise: the build without it (bench/without_noise) is an object that no shipped library or program holds.

Holds that
  - no source of what ships names that build, so that no switch, option or preprocessor condition leads to it;
  - the option is off unless it is asked for, and no install rule names its targets;
  - libraries and programs that ship hold one sbl_noise_open, that of door/noise, and keys from the system;
  - no command of the program has an option that speaks of noise.

    without_noise_test.py ROOT BUILD PROGRAM LIBRARY...      check
    without_noise_test.py ROOT BUILD --planted FILE...       each file must be found to hold the build without noise
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
SHIPPED = ("src", "cli", "serve", "python", "plugins", "include")
NAMED = re.compile(r"without_noise|noise_off|WITHOUT_NOISE")
SAID = b"NOT PRIVATE: adds no noise"


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def source_problems():
    found = []
    for folder in SHIPPED:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".in", ".py", ".cu", ".js", ".html") and NAMED.search(path.read_text(errors="replace")):
                found.append(f"{path.relative_to(ROOT)} names the build without noise")
    options = (ROOT / "CMakeLists.txt").read_text()
    if not re.search(r"option\(SBL_BENCH_WITHOUT_NOISE .* OFF\)", options):
        found.append("CMakeLists.txt: SBL_BENCH_WITHOUT_NOISE is not off by default")
    return found


def install_problems():
    scripts = sorted(BUILD.rglob("cmake_install.cmake"))
    if not scripts:
        return [f"{BUILD} has no install rules: the test itself is broken"]
    return [f"{script}: installs the build without noise" for script in scripts if NAMED.search(script.read_text()) or
            "semblance-without-noise" in script.read_text()]


def binary_problems(path):
    """A static library by its members, anything by its words."""
    found = []
    if SAID in path.read_bytes():
        found.append(f"{path.name} says that it adds no noise")
    if path.suffix == ".a":
        members = run("ar", "t", str(path)).split()
        if "noise_off.c.o" in members:
            found.append(f"{path.name} holds noise_off.c.o")
        if path.name == "libsemblance.a" and not {"noise.c.o", "key_system.c.o"} <= set(members):
            found.append(f"{path.name} lacks the noise that ships")
    return found


def option_problems(program):
    commands = re.findall(r"^  ([a-z]+) ", run(program, "help"), flags=re.M)
    if "synth" not in commands:
        return ["no commands were found: the test itself is broken"]
    return [f"semblance {command} has the option {option}" for command in commands
            for option in re.findall(r"--[a-z-]*noise[a-z-]*", run(program, "help", command, "--all"))]


def main():
    if sys.argv[3] == "--planted":
        missed = [name for name in sys.argv[4:] if not binary_problems(Path(name))]
        for name in missed:
            print(f"{name} is not found to be without noise: the check cannot fail")
        return 1 if missed else 0
    problems = source_problems() + install_problems() + option_problems(sys.argv[3])
    for name in sys.argv[3:]:
        problems += binary_problems(Path(name))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
