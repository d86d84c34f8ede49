# SPDX-License-Identifier: Apache-2.0
"""A progress bar: tqdm's if it is installed, otherwise our own. Only in a terminal or a notebook."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any

WIDTH = 30


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    current = shell.get_ipython()
    return current is not None and type(current).__name__ == "ZMQInteractiveShell"


class _OwnBar:
    """One line on standard error, drawn at most ten times a second."""

    def __init__(self) -> None:
        self._drawn = 0.0
        self._length = 0

    def show(self, what: str, step: int, steps: int) -> None:
        now = time.monotonic()
        if now - self._drawn < 0.1 and step < steps:
            return
        self._drawn = now
        done = WIDTH * step // steps
        line = f"{what} [{'#' * done}{'.' * (WIDTH - done)}] {100 * step // steps:3d} %"
        sys.stderr.write("\r" + line.ljust(self._length))
        sys.stderr.flush()
        self._length = len(line)

    def close(self) -> None:
        if self._length:
            sys.stderr.write("\r" + " " * self._length + "\r")
            sys.stderr.flush()
        self._length = 0


class _Tqdm:
    def __init__(self, module: Any) -> None:
        self._make = module.tqdm
        self._bar: Any = None
        self._what = ""

    def show(self, what: str, step: int, steps: int) -> None:
        if self._bar is None or what != self._what:
            self.close()
            self._bar, self._what = self._make(total=steps, desc=what, leave=False), what
        self._bar.update(step - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


class Progress:
    """The library calls it. ``wanted`` None: the bar is shown on a terminal and in a notebook.

    If the number of records is private, it shows nothing while they are read: how often and when it is called then
    depends on the records.
    """

    def __init__(self, wanted: bool | None) -> None:
        show = wanted if wanted is not None else sys.stderr.isatty() or _in_notebook()
        self._bar: _OwnBar | _Tqdm | None = None
        if show:
            self._bar = self._choose()

    @staticmethod
    def _choose() -> _OwnBar | _Tqdm:
        try:
            return _Tqdm(importlib.import_module("tqdm.auto"))
        except ImportError:
            return _OwnBar()

    def say(self, line: str) -> None:
        """A line above the bar; none if no bar is shown."""
        if self._bar is not None:
            self._bar.close()
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    def __call__(self, what: str, step: int, steps: int) -> None:
        if self._bar is not None and steps > 0:
            self._bar.show(what, step, steps)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *unused: object) -> None:
        if self._bar is not None:
            self._bar.close()
