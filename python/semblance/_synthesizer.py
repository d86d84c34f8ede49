# SPDX-License-Identifier: Apache-2.0
"""Fits a model to private data and draws synthetic data from it."""

from __future__ import annotations

import importlib
import operator
import os
import secrets
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, NoReturn

from . import _core, _parquet
from ._certificate import Certificate
from ._data import Data, images, file_reader, is_images, is_package_path, is_path, linked, one_name, table, table_of
from ._errors import InUseError, NotFittedError, NotPrivateWarning, OptionError, SemblanceWarning, unknown_option
from ._estimate import Estimates, Names, estimates
from ._evaluate import evaluate
from ._ledger import Ledger
from ._plan import Plan
from ._progress import Progress
from ._project import Projected, matrix
from ._replicates import Replicates
from ._sample import ImageSample, LinkedSample, Model, Sample, Where, condition
from ._schema import Schema, is_package, look_up_key, look_ups, with_keys

__all__ = ["Plan", "Synthesizer"]

# Options by their Python names, each with the kinds of data that it applies to; None: it is about the run. Options for images
# and packages only are arguments of ``fit``.
_KNOWN = {name.replace("-", "_"): forms for name, *_, forms in _core.options() if forms is None or {*forms} - {"images", "package"}}

_NAMED = (
    "epsilon",
    "delta",
    "schema",
    "method",
    "ledger",
    "neighbours",
    "pure",
    "seed",
    "threads",
    "health",
    "progress",
)


def _as_number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be a number, not {type(value).__name__}") from None


def _count(value: Any, name: str) -> int | None:
    """The number to draw; None: not given."""
    try:
        number = None if value is None else operator.index(value)
    except TypeError:
        raise OptionError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if number is not None and not 1 <= number < 2**63:
        raise OptionError(f"{name} must be at least 1 and below 2^63")
    return number


def _as_text(value: Any) -> str | None:
    """A value as the library takes it; None for a flag."""
    if value is True:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Sequence):
        return ",".join(str(item) for item in value)
    return str(value)


_MOST_NAMES = 8


def _named(schema: Any) -> str:
    """A schema by the names of its tables or columns, whether it is valid or not; a path as it is."""
    if isinstance(schema, Schema):
        schema = schema.to_dict()
    if not isinstance(schema, Mapping):
        return repr(schema) if len(str(schema)) < 80 else "a JSON text"
    parts = schema.get("resources") or schema.get("fields") or []
    names = [repr(str(part.get("name"))) for part in parts if isinstance(part, Mapping)]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{'tables' if schema.get('resources') else 'columns'} {', '.join(names[:_MOST_NAMES])}{more}"


def _column(data: Any, name: str) -> list[Any]:
    """The distinct values of a column of a public table, as texts."""
    try:
        values = [str(value) for value in data[name]]
    except (TypeError, KeyError):
        raise OptionError(f"a public table must be a frame with its key column, {name!r}") from None
    return [*dict.fromkeys(values)]


def _teller(progress: Progress, told: list[tuple[str, str]]) -> Callable[[str, str], None]:
    """Takes the lines of a run: the estimate is shown above the bar, and the others are warnings at the end."""

    def tell(kind: str, line: str) -> None:
        if kind == "estimate":
            progress.say(line)
        else:
            told.append((kind, line))

    return tell


_scored: set[str] = set()  # schemas that a warning was given for


def _warn_of_scores(schema: Schema) -> None:
    """One warning for a study: a search scores many copies of one Synthesizer, all with one schema."""
    if schema.to_json() in _scored:
        return
    _scored.add(schema.to_json())
    warnings.warn(
        "scores are computed from real records: they are NOT PRIVATE, and neither is a choice between models that is based on them",
        NotPrivateWarning,
        stacklevel=3,
    )


