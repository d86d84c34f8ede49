# SPDX-License-Identifier: Apache-2.0
"""Fits Spark frames, and draws synthetic ones.

    synthesizer = semblance.spark.fit(people, epsilon=1, schema=schema, ledger="people.ledger")
    synthetic = semblance.spark.sample(synthesizer, session, 1_000_000_000, parts=1000)

Executors sum their partitions (``mapInArrow``) and merge the sums. The driver gets encrypted sums and nothing else about the
records. Executors need this package and pyarrow. docs/SCALE.md lists what is secret where.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import distributed
from ._shares import Shares
from ._synthesizer import Synthesizer
from ._errors import hidden
from ._needed import arrow, needed
from ._work import Part, Work

__all__ = ["Frame", "fit", "sample"]

PLACE, SHARE = "__semblance_place", "__semblance_share"
Task = Callable[[Iterable[Any]], Iterator[Any]]  # batches of a partition in, batches out
PARTS = "numbers array<int>, sums binary"  # the schema of a frame of parts


def fit(data: Any, *, epsilon: float, schema: Any, ledger: Any, rows: int | None = None, **parameters: Any) -> Synthesizer:
    """Fit a Spark frame. Parameters as for ``semblance.distributed.fit``; ``shares`` as for ``Frame``.

    Every round of the fit runs the frame's plan again. If that is expensive, or gives other rows each time (``rand()``, a sample),
    cache or write the frame first.
    """
    frame = Frame(data, parameters.pop("shares", None))
    return distributed.fit(frame, epsilon=epsilon, schema=schema, ledger=ledger, rows=rows, **parameters)


def sample(synthesizer: Synthesizer, session: Any, n: int | None = None, *, parts: int, seed: int | None = None) -> Any:
    """A frame of n synthetic rows in ``parts`` partitions, which executors draw when it is used. Write it wherever Spark can.

    Each partition has its own seed, so drawing it again gives the same rows.
    """
    shares = Shares.of(synthesizer, n, parts=parts, seed=seed)
    types = needed("pyspark.sql.pandas.types", "semblance.spark").from_arrow_schema(shares.schema())
    return session.range(0, parts, 1, parts).mapInArrow(_drawer(shares), types)


class Frame:
    """The partitions of a frame.

    ``shares``  if the schema has a unit: the number of shards of persons, each with all rows of its persons.
                None: the number of shuffle partitions of Spark
    """

    def __init__(self, data: Any, shares: int | None = None) -> None:
        needed("pyspark", "semblance.spark")
        arrow("semblance.spark")
        self._frame = data
        self.parts = None  # Spark may merge partitions while it runs
        self.shares = shares or int(data.sparkSession.conf.get("spark.sql.shuffle.partitions"))

    def columns(self) -> list[str]:
        return [*self._frame.columns]

    def count(self) -> int:
        return int(hidden("counting the rows of the frame", self._frame.count))

    def _chosen(self, work: Work) -> Any:
        """The columns that the schema names; no others are read."""
        return self._frame.select(["`" + name.replace("`", "``") + "`" for name in self.columns() if name in work.columns])

    def _divided(self, work: Work) -> Any:
        """Whole shards of persons in each partition, one after another, with rows in the order of the frame."""
        functions, types = (needed(f"pyspark.sql.{name}", "semblance.spark") for name in ("functions", "types"))
        placed = self._chosen(work).withColumn(PLACE, functions.monotonically_increasing_id())
        made = types.StructType([*placed.schema.fields, types.StructField(SHARE, types.IntegerType())])
        shared = placed.mapInArrow(_sharer(work), made)
        return shared.repartition(work.shares, SHARE).sortWithinPartitions(SHARE, PLACE)

    def sums(self, work: Work) -> Iterator[Part]:
        """Executors sum partitions and merge sums. Spark handles retries and speculation, and uses one result of each task."""
        frame = self._chosen(work) if work.unit is None else self._divided(work)
        summed = frame.mapInArrow(_summer(work), PARTS)
        merged = summed.repartition(summed.numbers[0]).mapInArrow(_merger(work), PARTS)
        for row in hidden("computing the frame", merged.collect):
            yield Part(tuple(row["numbers"]), bytes(row["sums"]))


# ---- run by executors ----

def _as_batches(parts: Iterable[Part]) -> Iterator[Any]:
    pyarrow = arrow()
    types = pyarrow.schema([("numbers", pyarrow.list_(pyarrow.int32())), ("sums", pyarrow.binary())])
    for part in parts:
        yield pyarrow.RecordBatch.from_pydict({"numbers": [[*part.numbers]], "sums": [part.sums]}, schema=types)


def _hiding(task: Task) -> Task:
    """Hide exceptions of a task that may quote a record."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        failed, end = "a task of Spark", object()
        made = hidden(failed, task, batches)
        while (batch := hidden(failed, next, made, end)) is not end:
            yield batch

    return run


def _summer(work: Work) -> Task:
    """Sums a partition. Spark numbers the partition and the attempt."""

    @_hiding
    def sum_rows(batches: Iterable[Any]) -> Iterator[Any]:
        task = needed("pyspark", "semblance.spark").TaskContext.get()
        if work.unit is None:
            return _as_batches([work.part(task.partitionId(), iter(batches), task.attemptNumber())])
        runs = itertools.groupby(_runs(batches), lambda run: run[0])
        return _as_batches(work.part(share, (rows for _, rows in run), task.attemptNumber()) for share, run in runs)

    return sum_rows


def _runs(batches: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """The rows of each shard, in sorted order."""
    compute = needed("pyarrow.compute", "semblance.spark")
    for batch in batches:
        ends = compute.run_end_encode(batch.column(SHARE))
        rows = batch.drop_columns([SHARE, PLACE])
        start = 0
        for share, end in zip(ends.values.to_pylist(), ends.run_ends.to_pylist()):
            yield share, rows.slice(start, end - start)
            start = end


def _sharer(work: Work) -> Task:
    @_hiding
    def add_shares(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch.append_column(SHARE, arrow().array(work.share(batch), arrow().int32()))

    return add_shares


def _merger(work: Work) -> Task:
    def merge(batches: Iterable[Any]) -> Iterator[Any]:
        rows = (row for batch in batches for row in batch.to_pylist())
        parts = (Part(tuple(row["numbers"]), row["sums"]) for row in rows)
        first = next(parts, None)
        return _as_batches([] if first is None else [work.merge(itertools.chain([first], parts))])

    return merge


def _drawer(shares: Shares) -> Task:
    def draw(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from shares.batches(number)

    return draw
