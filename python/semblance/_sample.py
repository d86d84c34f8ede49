# SPDX-License-Identifier: Apache-2.0
"""Synthetic records. They are drawn when they are exported, and are the same each time."""

from __future__ import annotations

import datetime
import importlib
import io
import json
import operator
import os
import struct
import threading
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _core, _parquet
from ._columns import Columns
from ._errors import OptionError, unknown_option
from ._files import scratch
from ._frames import Frame, as_arrow, as_pandas, as_polars, declared, frame_of
from ._progress import Progress
from ._show import Rows

if TYPE_CHECKING:
    from ._certificate import Certificate

__all__ = ["ImageSample", "LinkedSample", "Sample"]

_EPOCH = datetime.date(1970, 1, 1)
_SECONDS = datetime.datetime(1970, 1, 1)
PREVIEW = 5
_ALL = 2**62  # rows
# Arrow types and the pandas dtypes that can hold their missing values.
_NULLABLE = {"int64": "Int64", "double": "Float64", "bool": "boolean", "string": "string"}


class Model:
    """A handle of the library. One thread uses it at a time."""

    def __init__(self) -> None:
        self.handle = _core.synth_new()
        self.frame: Frame | None = None  # the frame that was fitted
        self.frames: dict[str, Frame] = {}  # the same for linked tables, by name
        self.lock = threading.RLock()

    def _schemas(self) -> dict[str, dict[str, Any]]:
        """The schemas of linked tables by name; a single table has the name ""."""
        with self.lock:
            made = json.loads(_core.synth_schema(self.handle))
        return {one["name"]: one["schema"] for one in made["resources"]} if "resources" in made else {"": made}

    def enums(self, name: str = "") -> dict[str, list[Any]]:
        """The categories that the schema declares, by column. ``name`` is a linked table."""
        fields = self._schemas()[name]["fields"]
        found = {field["name"]: field.get("constraints", {}).get("enum") for field in fields}
        return {name: values for name, values in found.items() if values is not None}

    def tables(self) -> list[str]:
        """The names of linked tables, parents before their children."""
        return [*self._schemas()]

    def remember(self, data: Any) -> None:
        """Keep the labels and dtypes of the frames that were fitted, without facts about records."""
        self.frames = {}
        if isinstance(data, Mapping) and not hasattr(data, "__arrow_c_stream__"):
            known = {name: frame_of(data[name]) for name in self.tables() if name in data}
            self.frame = None
            self.frames = {
                name: declared(frame, self.enums(name)) for name, frame in known.items() if frame is not None
            }
            return
        frame = frame_of(data)
        self.frame = None if frame is None else declared(frame, self.enums())

    def detach(self) -> _core._Synth:
        """Give the handle away to be changed. Samples that draw from this one continue with a copy of its model."""
        with self.lock:
            handle = self.handle
            if _core.synth_facts(handle) is not None:
                self.handle = _core.synth_new()
                _core.synth_load(self.handle, _core.synth_save(handle))
            return handle


Where: TypeAlias = "Mapping[Any, Any] | Sequence[str] | str | None"


def _text(value: Any) -> str:
    """A value as a cell of a table."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return str(bool(value)).lower()
    return str(value.isoformat()) if isinstance(value, datetime.date) else str(value)


def _literal(value: Any) -> str:
    """A value in the language of conditions."""
    text = _text(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return text
    try:
        float(text)
        return text  # a number type of another library
    except ValueError:
        pass
    if "'" in text or "\n" in text:
        raise OptionError("where: a text in a set or range must not contain a single quote or a line break")
    return f"'{text}'"


def _one(name: Any, wanted: Any) -> str:
    column = f"`{name}`" if '"' in str(name) else f'"{name}"'
    if isinstance(wanted, tuple):
        if len(wanted) != 2 or wanted == (None, None):
            raise OptionError(f"where: write the range of {name!r} as (lowest, highest); one of them may be None")
        ends = zip((">=", "<="), wanted)
        return " and ".join(f"{column} {sign} {_literal(end)}" for sign, end in ends if end is not None)
    if isinstance(wanted, (list, set, frozenset)):
        given = [_literal(value) for value in wanted if value is not None]
        parts = [f"{column} in ({', '.join(sorted(given))})"] if given else []
        parts += [f"{column} is missing"] if None in wanted else []
        if not parts:
            raise OptionError(f"where: the set of {name!r} is empty; list at least one value")
        return " or ".join(parts)
    return f"{name}={'' if wanted is None else _text(wanted)}"


def condition(where: Where) -> str | None:
    """{"ward": "surgery", "age": (80, None)}, or ["age > 80"], in the library's form: one condition per line."""
    if where is None or isinstance(where, str):
        return where
    if isinstance(where, Mapping):
        return "\n".join(_one(name, wanted) for name, wanted in where.items()) or None
    return "\n".join(where) or None