class Synthesizer:
    """Fits a model to private tables or images under differential privacy, and draws synthetic records from it.

    ::

        synthesizer = semblance.Synthesizer(epsilon=1, schema=schema).fit(people)
        synthesizer.sample(1000).to_pandas()
        print(synthesizer.certificate_)

    ``epsilon``      the privacy budget, at ``delta``. There is no default; 1 is a common choice
    ``delta``        None: 1e-5, or 1/(10 n), cut to two digits, if n is public and exceeds 10,000
    ``schema``       public facts: a Schema, a mapping, or the path of a JSON file. None: a part of the budget discovers a
                     schema (``schema_`` returns it)
    ``method``       "auto", or one of ``semblance.methods()``
    ``ledger``       a Ledger or its path, which is created if it does not exist. Charge every fit of the same data to it.
                     None: a file has its ledger next to it. For data in memory, this object keeps its own account: all its
                     fits are charged to it, other objects do not see it, and the certificate says what it counts
    ``neighbours``   "replace-one": the number of records is public; "add-remove": it is private
    ``pure``         delta is 0 (marginals and ron-gauss)
    ``seed``         the seed of public randomness; the noise has no seed
    ``threads``      None: all cores
    ``health``       the paid count of cells that do not match the schema. None or "stop": a column that is clearly all wrong
                     stops the run; "tell": it is reported; "off": cells are not counted
    ``progress``     True or False; None: a bar in a terminal or a notebook

    All other keywords are options, by their names in ``semblance.options()``. Options about data say how to read a file if its
    schema does not: ``delimiter=";"``, ``table="people"``. The others belong to the method.
    """

    def __init__(
        self,
        epsilon: float | None,
        delta: float | None = None,
        schema: Schema | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        method: str = "auto",
        *,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        neighbours: str = "replace-one",
        pure: bool = False,
        seed: int = 0,
        threads: int | None = None,
        health: str | None = None,
        progress: bool | None = None,
        **options: Any,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.schema = schema
        self.method = method
        self.ledger = ledger
        self.neighbours = neighbours
        self.pure = pure
        self.seed = seed
        self.threads = threads
        self.health = health
        self.progress = progress
        self._options: dict[str, Any] = {}
        self._set_options(options)
        self._start()

    def _start(self) -> None:
        self._model = Model()
        self._certificate: Certificate | None = None
        self._fitting = threading.Lock()
        self._package: str | None = None  # the package that names the tables of the last fit
        self._outside = False  # may it name files outside its folder?
        self._beside = False  # a file behind a handle, with its ledger next to it
        self._keys: dict[str, list[Any]] = {}  # the keys of public look-up tables that were passed with the frames
        self._charged = False  # a fit was charged to a ledger next to its release
        self._copied = False  # this is a copy, and the original keeps the account of its fits
        self._questions: str | None = None  # JSON: the next fit answers these, and makes no model
        self._stopped: Any = None  # a distributed run that failed between two releases

    @classmethod
    def create(cls, method: str = "auto", **parameters: Any) -> Synthesizer:
        """``Synthesizer.create("merf", epsilon=1)``: the spelling of other libraries."""
        return cls(method=method, **parameters)

    # ---- parameters, in the interface of scikit-learn ----

    def _set_options(self, options: Mapping[str, Any]) -> None:
        for name in options:
            if name not in _KNOWN:
                raise unknown_option(name)
        self._options.update(options)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters, by name."""
        return {**{name: getattr(self, name) for name in _NAMED}, **self._options}

    def set_params(self, **parameters: Any) -> Synthesizer:
        """Change parameters for the next fit."""
        self._set_options({name: value for name, value in parameters.items() if name not in _NAMED})
        for name, value in parameters.items():
            if name in _NAMED:
                setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """For scikit-learn 1.6 or newer: not a classifier or regressor, needs no target, fits frames but not arrays."""
        utils = importlib.import_module("sklearn.utils")
        return utils.Tags(
            estimator_type=None,
            target_tags=utils.TargetTags(required=False),
            input_tags=utils.InputTags(two_d_array=False, categorical=True, string=True, allow_nan=True),
            non_deterministic=True,
        )

    def _more_tags(self) -> dict[str, Any]:
        """The same for older versions of scikit-learn."""
        return {"X_types": ["categorical", "string"], "requires_y": False, "allow_nan": True, "non_deterministic": True}

    def __sklearn_is_fitted__(self) -> bool:
        """For ``sklearn.utils.validation.check_is_fitted``: is there a model?"""
        model = self._idle()
        with model.lock:
            return _core.synth_facts(model.handle) is not None

    def score(self, data: Any, labels: Any = None) -> float:
        """How close a sample is to a table that was not fitted; 1 is best.

        It is 1 minus the mean total variation distance over all pairs of columns (docs/EVALUATION.md). A score is NOT PRIVATE, and
        neither is a choice that is based on it. The first score for a schema warns of that.
        """
        if labels is not None or is_images(data):
            raise OptionError("score() compares tables; use semblance.evaluate() for images")
        _warn_of_scores(self.schema_)
        found = evaluate(data, self.sample(seed=self.seed), self.schema_, models="none", progress=False).to_dict()
        distances = found["marginals"]
        return 1 - float(distances[min(1, len(distances) - 1)]["tvd"]["synthetic"])

    def _pairs(self, *, budget: bool = True, ledger: bool = True) -> list[tuple[str, str | None]]:
        """The given options, as the library takes them."""
        values: dict[str, Any] = {"method": self.method, "seed": self.seed, "threads": self.threads, **self._options}
        if budget:
            if self.epsilon is None:
                raise OptionError("epsilon is not given: call set_params(epsilon=1), or choose another value")
            values.update(epsilon=_as_number(self.epsilon, "epsilon"), delta=self.delta, pure=self.pure, health=self.health)
            values.update(neighbours=self.neighbours)
            if self.ledger is not None and ledger:
                values["ledger"] = self._ledger_path()
            if self._questions is not None:
                values["questions"] = self._questions
        return [
            (name.replace("_", "-"), _as_text(value))
            for name, value in values.items()
            if value is not None and value is not False
        ]

    def _ledger_path(self) -> str:
        assert self.ledger is not None
        path = os.fspath(self.ledger)
        if not os.path.exists(path):
            schema = self._schema()
            rows = None if schema is None else schema.max_rows_per_unit
            Ledger.create(path, neighbours=self.neighbours, max_rows_per_unit=rows)
        return path

    def _schema(self) -> Schema | None:
        if self.schema is None and self._package is not None:
            return Schema.from_file(self._package, allow_outside=self._outside)
        if self.schema is None or isinstance(self.schema, Schema):
            return self.schema
        if isinstance(self.schema, Mapping):
            return Schema(with_keys(self.schema, self._keys) if is_package(self.schema) else self.schema)
        if isinstance(self.schema, str) and self.schema.lstrip().startswith("{"):
            return Schema(self.schema)
        return Schema.from_file(self.schema, allow_outside=self._outside)

    # ---- fitting ----

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One fit at a time: two fits would each miss the other's cost."""
        if not self._fitting.acquire(blocking=False):
            self._refuse()
        try:
            yield
        finally:
            self._fitting.release()

    def _refuse(self) -> NoReturn:
        raise InUseError(
            "this Synthesizer is being fitted by another thread, or by the fit that reads this data: "
            "wait until the fit ends, or use another Synthesizer"
        )

    def _idle(self) -> Model:
        """The model, unless a fit is changing it."""
        if self._fitting.locked():
            self._refuse()
        return self._model

    def plan(self, n: int = 0, *, data: Any = None, classes: int | None = None) -> Plan:
        """What a fit of n records would release first, and how much noise it adds. Reads no record.

        For linked tables, n is the number of persons. For images, ``data`` gives their size, and ``classes`` the number of classes if
        the fit will have labels.
        """
        if data is None and classes is not None:
            raise OptionError("classes apply to images only; for a table, the schema names the label")
        labels = None if classes is None else bytes(len(data))  # never read
        handle: Data | bool | None = None if data is None else images(data, labels, classes=classes)
        known = self._schema() if handle is None else None
        if handle is None and known is None:
            raise OptionError("plan() needs a schema, or images as data")
        schema = None if known is None else known._handle
        if known is not None and known.tables:
            handle = False
        pairs = self._pairs()
        plan = Plan(_core.synth_plan(schema, handle, n, False, pairs))
        plan._json = _core.synth_plan(schema, handle, n, True, pairs)
        return plan

    def fit(
        self,
        data: Any,
        labels: Any = None,
        *,
        classes: int | None = None,
        class_names: Sequence[str] | None = None,
        balanced: bool = False,
        allow_outside: bool = False,
    ) -> Synthesizer:
        """Read the records, release noisy sums of them, and fit a model to the sums.

        ``data`` is a table: an object with ``__arrow_c_stream__`` (pandas, polars, pyarrow, duckdb), an iterable of these, the path
        of a file, or a list of paths of files with the same columns, which form one table. A source that can be read only
        once is kept in memory, unless ``rounds=1``.

        Or it is an array of images, uint8 with shape (n, height, width[, channels]). ``labels`` are from 0 to ``classes`` - 1; any
        other value becomes 0, because no single record may stop a fit. The default is 10 classes. ``classes``, ``class_names``
        and ``balanced`` are public by declaration.

        Or it is linked tables, with a package as schema: a dict of tables by name, or the path of the package, whose own paths name
        the tables (then no schema is needed). The tables must be in its folder, unless ``allow_outside`` is True, which the
        certificate states.
        """
        data = one_name(data)
        with self._alone():
            self._outside = allow_outside
            self._fit(self._records(data, labels, classes, class_names, balanced), resume=False)
            self._model.remember(None if is_path(data) else data)
        return self

    def resume(
        self,
        data: Any,
        labels: Any = None,
        *,
        classes: int | None = None,
        class_names: Sequence[str] | None = None,
        balanced: bool = False,
        allow_outside: bool = False,
    ) -> Synthesizer:
        """Continue a fit of the same data that was stopped between two releases. What was paid for is not charged again."""
        data = one_name(data)
        with self._alone():
            self._outside = allow_outside
            self._fit(self._records(data, labels, classes, class_names, balanced), resume=True)
            self._model.remember(None if is_path(data) else data)
        return self

    def train(self, **options: Any) -> Synthesizer:
        """Train a model again from the releases of the last fit, at no cost: with other options, or after a stop."""
        told: list[tuple[str, str]] = []
        with self._alone():
            self._set_options(options)
            self._renew()
            with self._model.lock, Progress(self.progress) as progress:
                _core.synth_train(self._model.handle, self._pairs(budget=False), progress, _teller(progress, told))
                self._finish(told)
        return self

    def _train_from(self, release: str, certificate: str) -> None:
        """Train the model from releases in files, at no cost. Their run was charged to the ledger of this object."""
        told: list[tuple[str, str]] = []
        files: list[tuple[str, str | None]] = [("release", release), ("certificate", certificate)]
        pairs = [pair for pair in self._pairs(budget=False) if pair[0] not in ("release", "certificate")]
        trained = _core.synth_new()
        with Progress(self.progress) as progress:
            _core.synth_train(trained, [*pairs, *files], progress, _teller(progress, told))
        self._model = Model()
        _core.synth_load(self._model.handle, _core.synth_save(trained))  # a model contains its certificate
        self._finish(told)

    def _renew(self) -> None:
        """Use the handle, which holds the account, for another fit. Samples of the earlier fit keep its model."""
        changed = Model()
        changed.handle = self._model.detach()
        changed.frame, changed.frames = self._model.frame, self._model.frames
        self._model = changed

    def _records(
        self, data: Any, labels: Any, classes: int | None, class_names: Sequence[str] | None, balanced: bool
    ) -> tuple[Data | str, bool]:
        """The handle or the path of a file, and whether it holds images."""
        self._package = None
        self._beside = False
        if is_images(data):
            return images(data, labels, classes=classes, class_names=class_names, balanced=balanced), True
        if labels is not None:
            raise OptionError("labels apply to images only; for a table, the schema names the label")
        if classes is not None or class_names is not None or balanced:
            raise OptionError("classes, class_names and balanced apply to images only; for a table, the schema names the label")
        if is_package_path(data):
            self._package = os.fspath(data)
            return _core.data_package(self._package, self._outside), False
        if is_path(data):
            return self._file(os.fspath(data)), False
        if isinstance(data, Mapping) and not hasattr(data, "__arrow_c_stream__") and self._is_linked():
            return self._linked(data), False
        return table(data, keep=self._options.get("rounds") != 1), False

    def _file(self, path: str) -> Data | str:
        """The path, or a handle if a Python package reads the file."""
        found = None if self._options.get("duckdb") is not None else file_reader(path)
        if found is None:
            return path
        for name, value in self._options.items():
            if value is not None and value is not False and "parquet" not in (_KNOWN[name] or ["parquet"]):
                raise OptionError(f"{name} does not apply to Parquet files")
        self._beside = True
        return _core.data_stream(found, path) if isinstance(found, _parquet.Files) else _core.data_file(path, found)

    def _is_linked(self) -> bool:
        """Is the schema a package?"""
        if isinstance(self.schema, Mapping):
            return is_package(self.schema)
        known = self._schema()
        return known is not None and bool(known.tables)

    def _linked(self, data: Mapping[str, Any]) -> Data:
        """Tables by name. Tables that the package declares public list the keys that its fields may have."""
        package = self.schema if isinstance(self.schema, Mapping) else {}
        public = [name for name in look_ups(package) if name in data]
        self._keys = {name: _column(data[name], look_up_key(package, name)) for name in public}
        return linked({name: one for name, one in data.items() if name not in public})

    def _fit(self, records: tuple[Data | str, bool], *, resume: bool) -> Synthesizer:
        data, of_images = records
        if self._copied and self.ledger is None and not isinstance(data, str) and not self._beside:
            raise OptionError(
                "this Synthesizer is a copy, and the account of its earlier fits is in the original: pass the ledger that all fits "
                "of the data are charged to, or make a new Synthesizer for other data"
            )
        known = None if of_images else self._schema()
        handle = None if known is None else known._handle
        told: list[tuple[str, str]] = []
        pairs = self._pairs()
        if not resume:
            self._renew()
        with self._model.lock, Progress(self.progress) as progress:
            self._certificate = None
            self._charged |= self.ledger is None and self._options.get("release") is not None
            _core.synth_fit(self._model.handle, data, handle, resume, pairs, progress, _teller(progress, told))
            self._finish(told)
        return self

    def _finish(self, told: Sequence[tuple[str, str]]) -> None:
        text = _core.synth_texts(self._model.handle)[0]
        self._certificate = None if text is None else Certificate(text)
        for kind, line in told:
            words = f"column {line!r} is not in the schema and is left out" if kind == "notice" else line
            warnings.warn(words.removeprefix("WARNING: "), SemblanceWarning, stacklevel=4)

    # ---- the results of a fit ----

    def _facts(self) -> dict[str, Any]:
        model = self._idle()
        with model.lock:
            facts = _core.synth_facts(model.handle)
        if facts is None:
            raise NotFittedError("there is no model yet: call fit() or Synthesizer.load() first")
        return facts

    @property
    def certificate_(self) -> Certificate:
        """The guarantee."""
        if self._certificate is None:
            raise NotFittedError("there is no certificate yet: call fit() first")
        return self._certificate

    @property
    def schema_(self) -> Schema:
        """The schema of the synthetic records: the one that was given, or the one that was discovered."""
        self._facts()
        with self._model.lock:
            return Schema(_core.synth_schema(self._model.handle))

    @property
    def releases_(self) -> list[bytes]:
        """The noisy sums, as the bytes of release files. Public."""
        model = self._idle()
        with model.lock:
            return _core.synth_releases(model.handle)

    @property
    def n_(self) -> int:
        """The number of records that were fitted; a noisy number if it is private."""
        return int(self._facts()["rows"])

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        n: int | None = None,
        seed: int = 0,
        intervals: int = 6,
    ) -> str:
        """The guarantee as an HTML page, which may be published. With ``path``, it is also written to a new file.

        For a table or linked tables, it shows columns and pairs with 95 % intervals, from this number of models drawn given
        the releases (each a fraction of a fit; 0: no intervals). A model that was loaded without its releases has no such
        pictures. For images, it shows the first of each class of ``sample(n, seed=seed)``.
        """
        if intervals == 1 or intervals < 0:
            raise ValueError("intervals must be 0, or at least 2: one draw says nothing of the error")
        model = self._idle()
        with model.lock:
            facts = _core.synth_facts(model.handle)
        shown = None
        if facts is not None and facts["images"]:
            drawn = self.sample(n, seed=seed)
            shown = images(drawn.images, drawn.labels, classes=int(facts["classes"]) or None)
        with model.lock:
            page = _core.report(None, None, model.handle, shown, title, intervals or 1, None)
        if path is not None:
            with open(path, "x", encoding="utf-8") as file:
                file.write(page)
        return page

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model and its certificate to a file, which the program can read. It contains nothing private."""
        self._facts()
        with self._model.lock:
            if overwrite:
                _core.synth_replace(self._model.handle, os.fspath(path))
                return
            with open(path, "xb") as file:
                file.write(_core.synth_save(self._model.handle))

    def _bytes(self) -> bytes:
        """The model, as the bytes of its file."""
        self._facts()
        with self._model.lock:
            return _core.synth_save(self._model.handle)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Synthesizer:
        """Read a model that ``save`` or the program wrote."""
        with open(path, "rb") as file:
            return cls._of_model(file.read())

    @classmethod
    def _of_model(cls, model: bytes) -> Synthesizer:
        made = cls(epsilon=None)
        _core.synth_load(made._model.handle, model)
        made._finish(())
        made.method = str(made._facts()["method"])
        return made

    # ---- drawing ----

    def sample(
        self,
        n: int | None = None,
        *,
        persons: int | None = None,
        where: Where = None,
        seed: int | None = None,
        replicates: int | None = None,
        release: str | os.PathLike[str] | None = None,
    ) -> Any:
        """Draw synthetic records, at no cost. Returns a Sample, an ImageSample or, for linked tables, a LinkedSample.

        ``n``        the number of records; None: as many as were fitted
        ``persons``  instead of ``n``, for a model of histories: the number of persons, each with all rows. With ``n``, the last
                     person may be incomplete
        ``where``    only rows that meet all conditions: a value {"ward": "surgery"}, a set {"ward": ["surgery", "oncology"]}, a range
                     that includes both ends {"age": (80, None)}, a text in the language of constraints "age > 80", or a list of
                     such texts. None is a missing value. A condition that the model hardly ever meets is refused after
                     1000 tries per row. A model of histories draws persons who have, for each condition, a row that meets
                     it. For images: {"label": class}
        ``seed``     the same seed draws the same records; None: a new one each time
        ``replicates``  the number of tables, 2 to 1000, for confidence intervals; 20 is usual. Returns Replicates, a sequence of
                     samples, each from its own draw of the posterior. Methods pairs, forest, histories and marginals
        ``release``  with ``replicates``, for a model that was loaded: the release file of its run
        """
        facts = self._facts()
        if n is not None and persons is not None:
            raise OptionError("n and persons are both given: pass only one of them")
        n, persons = _count(n, "n"), _count(persons, "persons")
        if persons is not None and facts["images"]:
            raise OptionError("images have no persons: pass n")
        rows = 0 if persons is not None else int(facts["rows"]) if n is None else n
        chosen = secrets.randbits(63) if seed is None else seed
        if not 0 <= chosen < 2**64:
            raise OptionError("seed must be a whole number from 0 to 2^64 - 1")
        threads = self.threads or 0
        if facts["tables"] and n is not None:
            raise OptionError("linked tables are drawn by persons: pass persons=, not n")
        if replicates is not None or release is not None:
            return self._replicates(replicates, release, where, chosen, n, persons)
        if facts["tables"]:
            return LinkedSample(
                self._model, persons or rows, chosen, condition(where), threads, self._certificate
            )
        if not facts["images"]:
            return Sample(self._model, rows, persons or 0, chosen, condition(where), threads, self._certificate)
        each = int(facts["height"] * facts["width"] * facts["channels"])
        with self._model.lock, Progress(self.progress) as progress:
            drawn = _core.draw_images(self._model.handle, rows, each, chosen, condition(where), threads, progress)
        return ImageSample(*drawn, facts, self._certificate)

    def _replicates(
        self, count: Any, release: Any, where: Where, seed: int, n: int | None, persons: int | None
    ) -> Replicates:
        number = _count(count, "replicates")
        if number is None:
            raise OptionError("release is given without replicates: pass both, or neither")
        if not 2 <= number <= 1000:
            raise OptionError("replicates must be from 2 to 1000: one table alone says nothing about its error")
        if where is not None:
            raise OptionError("replicates are whole tables: select rows in the analysis, not with where")
        threads, certificate = self.threads or 0, self._certificate
        path = None if release is None else os.fspath(release)
        with self._model.lock, Progress(self.progress) as progress:
            if path is None and not _core.synth_releases(self._model.handle):
                raise OptionError("a loaded model has no releases, which replicates are drawn from: pass release=, the file of its run")
            handle = _core.replicates_new(self._model.handle, path, seed, threads, progress)

        def draw(model: Model, i: int) -> Sample | LinkedSample:
            """Of the size that its own model has, if none is given."""
            own = (seed + i + 1) % 2**64
            facts = _core.synth_facts(model.handle)
            assert facts is not None
            rows = int(facts["rows"])
            if facts["tables"]:
                return LinkedSample(model, persons or rows, own, None, threads, certificate)
            return Sample(model, 0 if persons else n or rows, persons or 0, own, None, threads, certificate)

        return Replicates(handle, number, self._model, draw, certificate)

    def estimate(
        self,
        *,
        count: bool = False,
        mean: Names = None,
        share: Mapping[str, Any] | Names = None,
        quantile: Mapping[str, Any] | None = None,
        correlation: Sequence[str] | None = None,
        by: Names = None,
        difference: str | None = None,
        where: Where = None,
        table: str | None = None,
        draws: int = 40,
        level: float = 0.95,
        seed: int = 0,
        release: str | os.PathLike[str] | None = None,
    ) -> Estimates:
        """Statistics of the population with confidence intervals, at no cost: from the releases of the fit.

        ``count``        the number of rows: what a table of this size holds on average
        ``mean``         means of columns of numbers: "cost" or ["cost", "age"]
        ``share``        shares of rows: {"ward": "surgery"}, {"ward": ["surgery", "oncology"]}, or "ward" for each category
        ``quantile``     {"cost": 0.5} is the median; {"cost": [0.25, 0.75]}
        ``correlation``  two columns of numbers: ("age", "cost")
        ``by``           everything for each category of these columns
        ``difference``   a category of the only column in ``by``: also the difference of each other group from it
        ``where``        only rows that meet all conditions, as in ``sample``
        ``table``        for linked tables: the table that the question is about
        ``release``      the first release file of a run, instead of the releases of this fit. A model that was loaded has none

        The methods pairs, forest, histories and marginals have them.
        """
        with self._model.lock, Progress(self.progress) as progress:
            return estimates(
                self._model.handle,
                {"count": count, "mean": mean, "share": share, "quantile": quantile, "correlation": correlation}
                | {"by": by, "difference": difference, "where": condition(where), "table": table},
                (draws, level, seed, self.threads or 0, progress),
                None if release is None else os.fspath(release),
            )

    # ---- the space of a projected model ----

    def project(self, data: Any) -> Projected:
        """Real rows with the columns that a model of ``method="ron-gauss", space="projected"`` draws. NOT PRIVATE.

        ``data`` is a table like that of ``fit``, or its path, with the columns that were fitted, including the label. A model that was
        trained on ``sample()`` can then be tested on real rows: ``evaluate(s.project(test), s.sample(), s.schema_)``.
        """
        warnings.warn("projected rows are real records: they are NOT PRIVATE", NotPrivateWarning, stacklevel=2)
        self._facts()
        return Projected(self._model, table_of(data, name="the table"), self.threads or 0)

    @property
    def projection_(self) -> dict[str, list[Any]]:
        """The matrix W of a projected model, by column, with a row for each coordinate p1, p2, ... Public.

        docs/mechanisms/ron-gauss.md explains its columns.
        """
        self._facts()
        return matrix(self._model)

    # ---- pickles and repr ----

    def __getstate__(self) -> dict[str, Any]:
        """The parameters and the model, which is public. It never holds a record, a sum or a key.

        It does not hold the account of its fits either, because two copies would each miss what the other spends. A copy
        knows that there is an account, and can be fitted again only with a ledger.
        """
        held = self._idle()
        with held.lock:
            model = None if _core.synth_facts(held.handle) is None else _core.synth_save(held.handle)
            charged = self._charged or self._copied or _core.synth_texts(held.handle)[2] is not None
        return {
            "parameters": self.get_params(),
            "model": model,
            "frame": held.frame,
            "frames": held.frames,
            "charged": charged,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["parameters"])  # type: ignore[misc]
        self._copied = bool(state.get("charged", state["model"] is not None))
        if state["model"] is not None:
            _core.synth_load(self._model.handle, state["model"])
            self._model.frame, self._model.frames = state["frame"], state.get("frames", {})
            self._finish(())

    def __repr__(self) -> str:
        if self._fitting.locked():
            return f"<semblance.Synthesizer, being fitted: {self._settings()}>"
        with self._model.lock:
            facts = _core.synth_facts(self._model.handle)
        if facts is None:
            return f"<semblance.Synthesizer, not fitted: {self._settings()}>"
        promise = "" if self._certificate is None else f", {self._certificate._sentence()}"
        return f"<semblance.Synthesizer, fitted with {facts['method']} to {self._fitted_to(facts)}{promise}>"

    def _settings(self) -> str:
        """The parameters that are not the defaults. A schema is long, so that only its names are shown."""
        usual = {"seed": 0, "neighbours": "replace-one", "method": "auto"}
        given = {
            name: value
            for name, value in self.get_params().items()
            if value is not None and value is not False and usual.get(name) != value
        }
        shown = {name: _named(value) if name == "schema" else repr(value) for name, value in given.items()}
        return ", ".join(f"{name}={text}" for name, text in shown.items())

    def _fitted_to(self, facts: Mapping[str, Any]) -> str:
        """Public facts only: the size of images, or the names of tables or columns."""
        if facts["images"]:
            return f"images of {facts['height']} x {facts['width']} pixels"
        with self._model.lock:
            return _named(Schema(_core.synth_schema(self._model.handle)))

    def _repr_html_(self) -> str:
        head = f"<p><code>{escape(repr(self))}</code></p>"
        return head if self._certificate is None else head + self._certificate._repr_html_()
