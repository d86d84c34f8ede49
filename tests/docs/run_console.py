#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the commands of a page, and hold what they print against what the page shows.

    run_console.py PAGE PROGRAM [MAKE_CLINIC]

Blocks ```console hold commands ("$ ...", with further lines "> ...") and their output, standard error included. In the
output "..." within a line stands for anything, alone on a line for any lines; "[exit N]" is the exit code where it is not
0. Commands run one after another in one scratch folder, with the program's folder first on the path. With MAKE_CLINIC the
folder also has what `make demo` leaves and the page uses: build/semblance, build/demo and examples. In a page that shows no
output at all, any output is right.
"""
import os
import re
import subprocess
import sys
import tempfile


def blocks(text):
    return re.findall(r"^```console\n(.*?)^```$", text, flags=re.M | re.S)


def steps(block):
    """(command, the lines that it should print)"""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> ") or line == ">":
            found[-1][0] += "\n" + line[2:]
        else:
            found[-1][1].append(line)
    return found


def pattern(lines):
    """All lines as one regular expression over the whole output."""
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.split("...")) + "\n")
    return re.compile("".join(parts))


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    output = done.stdout
    if done.returncode:
        output += f"[exit {done.returncode}]\n"
    return output, done.returncode


def lay_out_demo(folder, page, program, make_clinic):
    """The files of `make demo` that a page of the root names."""
    os.makedirs(os.path.join(folder, "build/demo"))
    os.symlink(os.path.abspath(program), os.path.join(folder, "build/semblance"))
    os.symlink(os.path.join(os.path.dirname(os.path.abspath(page)), "examples"), os.path.join(folder, "examples"))
    for name, arguments in (("patients", ("8000",)), ("others", ("4000", "2"))):
        with open(os.path.join(folder, f"build/demo/{name}.csv"), "wb") as table:
            subprocess.run([make_clinic, *arguments], stdout=table, check=True)


def main(page, program, make_clinic=None):
    with open(page, encoding="utf-8") as file:
        found = [step for block in blocks(file.read()) for step in steps(block)]
    shows_output = any(lines for _, lines in found)
    if not found:
        print("no commands were found: the test itself is broken")
        return 1
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(program)) + ":" + os.environ["PATH"], LC_ALL="C",
                       NO_COLOR="1", OMP_WAIT_POLICY="passive")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        if make_clinic is not None:
            lay_out_demo(folder, page, program, make_clinic)
        for command, lines in found:
            output, code = run(command, folder, environment)
            # "..." stands for no failure: a page that shows one says so.
            unexpected = code != 0 and f"[exit {code}]" not in lines
            if unexpected or (shows_output and pattern(lines).fullmatch(output) is None):
                failed += 1
                print(f"$ {command}\n--- the page says\n" + "\n".join(lines) + f"\n--- it printed\n{output}")
    print(f"{len(found)} commands, {failed} not as the page says")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