def _converter(form: str) -> Callable[[Any], Any]:
    """From a value of Arrow to a value of Python."""
    if form == "tdD":
        return lambda days: None if days is None else _EPOCH + datetime.timedelta(days=days)
    if form.startswith("tss:"):
        zone = datetime.timezone.utc if form != "tss:" else None
        return lambda seconds: (
            None if seconds is None else (_SECONDS + datetime.timedelta(seconds=seconds)).replace(tzinfo=zone)
        )
    return lambda value: value


def _pandas_of(table: Any, frame: Frame | None, enums: Mapping[str, Sequence[Any]]) -> Any:
    """A pyarrow table as a pandas frame, with the dtypes of the frame that was fitted if that was one of pandas."""
    if frame is None:
        return table.to_pandas()
    pandas = importlib.import_module("pandas")
    nullable = {kind: pandas.array([], dtype=name).dtype for kind, name in _NULLABLE.items()}
    drawn = table.to_pandas(types_mapper=lambda kind: nullable.get(str(kind)))
    return as_pandas(drawn, frame, enums)


def _lists(stream: _core._Stream, most: int) -> dict[str, list[Any]]:
    """Columns as lists of Python values."""
    found = _core.stream_columns(stream, most)
    return {name: [*map(_converter(form), values[:most])] for name, form, values in found}


def columns_of(stream: _core._Stream) -> dict[str, list[Any]]:
    """All rows of a stream, by column."""
    return _lists(stream, _ALL)


