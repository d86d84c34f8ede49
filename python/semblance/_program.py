"""The program semblance, which the package brings along."""

from __future__ import annotations

import os
import sys


def path() -> str:
    """Where the program is."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "semblance")


def main() -> None:
    """Become the program."""
    os.execv(path(), ["semblance", *sys.argv[1:]])
