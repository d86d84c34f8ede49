#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/PAPERS.md: programs that are there, and options that their help knows.  papers_commands.py SEMBLANCE ROOT"""
import json
import os
import re
import subprocess
import sys

POSITIONAL = {"plan": 0, "synth": 1, "project": 2, "evaluate": 0}  # how many words without a name a command takes at most

FLAGS = ("--pure", "--resize")  # options without a value


def problem(words, semblance, root, known):
    """Why a command would not run, or None."""
    if words[0] != "semblance":
        return None if os.path.isfile(os.path.join(root, words[0])) else f"no file {words[0]}"
    command, rest = words[1], words[2:]
    if command not in known:
        answer = subprocess.run([semblance, "help", command, "--all"], capture_output=True, text=True, check=True)
        known[command] = set(re.findall(r"--[a-z][a-z0-9-]*", answer.stdout))
        for method in ("merf", "hp", "mepf", "ron-gauss"):
            known[command] |= set(re.findall(r"--[a-z][a-z0-9-]*", subprocess.run([semblance, "help", method], capture_output=True, text=True, check=True).stdout))
    loose, given = 0, False
    for word in rest:
        if word.startswith("--"):
            if word not in known[command]:
                return f"{command} has no option {word}"
        elif not given:
            loose += 1
        given = word.startswith("--") and word not in FLAGS
    return f"{command} takes {POSITIONAL[command]} arguments, not {loose}" if loose > POSITIONAL[command] else None


def main():
    semblance, root = sys.argv[1:]
    with open(os.path.join(root, "bench", "papers", "items.json"), encoding="utf-8") as file:
        items = [item for paper in json.load(file)["papers"] for item in paper["items"]]
    known, failures, tried = {}, 0, 0
    for item in items:
        for text in re.split(r"; |, then ", re.sub(r" \(.*?\)(?= |$)", "", item.get("command", ""))):
            words = text.split()
            if not words or words[0] == "as":
                continue
            tried += 1
            why = problem(words, semblance, root, known)
            if why:
                failures += 1
                print(f"{item['item']}: {why}")
    print(f"{tried} commands, {failures} that would not run")
    return 1 if failures or tried < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
