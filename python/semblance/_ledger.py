# SPDX-License-Identifier: Apache-2.0
"""The ledger of a data set: what every release cost, and the limit that no release may exceed."""

from __future__ import annotations

import json
import os
from html import escape
from typing import Any

from . import _core
from ._errors import OptionError

__all__ = ["Ledger"]


def _text(number: float | None) -> str | None:
    try:
        return None if number is None else repr(float(number))
    except (TypeError, ValueError):
        raise OptionError(f"epsilon and delta must be numbers, not {type(number).__name__}") from None


class Ledger:
    """A ledger file: append-only, hash-chained, and charged before any noise is drawn.

    Pass the same ledger to every fit of a data set, and their costs add up::

        ledger = semblance.Ledger.create("people.ledger", epsilon=3)
        Synthesizer(epsilon=1, ledger=ledger).fit(people)
        ledger.epsilon_spent
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.describe()  # does it exist, and is it intact?

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        epsilon: float | None = None,
        delta: float | None = None,
        *,
        neighbours: str = "replace-one",
        pure: bool = False,
        max_rows_per_unit: int | None = None,
    ) -> Ledger:
        """A new ledger. It never replaces an existing file.

        ``epsilon`` is the limit; None: costs are added up without a limit. ``max_rows_per_unit`` makes a ledger of persons, and must
        be the value in the schema that names the unit; None: a ledger of rows.
        """
        if neighbours not in ("replace-one", "add-remove"):
            raise ValueError("neighbours must be 'replace-one' or 'add-remove'")
        _core.ledger_init(os.fspath(path), neighbours, _text(epsilon), _text(delta), pure, max_rows_per_unit or 0)
        return cls(path)

    def limit(self, epsilon: float, delta: float | None = None, *, pure: bool = False) -> None:
        """Lower the limit, permanently."""
        if epsilon is None:
            raise OptionError("limit() needs an epsilon")
        known = delta if delta is not None or pure else float(self.describe()["budget"]["delta"])
        _core.ledger_limit(self.path, "replace-one", _text(epsilon), _text(known), pure)

    def describe(self) -> dict[str, Any]:
        """The whole ledger as a dict (docs/FORMATS.md), after every line was verified."""
        found: dict[str, Any] = json.loads(_core.ledger_describe(self.path))
        return found

    @property
    def epsilon_spent(self) -> float:
        """The smallest epsilon, at the ledger's delta, that covers all releases so far; rounded up."""
        return _number(self.describe()["totals"]["epsilon"])

    @property
    def mu_spent(self) -> float:
        """The same as mu of Gaussian differential privacy; rounded up."""
        return _number(self.describe()["totals"]["mu"])

    @property
    def releases(self) -> int:
        """The number of releases that were charged."""
        return int(self.describe()["totals"]["releases"])

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<semblance.Ledger {self.path!r}: {self.releases} releases, epsilon {self.epsilon_spent:.4g} spent>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>"


def _number(value: Any) -> float:
    """JSON has no infinity, so it is written as a text."""
    return float(value)
