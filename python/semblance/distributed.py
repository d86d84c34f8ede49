# SPDX-License-Identifier: Apache-2.0
"""Fits records in many places: each partition is summed where it is, and the driver releases the sums.

    from semblance import distributed
    synthesizer = distributed.fit(["monday.csv", "tuesday.csv"], epsilon=1, schema=schema, ledger="people.ledger", processes=2)
    distributed.sample(synthesizer, "synthetic/", 1_000_000, parts=8, processes=2)

``semblance.spark``, ``semblance.dask`` and ``semblance.ray`` do the same for the frames of these engines. Sums are integers, so
the release has the same bits for every division into partitions. Only the driver has the ledger and the noise. See docs/SCALE.md.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeAlias

from . import _core
from ._errors import InputError, OptionError, SemblanceWarning
from ._files import scratch
from ._local import Local
from ._shares import Shares, write
from ._synthesizer import Synthesizer
from ._work import Part, Pictures, Work, empty

__all__ = ["Local", "Part", "Partitions", "Pictures", "Shares", "Work", "fit", "run", "sample"]


class Partitions(Protocol):
    """Records in partitions, and the engine that sums them."""

    shares: int  # the number of shards of persons, if the schema has a unit

    @property
    def parts(self) -> int | None:
        """The number of partitions; None: the engine knows it only after it has summed them."""

    def columns(self) -> list[str] | None:
        """The column names, which are public; None: each partition has its own."""

    def count(self) -> int:
        """The number of rows. It is called only if this number is public."""

    def sums(self, work: Work) -> Iterable[Part]:
        """A part of every partition (``work.part``), merged or not, in any order. If a partition was summed twice, either counts."""


def fit(data: Any, *, epsilon: float, schema: Any = None, ledger: Any, rows: int | None = None, **parameters: Any) -> Synthesizer:
    """Fit files and tables on this machine by processes (``Local``), or any ``Partitions``.

    ``data``       a list of paths (CSV, Parquet) and tables, each a partition; or of ``Pictures``
    ``schema``     for tables; images have none
    ``rows``       the approximate number of rows. It is needed if the number is private: if the schema has a unit, or neighbours is
                   "add-remove". None: rows are counted
    ``processes``  the number of processes of ``Local``; None: one per core

    All other parameters are those of ``Synthesizer``. ``ledger`` is required. ``release`` is the path where releases are kept.
    """
    processes = parameters.pop("processes", None)
    partitions = data if hasattr(data, "sums") else Local(data, processes)
    return run(partitions, Synthesizer(epsilon, schema=schema, ledger=ledger, **parameters), rows)


def run(partitions: Partitions, synthesizer: Synthesizer, rows: int | None = None, *, resume: bool = False) -> Synthesizer:
    """In every round: plan, sum, merge, release. Then train the model, which the synthesizer holds afterwards.

    ``resume``  continue the last run of this synthesizer, which failed between two releases. What was paid for is not charged
                again. The records must be the same; their partitions may differ
    """
    with synthesizer._alone(), scratch() as folder:
        driver = _Driver(partitions, synthesizer, rows, folder)
        if resume:
            driver.take_up(synthesizer._stopped)
        else:
            driver.begin()
        synthesizer._stopped = None
        try:
            driver.release_all()
        except BaseException:
            synthesizer._stopped = driver.keep()
            raise
        synthesizer._train_from(driver.release, driver.certificate)
    return synthesizer


Stopped: TypeAlias = "tuple[tuple[bytes, bytes], dict[str, bytes]]"  # the next plan and its key; files by name


class _Driver:
    """The central work: plans, the merge of the last parts, the ledger and the noise."""

    def __init__(self, partitions: Partitions, synthesizer: Synthesizer, rows: int | None, folder: str) -> None:
        schema = synthesizer._schema()
        self.images = getattr(partitions, "images", lambda: None)()
        if schema is None and self.images is None:
            raise OptionError("a distributed run needs a schema: no party sees all records, so none can discover one")
        if synthesizer.ledger is None:
            raise OptionError("a distributed run needs a ledger: pass the one that all fits of these records are charged to")
        if rows is not None and rows < 1:
            raise OptionError("rows must be at least 1")
        options = synthesizer._options
        self.partitions, self.synthesizer, self.schema = partitions, synthesizer, schema
        self.unit = None if schema is None else schema.unit
        self.columns = () if schema is None else tuple(field["name"] for field in schema.to_dict().get("fields", []))
        self.release = os.fspath(options.get("release") or os.path.join(folder, "run.release"))
        self.certificate = os.fspath(options.get("certificate") or os.path.join(folder, "certificate.json"))
        told = rows or options.get("expect_rows")
        private = self.unit is not None or synthesizer.neighbours != "replace-one"
        if told is None and private:
            raise OptionError("the number of rows is private here: pass an approximate number, rows=")
        self.rows = int(told) if told is not None else partitions.count()

    def _work(self, plan: bytes, key: bytes) -> Work:
        return Work(plan, key, self.columns, self.unit, self.partitions.shares, self.synthesizer.threads or 1)

    def _pairs(self, *, ledger: bool) -> list[tuple[str, str | None]]:
        kept = [pair for pair in self.synthesizer._pairs(ledger=ledger) if pair[0] not in ("release", "certificate")]
        return [*kept, ("certificate", self.certificate)] if ledger else kept

    def _tell(self, kind: str, line: str) -> None:
        """Warn with a line of a release, which is public."""
        warnings.warn(line.removeprefix("WARNING: "), SemblanceWarning, stacklevel=6)

    def _check(self, work: Work) -> None:
        """Check that the columns match the schema, with a sum over no rows, before any record is read."""
        there = self.partitions.columns()
        if there is None:
            return
        work.part(0, empty(there))
        for name in there:
            if name not in self.columns:
                words = f"column {name!r} is not in the schema and is left out"
                warnings.warn(words, SemblanceWarning, stacklevel=5)

    def _each_once(self, work: Work) -> Iterator[Part]:
        """Use the first of two attempts at a partition, and an empty sum for a shard without persons."""
        taken: set[int] = set()
        for part in self.partitions.sums(work):
            if taken.isdisjoint(part.numbers):
                taken.update(part.numbers)
                yield part
            elif not taken.issuperset(part.numbers):
                raise InputError("two merged parts contain the same partition; nothing was released")
        if work.unit is not None:
            yield from (work.part(share, empty(work.columns)) for share in range(work.shares) if share not in taken)

    def begin(self) -> None:
        """The plan of the first round."""
        schema = None if self.schema is None else self.schema._handle
        first = _core.parts_plan(schema, self.rows, self._pairs(ledger=False), self.images)
        self._check(self._work(*first))
        self.following: tuple[bytes, bytes] | None = first

    def _files(self) -> list[str]:
        """The files of the releases so far, and of their certificate."""
        found = [self.release]
        while os.path.exists(found[-1]):
            found.append(f"{self.release}.{len(found) + 1}")
        return [path for path in (*found[:-1], self.certificate) if os.path.exists(path)]

    def keep(self) -> Stopped | None:
        """What ``resume`` needs, in memory. Only the key of the plan is secret. None: nothing was released yet."""
        files = self._files()
        if not files or self.following is None:
            return None
        kept = {}
        for path in files:
            with open(path, "rb") as file:
                kept[os.path.basename(path)] = file.read()
        return self.following, kept

    def take_up(self, stopped: Stopped | None) -> None:
        """Continue from what ``keep`` returned."""
        if stopped is None:
            raise OptionError("there is no run to resume: the last one ended, or released nothing")
        self.following, kept = stopped
        for path in (self.release, self.certificate):
            for name in (name for name in kept if name.startswith(os.path.basename(path))):
                target = os.path.join(os.path.dirname(path), name)
                if not os.path.exists(target):
                    with open(target, "xb") as file:
                        file.write(kept[name])

    def release_all(self) -> None:
        """Run all rounds. The parties that sum see the plan and its key; only this process charges the ledger and draws noise."""
        pairs = self._pairs(ledger=True)
        while self.following is not None:
            work = self._work(*self.following)
            whole = work.merge(self._each_once(work))
            count = len(whole.numbers) if work.unit is not None or self.partitions.parts is None else self.partitions.parts
            if {*whole.numbers} != {*range(count)}:
                raise InputError("a partition was not summed; nothing was released")
            _core.parts_release(whole.sums, work.plan, work.key, self.release, pairs, self._tell)
            self.following = _core.parts_next(work.plan, work.key, self.release, pairs)


def sample(
    synthesizer: Synthesizer,
    folder: str | os.PathLike[str],
    n: int | None = None,
    *,
    parts: int,
    processes: int | None = None,
    seed: int | None = None,
    form: str = "parquet",
) -> list[str]:
    """Write n synthetic rows as ``parts`` files in a folder, with several processes: ``part-00000.parquet``, or ``.csv``.

    Each file has its own public seed, so it is the same on every machine. Returns the paths.
    """
    return write(Shares.of(synthesizer, n, parts=parts, seed=seed), folder, form, processes)
