# SPDX-License-Identifier: Apache-2.0
"""Compares synthetic with real records. Every number is NOT PRIVATE."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from . import _core
from ._certificate import Certificate
from ._data import Data, images, is_images, is_path, linked, table_of
from ._errors import OptionError
from ._progress import Progress
from ._sample import ImageSample, LinkedSample
from ._schema import Schema
from ._show import html_details, html_table

__all__ = ["Evaluation", "evaluate"]


class Evaluation:
    """The result of ``evaluate``. NOT PRIVATE: only the owner of the data may see it (docs/EVALUATION.md)."""

    def __init__(self, document: str, text: str, page: str) -> None:
        self._document, self._text, self._page = document, text, page

    def to_dict(self) -> dict[str, Any]:
        """The results as a dict (docs/FORMATS.md)."""
        made: dict[str, Any] = json.loads(self._document)
        return made

    def to_json(self) -> str:
        """The results as JSON."""
        return self._document

    @property
    def worst(self) -> dict[str, list[dict[str, Any]] | None]:
        """The relations that are further off than a second real sample would be: ``pairs`` of columns, ``histories`` and ``parents``.

        At most five of each, worst first, each with ``what`` in words, its ``columns``, the ``distance`` (the share of rows that
        would have to move) and that of a ``second_sample``. An empty list: none is. None: there was nothing to compare.
        """
        named: dict[str, list[dict[str, Any]] | None] = self.to_dict().get("worst", {})
        return named

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """An HTML page, NOT PRIVATE. With ``path``, it is also written to a new file that only you can read."""
        if path is not None:
            made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(made, "w", encoding="utf-8") as file:
                file.write(self._page)
        return self._page

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "<semblance.Evaluation, NOT PRIVATE: print() shows it>"

    def _grids(self) -> str:
        """For images: some of those that were compared."""
        grids = self.to_dict().get("images", {}).get("grids", [])
        return "".join(
            f"<figure><figcaption>{escape(grid['caption'])}</figcaption>"
            f'<img alt="{escape(grid["caption"])}" src="data:image/png;base64,{escape(grid["png_base64"])}"></figure>'
            for grid in grids
        )

    def _distances(self) -> str:
        """How far synthetic columns and sets of columns are from the real ones, as tables."""
        found = self.to_dict()
        parts = found.get("tables") or [found]  # linked tables, or one
        return "".join(_distances(part) for part in parts)

    def _repr_html_(self) -> str:
        what = "images, some of which are shown" if self.to_dict()["kind"] == "images" else "records"
        return (
            f"<div><p><b>NOT PRIVATE</b>: computed from real {what}</p>{self._distances()}{self._grids()}"
            f"{html_details('All results', self._text)}</div>"
        )


def _numbers(found: Mapping[str, Any]) -> list[str]:
    return ["" if found.get(name) is None else f"{found[name]:.4f}" for name in ("synthetic", "floor", "ceiling")]


def _distances(found: Mapping[str, Any]) -> str:
    """The total variation distances of one table."""
    rows = [(column["name"], *_numbers(column["tvd"])) for column in found.get("columns") or [] if column.get("tvd")]
    rows += [(f"mean of {one['way']}-way marginals", *_numbers(one["tvd"])) for one in found.get("marginals") or []]
    if not rows:
        return ""
    title = f"{found.get('name', '')} Total variation distance from the real rows; 0 is best".strip()
    return html_table(["columns", "synthetic", "floor", "ceiling"], rows, title)


def _offer_xgboost() -> None:
    """Load the library of the Python package xgboost, if it is installed, so that evaluate finds it."""
    spec = importlib.util.find_spec("xgboost")
    if spec is None or spec.origin is None:
        return
    path = os.path.join(os.path.dirname(spec.origin), "lib", "libxgboost.so")
    if os.path.exists(path):
        try:
            ctypes.CDLL(path)
        except OSError:
            pass  # evaluate reports that it is missing


def evaluate(
    real: Any,
    synthetic: Any,
    schema: Schema | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    train: Any = None,
    *,
    real_labels: Any = None,
    synthetic_labels: Any = None,
    train_labels: Any = None,
    classes: int | None = None,
    class_names: Sequence[str] | None = None,
    certificate: Certificate | None = None,
    models: Sequence[str] | str | None = None,
    encoder: str | os.PathLike[str] | None = None,
    size: tuple[int, int] | None = None,
    resize: bool = False,
    seed: int = 0,
    threads: int | None = None,
    report: str | os.PathLike[str] | None = None,
    title: str | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Compare synthetic records with real records that were not fitted, between a floor and a ceiling. NOT PRIVATE.

    ``real``         a holdout: records of the same source that were not fitted
    ``train``        the records that were fitted; adds smoke tests for disclosure
    ``certificate``  shown in the report; for images, together with some synthetic ones
    ``models``       names of models, or "none"; default: all that are installed
    ``encoder``      images only: the encoder whose features are compared, a safetensors file or the built-in "vgg-s";
                     default: random features
    ``size``         (height, width) of images in folders; ``resize`` scales images of other sizes
    ``report``       the path of an HTML page to write, also NOT PRIVATE; ``report()`` of the result returns the same page
    ``title``        the title of that page

    Tables need a ``schema``. They are files, frames and Samples in any mixture. Linked tables have a package as schema, and
    are dicts of tables, or paths of packages or of folders that hold one. If the schema has a unit, persons and their
    events are compared, too: ``to_dict()["histories"]``.

    Images have no schema. They are arrays of uint8 with labels, an ImageSample, or the path of an IDX file (with the path of its
    labels), of CIFAR files, or of a folder of PNG or JPEG files. ``classes`` and ``class_names`` apply to all sets.
    Ctrl-C works within about a second.
    """
    listed = models if models is None or isinstance(models, str) else ",".join(models)
    text = None if certificate is None else certificate.to_json()
    network = None if encoder is None else os.fspath(encoder)
    sets = {"real": real, "synthetic": synthetic, "train": train}
    labels = {"real": real_labels, "synthetic": synthetic_labels, "train": train_labels}
    of_images = _is_image_set(real) or (schema is None and is_path(real) and not _is_table_name(real))
    if report is not None and os.path.exists(report):
        raise FileExistsError(f"{os.fspath(report)} already exists; choose another name for the report")
    if not of_images and any(value is not None for value in (*labels.values(), classes, class_names)):
        raise OptionError("labels and classes apply to images only; for a table, the schema names the label")
    if not of_images and (encoder is not None or size is not None or resize):
        raise OptionError("encoder, size and resize apply to images only")
    if resize and size is None:
        raise OptionError("resize needs size=(height, width)")
    with Progress(progress) as bar:
        if of_images:
            if schema is not None:
                raise OptionError("images have no schema; leave schema out")
            handles = _image_handles(sets, labels, classes, class_names, size, resize)
            found = _compare(handles, None, text, listed, network, seed, threads or 0, title, bar)
        else:
            if schema is None:
                raise OptionError("evaluate() needs a schema to compare tables: pass schema=")
            if listed is None or "xgboost" in listed:
                _offer_xgboost()
            known = schema if isinstance(schema, Schema) else _schema_of(schema)
            tables = {name: None if data is None else _records(data, known, name) for name, data in sets.items()}
            found = _compare(tables, known, text, listed, None, seed, threads or 0, title, bar)
    if report is not None:
        found.report(report)
    return found


