# SPDX-License-Identifier: Apache-2.0
"""Synthetic tables and images under differential privacy.

    import semblance
    schema = semblance.Schema.from_file("people.json")           # public facts about the columns
    synthesizer = semblance.Synthesizer(epsilon=1, schema=schema).fit(people)
    synthetic = synthesizer.sample(1000).to_pandas()
    print(synthesizer.certificate_)                              # the guarantee

docs/PYTHON.md is the tutorial; docs/PRIVACY.md states the guarantee precisely.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

# Threads that spin while they wait slow everything down on a busy machine. OpenMP reads this setting once, when it is loaded.
_wish = os.environ.get("OMP_WAIT_POLICY")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
from . import _core, _parquet  # noqa: E402

if _wish is None:
    del os.environ["OMP_WAIT_POLICY"]

from . import _other
from ._ask import Answers, ask
from ._certificate import Certificate
from ._combine import Combined, Estimate, analyse, combine
from ._errors import *  # noqa: F403
from ._errors import __all__ as _errors
from ._evaluate import Evaluation, evaluate
from ._excel import read_excel
from ._ledger import Ledger
from ._project import Projected
from ._replicates import Replicates
from ._sample import ImageSample, LinkedSample, Sample
from ._schema import Schema
from ._synthesizer import Plan, Synthesizer

__version__ = _core.version()
_other.warn()

__all__ = [
    "Answers",
    "Certificate",
    "Combined",
    "Estimate",
    "Evaluation",
    "ImageSample",
    "Ledger",
    "LinkedSample",
    "Method",
    "Option",
    "Plan",
    "Projected",
    "Replicates",
    "Sample",
    "Schema",
    "Synthesizer",
    "Table",
    "analyse",
    "ask",
    "build",
    "combine",
    "epsilon_of",
    "evaluate",
    "methods",
    "mu_of",
    "options",
    "read_excel",
    "tables",
]
__all__ += _errors


class Method(NamedTuple):
    """A method that makes synthetic data."""

    name: str
    summary: str
    tables: bool
    images: bool


class Option(NamedTuple):
    """An option of a fit, as the library lists it."""

    name: str
    flag: bool
    help: str
    default: str | None
    choices: list[str] | None  # the words that it takes; a whole number may have some, too
    methods: list[str] | None
    range: str | None
    data: list[str] | None  # the kinds of data that it applies to, such as "csv"; None: it is not about data


class Table(NamedTuple):
    """A table of a database. ``table=name`` reads it if its ``kind`` is "table"; a "view" needs a query."""

    name: str
    kind: str


def methods() -> list[Method]:
    """All methods; the first is the default."""
    return [Method(*row) for row in _core.methods()]


def options(method: str | None = None) -> list[Option]:
    """The options of a Synthesizer, by their Python names; with ``method``, only those that the method uses."""
    known = [one.name for one in methods()]
    if method is not None and method not in known:
        raise OptionError(f"there is no method {method!r}; choose one of {', '.join(known)}")
    rows = [Option(*row)._replace(name=row[0].replace("-", "_")) for row in _core.options()]
    return [row for row in rows if method is None or row.methods is None or method in row.methods]


def build() -> dict[str, str]:
    """How the library was built and which features it found on this machine."""
    rows = [line.split("\t", 1) for line in _core.build().splitlines()]
    return {name: value for name, value in rows}


def tables(path: str | os.PathLike[str], *, duckdb: str | None = None, adbc_driver: str | None = None) -> list[Table]:
    """The tables of a database: an SQLite or DuckDB file, or the address of a server. Reads the catalogue, not the rows."""
    found = json.loads(_core.data_tables(os.fspath(path), duckdb or _parquet.engine()[1], adbc_driver))
    return [Table(one["name"], one["kind"]) for one in found]


def mu_of(epsilon: float, delta: float) -> float:
    """The largest mu whose mu-Gaussian differential privacy implies (epsilon, delta); rounded down."""
    return _core.mu_of(epsilon, delta)


def epsilon_of(mu: float, delta: float) -> float:
    """The smallest epsilon for which mu-Gaussian differential privacy implies (epsilon, delta); rounded up."""
    return _core.epsilon_of(mu, delta)


for _name in __all__:  # tracebacks and pickles use the public names
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
