# SPDX-License-Identifier: Apache-2.0
"""Converts cells of Python objects, each on its own: no cell changes how another is read.

A column of objects has no type. If a library inferred one, a single record could change it, and with it how all other
records are read; or the conversion would fail with a message that quotes a cell. So every object becomes the text of a CSV cell
or, if it is not a text, a mark, a letter for its type and its value (docs/FORMATS.md#cells-of-differing-types). A column whose
dtype has one meaning (int64, datetime64, Arrow) stays as it is.
"""

from __future__ import annotations

import datetime
import decimal
import operator
import sys
import zoneinfo
from collections.abc import Callable, Sequence
from typing import Any

from ._errors import InputError, OptionError
from ._needed import needed

__all__ = ["as_table", "is_pandas"]

MARK = "\x01"
FIELD = {b"ARROW:extension:name": b"semblance.cells"}
_MOST_DIGITS = 100  # a longer decimal is read as a float
_EPOCH = datetime.datetime(1970, 1, 1)
_FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
_NONE = type(None)


# ---- one cell ----


def _of_text(value: str) -> str:
    text = str.__str__(value)
    return MARK + "t" + text if text.startswith(MARK) else text


def _of_bool(value: Any) -> str:
    return MARK + ("b1" if value else "b0")


def _of_int(value: int) -> str | None:
    if -(2**63) <= value < 2**63:
        return MARK + "i" + int.__repr__(value)
    return MARK + "d" + int.__repr__(value) if abs(value) < 10**_MOST_DIGITS else _of_float(float(value))


def _of_float(value: float) -> str | None:
    if value != value:
        return None
    return float.__repr__(value) if value in (float("inf"), float("-inf")) else MARK + "g" + float.__repr__(value)


def _of_decimal(value: decimal.Decimal) -> str | None:
    if not value.is_finite():
        return None if value.is_nan() else str(value)
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and len(value.as_tuple().digits) + abs(exponent) <= _MOST_DIGITS:
        return MARK + "d" + format(value.copy_abs() if value.is_zero() else value, "f")
    return _of_float(float(value))


def _of_moment(seconds: int, nanoseconds: int, zoned: bool) -> str:
    return f"{MARK}{'z' if zoned else 'm'}{seconds}.{nanoseconds:09d}"


def _of_timestamp(value: Any) -> str | None:
    """A pandas Timestamp, which has nanoseconds and years beyond 9999."""
    if value != value:  # NaT
        return None
    return _of_datetime64(value.to_datetime64(), value.tzinfo is not None) if hasattr(value, "to_datetime64") else _of_datetime(value)


def _of_datetime(value: datetime.datetime) -> str:
    offset = value.utcoffset()
    since = value.replace(tzinfo=None) - _EPOCH - (offset or datetime.timedelta())
    return _of_moment(since.days * 86400 + since.seconds, since.microseconds * 1000, offset is not None)


