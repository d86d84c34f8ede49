# SPDX-License-Identifier: Apache-2.0
"""Temporary folders, for parts of the library that read and write files only. Nothing private is written there."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator


@contextlib.contextmanager
def scratch() -> Iterator[str]:
    """A temporary folder of mode 0700."""
    folder = tempfile.mkdtemp(prefix="semblance-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def as_file(text: str, name: str) -> Iterator[str]:
    """A temporary file with this text."""
    with scratch() as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield path
