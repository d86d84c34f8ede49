"""Synthetic records: drawn when they are asked for, the same ones each time."""

from __future__ import annotations

import datetime
import importlib
import io
import json
import os
import struct
import threading
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _core
from ._errors import OptionError
from ._files import scratch
from ._frames import Frame, as_arrow, as_pandas, as_polars, declared, frame_of
from ._progress import Progress

if TYPE_CHECKING:
    from ._certificate import Certificate

__all__ = ["ImageSample", "Sample"]

_EPOCH = datetime.date(1970, 1, 1)
_SECONDS = datetime.datetime(1970, 1, 1)
PREVIEW = 5
_ALL = 2**62  # rows
# Of Arrow types: the dtypes of pandas that hold missing values, too.
_NULLABLE = {"int64": "Int64", "double": "Float64", "bool": "boolean", "string": "string"}


class Model:
    """A handle of the library, which is one thread's at a time."""

    def __init__(self) -> None:
        self.handle = _core.synth_new()
        self.frame: Frame | None = None  # that was fitted
        self.lock = threading.RLock()

    def enums(self) -> dict[str, list[Any]]:
        """Categories that the schema declares, by column."""
        with self.lock:
            fields = json.loads(_core.synth_schema(self.handle))["fields"]
        found = {field["name"]: field.get("constraints", {}).get("enum") for field in fields}
        return {name: values for name, values in found.items() if values is not None}

    def remember(self, data: Any) -> None:
        """What is known of the frame that was fitted, but for what only its records say."""
        frame = frame_of(data)
        self.frame = None if frame is None else declared(frame, self.enums())

    def detach(self) -> _core._Synth:
        """Give the handle away to be changed; who draws from this goes on with a copy of its model."""
        with self.lock:
            handle = self.handle
            if _core.synth_facts(handle) is not None:
                self.handle = _core.synth_new()
                _core.synth_load(self.handle, _core.synth_save(handle))
            return handle


Where: TypeAlias = "Mapping[Any, Any] | Sequence[str] | str | None"


def _text(value: Any) -> str:
    """As a table has it."""
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
        return text  # a number of another library
    except ValueError:
        pass
    if "'" in text or "\n" in text:
        raise OptionError("where: a text in a set or range must have no single quote and be of one line")
    return f"'{text}'"


def _one(name: Any, wanted: Any) -> str:
    column = f"`{name}`" if '"' in str(name) else f'"{name}"'
    if isinstance(wanted, tuple):
        if len(wanted) != 2 or wanted == (None, None):
            raise OptionError(f"where: a range of {name!r} is (lowest, highest), one of which may be None")
        ends = zip((">=", "<="), wanted)
        return " and ".join(f"{column} {sign} {_literal(end)}" for sign, end in ends if end is not None)
    if isinstance(wanted, (list, set, frozenset)):
        given = [_literal(value) for value in wanted if value is not None]
        parts = [f"{column} in ({', '.join(sorted(given))})"] if given else []
        parts += [f"{column} is missing"] if None in wanted else []
        if not parts:
            raise OptionError(f"where: the set of {name!r} is empty")
        return " or ".join(parts)
    return f"{name}={'' if wanted is None else _text(wanted)}"


def condition(where: Where) -> str | None:
    """{"ward": "surgery", "age": (80, None)}, or ["age > 80"], as the library takes it: one condition a line."""
    if where is None or isinstance(where, str):
        return where
    if isinstance(where, Mapping):
        return "\n".join(_one(name, wanted) for name, wanted in where.items()) or None
    return "\n".join(where) or None


def _converter(form: str) -> Callable[[Any], Any]:
    """From what Arrow holds to what Python calls it."""
    if form == "tdD":
        return lambda days: None if days is None else _EPOCH + datetime.timedelta(days=days)
    if form.startswith("tss:"):
        zone = datetime.timezone.utc if form != "tss:" else None
        return lambda seconds: (
            None if seconds is None else (_SECONDS + datetime.timedelta(seconds=seconds)).replace(tzinfo=zone)
        )
    return lambda value: value


