# SPDX-License-Identifier: Apache-2.0
"""Draws synthetic rows in many places. Each share has its own number of rows and its own seed, both public."""

from __future__ import annotations

import functools
import hashlib
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._errors import OptionError
from ._local import _pool
from ._sample import Sample
from ._synthesizer import Synthesizer
from ._needed import arrow, needed

__all__ = ["Shares"]


@functools.lru_cache(maxsize=2)
def _load(model: bytes) -> Synthesizer:
    """Load the model once in each process."""
    return Synthesizer._of_model(model)


def _numbered(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Id columns that count 1, 2, 3: each share continues above the last possible id of the share before."""
    unit = schema.get("semblance", {}).get("unit")
    found = []
    for field_ in schema["fields"]:
        own = field_.get("semblance", {})
        if own.get("role") != "id" and field_["name"] != unit:
            continue
        how = own.get("id", "sequential")
        if how == "sequential":
            found.append(field_["name"])
        elif how != "uuid":
            raise OptionError(f"ids of {field_['name']!r} that follow a pattern would repeat between shares: declare them as sequential or uuid")
    return tuple(found)


@dataclass(frozen=True)
class Shares:
    """The job of a process that draws: ``rows`` in total, in ``parts`` shares. All of it is public."""

    model: bytes = field(repr=False)
    rows: int
    parts: int
    seed: int
    numbered: tuple[str, ...] = ()

    @classmethod
    def of(cls, synthesizer: Synthesizer, rows: int | None, *, parts: int, seed: int | None) -> Shares:
        """``rows`` None: as many as were fitted. ``seed`` None: a new one each time."""
        facts = synthesizer._facts()
        if facts["images"] or facts["tables"]:
            raise OptionError("only a single table can be drawn in shares: use sample() for images and linked tables")
        rows = int(facts["rows"]) if rows is None else rows
        if parts < 1 or rows < parts:
            raise OptionError("parts must be at least 1, and at most the number of rows")
        numbered = _numbered(synthesizer.schema_.to_dict())
        return cls(synthesizer._bytes(), rows, parts, secrets.randbits(63) if seed is None else seed, numbered)

    def _draw(self, number: int) -> Sample:
        rows = self.rows // self.parts + (number < self.rows % self.parts)
        name = f"semblance share {self.seed} {self.parts} {number}".encode()
        drawn: Sample = _load(self.model).sample(rows, seed=int.from_bytes(hashlib.sha256(name).digest()[:8], "little"))
        return drawn

    def _renumbered(self, batch: Any, number: int) -> Any:
        """The ids of this share start above those of the shares before, which have at most one id per row."""
        pyarrow, compute = arrow(), needed("pyarrow.compute", "semblance.distributed")
        before = number * (self.rows // self.parts) + min(number, self.rows % self.parts)
        for name in self.numbered:
            place = batch.schema.get_field_index(name)
            ids = compute.add(batch.column(place).cast(pyarrow.int64()), before)
            batch = batch.set_column(place, batch.schema.field(place), ids.cast(batch.schema.field(place).type))
        return batch

    def batches(self, number: int) -> Iterator[Any]:
        """Share ``number``, from 0, as pyarrow record batches, drawn while they are read. They are the same on every machine."""
        for batch in arrow().RecordBatchReader.from_stream(self._draw(number)):
            yield self._renumbered(batch, number)

    def table(self, number: int) -> Any:
        """Share ``number`` as a pyarrow table."""
        return arrow().Table.from_batches(self.batches(number), self.schema())

    def schema(self) -> Any:
        """The pyarrow schema: names and types."""
        return arrow().RecordBatchReader.from_stream(self._draw(0)).schema

    def write(self, number: int, folder: str, form: str) -> str:
        """Write share ``number`` to a new file in the folder."""
        path = os.path.join(folder, f"part-{number:05d}.{form}")
        if form == "csv":
            self._draw(number).to_csv(path)
            return path
        parquet = needed("pyarrow.parquet", "a Parquet file")
        with open(path, "xb") as file, parquet.ParquetWriter(file, self.schema()) as writer:
            for batch in self.batches(number):
                writer.write_batch(batch)
        return path


def write(shares: Shares, folder: str | os.PathLike[str], form: str, processes: int | None) -> list[str]:
    """Write all shares as files in the folder, with several processes."""
    if form not in ("parquet", "csv"):
        raise OptionError("form must be 'parquet' or 'csv'")
    if form == "csv" and shares.numbered:
        raise OptionError(f"ids of {shares.numbered[0]!r} would repeat between CSV files: write Parquet")
    place = os.fspath(folder)
    os.makedirs(place, exist_ok=True)
    count = processes if processes is not None else len(os.sched_getaffinity(0))
    if count == 1:
        return [shares.write(number, place, form) for number in range(shares.parts)]
    with _pool(min(count, shares.parts)) as pool:
        return [*pool.map(shares.write, range(shares.parts), [place] * shares.parts, [form] * shares.parts)]
