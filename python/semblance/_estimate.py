# SPDX-License-Identifier: Apache-2.0
"""Statistics with confidence intervals from the releases of a fit."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Union

from . import _core
from ._errors import OptionError
from ._show import Rows

__all__ = ["Estimates", "Names", "estimates"]

Names = Union[str, Sequence[str], None]

_FIELDS = ("statistic", "column", "detail", "minus", "estimate", "low", "high", "standard_error", "degrees_of_freedom", "privacy_share")
_DIGITS = 6


class Estimates(Sequence[dict[str, Any]]):
    """Estimates with their intervals, one mapping each. A terminal and a notebook show a table; ``to_pandas()`` makes a frame."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._rows: list[dict[str, Any]] = told["estimates"]
        self.draws = int(told["draws"])
        self.level = float(told["level"])

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists, with one column for each column in ``by``. None: too few rows for an estimate."""
        names = [*self._rows[0]["group"]]
        head = {name: [row.get(name) for row in self._rows] for name in _FIELDS[:3]}
        groups = {
            f"by_{name}" if name in _FIELDS else name: [row["group"][name] for row in self._rows] for name in names
        }
        return head | groups | {name: [row.get(name) for row in self._rows] for name in _FIELDS[3:]}

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        return importlib.import_module("pandas").DataFrame(self.to_dict())

    def _shown(self) -> Rows:
        columns = {name: values for name, values in self.to_dict().items() if any(one is not None for one in values)}
        return Rows(
            {
                name: [f"{one:.{_DIGITS}g}" if isinstance(one, float) else one for one in values]
                for name, values in columns.items()
            }
        )

    def __repr__(self) -> str:
        return repr(self._shown())

    def _repr_html_(self) -> str:
        return self._shown()._repr_html_()


def _listed(names: Names, separator: str) -> str | None:
    if names is None:
        return None
    return names if isinstance(names, str) else separator.join(names)


def _lines(pairs: Mapping[str, Any]) -> str:
    """A line COLUMN=VALUE for each value."""
    lines = []
    for name, values in pairs.items():
        several = isinstance(values, Sequence) and not isinstance(values, str)
        lines += [f"{name}={_text(value)}" for value in (values if several else [values])]
    return "\n".join(lines)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def estimates(handle: Any, asked: Mapping[str, Any], how: tuple[Any, ...], release: str | None) -> Estimates:
    """Ask the library."""
    share, quantile, pair = asked["share"], asked["quantile"], asked["correlation"]
    if pair is not None and (isinstance(pair, str) or len(pair) != 2):
        raise OptionError("correlation: give two columns, such as ('age', 'cost')")
    if quantile is not None and not isinstance(quantile, Mapping):
        raise OptionError("quantile: give columns and orders, such as {'cost': 0.5}")
    told = _core.estimate(
        handle,
        release,
        asked["table"],
        bool(asked["count"]),
        _listed(asked["mean"], ","),
        _lines(share) if isinstance(share, Mapping) else _listed(share, "\n"),
        None if quantile is None else _lines(quantile),
        None if pair is None else ",".join(pair),
        _listed(asked["by"], ","),
        asked["difference"],
        asked["where"],
        *how,
    )
    return Estimates(json.loads(told))
