# SPDX-License-Identifier: Apache-2.0
"""Intervals from replicates: one analysis, run on each of several synthetic tables, becomes one estimate with an interval."""

from __future__ import annotations

import glob
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import _core
from ._errors import InputError, OptionError
from ._sample import Sample
from ._show import Rows

__all__ = ["Combined", "Estimate", "analyse", "combine"]

_DIGITS = 6


class Estimate(NamedTuple):
    """An estimate from several replicates, and its confidence interval for the population."""

    estimate: float
    low: float
    high: float
    standard_error: float
    df: float  #: degrees of freedom of Student's t; may be infinite
    privacy_share: float  #: share of the interval's width that the usual interval of the real table would not have
    replicates: int

    def __str__(self) -> str:
        return repr(_table({"": self}))


class Combined(Mapping[str, Estimate]):
    """Estimates by name. A terminal and a notebook show it as a table; ``to_pandas()`` makes a frame."""

    def __init__(self, estimates: Mapping[str, Estimate]) -> None:
        self._estimates = dict(estimates)

    def __getitem__(self, name: str) -> Estimate:
        return self._estimates[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._estimates)

    def __len__(self) -> int:
        return len(self._estimates)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists, the names first."""
        rows = self._estimates.values()
        columns: dict[str, list[Any]] = {"name": [*self._estimates]}
        return columns | {field: [getattr(row, field) for row in rows] for field in Estimate._fields}

    def to_pandas(self) -> Any:
        """A pandas DataFrame, indexed by name."""
        return importlib.import_module("pandas").DataFrame(self.to_dict()).set_index("name")

    def __repr__(self) -> str:
        return repr(_table(self._estimates))

    def _repr_html_(self) -> str:
        return _table(self._estimates)._repr_html_()


def _table(estimates: Mapping[str, Estimate]) -> Rows:
    numbers = {
        field: [f"{getattr(one, field):.{_DIGITS}g}" for one in estimates.values()] for field in Estimate._fields
    }
    return Rows({"name": [*estimates]} | numbers)


def combine(
    estimates: Iterable[Any], variances: Iterable[Any], *, level: float = 0.95, row_ratio: float = 1.0
) -> Any:
    """Combine the results of the same analysis of several replicates.

    ``estimates`` and ``variances`` have one entry for each replicate: numbers (the answer is an ``Estimate``), or mappings or
    pandas Series from names to numbers (the answer is a ``Combined``). A variance is the square of a standard error.

    ``row_ratio`` is the number of rows of a replicate divided by that of the real table.
    """
    q, u = [*estimates], [*variances]
    if len(q) != len(u):
        raise OptionError(f"combine: {len(q)} estimates and {len(u)} variances; give one of each for every replicate")
    if not any(_is_named(one) for one in (*q, *u)):
        return _one("combine", q, u, level, row_ratio)
    names = _names(q[0])
    for i, one in enumerate((*q, *u)):
        if _names(one) != names:
            raise InputError(
                f"combine: replicate {i % len(q) + 1} has other statistics than replicate 1; each needs the same ones"
            )
    return Combined(
        {str(name): _one(str(name), [one[name] for one in q], [one[name] for one in u], level, row_ratio) for name in names}
    )


def analyse(
    replicates: Any, analysis: Callable[[Any], Any], *, level: float = 0.95, row_ratio: float = 1.0
) -> Any:
    """Run an analysis on each replicate and combine the results.

    ``replicates``: samples or frames, one for each replicate; a frame with a column ``replicate``; or the folder that
    ``synth --replicates`` wrote (01.csv, 02.csv, ...). Samples and files become pandas frames.

    ``analysis`` takes one table, as if it were real, and returns

    - an estimate and its variance, two numbers: the answer is an ``Estimate``;
    - a mapping or Series of estimates and one of variances;
    - a mapping from names to pairs (estimate, variance);
    - a fitted result of statsmodels, or anything with ``params`` and ``bse``.

    For the last three the answer is a ``Combined``.
    """
    results = [_result(analysis(table)) for table in _tables(replicates)]
    return combine(
        [estimate for estimate, _ in results], [variance for _, variance in results], level=level, row_ratio=row_ratio
    )


def _is_named(value: Any) -> bool:
    return isinstance(value, Mapping) or (hasattr(value, "index") and hasattr(value, "items"))


def _names(value: Any) -> list[Any]:
    return [*value.keys()] if _is_named(value) else []


def _one(name: str, q: Sequence[Any], u: Sequence[Any], level: float, row_ratio: float) -> Estimate:
    if not (0 < level < 1 and 0 < row_ratio < float("inf")):
        raise OptionError("combine: use a level above 0 and below 1, and a positive row_ratio")
    try:
        numbers = [float(one) for one in q], [float(one) for one in u]
    except (TypeError, ValueError):
        raise InputError(f"{name}: estimates and variances must be numbers") from None
    try:
        return Estimate(*_core.combine(*numbers, level, row_ratio), len(numbers[0]))
    except OptionError as error:
        raise InputError(f"{name}: {error}") from None


def _result(value: Any) -> tuple[Any, Any]:
    """What an analysis returned, as estimates and variances."""
    if hasattr(value, "params") and hasattr(value, "bse"):
        return _fitted(value)
    if isinstance(value, Mapping) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value.values()):
        return {name: pair[0] for name, pair in value.items()}, {name: pair[1] for name, pair in value.items()}
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return value[0], value[1]
    raise InputError(
        "analyse: the analysis must return an estimate and its variance, a mapping of such pairs, or a result with params and bse"
    )


def _fitted(value: Any) -> tuple[Any, Any]:
    """The coefficients of a fitted result and the squares of their standard errors."""
    if _is_named(value.params):
        names = [*value.params.keys()]
    else:
        names = [*getattr(getattr(value, "model", None), "exog_names", range(len(value.params)))]
    errors = [*value.bse]
    return dict(zip(names, [*value.params])), {name: float(one) ** 2 for name, one in zip(names, errors)}


def _tables(replicates: Any) -> Iterator[Any]:
    """The replicates one after the other; what is of ours becomes a pandas frame."""
    if isinstance(replicates, (str, os.PathLike)):
        folder = os.fspath(replicates)
        paths = sorted(glob.glob(os.path.join(glob.escape(folder), "[0-9]*.csv")))
        if not paths:
            raise InputError(f"analyse: {folder} has no replicates (01.csv, 02.csv, ...)")
        pandas = importlib.import_module("pandas")
        yield from (pandas.read_csv(path) for path in paths)
    elif hasattr(replicates, "columns") and not isinstance(replicates, Sample):
        if "replicate" not in replicates.columns or not hasattr(replicates, "groupby"):
            raise InputError("analyse: one table is not enough; give several, or a pandas frame with a column 'replicate'")
        yield from (part.drop(columns="replicate") for _, part in replicates.groupby("replicate"))
    elif isinstance(replicates, Sample):
        raise InputError("analyse: one sample is not enough; give replicates")
    else:
        yield from (one.to_pandas() if isinstance(one, Sample) else one for one in replicates)
