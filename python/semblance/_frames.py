# SPDX-License-Identifier: Apache-2.0
"""The labels, dtypes and category levels of frames. It looks at no value.

They become the fields of a schema, and synthetic rows get the types of the frame that was fitted. This covers frames of
pandas and polars and tables of pyarrow. Other data is left as it is.
"""

from __future__ import annotations

import datetime
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Column", "Frame", "as_arrow", "as_pandas", "as_polars", "declared", "field", "frame_of"]


class Column(NamedTuple):
    """A column of a frame; ``dtype`` belongs to its library."""

    label: Any
    dtype: Any

    @property
    def name(self) -> str:
        """The label as a text."""
        return str(self.label)


class Frame(NamedTuple):
    """The columns of a frame, and its library."""

    library: str
    columns: tuple[Column, ...]


def frame_of(data: Any) -> Frame | None:
    """The columns of a frame, or of the first frame of a list. It looks at no value."""
    if isinstance(data, (list, tuple)) and data:
        return frame_of(data[0])
    library = type(data).__module__.split(".")[0]
    if library == "pandas" and hasattr(data, "dtypes"):
        return Frame(library, tuple(map(Column, data.columns, data.dtypes)))
    if library == "polars" and hasattr(data, "columns"):
        return Frame(library, tuple(map(Column, data.columns, data.dtypes)))
    if library == "pyarrow" and hasattr(data, "schema"):
        return Frame(library, tuple(Column(name, kind) for name, kind in zip(data.schema.names, data.schema.types)))
    return None


def declared(frame: Frame, enums: Mapping[str, Sequence[Any]]) -> Frame:
    """The frame with only those category levels that the schema declares: others may be facts about records."""
    return frame._replace(columns=tuple(_declared(frame.library, column, enums.get(column.name)) for column in frame.columns))


def _is_among(texts: set[str], level: Any) -> bool:
    """Is the level one of these texts? A level whose text raises an exception is not."""
    try:
        return level_text(level) in texts
    except Exception:
        return False


def _declared(library: str, column: Column, enum: Sequence[Any] | None) -> Column:
    own = getattr(column.dtype, "categories", None)
    if own is None or (library == "polars" and str(column.dtype.base_type()) != "Enum"):
        return column
    texts = {level_text(level) for level in enum or ()}
    kept = [level for level in (own.tolist() if library == "pandas" else own) if _is_among(texts, level)]
    made = importlib.import_module(library)
    if library == "polars":
        return column._replace(dtype=made.Enum(kept))
    return column._replace(dtype=made.CategoricalDtype(made.Index(kept, dtype=own.dtype), column.dtype.ordered))


# ---- from a column to a field of a schema ----


def _kind(frame: Frame, dtype: Any) -> tuple[str, bool, list[Any] | None]:
    """The type of a field, whether values may be missing, and the levels if the dtype has them."""
    if frame.library == "pandas":
        return _pandas_kind(dtype)
    if frame.library == "polars":
        base = str(dtype.base_type())
        if base == "Enum":
            return "string", True, [*dtype.categories]
        words = {"Boolean": "boolean", "Date": "date", "Datetime": "datetime", "Decimal": "number"}
        return words.get(base) or ("integer" if "Int" in base else "number" if "Float" in base else "string"), True, None
    return _arrow_kind(dtype), True, None


def _arrow_kind(dtype: Any) -> str:
    types = importlib.import_module("pyarrow").types
    for kind, test in (
        ("boolean", types.is_boolean),
        ("integer", types.is_integer),
        ("number", types.is_floating),
        ("number", types.is_decimal),
        ("date", types.is_date),
        ("datetime", types.is_timestamp),
    ):
        if test(dtype):
            return kind
    return "string"


def _pandas_kind(dtype: Any) -> tuple[str, bool, list[Any] | None]:
    levels = getattr(dtype, "categories", None)
    if levels is not None:
        return {"i": "integer", "u": "integer", "f": "number"}.get(levels.dtype.kind, "string"), True, levels.tolist()
    if hasattr(dtype, "pyarrow_dtype"):
        return _arrow_kind(dtype.pyarrow_dtype), True, None
    if _is_period(dtype):  # Arrow stores its ordinal
        return "integer", True, None
    code = getattr(dtype, "kind", "O")
    missing = not isinstance(dtype, importlib.import_module("numpy").dtype) or code not in "biu"
    return {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "M": "datetime"}.get(code, "string"), missing, None


