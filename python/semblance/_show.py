# SPDX-License-Identifier: Apache-2.0
"""Tables for notebooks and terminals. Every text is escaped: names of columns and categories come from files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

__all__ = ["Rows", "html_details", "html_table"]

_WIDEST = 40  # characters of a cell in a terminal


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def html_table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table in HTML. None is an empty cell."""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = ("<tr>" + "".join(f"<td>{escape(_cell(value))}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{names}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def html_details(summary: str, text: str) -> str:
    """A text that is folded away until the reader opens it."""
    return f"<details><summary>{escape(summary)}</summary><pre>{escape(text)}</pre></details>"


def _printable(value: Any) -> str:
    """Control characters and marks of direction do not reach a terminal."""
    return "".join(one if one.isprintable() else "\ufffd" for one in _cell(value)[:_WIDEST])


def _line(cells: Iterable[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths))


class Rows(dict[str, list[Any]]):
    """The first rows of a sample: a dict of columns that a terminal and a notebook show as a table."""

    def __init__(self, columns: Mapping[str, list[Any]]) -> None:
        super().__init__(columns)

    def __repr__(self) -> str:
        texts = [[_printable(cell) for cell in (name, *values)] for name, values in self.items()]
        widths = [max(map(len, cells)) for cells in texts]
        return "\n".join(_line(row, widths) for row in zip(*texts))

    def _repr_html_(self) -> str:
        return html_table([*self], zip(*self.values()))
