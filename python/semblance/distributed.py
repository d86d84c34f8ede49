"""Fits of records that lie in many places: each partition is summed where it is, and the sums are released by the driver.

    from semblance import distributed
    synthesizer = distributed.fit(["monday.csv", "tuesday.csv"], epsilon=1, schema=schema, ledger="people.ledger", processes=2)
    distributed.sample(synthesizer, "synthetic/", 1_000_000, parts=8, processes=2)

``semblance.spark``, ``semblance.dask`` and ``semblance.ray`` are the same over frames of these. Sums are integers, so the
release has the bits of one process in any division. The driver alone holds ledger and noise. docs/SCALE.md has the whole.
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
    """Records in partitions, and who sums them: all that an engine is here."""

    shares: int  # into how many parts persons are divided, where the schema has a unit

    @property
    def parts(self) -> int | None:
        """How many partitions there are; None: the engine knows when it has summed them."""

    def columns(self) -> list[str] | None:
        """Their names, which are public; None: each partition says for itself."""

    def count(self) -> int:
        """The number of rows; asked only where it is public."""

    def sums(self, work: Work) -> Iterable[Part]:
        """A part of every partition (``work.part``), merged or not, in any order. Of one that was summed twice any is taken."""


def fit(data: Any, *, epsilon: float, schema: Any = None, ledger: Any, rows: int | None = None, **parameters: Any) -> Synthesizer:
    """Fit files and tables on this machine by processes (``Local``), or any ``Partitions``.

    ``data``     a list of paths (CSV, Parquet) and tables, each a partition; or of ``Pictures``
    ``schema``   of tables; images have none
    ``rows``     about how many there are, where that is private: where the schema has a unit, or neighbours is "add-remove".
                 None: they are counted, where the number is public
    ``processes``  of ``Local``; None: as many as there are cores
    Everything else is as of ``Synthesizer``; ``ledger`` must be said, and ``release`` keeps the releases.
    """
    processes = parameters.pop("processes", None)
    partitions = data if hasattr(data, "sums") else Local(data, processes)
    return run(partitions, Synthesizer(epsilon, schema=schema, ledger=ledger, **parameters), rows)


def run(partitions: Partitions, synthesizer: Synthesizer, rows: int | None = None, *, resume: bool = False) -> Synthesizer:
    """Every round: plan, sum, merge, release; then the model, which the synthesizer holds afterwards.

    ``resume``  go on with the last run of this synthesizer, which failed between two releases: what was paid for is kept,
                and is not paid for again. The records must be the same; their partitions need not
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
    """What happens in one place: plans, the merge of the last parts, the ledger and the noise."""

    def __init__(self, partitions: Partitions, synthesizer: Synthesizer, rows: int | None, folder: str) -> None:
        schema = synthesizer._schema()
        self.images = getattr(partitions, "images", lambda: None)()
        if schema is None and self.images is None:
            raise OptionError("a run in parts needs a schema: no party sees all records, so none can discover one")
        if synthesizer.ledger is None:
            raise OptionError("a run in parts needs a ledger: pass the one that all fits of these records are charged to")
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
            raise OptionError("the number of rows is private here: say about how many there are, rows=")
        self.rows = int(told) if told is not None else partitions.count()

    def _work(self, plan: bytes, key: bytes) -> Work:
        return Work(plan, key, self.columns, self.unit, self.partitions.shares, self.synthesizer.threads or 1)

    def _pairs(self, *, ledger: bool) -> list[tuple[str, str | None]]:
        kept = [pair for pair in self.synthesizer._pairs(ledger=ledger) if pair[0] not in ("release", "certificate")]
        return [*kept, ("certificate", self.certificate)] if ledger else kept

    def _tell(self, kind: str, line: str) -> None:
        """What a release tells, which is public."""
        warnings.warn(line.removeprefix("WARNING: "), SemblanceWarning, stacklevel=6)

    def _check(self, work: Work) -> None:
        """Are the columns those of the schema? By a sum of no rows, before anything is read."""
        there = self.partitions.columns()
        if there is None:
            return
        work.part(0, empty(there))
        for name in there:
            if name not in self.columns:
                words = f"column {name!r} is in the table and not in the schema: left out"
                warnings.warn(words, SemblanceWarning, stacklevel=5)

    def _each_once(self, work: Work) -> Iterator[Part]:
        """Takes the first of two attempts at one partition, and an empty sum for shares without persons."""
        taken: set[int] = set()
        for part in self.partitions.sums(work):
            if taken.isdisjoint(part.numbers):
                taken.update(part.numbers)
                yield part
            elif not taken.issuperset(part.numbers):
                raise InputError("two merged parts hold one partition: nothing is released")
        if work.unit is not None:
            yield from (work.part(share, empty(work.columns)) for share in range(work.shares) if share not in taken)

    def begin(self) -> None:
        """The plan of the first round."""
        schema = None if self.schema is None else self.schema._handle
        first = _core.parts_plan(schema, self.rows, self._pairs(ledger=False), self.images)
        self._check(self._work(*first))
        self.following: tuple[bytes, bytes] | None = first

    def _files(self) -> list[str]:
        """The releases so far, and their certificate."""
        found = [self.release]
        while os.path.exists(found[-1]):
            found.append(f"{self.release}.{len(found) + 1}")
        return [path for path in (*found[:-1], self.certificate) if os.path.exists(path)]

    def keep(self) -> Stopped | None:
        """What is needed to go on after a failure, in memory: public but for the key of the plan. None: nothing was released yet."""
        files = self._files()
        if not files or self.following is None:
            return None
        kept = {}
        for path in files:
            with open(path, "rb") as file:
                kept[os.path.basename(path)] = file.read()
        return self.following, kept

    def take_up(self, stopped: Stopped | None) -> None:
        """Where ``keep`` left it."""
        if stopped is None:
            raise OptionError("there is no run to go on with: the last one ended, or released nothing")
        self.following, kept = stopped
        for path in (self.release, self.certificate):
            for name in (name for name in kept if name.startswith(os.path.basename(path))):
                target = os.path.join(os.path.dirname(path), name)
                if not os.path.exists(target):
                    with open(target, "xb") as file:
                        file.write(kept[name])

    def release_all(self) -> None:
        """Round after round. The parties that sum see the plan and its key; only this process charges and draws noise."""
        pairs = self._pairs(ledger=True)
        while self.following is not None:
            work = self._work(*self.following)
            whole = work.merge(self._each_once(work))
            count = len(whole.numbers) if work.unit is not None or self.partitions.parts is None else self.partitions.parts
            if {*whole.numbers} != {*range(count)}:
                raise InputError("a partition was not summed: nothing is released")
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
    """Write n synthetic rows as ``parts`` files of a folder, drawn by processes: ``part-00000.parquet``, or ``.csv``.

    Each file is a share of the rows with a seed of its own, public, so that it is the same wherever it is drawn. Returns the paths.
    """
    return write(Shares.of(synthesizer, n, parts=parts, seed=seed), folder, form, processes)
