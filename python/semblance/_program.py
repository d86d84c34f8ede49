# SPDX-License-Identifier: Apache-2.0
"""The program semblance, which is part of the package."""

from __future__ import annotations

import os
import sys


def path() -> str:
    """The path of the program."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "semblance")


def main() -> None:
    """Replace this process by the program."""
    os.execv(path(), ["semblance", *sys.argv[1:]])
