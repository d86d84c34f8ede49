"""A partition of an engine as a table of pyarrow. What its cells hold never makes it fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._errors import InputError
from ._work import arrow, needed

__all__ = ["as_table", "concat"]


def _column(values: Any) -> Any:
    """A column of pandas; objects of mixed kinds become their texts, which are read as cells of CSV are."""
    pyarrow = arrow()
    try:
        return pyarrow.array(values, from_pandas=True)
    except (pyarrow.ArrowException, OverflowError, UnicodeError):
        missing = needed("pandas", "a frame").isna
        texts = [None if missing(value) is True else _text(value) for value in values.tolist()]
        return pyarrow.array(texts, pyarrow.string())


def _text(value: Any) -> str:
    """Whatever it is; bytes and surrogates that are no text are replaced."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text.encode("utf-8", "replace").decode("utf-8")


def as_table(partition: Any) -> Any:
    """Of pandas, or of pyarrow already."""
    pyarrow = arrow()
    if isinstance(partition, pyarrow.Table):
        return partition
    return pyarrow.table({str(name): _column(partition[name]) for name in partition.columns})


def concat(tables: Sequence[Any]) -> Any:
    """One table of many; where the types of a column differ it becomes texts. All must have the columns of the first."""
    pyarrow = arrow()
    names = {*tables[0].column_names}
    for table in tables:
        for name in names.symmetric_difference(table.column_names):
            raise InputError(f"column {name!r} is not in every partition")
    plain = [_decoded(table).select(tables[0].column_names) for table in tables]
    kinds = {name: {table.schema.field(name).type for table in plain} - {pyarrow.null()} for name in names}
    for name in (name for name, found in kinds.items() if len(found) > 1):
        plain = [
            table.set_column(table.column_names.index(name), name, table[name].cast(pyarrow.string())) for table in plain
        ]
    return pyarrow.concat_tables(plain, promote_options="default")


def _decoded(table: Any) -> Any:
    """Without dictionaries, which differ from table to table."""
    types = needed("pyarrow.types", "a table")
    for place, field in enumerate(table.schema):
        if types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(field.type.value_type))
    return table