class _Drawn:
    """A table that was drawn, which can be read once."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._stream


def _records(data: Any, schema: Schema, name: str) -> Data:
    """A table or, if the schema is a package, all its tables: in files, or by name. Public tables are skipped."""
    if not schema.tables:
        return table_of(data, name=name)
    if is_path(data):
        path = os.fspath(data)
        return _core.data_package(os.path.join(path, "datapackage.json") if os.path.isdir(path) else path, False)
    tables = {one: _Drawn(stream) for one, stream in data._streams().items()} if isinstance(data, LinkedSample) else data
    if not isinstance(tables, Mapping):
        raise TypeError(f"{name} must be a dict of tables, a LinkedSample, or the path of a package")
    absent = [one for one in schema.tables if one not in tables]
    if absent:
        raise OptionError(f"{name} has no table '{absent[0]}'")
    return linked({one: tables[one] for one in schema.tables})


def _is_image_set(data: Any) -> bool:
    return isinstance(data, ImageSample) or is_images(data)


_STATISTICS = (".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")


def _is_table_name(path: Any) -> bool:
    endings = (".csv", ".tsv", ".txt", ".json", ".ndjson", ".jsonl", ".parquet", ".pq", ".parq", *_STATISTICS)
    return str(os.fspath(path)).lower().removesuffix(".gz").endswith(endings)


def _image_files(
    name: str, path: Any, labels: Any, classes: int | None, grey: bool, size: tuple[int, int] | None, resize: bool
) -> Data:
    if labels is not None and not is_path(labels):
        raise OptionError(f"{name} is a file or folder of images, so its labels must be a file or None")
    height, width = size or (0, 0)
    file = None if labels is None else os.fspath(labels)
    return _core.data_image_files(os.fspath(path), file, classes or 0, grey, height, width, resize)


def _image_handles(
    sets: Mapping[str, Any],
    labels: Mapping[str, Any],
    classes: int | None,
    class_names: Sequence[str] | None,
    size: tuple[int, int] | None,
    resize: bool,
) -> dict[str, Data | None]:
    """If the number of classes is not given, a sample determines it. Images in folders are read as grey if arrays are grey.
    Synthetic images are not resized."""
    handles: dict[str, Data | None] = {}
    drawn = [data._classes for data in sets.values() if isinstance(data, ImageSample) and data._classes]
    number = drawn[0] if classes is None and class_names is None and drawn else classes
    arrays = [data.images if isinstance(data, ImageSample) else data for data in sets.values()]
    grey = any(memoryview(data).ndim == 3 for data in arrays if data is not None and not is_path(data))
    for name, data in sets.items():
        if is_path(data):
            scaled = resize and name != "synthetic"
            handles[name] = _image_files(name, data, labels[name], number, grey, size, scaled)
            continue
        pixels, given = data, labels[name]
        if isinstance(data, ImageSample):
            if given is not None:
                raise OptionError(f"{name} is a sample, which has its own labels; leave {name}_labels out")
            pixels, given = data.images, data.labels
        if data is None:
            handles[name] = None
        elif given is None:
            handles[name] = images(pixels, name=name)
        else:
            handles[name] = images(pixels, given, classes=number, class_names=class_names, name=name)
    return handles


def _compare(
    handles: Mapping[str, Data | None],
    schema: Schema | None,
    certificate: str | None,
    models: str | None,
    encoder: str | None,
    seed: int,
    threads: int,
    title: str | None,
    progress: Progress,
) -> Evaluation:
    first, second = handles["real"], handles["synthetic"]
    if first is None or second is None:
        raise TypeError("evaluate() needs real and synthetic records")
    known = None if schema is None else schema._handle
    if certificate is not None:
        _core.report(certificate, None, None, None, title, 0, None)  # an invalid certificate is refused before the comparison, which may take minutes
    document, text = _core.evaluate_data(first, second, handles["train"], known, models, encoder, seed, threads, progress)
    shown = second if known is None else None
    return Evaluation(document, text, _core.report(certificate, document, None, shown, title, 0, None))


def _schema_of(schema: Mapping[str, Any] | str | os.PathLike[str]) -> Schema:
    return Schema(schema) if isinstance(schema, Mapping) else Schema.from_file(schema)

