# SPDX-License-Identifier: Apache-2.0
"""Passes private records to the library. Nothing here looks at them."""

from __future__ import annotations

import array
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from . import _core, _parquet
from ._cells import as_table, is_pandas
from ._errors import OptionError

Data: TypeAlias = "_core._Data"

_NO_CLASS = 0xFFFFFFFF


def is_path(data: Any) -> bool:
    """Is it the path of a file?"""
    return isinstance(data, (str, os.PathLike))


def one_name(data: Any) -> Any:
    """The paths of several files that form one table, as the one name that the library takes. Other data is returned as it is."""
    if not isinstance(data, (list, tuple)) or not data or not all(map(is_path, data)):
        return data
    names = [os.fspath(path) for path in data]
    if len(names) > 1 and any("," in name for name in names):
        raise OptionError("the name of one of several files must not contain a comma: rename the file")
    return ",".join(names)


def _is_read_once(data: Any) -> bool:
    """Is it a reader or an iterator, which can be read only once?"""
    return isinstance(data, Iterator) or type(data).__name__ in ("RecordBatchReader", "ArrowArrayStreamReader")


def _without_index(frame: Any) -> Any:
    """For pandas: an index is a column only if it has a name."""
    if not hasattr(frame, "columns") or not hasattr(frame, "reset_index"):
        return frame
    nameless = None in frame.index.names
    return frame if nameless and type(frame.index).__name__ == "RangeIndex" else frame.reset_index(drop=nameless)


def _refuse(data: Any) -> None:
    """Raise a TypeError that says what to do if ``data`` is not a table. Types decide, never values."""
    kind, library = type(data).__name__, type(data).__module__.split(".")[0]
    if library in ("pandas", "polars") and hasattr(type(data), "to_frame") and kind != "DataFrame":
        raise TypeError(f"data must be a table, but a {kind} is one column: make a frame of it with .to_frame('name')")
    if library == "pyarrow" and kind.endswith("Array"):
        raise TypeError(f"data must be a table, but a {kind} is one column: make a table of it with pyarrow.table({{'name': array}})")
    if hasattr(data, "__arrow_c_stream__") or is_pandas(data):
        return
    if getattr(getattr(data, "dtype", None), "names", None):
        raise TypeError("data must be a table: make a frame of the record array with pandas.DataFrame(array)")
    if getattr(data, "ndim", 0) in (1, 2) and library != "pandas":
        raise TypeError("an array has no column names: make a frame of it with pandas.DataFrame(array), or pass images")
    if isinstance(data, Mapping):
        raise TypeError(
            f"data must be a table, not {kind}: make a frame of a dict of columns with pandas.DataFrame(data); a dict of tables "
            "needs a package as schema"
        )
    if not isinstance(data, Iterable) or isinstance(data, bytes) or library == "pandas":
        collect = "; collect() it first" if hasattr(data, "collect") else ""
        raise TypeError(
            f"data must be a table with __arrow_c_stream__ (pandas, polars, pyarrow, duckdb), an iterable of such tables, or "
            f"the path of a file, not {kind}{collect}"
        )


def _refuse_rows(data: Any) -> None:
    """The same for a list, by the type of its first item: a list holds only tables, or only rows."""
    first = data[0]
    if hasattr(first, "__arrow_c_stream__"):
        return _refuse(first)
    if isinstance(first, Mapping):
        raise TypeError(
            "data must be a table, not a list of dicts: make a frame of it with pandas.DataFrame(data), or a table with "
            "pyarrow.Table.from_pylist(data)"
        )
    if isinstance(first, (list, tuple, str, int, float)) or first is None:
        raise TypeError(
            f"a list must hold tables with __arrow_c_stream__ or paths of files, not {type(first).__name__}: make a frame of a list "
            "of rows with pandas.DataFrame(data, columns=[...])"
        )
    _refuse(first)


def arrow_of(data: Any) -> Any:
    """A pandas frame as a table in which no cell changes how another is read; other tables as they are."""
    return as_table(_without_index(data)) if is_pandas(data) else data


