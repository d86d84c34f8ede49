# SPDX-License-Identifier: Apache-2.0
"""Reads and writes Parquet with DuckDB's library, the library in the package duckdb, or pyarrow.

All three read the same cells, and no cell changes how another is read: values are read as they are stored, and the files of
a table must have the same columns and types.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import importlib
import importlib.util
import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from . import _core
from ._errors import FileError, InputError, make

__all__ = ["Files", "engine", "has_pyarrow", "is_parquet", "write"]

ENDINGS = (".parquet", ".pq", ".parq")
_BATCH = 65536
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_IO = 4  # SBL_EIO of sbl_status


def is_parquet(path: str) -> bool:
    """Is it Parquet, by the rule of the library: an ending, a folder, or a pattern that is not a file?"""
    return path.endswith(ENDINGS) or os.path.isdir(path) or _is_pattern(path)


def _is_pattern(path: str) -> bool:
    return any(sign in path for sign in "*?[") and not os.path.exists(path)


def _inside_duckdb() -> str | None:
    """The shared library of the package duckdb, which has the functions of libduckdb.so."""
    for name in ("_duckdb", "duckdb.duckdb"):
        try:
            spec = importlib.util.find_spec(name)
        except ImportError:
            continue
        if spec is not None and spec.origin is not None and spec.origin.endswith(".so"):
            return spec.origin
    return None


@functools.cache
def engine() -> tuple[bool, str | None]:
    """Is there a DuckDB library, and at which path? None: where the library looks for it."""
    inside = None if _core.engine_works(None) else _inside_duckdb()
    return inside is None or _core.engine_works(inside), inside


def has_pyarrow() -> bool:
    try:
        return importlib.util.find_spec("pyarrow.parquet") is not None
    except ImportError:
        return False


def _below(folder: str) -> Iterator[str]:
    """The Parquet files of a folder, without names that begin with . or _."""
    for entry in os.scandir(folder):
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _below(entry.path)
        elif entry.name.endswith(ENDINGS):
            yield entry.path


def _partitions(path: str) -> dict[str, str | None]:
    """The columns in folder names, key=value. Their values are texts."""
    pairs = [part.split("=", 1) for part in path.split("/")[:-1] if "=" in part]
    return {unquote(key): None if value == _NO_VALUE else unquote(value) for key, value in pairs}


def _plain(kind: Any) -> Any:
    """The type without its dictionary encoding, which may differ between files."""
    return kind.value_type if importlib.import_module("pyarrow").types.is_dictionary(kind) else kind


def _decoded(column: Any) -> Any:
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


class Files:
    """The table in a file, a folder or a pattern, read by pyarrow. Each reading gets its own stream."""

    def __init__(self, path: str) -> None:
        self.path = path
        found = [path]
        if os.path.isdir(path):
            found = [*_below(path)]
        elif _is_pattern(path):
            found = [one for place in glob.glob(path) for one in (_below(place) if os.path.isdir(place) else [place])]
        self._files = sorted({os.path.realpath(one) for one in found}, key=os.fsencode)
        if not self._files:
            raise FileError(f"{path} holds no Parquet files")
        self._seen = self._look()

    def _look(self) -> list[tuple[int, int, int]]:
        """Facts that show whether the files changed."""
        try:
            seen = [os.stat(file) for file in self._files]
        except OSError as trouble:
            raise FileError(f"cannot open {self.path}: {trouble.strerror}") from None
        return [(one.st_size, one.st_mtime_ns, one.st_ino) for one in seen]

    def _open(self, file: str) -> tuple[Any, Any]:
        """An open file and its schema, with the columns in its folder names."""
        parquet, pyarrow = importlib.import_module("pyarrow.parquet"), importlib.import_module("pyarrow")
        opened, values = parquet.ParquetFile(file), _partitions(file)
        stored = [pyarrow.field(one.name, _plain(one.type)) for one in opened.schema_arrow if one.name not in values]
        return opened, pyarrow.schema(stored + [pyarrow.field(name, pyarrow.string()) for name in values])

    @contextlib.contextmanager
    def _own_words(self) -> Iterator[None]:
        """Replace the messages of other libraries, which may quote a cell."""
        try:
            yield
        except (InputError, FileError):
            raise
        except Exception:
            which = "" if self._files == [os.path.realpath(self.path)] else "a file of "
            raise InputError(f"{which}{self.path} is not a Parquet file, or pyarrow cannot read it") from None

    def _schema(self) -> Any:
        """The schema of all files. They must agree, because pyarrow would cast to the first, and a cast depends on cells."""
        found = []
        for file in self._files:
            opened, schema = self._open(file)
            opened.close()
            found.append(schema)
        if any(schema != found[0] for schema in found):
            raise InputError(f"{self.path}: its files do not have the same columns")
        return found[0]

    def _batches(self) -> Iterator[Any]:
        pyarrow = importlib.import_module("pyarrow")
        with self._own_words():
            for file in self._files:
                opened, own = self._open(file)
                with opened:
                    values = _partitions(file)
                    stored = [name for name in own.names if name not in values]
                    for batch in opened.iter_batches(_BATCH, columns=stored):
                        columns = [_decoded(batch.column(name)) for name in stored]
                        columns += [pyarrow.array([value] * batch.num_rows, pyarrow.string()) for value in values.values()]
                        yield pyarrow.RecordBatch.from_arrays(columns, schema=own)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        if self._look() != self._seen:
            raise InputError(f"{self.path} changed while it was read; fit again when no program writes to it")
        pyarrow = importlib.import_module("pyarrow")
        with self._own_words():
            reader = pyarrow.RecordBatchReader.from_batches(self._schema(), self._batches())
            capsule: object = reader.__arrow_c_stream__()
            return capsule


def _stored(schema: Any) -> Any:
    """The types that DuckDB stores: Parquet has no timestamps in seconds."""
    pyarrow = importlib.import_module("pyarrow")
    kinds = [pyarrow.timestamp("us", field.type.tz) if pyarrow.types.is_timestamp(field.type) else field.type for field in schema]
    return pyarrow.schema([pyarrow.field(field.name, kind) for field, kind in zip(schema, kinds)])


def write(rows: Any, path: str, overwrite: bool) -> None:
    """Write a stream of synthetic rows with pyarrow. The file is written completely or not at all."""
    pyarrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    if os.path.exists(path) and not overwrite:
        raise make(_IO, f"{path} exists already", "OVERWRITE", path, "")
    if os.path.exists(path) and not os.path.isfile(path):
        raise FileError(f"{path} is not a regular file; choose another name")
    part = f"{path}.part-{os.getpid()}"
    try:
        with pyarrow.RecordBatchReader.from_stream(rows) as reader, open(part, "xb") as file:
            stored = _stored(reader.schema)
            with parquet.ParquetWriter(file, stored) as writer:
                for batch in reader:
                    writer.write_table(pyarrow.Table.from_batches([batch]).cast(stored))
        if overwrite:
            os.replace(part, path)
        else:
            os.link(part, path)  # fails if the file exists by now
    except OSError as trouble:
        raise FileError(f"cannot write {path}: {trouble.strerror or 'pyarrow failed'}") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