def _of_datetime64(value: Any, zoned: bool = False) -> str | None:
    numpy = sys.modules["numpy"]
    if numpy.isnat(value):
        return None
    unit, step = numpy.datetime_data(value.dtype)
    parts = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}.get(unit)
    if parts is None or step != 1:
        value, parts = value.astype("datetime64[s]"), 1
    seconds, rest = divmod(int(value.astype("int64")), parts)
    return _of_moment(seconds, rest * (10**9 // parts), zoned)


def _of_date(value: datetime.date) -> str:
    return f"{MARK}D{value.toordinal() - _FIRST_DAY}"


def _of_time(value: datetime.time) -> str:
    if value.tzinfo is not None:
        return _of_text(value.isoformat())
    return f"{MARK}c{(value.hour * 60 + value.minute) * 60 + value.second}.{value.microsecond * 1000:09d}"


def _of_bytes(value: Any) -> str:
    return _of_text(bytes(value).decode("utf-8", "replace"))


def _of_numpy(value: Any) -> str | None:
    """A numpy scalar, like the same Python value."""
    kind = value.dtype.kind
    if kind == "M":
        return _of_datetime64(value)
    if kind == "m":
        return None if sys.modules["numpy"].isnat(value) else _of_text(str(value))
    convert: dict[str, Callable[[Any], str | None]] = {
        "b": _of_bool, "i": lambda one: _of_int(int(one)), "u": lambda one: _of_int(int(one)), "f": lambda one: _of_float(float(one)),
    }
    return convert.get(kind, lambda one: _of_text(str(one)))(value)


def _of_other(value: Any) -> str | None:
    """By the base class of the value. A value without a text is missing."""
    for kind, convert in _KINDS:
        if isinstance(value, kind):
            return convert(value)
    name = type(value).__module__
    if name.startswith("pandas.") and type(value).__name__ in ("NAType", "NaTType"):
        return None
    if name == "numpy" and getattr(value, "ndim", None) == 0 and hasattr(value, "dtype"):
        return _of_numpy(value)
    return _of_time(value) if isinstance(value, datetime.time) else _of_text(str(value))


_EXACT: dict[type, Callable[[Any], str | None]] = {
    str: _of_text, bool: _of_bool, int: _of_int, float: _of_float, decimal.Decimal: _of_decimal, datetime.datetime: _of_datetime,
    datetime.date: _of_date, bytes: _of_bytes, _NONE: lambda _: None,
}
# The order matters: a bool is an int, a datetime is a date, and numpy's str and float64 are subclasses of Python's.
_KINDS: tuple[tuple[Any, Callable[[Any], str | None]], ...] = (
    (str, _of_text), (bool, _of_bool), (int, _of_int), (float, _of_float), (decimal.Decimal, _of_decimal),
    (datetime.datetime, _of_timestamp), (datetime.date, _of_date), ((bytes, bytearray, memoryview), _of_bytes),
)


def cell(value: Any) -> str | None:
    """The text of a cell, from this value alone; None: missing. It never raises, whatever the value does."""
    try:
        return _EXACT.get(type(value), _of_other)(value)
    except Exception:  # such as a __str__ that raises, or a time zone without an offset
        return None


# ---- a column of objects ----


def _array(values: Any, kind: Any) -> Any:
    """An Arrow array of this type, if every cell has it or is missing; otherwise None."""
    arrow = needed("pyarrow", "a frame")
    try:
        return arrow.array(values, kind, from_pandas=True)
    except MemoryError:
        raise
    except Exception:  # a cell that the library cannot convert
        return None


def _moments(values: Sequence[Any]) -> Any:
    """The Arrow type of datetimes, if all have no time zone or all have one with a fixed rule; otherwise None."""
    zones = {*map(operator.attrgetter("tzinfo"), filter(None, values))}
    if zones == {None}:
        return needed("pyarrow", "a frame").timestamp("us")
    known = (datetime.timezone, zoneinfo.ZoneInfo)
    return needed("pyarrow", "a frame").timestamp("us", "UTC") if all(type(zone) in known for zone in zones) else None


def _plain(values: Sequence[Any]) -> Any:
    """A fast path with the same result, if all cells have one type that Arrow has; otherwise None."""
    arrow = needed("pyarrow", "a frame")
    kinds = {*map(type, values)} - {_NONE}
    types = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_(), datetime.date: arrow.date32()}
    if kinds == {datetime.datetime}:
        kind = _moments(values)
    else:
        kind = types.get(kinds.pop()) if len(kinds) == 1 else None
    return None if kind is None else _array(values, kind)


def _utf8(text: str | None) -> str | None:
    return text if text is None else text.encode("utf-8", "replace").decode("utf-8")


def cells(values: Any) -> tuple[Any, bool]:
    """An Arrow array from a list or array of objects, and whether its texts are marked."""
    arrow = needed("pyarrow", "a frame")
    texts = _array(values, arrow.string())  # fails if any object is not a text
    if texts is not None:
        return texts, False
    values = values if isinstance(values, list) else values.tolist()
    plain = _plain(values)
    if plain is not None:
        return plain, False
    texts = [*map(cell, values)]
    try:
        return arrow.array(texts, arrow.string()), True
    except UnicodeError:  # surrogates
        return arrow.array([*map(_utf8, texts)], arrow.string()), True


# ---- frames of pandas ----


def is_pandas(data: Any) -> bool:
    """Is it a pandas frame, or of a subclass?"""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _is_typed(dtype: Any) -> bool:
    """Does the dtype give every cell one meaning? Numbers, booleans and times do; objects do not."""
    if type(dtype).__module__.split(".")[0] == "numpy":
        return bool(dtype.kind in "biufMm" and dtype.itemsize <= 8)
    if hasattr(dtype, "pyarrow_dtype"):
        return True
    if type(dtype).__name__ == "StringDtype":
        return bool(dtype.storage != "python")
    return type(dtype).__name__ in ("DatetimeTZDtype", "PeriodDtype") or hasattr(dtype, "numpy_dtype")


def _categories(column: Any) -> tuple[Any, bool]:
    """Levels are read like cells, because one record can add a level."""
    arrow = needed("pyarrow", "a frame")
    codes = column.cat.codes.to_numpy()
    levels, marked = _column(column.cat.categories.to_series())
    if isinstance(levels, arrow.ChunkedArray):
        levels = levels.combine_chunks()
    if arrow.types.is_dictionary(levels.type) or isinstance(levels.type, arrow.BaseExtensionType):
        levels, marked = cells(column.cat.categories.tolist())
    return arrow.DictionaryArray.from_arrays(arrow.array(codes, mask=codes < 0), levels), marked


def _column(column: Any) -> tuple[Any, bool]:
    arrow = needed("pyarrow", "a frame")
    if hasattr(column.dtype, "categories"):
        return _categories(column)
    if _is_typed(column.dtype):
        return arrow.array(column, from_pandas=True), False
    return cells(column.to_numpy(dtype=object))


def _named(convert: Callable[[Any], Any], column: Any, name: str) -> Any:
    """Convert a column. An exception of another library may quote a cell, so it is replaced."""
    try:
        return convert(column)
    except (ImportError, MemoryError):
        raise
    except Exception:
        pass
    raise InputError(f"column {name!r} cannot be read: its dtype has no Arrow type; convert it to texts, numbers or dates")


def _has_meaning(kind: Any) -> bool:
    """Is it an Arrow type that the library reads?"""
    types = needed("pyarrow.types", "a table")
    if types.is_dictionary(kind):
        return not types.is_dictionary(kind.value_type) and _has_meaning(kind.value_type)
    if types.is_decimal(kind):
        return bool(kind.bit_width <= 128)
    tests = ("null", "boolean", "integer", "floating", "string", "large_string", "string_view", "date", "timestamp", "time")
    return any(getattr(types, f"is_{name}", lambda _: False)(kind) for name in tests)


def _objects(column: Any) -> tuple[Any, bool]:
    """An Arrow column as objects: lists, bytes, durations, or objects that an engine pickled."""
    return cells(column.to_pylist())


def as_table(partition: Any) -> Any:
    """A pyarrow table from a pandas frame, or from a partition of an engine, which may have inferred types from cells."""
    arrow = needed("pyarrow", "a frame of pandas")
    if isinstance(partition, arrow.Table):
        names, columns, convert = partition.column_names, partition.columns, _objects
        if all(map(_has_meaning, partition.schema.types)):
            return partition
    else:
        names, convert = [*map(str, partition.columns)], _column
        columns = [partition.iloc[:, at] for at in range(len(names))]
    if len({*names}) < len(names):
        raise OptionError("two columns of the frame have the same name: rename one of them")
    made = [
        (column, False) if convert is _objects and _has_meaning(column.type) else _named(convert, column, name)
        for name, column in zip(names, columns)
    ]
    fields = [arrow.field(name, column.type, metadata=FIELD if marked else None) for name, (column, marked) in zip(names, made)]
    return arrow.Table.from_arrays([column for column, _ in made], schema=arrow.schema(fields))
