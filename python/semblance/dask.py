# SPDX-License-Identifier: Apache-2.0
"""Fits Dask frames, and draws synthetic ones.

    synthesizer = semblance.dask.fit(people, epsilon=1, schema=schema, ledger="people.ledger")
    synthetic = semblance.dask.sample(synthesizer, 1_000_000_000, parts=1000)

Workers sum their partitions and merge the sums. The client gets one encrypted sum and nothing else about the records.
Workers need this package and pyarrow. docs/SCALE.md lists what is secret where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import distributed
from ._errors import InputError, hidden
from ._needed import arrow, needed
from ._shares import Shares
from ._synthesizer import Synthesizer
from ._work import AT_ONCE, Part, Work

__all__ = ["Frame", "fit", "sample"]

RETRIES = 3


def fit(data: Any, *, epsilon: float, schema: Any, ledger: Any, rows: int | None = None, **parameters: Any) -> Synthesizer:
    """Fit a Dask frame on the current scheduler. Parameters as for ``semblance.distributed.fit``; ``shares`` as for ``Frame``.

    Every round computes the frame again, unless it is persisted.
    """
    frame = Frame(data, parameters.pop("shares", None))
    return distributed.fit(frame, epsilon=epsilon, schema=schema, ledger=ledger, rows=rows, **parameters)


def sample(synthesizer: Synthesizer, n: int | None = None, *, parts: int, seed: int | None = None) -> Any:
    """A frame of n synthetic rows in ``parts`` partitions, drawn by workers when it is computed or written.

    Each partition has its own seed, so drawing it again gives the same rows.
    """
    frames = needed("dask.dataframe", "semblance.dask")
    shares = Shares.of(synthesizer, n, parts=parts, seed=seed)
    return frames.from_map(_draw, range(parts), shares=shares, meta=_frame_of(shares.schema().empty_table()))


class Frame:
    """The partitions of a frame.

    ``shares``  if the schema has a unit: the number of shards of persons, each with all rows of its persons.
                None: the number of partitions, and at most 16
    """

    def __init__(self, data: Any, shares: int | None = None) -> None:
        needed("dask", "semblance.dask")
        arrow("semblance.dask")
        self._frame = data
        self.parts = int(data.npartitions)
        self.shares = shares or min(16, int(data.npartitions))

    def columns(self) -> list[str]:
        return [*map(str, self._frame.columns)]

    def count(self) -> int:
        return int(hidden("counting the rows of the frame", len, self._frame))

    def sums(self, work: Work) -> Iterator[Part]:
        """Tasks have no side effects: running one again gives the same part."""
        dask = needed("dask", "semblance.dask")
        task = dask.delayed
        job = task(work)
        partitions = self._frame[[name for name in self._frame.columns if str(name) in work.columns]].to_delayed()
        if work.unit is None:
            parts = [task(_sum)(job, number, partition) for number, partition in enumerate(partitions)]
        else:
            pieces = [task(_divide, nout=work.shares)(job, partition) for partition in partitions]
            parts = [task(_sum_pieces)(job, share, [one[share] for one in pieces]) for share in range(work.shares)]
        while len(parts) > 1:
            parts = [task(_merge)(job, parts[at : at + AT_ONCE]) for at in range(0, len(parts), AT_ONCE)]
        yield from hidden("computing the frame", _compute, work.columns, lambda: dask.compute(*parts, retries=RETRIES))


def _compute(columns: Sequence[str], call: Callable[[], Any]) -> Any:
    """If a partition lacks a column, Dask raises a KeyError when it selects columns."""
    try:
        return call()
    except KeyError as error:
        lacking = [name for name in columns if repr(name) in str(error)]
        if not lacking:
            raise
    raise InputError(f"column {lacking[0]!r} is not in every partition")


# ---- run by workers ----


FAILED = "a task of Dask"


def _sum(work: Work, number: int, partition: Any) -> Part:
    return hidden(FAILED, lambda: work.part(number, work.table(partition)))


def _divide(work: Work, partition: Any) -> list[Any]:
    return hidden(FAILED, lambda: work.divide(work.table(partition)))


def _sum_pieces(work: Work, share: int, pieces: Sequence[Any]) -> Part:
    return hidden(FAILED, work.part_of_pieces, share, pieces)


def _merge(work: Work, parts: Sequence[Part]) -> Part:
    return work.merge(parts)


def _frame_of(table: Any) -> Any:
    pandas = needed("pandas", "semblance.dask")
    return table.to_pandas(types_mapper=pandas.ArrowDtype)


def _draw(number: int, shares: Shares) -> Any:
    return _frame_of(shares.table(number))
