#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plant a bug, expect the suite to notice.

Each mutant below changes the shipped source in one way that a careless edit might, rebuilds the one
object that holds it, puts it into the tests that ought to notice, and runs them. A mutant that
survives fails this test, and so does one whose text is no longer found: it must be moved along with
the code. Nothing in the source tree is touched.

    run_mutants.py BUILD_FOLDER SOURCE_FOLDER [NAME...]
"""
import concurrent.futures
import functools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

from mutants import MUTANTS

# Where tests have their files (temp_folder.c): those that are stopped leave them there, for us to remove.
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def fail(text):
    sys.exit("mutants: " + text)


def compile_command(commands, source):
    for entry in commands:
        if os.path.realpath(os.path.join(entry["directory"], entry["file"])) == os.path.realpath(source):
            return shlex.split(entry["command"]), entry["directory"]
    fail(f"no compile command for {source}")


def mutated_text(source, edits):
    with open(source, encoding="utf-8") as file:
        text = file.read()
    for old, new in edits:
        found = list(loose(old).finditer(text))
        if len(found) != 1:
            fail(f"{source}: the text to change is there {len(found)} times, not once:\n{old}")
        text = text[:found[0].start()] + new + text[found[0].end():]
    return text


@functools.lru_cache(maxsize=None)
def loose(old):
    """The text with any white space between its characters, so that the formatter may break its lines elsewhere."""
    return re.compile(r"\s*".join(re.escape(character) for character in "".join(old.split())))


def build_object(commands, source, edits, folder):
    """Compile the changed source with the flags of the original, next to no other file."""
    command, directory = compile_command(commands, source)
    own = os.path.join(folder, os.path.basename(os.path.dirname(source)))
    os.makedirs(own, exist_ok=True)
    changed = os.path.join(own, os.path.basename(source))
    with open(changed, "w", encoding="utf-8") as file:
        file.write(mutated_text(source, edits))
    target = changed + ".o"
    out = []
    skip = False
    for word in command:
        if skip:
            skip = False
        elif word in ("-o", "-c", "-MF", "-MT"):
            skip = True
        elif word not in ("-MD", "-Werror"):
            out.append(word)
    subprocess.run(out + ["-w", "-o", target, "-c", changed], cwd=directory, check=True)
    return target


@functools.lru_cache(maxsize=None)
def all_tests(build):
    """The command of every ctest test whose program is built."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                           capture_output=True, text=True, check=True)
    return {test["name"]: test["command"] for test in json.loads(shown.stdout)["tests"] if "command" in test}


def test_command(build, name):
    """The command of a ctest test, and the program in it."""
    if name not in all_tests(build):
        fail(f"{build} has no test {name}")
    return all_tests(build)[name]


@functools.lru_cache(maxsize=None)
def link_line(build, target):
    shown = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", target],
                           capture_output=True, text=True, check=True)
    return shown.stdout.strip().splitlines()[-1]


def link_command(build, target):
    """What ninja would run to link the target."""
    line = link_line(build, os.path.relpath(target, build))
    start = line.index(" && ") + 4 if line.startswith(": && ") else 0
    return shlex.split(line[start:].split(" && ")[0])


def linked_anew(build, words, objects, folder):
    """A test that holds the library: its link with the changed objects before the archive, whose own are then not
    asked for (replacing them in the archive would go by their names, and names come twice)."""
    archives = [i for i, word in enumerate(words) if word.endswith(".a") and "semblance" in os.path.basename(word)]
    words[archives[0]:archives[0]] = objects
    program = os.path.join(folder, "test")
    words[words.index("-o") + 1] = program
    subprocess.run(words, cwd=build, check=True)
    return program, {}


def preloaded(objects, folder):
    """A test that loads the library, which shows every symbol: the changed objects alone, loaded before it. Calls from
    anywhere in the library go to what was loaded first."""
    target = os.path.join(folder, "changed.so")
    if not os.path.exists(target):
        subprocess.run(["cc", "-shared", "-o", target] + objects, check=True)
    return {"LD_PRELOAD": target}


def run_against(build, killer, objects, folder):
    """Run the test, or the one case of it that is named behind a colon, with the changed objects in place of the originals."""
    name, _, case = killer.partition(":")
    command = test_command(build, name)
    words = link_command(build, command[0])
    program, environment = command[0], {}
    if any(word.endswith("libsemblance_testkey_shared.so") for word in words):
        environment = preloaded(objects, folder)
    else:
        program, environment = linked_anew(build, words, objects, folder)
    return notices([program] + command[1:] + ([case] if case else []), folder, {**os.environ, **environment, "SBL_TEST_FOLDER": folder})


def notices(command, folder, environment):
    """Does the test fail, and how? At its first failure it has noticed, and is stopped: what comes after changes nothing."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               cwd=folder, env=environment, start_new_session=True)
    late = threading.Timer(900, stop, [process])
    late.start()
    error = None
    with process:
        for line in process.stdout:
            if error is None and "ERROR" in line:
                error = line.strip()
            if "[  FAILED  ]" in line:
                late.cancel()
                stop(process)
                return True, error or line.strip()
        code = process.wait()
    if not late.is_alive():
        fail(f"{command[0]} took longer than 900 s")
    late.cancel()
    return code != 0, error or f"exit {code}"


def stop(process):
    """The test and all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def run_mutant(build, source_root, commands, mutant):
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        objects = [build_object(commands, os.path.join(source_root, path), edits, folder)
                   for path, edits in mutant["edits"].items()]
        for name in mutant["killers"]:
            killed, how = run_against(build, name, objects, folder)
            if killed:
                return name, how
    return None, None


def main():
    if len(sys.argv) < 3:
        fail("usage: run_mutants.py BUILD_FOLDER SOURCE_FOLDER [NAME...]")
    build, source_root, wanted = os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    chosen = [mutant for mutant in MUTANTS if not wanted or mutant["name"] in wanted]
    if chosen:
        all_tests(build)  # before the threads, so that it is asked for once
    killed = survived = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = pool.map(lambda mutant: run_mutant(build, source_root, commands, mutant), chosen)
        for mutant, (by, how) in zip(chosen, found):
            if by:
                killed += 1
                print(f"killed    {mutant['name']:34} by {by}: {how}", flush=True)
            else:
                survived += 1
                print(f"SURVIVED  {mutant['name']:34} {', '.join(mutant['killers'])} noticed nothing", flush=True)
    print(f"mutants: {killed} killed, {survived} survived")
    return 0 if survived == 0 and killed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
