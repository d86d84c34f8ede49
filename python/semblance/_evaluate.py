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
from ._data import is_path, table
from ._files import scratch
from ._progress import Progress
from ._sample import Sample
from ._schema import Schema

__all__ = ["Evaluation", "evaluate"]


class Evaluation:
    """Numbers that were computed from real records: NOT PRIVATE, for their owner's eyes (docs/EVALUATION.md)."""

    def __init__(self, document: str, text: str) -> None:
        self._document, self._text = document, text

    def to_dict(self) -> dict[str, Any]:
        """The document (docs/FORMATS.md)."""
        made: dict[str, Any] = json.loads(self._document)
        return made

    def to_json(self) -> str:
        """The document as it is."""
        return self._document

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "<semblance.Evaluation, NOT PRIVATE: print() shows it>"

    def _repr_html_(self) -> str:
        return f"<p><b>NOT PRIVATE</b>: computed from real records</p><pre>{escape(self._text)}</pre>"


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
    schema: Schema | Mapping[str, Any] | str | os.PathLike[str],
    train: Any = None,
    *,
    certificate: Certificate | None = None,
    models: Sequence[str] | str | None = None,
    seed: int = 0,
    threads: int | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Compare a synthetic table with real rows that were not fitted, beside a floor and a ceiling. NOT PRIVATE.

    ``real``    a holdout: rows of the same source that were not fitted
    ``train``   the table that was fitted: adds smoke tests for disclosure
    ``models``  names of models, or "none"; default: all that are there
    ``report``  the path of a page in HTML, NOT PRIVATE either

    Tables are what ``fit`` takes; CSV files go with CSV files, or with a Sample.
    """
    known = schema if isinstance(schema, Schema) else _schema_of(schema)
    listed = models if models is None or isinstance(models, str) else ",".join(models)
    if listed is None or "xgboost" in listed:
        _offer_xgboost()
    with Progress(progress) as bar:
        if is_path(real):
            return _of_files(real, synthetic, train, known, certificate, listed, seed, threads or 0, report, bar)
        if is_path(synthetic) or is_path(train):
            raise TypeError("real, synthetic and train must all be files, or all be tables in memory")
        named = {"real": real, "synthetic": synthetic, "train": train}
        handles = [None if data is None else table(data, name=name) for name, data in named.items()]
        first, second = handles[0], handles[1]
        if first is None or second is None:
            raise TypeError("real and synthetic are needed")
        text = None if certificate is None else certificate.to_json()
        document, words, page = _core.evaluate_data(
            first, second, handles[2], known._handle, text, listed, seed, threads or 0, report is not None, bar
        )
    if report is not None and page is not None:
        with open(report, "x", encoding="utf-8") as file:
            file.write(page)
    return Evaluation(document, words)


def _schema_of(schema: Mapping[str, Any] | str | os.PathLike[str]) -> Schema:
    return Schema(schema) if isinstance(schema, Mapping) else Schema.from_file(schema)


def _of_files(
    real: Any,
    synthetic: Any,
    train: Any,
    schema: Schema,
    certificate: Certificate | None,
    models: str | None,
    seed: int,
    threads: int,
    report: str | os.PathLike[str] | None,
    progress: Progress,
) -> Evaluation:
    if not (is_path(synthetic) or isinstance(synthetic, Sample)) or not (train is None or is_path(train)):
        raise TypeError("real, synthetic and train must all be files, or all be tables in memory")
    with scratch() as folder:
        paths = {name: os.path.join(folder, name) for name in ("schema.json", "synthetic.csv", "certificate.json")}
        with open(paths["schema.json"], "w", encoding="utf-8") as file:
            json.dump(schema.to_dict(), file)
        if isinstance(synthetic, Sample):
            synthetic.to_csv(paths["synthetic.csv"])
            synthetic = paths["synthetic.csv"]
        if certificate is not None:
            certificate.save(paths["certificate.json"])
        document, words, _ = _core.evaluate_files(
            os.fspath(real),
            os.fspath(synthetic),
            None if train is None else os.fspath(train),
            paths["schema.json"],
            models,
            seed,
            threads,
            None if report is None else os.fspath(report),
            None if certificate is None else paths["certificate.json"],
            progress,
        )
    return Evaluation(document, words)