def _is_period(dtype: Any) -> bool:
    return str(dtype).startswith("period[")


def _ordinal(dtype: Any, bound: Any) -> Any:
    """The ordinal of a period, which Arrow and the schema use."""
    if isinstance(bound, int):
        return bound
    return importlib.import_module("pandas").Period(bound, freq=dtype.freq).ordinal


def level_text(level: Any) -> str:
    """A level as the text of a cell."""
    if isinstance(level, datetime.date):
        return str(level.isoformat())
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level).lower() if isinstance(level, bool) else str(level)


def _plain(value: Any) -> Any:
    """A numpy scalar as a Python number; a date as its text."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else value


def field(frame: Frame, column: Column, bounds: Any = None, categories: Any = None) -> dict[str, Any] | str:
    """A field of a schema, or the fact that is missing: "bounds" or "categories"."""
    kind, missing, levels = _kind(frame, column.dtype)
    levels = levels if categories is None else [*map(_plain, categories)]
    constraints: dict[str, Any] = {} if missing else {"required": True}
    if levels is not None and kind != "boolean":
        if kind not in ("integer", "number"):
            kind, levels = "string", [level_text(level) for level in levels]
        constraints["enum"] = levels
    elif bounds is not None:
        low, high = (_ordinal(column.dtype, one) for one in bounds) if _is_period(column.dtype) else map(_plain, bounds)
        if kind == "string":  # dates as objects
            kind = "date" if isinstance(bounds[0], datetime.date) else "number"
        constraints.update(minimum=low, maximum=high)
    elif kind != "boolean":
        return "categories" if kind == "string" else "bounds"
    return {"name": column.name, "type": kind, "constraints": constraints}


# ---- synthetic rows in the types of a frame ----


def _levels(declared: Sequence[Any] | None, own: Sequence[Any]) -> list[Any]:
    """The levels that the schema declares, in the order and type of the dtype. Others may be facts about records."""
    if declared is None:
        return []
    known = {level_text(level): level for level in own}
    order = {text: place for place, text in enumerate(known)}
    texts = sorted((level_text(level) for level in declared), key=lambda text: order.get(text, len(order)))
    return [known.get(text, text) for text in texts]


def _is_true(value: Any) -> Any:
    return value if value is None or isinstance(value, bool) else str(value).lower() in ("true", "1", "1.0")


def as_pandas(drawn: Any, frame: Frame, enums: Mapping[str, Sequence[Any]]) -> Any:
    """A pandas frame with nullable dtypes, changed to the labels and dtypes of the frame that was fitted."""
    pandas = importlib.import_module("pandas")
    known = {column.name: column for column in frame.columns}
    made = {}
    for name in drawn.columns:
        column = known.get(name)
        label = name if column is None else column.label
        if column is not None and frame.library == "pandas":
            made[label] = _as_it_was(drawn[name], lambda values: _pandas_cast(pandas, values, column.dtype, enums.get(name)))
        else:
            made[label] = drawn[name]
    return pandas.DataFrame(made)


def _as_it_was(values: Any, cast: Callable[[Any], Any]) -> Any:
    """Cast the values, or leave them if the schema gives the column another type."""
    try:
        return cast(values)
    except (TypeError, ValueError, LookupError, ArithmeticError):
        return values
    except Exception as trouble:  # those of polars and pyarrow have no common parent
        if type(trouble).__module__.split(".")[0] in ("pyarrow", "polars", "pandas"):
            return values
        raise


def _items(values: Any) -> list[Any]:
    return [None if gone else value for value, gone in zip(values.astype(object), values.isna())]


def _times(values: Iterable[Any]) -> list[Any]:
    """Times of day from their texts."""
    return [datetime.time.fromisoformat(value) if isinstance(value, str) else value for value in values]


def _period(pandas: Any, value: Any, dtype: Any) -> Any:
    """A period from its ordinal, or from the date or text that the schema made of it."""
    if isinstance(value, (int, float)):
        return pandas.Period(ordinal=round(value), freq=dtype.freq)
    return pandas.NaT if value is None else pandas.Period(value, freq=dtype.freq)


def _pandas_cast(pandas: Any, values: Any, dtype: Any, enum: Sequence[Any] | None) -> Any:
    code = getattr(dtype, "kind", "O")
    if hasattr(dtype, "categories"):
        levels = _levels(enum, dtype.categories.tolist())
        places = {level_text(level): place for place, level in enumerate(levels)}
        codes = [-1 if value is None else places[level_text(value)] for value in _items(values)]
        if {*map(level_text, levels)} == {*map(level_text, dtype.categories.tolist())}:
            kept = pandas.CategoricalDtype(pandas.Index(levels, dtype=dtype.categories.dtype), dtype.ordered)
        else:
            kept = pandas.CategoricalDtype(levels, dtype.ordered)
        return pandas.Series(pandas.Categorical.from_codes(codes, dtype=kept))
    if code == "b":
        truths = [*map(_is_true, _items(values))]
        gone = None in truths and str(dtype) == "bool"
        return pandas.Series(pandas.array(truths, dtype="boolean")).astype("boolean" if gone else dtype)
    if code == "M" or (hasattr(dtype, "pyarrow_dtype") and "timestamp" in str(dtype)):
        zone = getattr(dtype, "tz", None) or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)
        if zone is not None:
            values = (values.dt.tz_localize("UTC") if values.dt.tz is None else values).dt.tz_convert(zone)
        return values.astype(dtype)
    if hasattr(dtype, "pyarrow_dtype") and str(dtype).startswith("time") and "timestamp" not in str(dtype):
        return pandas.Series(pandas.array(_times(_items(values)), dtype=dtype))
    if _is_period(dtype):
        return pandas.Series(pandas.array([_period(pandas, value, dtype) for value in _items(values)], dtype=dtype))
    if code in "iuf" and not hasattr(dtype, "pyarrow_dtype"):
        numbers = pandas.to_numeric(values)
        if code in "iu":
            numbers = numbers.round().astype("Int64")
            if numbers.isna().any() and str(dtype) == str(dtype).lower():  # the nearest dtype that holds missing values
                return numbers.astype(str(dtype).replace("int", "Int").replace("uI", "UI"))
        return numbers.astype(dtype)
    if str(dtype) == "object":
        return pandas.Series(_items(values), dtype=object)
    return pandas.Series(pandas.array(_items(values), dtype=dtype))


def as_polars(drawn: Any, frame: Frame, enums: Mapping[str, Sequence[Any]]) -> Any:
    """A polars frame with the dtypes of the frame that was fitted."""
    polars = importlib.import_module("polars")
    known = {column.name: column.dtype for column in frame.columns}
    made = [_as_it_was(series, lambda one: _polars_cast(polars, one, known.get(one.name), enums.get(one.name))) for series in drawn]
    return polars.DataFrame(made)


def _polars_cast(polars: Any, series: Any, dtype: Any, enum: Sequence[Any] | None) -> Any:
    if dtype is None or dtype == series.dtype:
        return series
    if dtype == polars.Boolean:
        return polars.Series(series.name, [_is_true(value) for value in series], dtype=dtype)
    if str(dtype.base_type()) == "Enum":
        return series.cast(polars.String).cast(polars.Enum(_levels(enum, [*dtype.categories])))
    if dtype == polars.Time:
        return polars.Series(series.name, _times(series), dtype=dtype)
    if dtype == polars.Datetime and getattr(dtype, "time_zone", None):
        zoned = series.dt.replace_time_zone("UTC") if series.dtype.time_zone is None else series
        return zoned.dt.convert_time_zone(dtype.time_zone).cast(dtype)
    if dtype.is_integer() and series.dtype == polars.Float64:
        series = series.round()
    return series.cast(dtype)


def as_arrow(drawn: Any, frame: Frame) -> Any:
    """A pyarrow table with the types of the table that was fitted."""
    pyarrow = importlib.import_module("pyarrow")
    known = {column.name: column.dtype for column in frame.columns}
    made = {}
    for name in drawn.column_names:
        kind = known.get(name)
        made[name] = _as_it_was(drawn[name], lambda column: _arrow_cast(pyarrow, column, kind))
    return pyarrow.table(made)


def _arrow_cast(pyarrow: Any, column: Any, kind: Any) -> Any:
    if kind is None or kind == column.type:
        return column
    if pyarrow.types.is_boolean(kind):
        return pyarrow.chunked_array([[_is_true(value) for value in column.to_pylist()]], kind)
    if pyarrow.types.is_time(kind):
        return pyarrow.chunked_array([_times(column.to_pylist())], kind)
    if pyarrow.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode().cast(kind)
    return column.cast(kind)