class Sample:
    """Rows of a model. Nothing is kept: each way out draws the same rows anew, at no cost in privacy.

    Hand it to anything that reads Arrow (``pyarrow.table(sample)``, ``polars.DataFrame(sample)``, ``duckdb.sql``), or ask
    for ``to_pandas()``, ``to_polars()``, ``to_arrow()``, ``to_csv(path)`` or ``to_dict()``.
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
        self._model, self._rows, self._persons = model, rows, persons  # one of the two is 0
        self._where, self._threads = where, threads
        self.seed = seed
        self.certificate = certificate

    def __len__(self) -> int:
        return len(next(iter(self.to_dict().values()))) if self._persons else self._rows

    def _stream(self) -> _core._Stream:
        with self._model.lock:
            return _core.draw_stream(
                self._model.handle, self._rows, self._persons, self.seed, self._where, self._threads
            )

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream()

    def _columns(self, most: int) -> dict[str, list[Any]]:
        found = _core.stream_columns(self._stream(), most)
        return {name: [*map(_converter(form), values[:most])] for name, form, values in found}

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return [*self._columns(0)]

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists of int, float, str, bool, date, datetime, and None where a value is missing."""
        return self._columns(_ALL if self._persons else self._rows)

    def _frame(self, library: str) -> Frame | None:
        """The frame that was fitted, where it is of this library."""
        frame = self._model.frame
        return frame if frame is not None and frame.library == library else None

    def to_pandas(self) -> Any:
        """A pandas DataFrame; with the labels and dtypes of the one that was fitted, where it was one.

        Categories have the levels that the schema declares. Where a value is missing and the dtype has no place for that,
        its nullable sister is taken.
        """
        pandas = importlib.import_module("pandas")
        frame = self._frame("pandas")
        try:
            table = importlib.import_module("pyarrow").table(self)
        except ImportError:
            return pandas.DataFrame(self.to_dict())
        if frame is None:
            return table.to_pandas()
        nullable = {kind: pandas.array([], dtype=name).dtype for kind, name in _NULLABLE.items()}
        drawn = table.to_pandas(types_mapper=lambda kind: nullable.get(str(kind)))
        return as_pandas(drawn, frame, self._model.enums())

    def to_polars(self) -> Any:
        """A polars DataFrame; with the dtypes of the one that was fitted, where it was one."""
        drawn = importlib.import_module("polars").DataFrame(self)
        frame = self._frame("polars")
        return drawn if frame is None else as_polars(drawn, frame, self._model.enums())

    def to_arrow(self) -> Any:
        """A pyarrow Table; with the types of the one that was fitted, where it was one."""
        drawn = importlib.import_module("pyarrow").table(self)
        frame = self._frame("pyarrow")
        return drawn if frame is None else as_arrow(drawn, frame)

    def to_csv(self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> str | None:
        """Write the bytes that the program would write, as the schema says files are written; without a path return them."""
        if path is None:
            with scratch() as folder:
                name = os.path.join(folder, "rows.csv")
                self.to_csv(name)
                with open(name, encoding="utf-8", newline="") as file:
                    return file.read()
        with self._model.lock, Progress(None) as progress:
            _core.draw_file(
                self._model.handle,
                os.fspath(path),
                overwrite,
                self._rows,
                self._persons,
                self.seed,
                self._where,
                self._threads,
                progress,
            )
        return None

    def _amount(self) -> str:
        return f"{self._persons} synthetic persons" if self._persons else f"{self._rows} synthetic rows"

    def _guarantee(self) -> str:
        return "" if self.certificate is None else f", {self.certificate._sentence()}"

    def __repr__(self) -> str:
        return f"<semblance.Sample of {self._amount()}{self._guarantee()}>"

    def _repr_html_(self) -> str:
        table = self._columns(PREVIEW)
        head = "".join(f"<th>{escape(name)}</th>" for name in table)
        rows = "".join(
            "<tr>" + "".join(f"<td>{'' if value is None else escape(str(value))}</td>" for value in row) + "</tr>"
            for row in zip(*table.values())
        )
        shown = max(map(len, table.values()), default=0)
        certificate = "" if self.certificate is None else self.certificate._repr_html_()
        return (
            f"<div>{certificate}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            f"<p>{shown} {'rows ' if self._persons else ''}of {self._amount()}; none is anyone's</p></div>"
        )


class ImageSample:
    """Synthetic images: ``images`` is uint8 of shape (n, height, width[, channels]), ``labels`` the class of each.

    Both have the buffer protocol: ``numpy.asarray(sample.images)`` copies nothing.
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
        """The first images side by side as a PNG."""
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
        return f"<div>{certificate}{picture}<p>{self._rows} synthetic images; none is of anyone</p></div>"


def _png(rows: bytes, width: int, height: int, channels: int) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
