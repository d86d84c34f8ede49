# SPDX-License-Identifier: Apache-2.0
"""Partitions on this machine: files and tables that processes sum."""

from __future__ import annotations

import glob
import multiprocessing
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from ._data import is_path
from ._errors import InputError, OptionError, hidden
from ._needed import needed
from ._work import Part, Pictures, Work

__all__ = ["Local"]

ATTEMPTS = 4  # for a partition whose process was killed


@dataclass(frozen=True)
class Groups:
    """Some row groups of a Parquet file."""

    path: str
    first: int
    last: int  # exclusive

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """The given columns, 65,536 rows at a time."""
        parquet = needed("pyarrow.parquet", "a Parquet file")
        with parquet.ParquetFile(self.path) as file:
            there = [name for name in file.schema_arrow.names if name in columns]
            yield from file.iter_batches(65536, row_groups=[*range(self.first, self.last)], columns=there)

    def count(self) -> int:
        with needed("pyarrow.parquet", "a Parquet file").ParquetFile(self.path) as file:
            return sum(file.metadata.row_group(group).num_rows for group in range(self.first, self.last))


def _groups_of(path: str, pieces: int) -> list[Groups]:
    """The file in this number of pieces, or in fewer if it has fewer row groups."""
    with needed("pyarrow.parquet", "a Parquet file").ParquetFile(path) as file:
        count = int(file.num_row_groups)
    pieces = max(1, min(pieces, count))
    ends = [count * piece // pieces for piece in range(pieces + 1)]
    return [Groups(path, first, last) for first, last in zip(ends, ends[1:])]


def _files(source: Any) -> list[str]:
    """The file at a path, or the Parquet files of a folder or pattern, sorted by name."""
    path = os.fspath(source)
    if os.path.isdir(path):
        found = sorted(glob.glob(os.path.join(glob.escape(path), "**", "*.parquet"), recursive=True))
    else:
        found = [path] if os.path.exists(path) else sorted(glob.glob(path))
    if not found:
        raise InputError(f"{path}: no such file")
    return found


def _batches(partition: Any, columns: Sequence[str]) -> Iterator[Any]:
    """The batches of a partition."""
    if isinstance(partition, Groups):
        yield from partition.batches(columns)
    else:
        yield partition


def _part(work: Work, number: int, partitions: Sequence[Any], attempt: int) -> Part:
    """Runs in a separate process: sums one partition, or one shard of the persons in all partitions."""
    return hidden("summing a partition", _summed, work, number, partitions, attempt)


def _summed(work: Work, number: int, partitions: Sequence[Any], attempt: int) -> Part:
    if len(partitions) == 1 and (is_path(partitions[0]) or isinstance(partitions[0], Pictures)):
        return work.part(number, partitions[0], attempt)
    return work.part(number, (batch for one in partitions for batch in _batches(one, work.columns)), attempt)


class Local:
    """Files and tables, each a partition.

    ``sources``    a path, or a list of paths and tables: CSV files, Parquet files, folders or patterns of Parquet files, or tables
                   with an Arrow stream that can be pickled. A Parquet file is split by row groups if processes would be idle.
                   Or ``Pictures``, all of one size and with the same classes
    ``processes``  the number of processes; None: one per core
    ``shares``     the number of shards of persons, if the schema has a unit; None: one per process. Each shard reads all records
    """

    def __init__(self, sources: Any, processes: int | None = None, shares: int | None = None) -> None:
        one = is_path(sources) or isinstance(sources, Pictures) or hasattr(sources, "__arrow_c_stream__")
        given = [sources] if one else [*sources]
        self.processes = processes if processes is not None else len(os.sched_getaffinity(0))
        self.shares = shares if shares is not None else self.processes
        if self.processes < 1 or self.shares < 1:
            raise OptionError("processes and shares must be at least 1")
        files = [one for source in given if is_path(source) for one in _files(source)]
        tables = [one for one in given if not is_path(one)]
        pieces = -(-self.processes // max(1, len(files) + len(tables)))
        self.partitions: list[Any] = tables
        for path in files:
            self.partitions += _groups_of(path, pieces) if path.endswith(".parquet") else [path]
        self.parts = len(self.partitions)

    def columns(self) -> None:
        """None: each partition has its own column names."""

    def images(self) -> Any:
        """The first set of images, for their size and classes; None for tables."""
        found = [one for one in self.partitions if isinstance(one, Pictures)]
        if found and len(found) < len(self.partitions):
            raise OptionError("sources mix images and tables: pass only one kind")
        return found[0].data() if found else None

    def count(self) -> int:
        """The number of rows."""
        return sum(self._count(one) for one in self.partitions)

    def _count(self, partition: Any) -> int:
        if isinstance(partition, Groups):
            return partition.count()
        if is_path(partition) or isinstance(partition, Pictures):
            raise OptionError("the rows of text files and images are not counted: pass rows=")
        return len(partition)

    def sums(self, work: Work) -> Iterable[Part]:
        """Processes sum one partition at a time. If a process is killed, another one repeats its partition."""
        if work.unit is None:
            return self._run(work, [[one] for one in self.partitions])
        if len(self.partitions) > 1 and any(map(is_path, self.partitions)):
            raise OptionError("a person may have rows in several files, so text files must be joined into one, or be Parquet files")
        return self._run(work, [self.partitions] * work.shares)

    def _run(self, work: Work, jobs: Sequence[Sequence[Any]]) -> Iterator[Part]:
        if self.processes == 1:
            yield from (_part(work, number, job, 0) for number, job in enumerate(jobs))
            return
        waiting = dict(enumerate(jobs))
        for attempt in range(ATTEMPTS):
            with _pool(self.processes) as pool:
                tasks = {pool.submit(_part, work, number, job, attempt): number for number, job in waiting.items()}
                for part in _done(tasks):
                    del waiting[part.numbers[0]]
                    yield part
            if not waiting:
                return
        raise InputError(f"{len(waiting)} partitions were not summed: their processes were killed {ATTEMPTS} times")


def _pool(processes: int) -> ProcessPoolExecutor:
    """New processes: a fork would lack the threads of this process."""
    return ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))


def _done(tasks: dict[Future[Part], int]) -> Iterator[Part]:
    """The finished parts. Those whose process was killed are left for another attempt."""
    for task in as_completed(tasks):
        try:
            yield task.result()
        except BrokenProcessPool:
            continue
