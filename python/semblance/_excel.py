# SPDX-License-Identifier: Apache-2.0
"""Sheets of Excel, by openpyxl: each cell becomes the text that a CSV file would have for it, by its own type.

A library that makes a frame of a sheet infers the type of a column from all its cells, so that one record would change how others are read.
Here no cell does. The R package's ``read_excel()`` gives the same texts.
"""

from __future__ import annotations

import datetime
import os
import warnings
from typing import Any

from ._errors import InputError
from ._needed import needed

__all__ = ["read_excel"]

_HALF = datetime.timedelta(milliseconds=500)
_LAST = datetime.datetime.max.replace(microsecond=0)


def _number(value: float) -> str | None:
    """The shortest digits that mean the same number."""
    if value != value:
        return None
    if abs(value) < 1e15 and value == round(value):
        return f"{value + 0.0:.0f}"  # zero has no sign
    for digits in (15, 16, 17):
        text = f"{value:.{digits}g}"
        if float(text) == value:
            break
    return text


def _moment(value: datetime.datetime) -> str:
    """To the second, as the sheet shows it: Excel stores fractions of a day, which are off by some microseconds."""
    value = value if value > _LAST else (value + _HALF).replace(microsecond=0)
    midnight = value.time() == datetime.time()
    return value.date().isoformat() if midnight else value.isoformat(timespec="seconds")


def _text(value: Any, kind: str) -> str | None:
    """The text of one cell. Cells with an error, such as #N/A, are missing."""
    if value is None or kind == "e":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number(float(value))
    if isinstance(value, datetime.datetime):
        return _moment(value)
    if isinstance(value, datetime.time):
        return _moment(datetime.datetime.combine(datetime.date(1900, 1, 1), value)).partition("T")[2] or "00:00:00"
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _cell(cell: Any) -> str | None:
    """The text of one cell; missing if openpyxl cannot make a value of it, such as a day after the year 9999."""
    try:
        return _text(cell.value, getattr(cell, "data_type", "n"))
    except Exception:
        return None


def _rows(book: Any, path: str, sheet: str | None) -> list[list[str | None]]:
    """All rows to the last one that has a cell. Warnings of openpyxl quote cells, so they are not passed on."""
    cells = _sheet(book, path, sheet)
    cells.reset_dimensions()  # what the file says of its size may be wrong
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = [[_cell(cell) for cell in row] for row in cells.iter_rows()]
    except Exception:
        raise _unreadable(path) from None
    while rows and not any(cell is not None for cell in rows[-1]):
        rows.pop()
    return rows


def _unreadable(path: str) -> InputError:
    return InputError(f"{path} is not a file of Excel that openpyxl can read: save it as .xlsx")


def _sheet(book: Any, path: str, name: str | None) -> Any:
    found = {sheet.title: sheet for sheet in book.worksheets}
    if name is not None and name not in found:
        raise InputError(f"{path} has no sheet {name!r}: its sheets are {', '.join(map(repr, found))}")
    if not found:
        raise InputError(f"{path} has no sheet with cells")
    return found[name] if name is not None else book.worksheets[0]


def read_excel(path: str | os.PathLike[str], sheet: str | None = None) -> Any:
    """A sheet (the first by default) as a pyarrow table of texts, for ``fit`` with a schema. Its first row names the columns."""
    openpyxl, arrow = needed("openpyxl", "reading Excel"), needed("pyarrow", "reading Excel")
    name = os.fspath(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(name, read_only=True, data_only=True)
    except OSError:
        raise
    except Exception:  # what it says may quote the file
        raise _unreadable(name) from None
    try:
        rows = _rows(book, name, sheet)
    finally:
        book.close()
    heads = rows[0] if rows else []
    while heads and heads[-1] is None:
        heads.pop()
    if not heads or None in heads or len(set(heads)) < len(heads):
        raise InputError(f"{name}: the first row of the sheet must name each column once")
    columns = [arrow.array([row[place] if place < len(row) else None for row in rows[1:]], arrow.string()) for place in range(len(heads))]
    return arrow.Table.from_arrays(columns, names=heads)