class _Batches:
    """Can be iterated repeatedly; each item goes through ``arrow_of``."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return map(arrow_of, self._items)


def table(data: Any, *, keep: bool = True, name: str | None = None) -> Data:
    """A handle for an object with ``__arrow_c_stream__``, or for an iterable of such objects.

    A source that can be read only once is kept in memory, so that a fit can read it again. Without ``keep`` it is not, and a
    fit makes one release.
    """
    if is_pandas(data):
        return _core.data_arrow(arrow_of(data), True, True, name)
    _refuse(data)
    if isinstance(data, (list, tuple)) and data:
        _refuse_rows(data)
    if hasattr(data, "__arrow_c_stream__"):
        return _core.data_arrow(data, _is_read_once(data), _is_read_once(data) and keep, name)
    if _is_read_once(data):
        return _core.data_arrow(map(arrow_of, data), True, keep, name)
    items = [*map(arrow_of, data)] if isinstance(data, (list, tuple)) else _Batches(data)
    return _core.data_arrow(items, False, False, name)


def is_package_path(data: Any) -> bool:
    """Is it the path of a package, which names its tables? A table in JSON is an array."""
    if not is_path(data) or not os.fspath(data).endswith(".json"):
        return False
    try:
        with open(data, "rb") as file:
            return not file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    except OSError:
        return True  # opening it will report the error


def linked(tables: Mapping[str, Any]) -> Data:
    """A handle for linked tables by name, each as in ``table_of``. They are read more than once."""
    return _core.data_link([table_of(one, name=str(name)) for name, one in tables.items()], [*map(str, tables)])


def table_of(data: Any, *, name: str | None = None) -> Data:
    """A handle for a table: the path of a file, a list of paths, or a table in memory."""
    data = one_name(data)
    if not is_path(data):
        return table(data, name=name)
    path = os.fspath(data)
    found = file_reader(path)
    return _core.data_stream(found, path) if isinstance(found, _parquet.Files) else _core.data_file(path, found)


def file_reader(path: str) -> _parquet.Files | str | None:
    """What reads a Parquet file: pyarrow, or DuckDB's library at a path. None: the library finds a reader."""
    if not _parquet.is_parquet(path):
        return None
    works, engine = _parquet.engine()
    return engine if works or not _parquet.has_pyarrow() else _parquet.Files(path)


def _view(values: Any, what: str) -> memoryview:
    try:
        return memoryview(values)
    except TypeError:
        raise TypeError(f"{what} must be an array (buffer protocol), not {type(values).__name__}") from None


def is_images(data: Any) -> bool:
    """Is it an array of more than two dimensions?"""
    if hasattr(data, "__arrow_c_stream__") or isinstance(data, (list, tuple, Iterator)):
        return False
    try:
        return len(memoryview(data).shape or ()) > 2
    except TypeError:
        return False


def _class_number(value: Any) -> int:
    try:
        return int(value) if 0 <= value < _NO_CLASS else _NO_CLASS
    except Exception:  # one record's value must not stop the fit, whatever it raises
        return _NO_CLASS


def _labels(labels: Any, count: int) -> bytes:
    """Labels as uint32. A value that is not a class number becomes a number that no class has."""
    values = labels if isinstance(labels, Sequence) else _view(labels, "labels").tolist()
    if len(values) != count:
        raise ValueError("labels must have one label for each image")
    return array.array("I", map(_class_number, values)).tobytes()


def images(
    pixels: Any,
    labels: Any = None,
    *,
    classes: int | None = None,
    class_names: Sequence[str] | None = None,
    balanced: bool = False,
    name: str | None = None,
) -> Data:
    """A handle for uint8 images with shape (n, height, width) or (n, height, width, channels)."""
    view = _view(pixels, "images")
    if view.format != "B" or view.ndim not in (3, 4) or view.shape is None:
        raise TypeError("images must be uint8 with shape (n, height, width) or (n, height, width, channels)")
    shape = view.shape
    channels = shape[3] if view.ndim == 4 else 1
    names = None if class_names is None else [str(name) for name in class_names]
    if labels is None:
        number = 0
    elif classes is not None:
        number = classes
    else:
        number = len(names) if names is not None else 10
    known = None if labels is None else _labels(labels, shape[0])
    return _core.data_images(
        view.tobytes(), known, shape[0], shape[1], shape[2], channels, number, names, balanced, name
    )
