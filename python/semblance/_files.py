"""Folders of the moment, for the parts of the library that know files only. Nothing private is written there."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator


@contextlib.contextmanager
def scratch() -> Iterator[str]:
    """A folder of mode 0700 that is gone afterwards."""
    folder = tempfile.mkdtemp(prefix="semblance-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def as_file(text: str, name: str) -> Iterator[str]:
    """The text as a file."""
    with scratch() as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield path
