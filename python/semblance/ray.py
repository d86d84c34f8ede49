# SPDX-License-Identifier: Apache-2.0
"""Fits Ray datasets, and draws synthetic ones.

    synthesizer = semblance.ray.fit(people, epsilon=1, schema=schema, ledger="people.ledger")
    synthetic = semblance.ray.sample(synthesizer, 1_000_000_000, parts=1000)

Workers sum the blocks and merge the sums. The driver gets one encrypted sum and nothing else about the records.
Workers need this package and pyarrow. docs/SCALE.md lists what is secret where.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import distributed
from ._errors import hidden
from ._needed import arrow, needed
from ._shares import Shares
from ._synthesizer import Synthesizer
from ._work import AT_ONCE, Part, Work

__all__ = ["Frame", "fit", "sample"]



def fit(data: Any, *, epsilon: float, schema: Any, ledger: Any, rows: int | None = None, **parameters: Any) -> Synthesizer:
    """Fit a Ray dataset. Parameters as for ``semblance.distributed.fit``; ``shares`` as for ``Frame``.

    The dataset is computed once, and its blocks stay in Ray's object store until the fit ends.
    """
    frame = Frame(data, parameters.pop("shares", None))
    return distributed.fit(frame, epsilon=epsilon, schema=schema, ledger=ledger, rows=rows, **parameters)


def sample(synthesizer: Synthesizer, n: int | None = None, *, parts: int, seed: int | None = None) -> Any:
    """A dataset of n synthetic rows in ``parts`` shares, which workers draw when it is used. Write it wherever Ray can.

    Each share has its own seed, so drawing it again gives the same rows.
    """
    data = needed("ray.data", "semblance.ray")
    shares = Shares.of(synthesizer, n, parts=parts, seed=seed)
    numbers = data.range(parts, override_num_blocks=parts)
    return numbers.map_batches(_draw, fn_args=(shares,), batch_size=1, batch_format="pyarrow", zero_copy_batch=True)


class Frame:
    """The blocks of a dataset.

    ``shares``  if the schema has a unit: the number of shards of persons, each with all rows of its persons.
                None: the number of blocks, and at most 16
    """

    def __init__(self, data: Any, shares: int | None = None) -> None:
        needed("ray", "semblance.ray")
        arrow("semblance.ray")
        self._data = hidden("computing the dataset", data.materialize)
        # Our tasks convert blocks to Arrow: Ray's own conversion would infer types from cells.
        self._blocks = [block for bundle in self._data.iter_internal_ref_bundles() for block in bundle.block_refs]
        self.parts = len(self._blocks)
        self._columns = self._data.columns() or []
        self.shares = shares or max(1, min(16, len(self._blocks)))

    def columns(self) -> list[str]:
        return [*self._columns]

    def count(self) -> int:
        return int(hidden("counting the rows of the dataset", self._data.count))

    def sums(self, work: Work) -> Iterator[Part]:
        """Tasks have no side effects: if a worker dies, Ray runs its task again and gets the same part."""
        ray = needed("ray", "semblance.ray")
        job = ray.put(work)
        if work.unit is None:
            summed = ray.remote(_sum)
            parts = [summed.remote(job, number, block) for number, block in enumerate(self._blocks)]
        else:
            divide = ray.remote(_divide).options(num_returns=work.shares)
            pieces = [divide.remote(job, block) for block in self._blocks]
            pieces = [one if isinstance(one, list) else [one] for one in pieces]
            summed = ray.remote(_sum_pieces)
            parts = [summed.remote(job, share, *(one[share] for one in pieces)) for share in range(work.shares)]
        merge = ray.remote(_merge)
        while len(parts) > 1:
            parts = [merge.remote(job, *parts[at : at + AT_ONCE]) for at in range(0, len(parts), AT_ONCE)]
        yield from hidden("summing the dataset", ray.get, parts)


# ---- run by workers ----


FAILED = "a task of Ray"


def _sum(work: Work, number: int, block: Any) -> Part:
    return hidden(FAILED, lambda: work.part(number, work.table(block)))


def _divide(work: Work, block: Any) -> Any:
    pieces = hidden(FAILED, lambda: work.divide(work.table(block)))
    return pieces if work.shares > 1 else pieces[0]


def _sum_pieces(work: Work, share: int, *pieces: Any) -> Part:
    return hidden(FAILED, work.part_of_pieces, share, pieces)


def _merge(work: Work, *parts: Part) -> Part:
    return work.merge(parts)


def _draw(numbers: Any, shares: Shares) -> Iterator[Any]:
    for number in numbers.column("id").to_pylist():
        for batch in shares.batches(number):
            yield arrow().Table.from_batches([batch])