class Sample(Columns):
    """Synthetic rows of a model. Every export draws the same rows again, at no cost in privacy.

    ``to_pandas()``, ``to_polars()``, ``to_arrow()``, ``to_dict()``, ``to_csv(path)`` and ``to_parquet(path)`` export it. The frames have
    the dtypes of the frame that was fitted. Any reader of Arrow streams takes it, too: ``duckdb.sql("SELECT * FROM sample")``.

    It reads like a table: ``len(sample)`` is the number of rows, iteration gives column names, ``sample["age"]`` is a column as a
    list, ``head()`` the first rows, and ``pandas.DataFrame(sample)`` works. The first access to a column draws all of them and
    keeps them in memory.
    """

    def __init__(
        self,
        model: Model,
        rows: int,
        persons: int,
        seed: int,
        where: str | None,
        threads: int,
        certificate: Certificate | None,
    ) -> None:
        super().__init__()
        self._names: list[str] | None = None
        self._count = rows or None  # for persons: unknown until they are drawn
        self._model, self._rows, self._persons = model, rows, persons  # one of the two is 0
        self._where, self._threads = where, threads
        self.seed = seed
        self.certificate = certificate

    def __len__(self) -> int:
        if self._count is None:
            drawn = self.to_dict() if self._drawn is None else self._drawn
            self._count = len(next(iter(drawn.values())))
        return self._count

    def _stream(self) -> _core._Stream:
        with self._model.lock:
            return _core.draw_stream(
                self._model.handle, self._rows, self._persons, self.seed, self._where, self._threads
            )

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream()

    def _columns(self, most: int) -> dict[str, list[Any]]:
        return _lists(self._stream(), most)

    @property
    def columns(self) -> list[str]:
        """The column names."""
        if self._names is None:
            self._names = [*self._columns(0)]
        return [*self._names]

    def head(self, n: int = PREVIEW) -> Rows:
        """The first n rows, as a dict of columns that a terminal and a notebook show as a table."""
        most = operator.index(n)
        if most < 0:
            raise OptionError("n must be at least 0")
        return Rows(self._columns(most))

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists of int, float, str, bool, date and datetime. A missing value is None."""
        return self._columns(_ALL if self._persons else self._rows)

    def _frame(self, library: str) -> Frame | None:
        """The frame that was fitted, if it is of this library."""
        frame = self._model.frame
        return frame if frame is not None and frame.library == library else None

    def to_pandas(self) -> Any:
        """A pandas DataFrame. If a pandas frame was fitted, it has the same labels and dtypes.

        Categories have the levels that the schema declares. If a value is missing and the dtype cannot hold that, the
        nullable dtype is used.
        """
        frame = self._frame("pandas")
        try:
            table = importlib.import_module("pyarrow").table(_Stream(self._stream()))
        except ImportError:
            return importlib.import_module("pandas").DataFrame(self.to_dict())
        return _pandas_of(table, frame, {} if frame is None else self._model.enums())

    def to_polars(self) -> Any:
        """A polars DataFrame. If a polars frame was fitted, it has the same dtypes."""
        drawn = importlib.import_module("polars").DataFrame(_Stream(self._stream()))
        frame = self._frame("polars")
        return drawn if frame is None else as_polars(drawn, frame, self._model.enums())

    def to_arrow(self) -> Any:
        """A pyarrow Table. If a pyarrow table was fitted, it has the same types."""
        drawn = importlib.import_module("pyarrow").table(_Stream(self._stream()))
        frame = self._frame("pyarrow")
        return drawn if frame is None else as_arrow(drawn, frame)

    def to_csv(self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> str | None:
        """Write the CSV file that the program would write, in the dialect of the schema. Without a path, return its text."""
        if path is None:
            with scratch() as folder:
                name = os.path.join(folder, "rows.csv")
                self.to_csv(name)
                with open(name, encoding="utf-8", newline="") as file:
                    return file.read()
        if os.fspath(path).endswith(_parquet.ENDINGS):
            raise OptionError(f"{os.fspath(path)}: to_csv writes CSV; use to_parquet for Parquet")
        self._write(os.fspath(path), overwrite, None)
        return None

    def to_parquet(
        self,
        path: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        duckdb: str | os.PathLike[str] | None = None,
        **others: Any,
    ) -> None:
        """Write a Parquet file. The path ends in .parquet, .pq or .parq.

        DuckDB writes it: the library that ``duckdb`` names, or the one that is found. Without DuckDB, pyarrow writes it.
        """
        for name in others:
            raise unknown_option(name)
        if not os.fspath(path).endswith(_parquet.ENDINGS):
            raise OptionError(f"{os.fspath(path)}: the name of a Parquet file must end in .parquet, .pq or .parq")
        works, found = (True, os.fspath(duckdb)) if duckdb is not None else _parquet.engine()
        if works or not _parquet.has_pyarrow():
            self._write(os.fspath(path), overwrite, found)
        else:
            _parquet.write(self, os.fspath(path), overwrite)

    def _write(self, path: str, overwrite: bool, duckdb: str | None) -> None:
        with self._model.lock, Progress(None) as progress:
            _core.draw_file(
                self._model.handle,
                path,
                overwrite,
                self._rows,
                self._persons,
                self.seed,
                self._where,
                self._threads,
                progress,
                duckdb,
            )

    def _amount(self) -> str:
        return f"{self._persons} synthetic persons" if self._persons else f"{self._rows} synthetic rows"

    def _guarantee(self) -> str:
        return "" if self.certificate is None else f", {self.certificate._sentence()}"

    def __repr__(self) -> str:
        return f"<semblance.Sample of {self._amount()}{self._guarantee()}>"

    def _repr_html_(self) -> str:
        first = self.head()
        shown = max(map(len, first.values()), default=0)
        certificate = "" if self.certificate is None else self.certificate._repr_html_()
        return f"<div>{certificate}{first._repr_html_()}<p>The first {shown} rows of {self._amount()}</p></div>"


class _Stream:
    """A stream that was drawn, as an object that a library of frames asks for one."""

    def __init__(self, stream: _core._Stream) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream


class LinkedSample:
    """Persons of a model of linked tables: rows of the root with all their child rows. Each export draws the same persons again.

    ``to_pandas()``, ``to_polars()``, ``to_arrow()`` and ``to_dict()`` return a dict of all tables by name, with keys that
    match. ``to_csv(folder)`` writes the tables and their package. Public look-up tables are not drawn.
    """

    def __init__(
        self, model: Model, persons: int, seed: int, where: str | None, threads: int, certificate: Certificate | None
    ) -> None:
        self._model, self._persons, self._where, self._threads = model, persons, where, threads
        self.seed = seed
        self.certificate = certificate

    def __len__(self) -> int:
        """The number of persons: the rows of the root."""
        return self._persons

    @property
    def tables(self) -> list[str]:
        """The names of the tables, parents before their children."""
        return self._model.tables()

    def _streams(self) -> dict[str, _core._Stream]:
        names = self.tables
        with self._model.lock, Progress(None) as progress:
            streams = _core.draw_tables(
                self._model.handle, len(names), self._persons, self.seed, self._where, self._threads, progress
            )
        return dict(zip(names, streams))

    def _frame(self, name: str, library: str) -> Frame | None:
        frame = self._model.frames.get(name)
        return frame if frame is not None and frame.library == library else None

    def to_dict(self) -> dict[str, dict[str, list[Any]]]:
        """Tables by name, each with its columns as lists, like ``Sample.to_dict``."""
        return {name: _lists(stream, _ALL) for name, stream in self._streams().items()}

    def to_pandas(self) -> dict[str, Any]:
        """pandas frames with the labels and dtypes of the fitted ones."""
        try:
            pyarrow = importlib.import_module("pyarrow")
        except ImportError:
            pandas = importlib.import_module("pandas")
            return {name: pandas.DataFrame(columns) for name, columns in self.to_dict().items()}
        return {
            name: _pandas_of(pyarrow.table(_Stream(stream)), self._frame(name, "pandas"), self._model.enums(name))
            for name, stream in self._streams().items()
        }

    def to_polars(self) -> dict[str, Any]:
        """polars frames with the dtypes of the fitted ones."""
        polars = importlib.import_module("polars")
        drawn = {name: polars.DataFrame(_Stream(stream)) for name, stream in self._streams().items()}
        for name, frame in ((name, self._frame(name, "polars")) for name in drawn):
            if frame is not None:
                drawn[name] = as_polars(drawn[name], frame, self._model.enums(name))
        return drawn

    def to_arrow(self) -> dict[str, Any]:
        """pyarrow tables with the types of the fitted ones."""
        pyarrow = importlib.import_module("pyarrow")
        drawn = {name: pyarrow.table(_Stream(stream)) for name, stream in self._streams().items()}
        for name, frame in ((name, self._frame(name, "pyarrow")) for name in drawn):
            if frame is not None:
                drawn[name] = as_arrow(drawn[name], frame)
        return drawn

    def to_csv(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write NAME.csv for each table, and datapackage.json: the files that the program would write."""
        with self._model.lock, Progress(None) as progress:
            _core.draw_file(
                self._model.handle,
                os.fspath(folder),
                overwrite,
                0,
                self._persons,
                self.seed,
                self._where,
                self._threads,
                progress,
                None,
            )

    def __repr__(self) -> str:
        promise = "" if self.certificate is None else f", {self.certificate._sentence()}"
        return f"<semblance.LinkedSample of {self._persons} synthetic persons in {len(self.tables)} tables{promise}>"


