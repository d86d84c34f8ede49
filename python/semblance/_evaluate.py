"""How good is it? Real against synthetic. NOT PRIVATE, every number."""

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
    """Numbers that were computed from real records: NOT PRIVATE, for their owner's eyes (docs/EVALUATION.md)."""

    def __init__(self, document: str, text: str, page: str) -> None:
        self._document, self._text, self._page = document, text, page

    def to_dict(self) -> dict[str, Any]:
        """The document (docs/FORMATS.md)."""
        made: dict[str, Any] = json.loads(self._document)
        return made

    def to_json(self) -> str:
        """The document as it is."""
        return self._document

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """All of it as a page in HTML, NOT PRIVATE; written to ``path``, too, for the owner alone, where one is given."""
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
        """For images: those that were compared, side by side."""
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
    """Load the library of the Python package xgboost, where it is installed, so that evaluate finds it."""
    spec = importlib.util.find_spec("xgboost")
    if spec is None or spec.origin is None:
        return
    path = os.path.join(os.path.dirname(spec.origin), "lib", "libxgboost.so")
    if os.path.exists(path):
        try:
            ctypes.CDLL(path)
        except OSError:
            pass  # evaluate says that it is not there


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
    """Compare synthetic with real records that were not fitted, beside a floor and a ceiling. NOT PRIVATE.

    ``real``         a holdout: records of the same source that were not fitted
    ``train``        what was fitted: adds smoke tests for disclosure
    ``certificate``  to be shown in the report, of images with some of the synthetic ones
    ``models``       names of models, or "none"; default: all that are there
    ``encoder``      of images: the network in whose features they are compared, a file of safetensors or "vgg-s", which is
                     built in; default: a random one
    ``size``         (height, width) of images in folders; ``resize``: those of any size are brought to it
    ``report``       the path of a page in HTML, NOT PRIVATE either; ``report()`` of the result gives it, too
    ``title``        of that page

    Tables are what ``fit`` takes, with their ``schema``: files, frames and Samples in any mixture; of linked tables, whose
    schema is a package, dicts of such, or paths of packages and of folders that hold one. Where the schema has a unit, persons and their events are compared, too: ``to_dict()["histories"]``. Images, which
    have no schema, are arrays of uint8, each with its labels, an ImageSample, which has its own, or the path of an IDX file
    (with that of its labels), of CIFAR's files or of a folder of PNG or JPEG files; ``classes`` and ``class_names`` hold for all.
    Ctrl-C works within about a second.
    """
    listed = models if models is None or isinstance(models, str) else ",".join(models)
    text = None if certificate is None else certificate.to_json()
    network = None if encoder is None else os.fspath(encoder)
    sets = {"real": real, "synthetic": synthetic, "train": train}
    labels = {"real": real_labels, "synthetic": synthetic_labels, "train": train_labels}
    of_images = _is_image_set(real) or (schema is None and is_path(real) and not _is_table_name(real))
    if report is not None and os.path.exists(report):
        raise FileExistsError(f"{os.fspath(report)} exists already")
    if not of_images and any(value is not None for value in (*labels.values(), classes, class_names)):
        raise OptionError("labels and classes are of images; of a table the schema names the label")
    if not of_images and (encoder is not None or size is not None or resize):
        raise OptionError("encoder, size and resize are of images")
    if resize and size is None:
        raise OptionError("resize needs a size, (height, width)")
    with Progress(progress) as bar:
        if of_images:
            if schema is not None:
                raise OptionError("images have no schema")
            handles = _image_handles(sets, labels, classes, class_names, size, resize)
            found = _compare(handles, None, text, listed, network, seed, threads or 0, title, bar)
        else:
            if schema is None:
                raise OptionError("tables are compared by a schema")
            if listed is None or "xgboost" in listed:
                _offer_xgboost()
            known = schema if isinstance(schema, Schema) else _schema_of(schema)
            tables = {name: None if data is None else _records(data, known, name) for name, data in sets.items()}
            found = _compare(tables, known, text, listed, None, seed, threads or 0, title, bar)
    if report is not None:
        found.report(report)
    return found


class _Drawn:
    """A table that was drawn, to be read once."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._stream


def _records(data: Any, schema: Schema, name: str) -> Data:
    """A table; of a schema that is a package all of its tables, in files or by their names. Public ones are passed over."""
    if not schema.tables:
        return table_of(data, name=name)
    if is_path(data):
        path = os.fspath(data)
        return _core.data_package(os.path.join(path, "datapackage.json") if os.path.isdir(path) else path, False)
    tables = {one: _Drawn(stream) for one, stream in data._streams().items()} if isinstance(data, LinkedSample) else data
    if not isinstance(tables, Mapping):
        raise TypeError(f"{name} must be a dict of tables, a sample of such, or the path of a package")
    absent = [one for one in schema.tables if one not in tables]
    if absent:
        raise OptionError(f"{name} has no table '{absent[0]}'")
    return linked({one: tables[one] for one in schema.tables})


def _is_image_set(data: Any) -> bool:
    return isinstance(data, ImageSample) or is_images(data)


def _is_table_name(path: Any) -> bool:
    endings = (".csv", ".tsv", ".txt", ".json", ".ndjson", ".jsonl", ".parquet", ".pq", ".parq")
    return str(os.fspath(path)).lower().removesuffix(".gz").endswith(endings)


def _image_files(
    name: str, path: Any, labels: Any, classes: int | None, grey: bool, size: tuple[int, int] | None, resize: bool
) -> Data:
    if labels is not None and not is_path(labels):
        raise OptionError(f"{name} is a file or folder of images: its labels are a file, too, or None")
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
    """A sample says how many classes there are, unless that is given; files of folders are grey where arrays are. What is
    synthetic has its size already."""
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
                raise OptionError(f"{name} is a sample, which has its own labels")
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
        raise TypeError("real and synthetic are needed")
    known = None if schema is None else schema._handle
    if certificate is not None:
        _core.report(certificate, None, None, None, title)  # one that does not check is refused before minutes are spent
    document, text = _core.evaluate_data(first, second, handles["train"], known, models, encoder, seed, threads, progress)
    shown = second if known is None else None
    return Evaluation(document, text, _core.report(certificate, document, None, shown, title))


def _schema_of(schema: Mapping[str, Any] | str | os.PathLike[str]) -> Schema:
    return Schema(schema) if isinstance(schema, Mapping) else Schema.from_file(schema)

