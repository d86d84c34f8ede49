# SPDX-License-Identifier: Apache-2.0
"""Real rows in the space of a projected model: NOT PRIVATE."""

from __future__ import annotations

import csv
import importlib
import os
from typing import Any

from . import _core
from ._data import Data
from ._files import scratch
from ._progress import Progress
from ._sample import Model, columns_of

__all__ = ["Projected", "matrix"]


class Projected:
    """Real rows in the space of a projected model, NOT PRIVATE. Every export projects the rows again.

    Pass it to ``evaluate`` or to a reader of Arrow streams, or call ``to_pandas()``, ``to_polars()``, ``to_arrow()``,
    ``to_dict()`` or ``to_csv(path)``.
    """

    def __init__(self, model: Model, data: Data, threads: int) -> None:
        self._model, self._data, self._threads = model, data, threads

    def _stream(self) -> _core._Stream:
        with self._model.lock, Progress(None) as progress:
            stream = _core.project(self._model.handle, self._data, None, None, False, self._threads, progress)
        assert stream is not None
        return stream

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream()

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists, like ``Sample.to_dict``."""
        return columns_of(self._stream())

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        return importlib.import_module("pandas").DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        return importlib.import_module("polars").DataFrame(self)

    def to_arrow(self) -> Any:
        """A pyarrow Table."""
        return importlib.import_module("pyarrow").table(self)

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the file that ``semblance project`` would write."""
        with self._model.lock, Progress(None) as progress:
            _core.project(self._model.handle, self._data, os.fspath(path), None, overwrite, self._threads, progress)

    def __repr__(self) -> str:
        return "<semblance.Projected real rows, NOT PRIVATE>"


def matrix(model: Model) -> dict[str, list[Any]]:
    """The matrix of a projected model, by columns."""
    with scratch() as folder, model.lock, Progress(None) as progress:
        path = os.path.join(folder, "matrix.csv")
        _core.project(model.handle, None, None, path, False, 0, progress)
        with open(path, encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
    names, *columns = zip(*rows)
    return {head[0]: [*names], **{name: [float(cell) for cell in column] for name, column in zip(head[1:], columns)}}
