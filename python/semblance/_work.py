# SPDX-License-Identifier: Apache-2.0
"""The work of an executor in a distributed run: it turns some records into the bytes of a part. No file, no side effect, no noise.

A part holds exact sums, encrypted and authenticated with the plan's key (ChaCha20-Poly1305). Every party that sums needs this
key, so executors could open parts. They read the records anyway (docs/SCALE.md#what-is-secret-where).
"""

from __future__ import annotations

import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import _core
from ._cells import as_table, is_pandas
from ._data import arrow_of, is_path
from ._errors import InputError
from ._needed import arrow

__all__ = ["Part", "Pictures", "Work"]

AT_ONCE = 16  # parts per merge


class Part(NamedTuple):
    """The sums of one partition or, after a merge, of several. Two attempts at a partition give the same part."""

    numbers: tuple[int, ...]
    sums: bytes


def empty(columns: Iterable[str]) -> Any:
    """A table without rows."""
    pyarrow = arrow()
    return pyarrow.table({name: pyarrow.nulls(0) for name in columns})


def _first(batches: Iterator[Any], columns: Sequence[str]) -> Iterator[Any]:
    """The batches, or an empty one if there are none."""
    found = False
    for batch in batches:
        found = True
        yield batch
    if not found:
        yield empty(columns)


@dataclass(frozen=True)
class Pictures:
    """A partition of images: IDX or CIFAR files, with a file of labels or none, or a folder of PNG or JPEG files of this
    ``size``, (height, width). ``resize`` scales files of other sizes."""

    path: str
    labels: str | None = None
    classes: int = 0  # 0: from the files
    grey: bool = False
    size: tuple[int, int] | None = None  # None: from the files
    resize: bool = False

    def data(self) -> Any:
        height, width = self.size or (0, 0)
        return _core.data_image_files(self.path, self.labels, self.classes, self.grey, height, width, self.resize)


@dataclass(frozen=True)
class Work:
    """One round of a run, for executors. It can be pickled. ``key`` is secret.

    ``columns``  the columns of the schema; executors need no others
    ``unit``     the column that identifies the person, or None
    ``shares``   the number of shards of persons, if there is a unit
    """

    plan: bytes
    key: bytes = field(repr=False)
    columns: tuple[str, ...]
    unit: str | None = None
    shares: int = 1
    threads: int = 1

    def _name(self, number: int) -> str:
        """For persons, shards are numbered 1/M to M/M. Each sums only the persons whose keyed hash falls into it."""
        return f"{number + 1}/{self.shares}" if self.unit is not None else f"p-{number}"

    def part(self, number: int, records: Any, attempt: int = 0) -> Part:
        """Sum a partition, or a shard of persons. ``records`` is a path, a table, an iterator of batches, or Pictures."""
        if isinstance(records, Pictures):
            data = records.data()
        elif is_path(records):
            data = _core.data_file(str(records))
        else:
            one = hasattr(records, "__arrow_c_stream__") or is_pandas(records)
            batches = map(arrow_of, [records] if one else records)
            data = _core.data_arrow(_first(batches, self.columns), True, False, None)
        pairs: list[tuple[str, str | None]] = [("threads", str(self.threads))]
        return Part((number,), _core.parts_sum(data, self.plan, self.key, self._name(number), attempt + 1, pairs))

    def share(self, records: Any) -> array.array[int]:
        """For each row, the shard of its person, from 0 to ``shares`` - 1. It is the same in all rounds, and as secret as the rows."""
        data = _core.data_arrow(iter([arrow_of(records)]), True, False, None)
        return array.array("I", _core.parts_share(data, self.plan, self.key, self.shares))

    def divide(self, table: Any) -> list[Any]:
        """Split a pyarrow table into one for each shard, and keep the order of rows."""
        pyarrow = arrow()
        shares = self.share(table)
        rows: list[list[int]] = [[] for _ in range(self.shares)]
        for row, share in enumerate(shares):
            rows[share].append(row)
        return [table.take(pyarrow.array(chosen, pyarrow.int64())) for chosen in rows]

    def table(self, partition: Any) -> Any:
        """A partition of an engine as a pyarrow table, with only the columns of the schema, in its order."""
        made = as_table(partition)
        return made.select([name for name in self.columns if name in made.column_names])

    def part_of_pieces(self, share: int, pieces: Sequence[Any]) -> Part:
        """Sum a shard from its rows in every partition. Types may differ between partitions; each is read by its own."""
        for piece in pieces:
            for name in {*pieces[0].column_names}.symmetric_difference(piece.column_names):
                raise InputError(f"column {name!r} is not in every partition")
        return self.part(share, iter(pieces))

    def merge(self, parts: Iterable[Part]) -> Part:
        """Merge one or more parts. The result is exact, in any order and any number of steps. Only a few are in memory at a time."""
        held: list[Part] = []
        for part in parts:
            held.append(part)
            if len(held) == AT_ONCE:
                held = [self._sum(held)]
        if not held:
            raise InputError("the data has no partitions")
        return self._sum(held)

    def _sum(self, held: Sequence[Part]) -> Part:
        if len(held) == 1:
            return held[0]
        numbers = tuple(number for part in held for number in part.numbers)
        return Part(numbers, _core.parts_merge([part.sums for part in held], self.plan, self.key))
