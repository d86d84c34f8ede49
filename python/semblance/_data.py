"""Private records on their way into the library. Nothing here looks at them."""

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
    """Is it the name of a CSV file?"""
    return isinstance(data, (str, os.PathLike))


def one_name(data: Any) -> Any:
    """Several files that are one table, by their paths: one name, as the library takes it. Other data stays as it is."""
    if not isinstance(data, (list, tuple)) or not data or not all(map(is_path, data)):
        return data
    names = [os.fspath(path) for path in data]
    if len(names) > 1 and any("," in name for name in names):
        raise OptionError("a file of several has no comma in its name: rename it")
    return ",".join(names)


def _is_read_once(data: Any) -> bool:
    """A reader or an iterator: what it has given is gone."""
    return isinstance(data, Iterator) or type(data).__name__ in ("RecordBatchReader", "ArrowArrayStreamReader")


def _without_index(frame: Any) -> Any:
    """For pandas: an index is not a column, unless it has a name."""
    if not hasattr(frame, "columns") or not hasattr(frame, "reset_index"):
        return frame
    nameless = None in frame.index.names
    return frame if nameless and type(frame.index).__name__ == "RangeIndex" else frame.reset_index(drop=nameless)


def _refuse(data: Any) -> None:
    """A TypeError, with what to do, for what is not a table. Types decide, never values."""
    kind, library = type(data).__name__, type(data).__module__.split(".")[0]
    if library in ("pandas", "polars") and hasattr(type(data), "to_frame") and kind != "DataFrame":
        raise TypeError(f"data must be a table, and a {kind} is one column: make it a frame, .to_frame('name')")
    if library == "pyarrow" and kind.endswith("Array"):
        raise TypeError(f"data must be a table, and a {kind} is one column: make it a table, pyarrow.table({{'name': array}})")
    if hasattr(data, "__arrow_c_stream__") or is_pandas(data):
        return
    if getattr(getattr(data, "dtype", None), "names", None):
        raise TypeError("data must be a table: make the record array a frame, pandas.DataFrame(array)")
    if getattr(data, "ndim", 0) in (1, 2) and library != "pandas":
        raise TypeError("an array has no names of columns: make it a frame, pandas.DataFrame(array), or give images")
    if isinstance(data, Mapping):
        raise TypeError(
            f"data must be a table, not {kind}: make a dict of columns a frame, pandas.DataFrame(data); a dict of tables is "
            "for linked tables, whose schema is a package"
        )
    if not isinstance(data, Iterable) or isinstance(data, bytes) or library == "pandas":
        collect = "; collect() it first" if hasattr(data, "collect") else ""
        raise TypeError(
            f"data must be a table with __arrow_c_stream__ (pandas, polars, pyarrow, duckdb), an iterable of such, or "
            f"the path of a CSV file, not {kind}{collect}"
        )


def _refuse_rows(data: Any) -> None:
    """The same for a list, by the type of its first item: a list holds tables only, or rows only."""
    first = data[0]
    if hasattr(first, "__arrow_c_stream__"):
        return _refuse(first)
    if isinstance(first, Mapping):
        raise TypeError(
            "data must be a table, not a list of dicts: make it a frame, pandas.DataFrame(data), or "
            "pyarrow.Table.from_pylist(data)"
        )
    if isinstance(first, (list, tuple, str, int, float)) or first is None:
        raise TypeError(
            f"a list must hold tables with __arrow_c_stream__, or paths of files, not {type(first).__name__}; make a list of "
            "rows a frame, pandas.DataFrame(data, columns=[...])"
        )
    _refuse(first)


def arrow_of(data: Any) -> Any:
    """What has a stream of its own, as it is; a frame of pandas as a table, in which no cell changes how another is read."""
    return as_table(_without_index(data)) if is_pandas(data) else data


class _Batches:
    """Iterated again and again, each item as ``arrow_of``."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return map(arrow_of, self._items)


def table(data: Any, *, keep: bool = True, name: str | None = None) -> Data:
    """A table behind anything with ``__arrow_c_stream__``, or behind an iterable of such.

    What can be read once is kept in memory, so that a fit may read it again; without ``keep`` it is not, and a fit
    makes one release of it.
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
    """Is it the name of a package, which says where its tables are? A table in JSON is an array."""
    if not is_path(data) or not os.fspath(data).endswith(".json"):
        return False
    try:
        with open(data, "rb") as file:
            return not file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    except OSError:
        return True  # opening it will report the error


def linked(tables: Mapping[str, Any]) -> Data:
    """Linked tables by their names, each as ``table_of``. They are read more than once."""
    return _core.data_link([table_of(one, name=str(name)) for name, one in tables.items()], [*map(str, tables)])


def table_of(data: Any, *, name: str | None = None) -> Data:
    """A table in a CSV file, by its path, or several by theirs, or in memory, as ``table``."""
    data = one_name(data)
    if not is_path(data):
        return table(data, name=name)
    path = os.fspath(data)
    found = file_reader(path)
    return _core.data_stream(found, path) if isinstance(found, _parquet.Files) else _core.data_file(path, found)


def file_reader(path: str) -> _parquet.Files | str | None:
    """What reads a file of Parquet here: pyarrow, or the library of DuckDB at a path. None: what the library finds."""
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
    """An array of more than two dimensions."""
    if hasattr(data, "__arrow_c_stream__") or isinstance(data, (list, tuple, Iterator)):
        return False
    try:
        return len(memoryview(data).shape or ()) > 2
    except TypeError:
        return False


def _class_number(value: Any) -> int:
    try:
        return int(value) if 0 <= value < _NO_CLASS else _NO_CLASS
    except Exception:  # whatever one record's value cannot be compared with: no reason to fail
        return _NO_CLASS


def _labels(labels: Any, count: int) -> bytes:
    """As uint32; a value that is not a class number becomes one that no class has."""
    values = labels if isinstance(labels, Sequence) else _view(labels, "labels").tolist()
    if len(values) != count:
        raise ValueError("there must be one label for each image")
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
    """Images of shape (n, height, width) or (n, height, width, channels) in uint8."""
    view = _view(pixels, "images")
    if view.format != "B" or view.ndim not in (3, 4) or view.shape is None:
        raise TypeError("images must be uint8 of shape (n, height, width) or (n, height, width, channels)")
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