class ImageSample:
    """Synthetic images: ``images`` is uint8 with shape (n, height, width[, channels]), ``labels`` holds the class of each.

    Both have the buffer protocol, so ``numpy.asarray(sample.images)`` makes no copy.
    """

    def __init__(self, pixels: bytearray, labels: bytearray, facts: dict[str, Any], certificate: Certificate | None) -> None:
        height, width, channels = int(facts["height"]), int(facts["width"]), int(facts["channels"])
        rows = len(labels) // 4
        shape = (rows, height, width) if channels == 1 else (rows, height, width, channels)
        self.images = memoryview(pixels).cast("B", shape)
        self.labels: memoryview | None = memoryview(labels).cast("I") if facts["classes"] else None
        self.certificate = certificate
        self._rows, self._channels, self._classes = rows, channels, int(facts["classes"])

    def __len__(self) -> int:
        return self._rows

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        numpy = importlib.import_module("numpy")
        return numpy.asarray(self.images, dtype=dtype)

    def __repr__(self) -> str:
        shape = self.images.shape
        promise = "" if self.certificate is None else f", {self.certificate._sentence()}"
        return f"<semblance.ImageSample of shape {shape}{promise}>"

    def _grid(self, most: int = 40) -> bytes:
        """The first images as a grid, in PNG."""
        shape = self.images.shape
        assert shape is not None
        _, height, width = shape[:3]
        across = min(10, self._rows)
        flat = self.images.tobytes()
        line = width * self._channels
        picture = io.BytesIO()
        down = -(-min(most, self._rows) // across) if across else 0
        for row in range(down):
            for y in range(height):
                picture.write(b"\0")
                for column in range(across):
                    begin = ((row * across + column) * height + y) * line
                    picture.write(flat[begin : begin + line].ljust(line, b"\xff"))
        return _png(picture.getvalue(), across * width, down * height, self._channels)

    def _repr_html_(self) -> str:
        certificate = "" if self.certificate is None else self.certificate._repr_html_()
        picture = ""
        if self._rows:
            picture = f'<img alt="synthetic images" src="data:image/png;base64,{b64encode(self._grid()).decode()}">'
        return f"<div>{certificate}{picture}<p>{self._rows} synthetic images</p></div>"


def _png(rows: bytes, width: int, height: int, channels: int) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
