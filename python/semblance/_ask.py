# SPDX-License-Identifier: Apache-2.0
"""Paid answers from the private rows: counts, sums and means by group, and linear regressions."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._certificate import Certificate
from ._errors import OptionError
from ._plan import Plan
from ._schema import Schema
from ._synthesizer import Synthesizer

__all__ = ["Answers", "ask"]

_Names = str | Sequence[str] | None


def _list(names: _Names) -> list[str]:
    """One name, or several."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else [str(name) for name in names]


def _questions(count: Any, total: _Names, mean: _Names, by: _Names, regress: _Names, more: Sequence[Mapping[str, Any]]) -> str:
    """The questions as the library takes them."""
    tables: list[Any] = [] if count is None else [count]
    if count is not None and not isinstance(count, str) and any(not isinstance(one, str) for one in count):
        tables = [*count]  # several tables of counts
    asked: list[dict[str, Any]] = [{"count": _list(one)} for one in tables]
    groups = {"by": _list(by)} if by is not None else {}
    asked += [{"sum": name, **groups} for name in _list(total)]
    asked += [{"mean": name, **groups} for name in _list(mean)]
    if by is not None and total is None and mean is None:
        raise OptionError("by divides sums and means: ask for a sum or a mean, too")
    asked += [{"regress": formula} for formula in _list(regress)]
    return json.dumps({"questions": [*asked, *map(dict, more)]})


class Answers:
    """Answers that were paid for. ``frame()`` has one row per answer; ``print`` shows them as a table.

    Each has an ``estimate``, the interval ``low`` to ``high`` for the value of this table, ``population_low`` to
    ``population_high`` for the population that its rows were drawn from, and ``noise``, the standard deviation of the noise.
    All intervals are at 95 %. None: the noise hides it, or it is not known.
    """

    def __init__(self, release: bytes, certificate: Certificate | None = None) -> None:
        self.release = release
        self._certificate = certificate
        self._found: dict[str, Any] = json.loads(_core.answers_text(release, False))

    @property
    def certificate_(self) -> Certificate | None:
        """The guarantee; None for answers of a release file."""
        return self._certificate

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Answers:
        """The answers of a release file, again, at no cost."""
        with open(path, "rb") as file:
            return cls(file.read())

    def to_dict(self) -> dict[str, Any]:
        """Everything as a dict (docs/FORMATS.md)."""
        copy: dict[str, Any] = json.loads(json.dumps(self._found))
        return copy

    def rows(self) -> list[dict[str, Any]]:
        """One dict per answer, with a member for each group column."""
        made = []
        for question in self._found["questions"]:
            for answer in question["answers"]:
                row = {"question": question["question"], "kind": question["kind"], **answer.get("group", {})}
                row |= {name: value for name, value in answer.items() if name != "group"}
                made.append({**row, "epsilon": question["epsilon"]})
        return made

    def frame(self) -> Any:
        """A pandas DataFrame with one row per answer."""
        return importlib.import_module("pandas").DataFrame(self.rows())

    def check(self, finding: Mapping[str, Any]) -> dict[str, Any]:
        """Hold a finding against the answers: ``{"question": ..., "group": ..., "claim": {"greater": 500}}``. Costs nothing."""
        verdict: dict[str, Any] = json.loads(_core.answers_check(self.release, json.dumps(finding)))
        return verdict

    def __str__(self) -> str:
        return _core.answers_text(self.release, True)

    def __repr__(self) -> str:
        return f"<semblance.Answers to {len(self._found['questions'])} questions>"


def ask(
    data: Any,
    schema: Schema | Mapping[str, Any] | str | os.PathLike[str],
    *,
    epsilon: float,
    count: Any = None,
    sum: _Names = None,
    mean: _Names = None,
    by: _Names = None,
    regress: _Names = None,
    questions: Sequence[Mapping[str, Any]] = (),
    plan: int | None = None,
    **options: Any,
) -> Any:
    """Buy answers from a private table, under the same ledger as synthetic data.

    ::

        answers = semblance.ask(people, schema, epsilon=0.2, count=["ward", "sex"], mean="cost", by="ward")
        answers.frame()

    ``count``      category columns: rows of each combination; a list of lists is several tables
    ``sum``        columns of numbers, one question each; likewise ``mean``
    ``by``         category columns that sums and means are divided by
    ``regress``    a formula, "cost ~ age + sex", or several
    ``questions``  more of them, as dicts (docs/FORMATS.md), which may have a ``weight``
    ``plan``       a number of rows: nothing is read or charged, and a Plan says how wide the answers would be

    All other keywords are those of Synthesizer: ``delta``, ``ledger``, ``neighbours``, ``health``, ``title``, ...
    """
    asked = Synthesizer(epsilon=epsilon, schema=schema, **options)
    asked._questions = _questions(count, sum, mean, by, regress, questions)
    if plan is not None:
        planned: Plan = asked.plan(plan)
        return planned
    asked.fit(data)
    return Answers(asked.releases_[0], asked.certificate_)
