# SPDX-License-Identifier: Apache-2.0
"""Public facts about a table: the names, types, bounds and categories of its columns, and the label."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _core
from ._data import is_path, linked, table_of
from ._errors import NotPrivateWarning, OptionError, Renamed, SchemaError
from ._frames import field, frame_of
from ._show import html_table

__all__ = ["Schema"]


def _named(description: Mapping[str, Any]) -> dict[str, Any]:
    """Column labels that are not texts, such as the numbers of a frame's columns, become texts."""
    made = dict(description)
    if isinstance(made.get("fields"), (list, tuple)):
        made["fields"] = [
            {**field, "name": str(field["name"])} if isinstance(field, Mapping) and "name" in field else field
            for field in made["fields"]
        ]
    if isinstance(made.get("semblance"), Mapping):
        own = dict(made["semblance"])
        made["semblance"] = {**own, **{key: str(own[key]) for key in ("label", "unit", "order") if isinstance(own.get(key), int)}}
    return made


def _by_dtypes(made: dict[str, Any], data: Any) -> dict[str, Any]:
    """An inspected schema, with types and levels from the dtypes of the frame where they have them."""
    frame = None if is_path(data) else frame_of(data)
    if frame is None:
        return made
    known = {column.name: field(frame, column) for column in frame.columns}
    for one in made["fields"]:
        told = known.get(one["name"])
        if isinstance(told, dict):
            required = one.get("constraints", {}).get("required", False)
            one["type"], one["constraints"] = told["type"], {**told["constraints"]}
            if required:
                one["constraints"]["required"] = True
            one.get("semblance", {}).pop("spikes", None)
    return made


def _linked_by_dtypes(made: dict[str, Any], tables: Mapping[str, Any]) -> dict[str, Any]:
    """The same for linked tables. Keys have no values of their own."""
    for one in made["resources"]:
        fields = one["schema"]["fields"]
        values = [item for item in fields if "role" not in item.get("semblance", {})]
        _by_dtypes({"fields": values}, tables[one["name"]])
    return made


def _resources(description: Any) -> list[Mapping[str, Any]]:
    """The tables of a package; none if it is not a package."""
    found = description.get("resources") if isinstance(description, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, (list, tuple)) else []


def is_package(description: Any) -> bool:
    """Does it describe linked tables: a mapping with resources, or such a JSON text?"""
    if isinstance(description, str) and description.lstrip().startswith("{"):
        try:
            description = json.loads(description)
        except ValueError:
            return False  # the library reports it
    return bool(_resources(description))


def look_ups(description: Mapping[str, Any]) -> list[str]:
    """The tables of a package that it declares public."""
    return [str(one.get("name")) for one in _resources(description) if (one.get("semblance") or {}).get("public") is True]


def _foreign(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    keys = schema.get("foreignKeys") or []
    return [keys] if isinstance(keys, Mapping) else list(keys)


def _only(names: Any) -> Any:
    return names[0] if isinstance(names, (list, tuple)) and len(names) == 1 else names


def with_keys(description: Mapping[str, Any], keys: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """A package in which a foreign key into a public table lists the keys of that table."""
    made = json.loads(json.dumps(description))
    for resource in made.get("resources", []):
        schema = resource.get("schema") or {}
        for key in _foreign(schema):
            values = keys.get(str((key.get("reference") or {}).get("resource")))
            for one in schema.get("fields", []):
                if values is not None and one.get("name") == _only(key.get("fields")):
                    one.setdefault("constraints", {}).setdefault("enum", [*values])
    return made  # type: ignore[no-any-return]


def look_up_key(description: Mapping[str, Any], name: str) -> str:
    """The column that holds the keys of a public table."""
    found = [one for one in _resources(description) if one.get("name") == name]
    key = _only((found[0].get("schema") or {}).get("primaryKey")) if found else None
    if not isinstance(key, str):
        raise SchemaError(f"the public table {name!r} needs a primaryKey with one field")
    return key


def _is_inspected(schema: Mapping[str, Any]) -> bool:
    """Does it hold facts about records that its owner has not accepted?"""
    origin = (schema.get("semblance") or {}).get("origin")
    return isinstance(origin, Mapping) and str(origin.get("how", "")).startswith(("inspected", "guessed"))


_MOST_LEVELS = 6


def _values(constraints: Mapping[str, Any]) -> str:
    """The values that a column may have: its first categories, or its bounds."""
    if "enum" in constraints:
        levels = [str(level) for level in constraints["enum"]]
        more = f", and {len(levels) - _MOST_LEVELS} more" if len(levels) > _MOST_LEVELS else ""
        return ", ".join(levels[:_MOST_LEVELS]) + more
    ends = [constraints.get("minimum"), constraints.get("maximum")]
    return "" if ends == [None, None] else " to ".join("" if end is None else str(end) for end in ends)


def _role(name: str, own: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    """What a column is besides its values: the label, the id of the person, the order of rows."""
    roles = [role for role in ("label", "unit", "order") if str(table.get(role)) == name]
    roles += [str(own["role"])] if own.get("role") else []
    return ", ".join(roles + (["constant for a person"] if own.get("per") == "unit" else []))


def _table(name: str, schema: Mapping[str, Any]) -> str:
    """The columns of a table, in HTML."""
    own = schema.get("semblance") or {}
    rows = []
    for one in schema.get("fields") or []:
        constraints = one.get("constraints") or {}
        missing = "no" if constraints.get("required") else "yes"
        role = _role(str(one["name"]), one.get("semblance") or {}, own)
        rows.append((one["name"], one.get("type", "string"), _values(constraints), missing, role))
    return html_table(["column", "type", "values", "may be missing", "role"], rows, name)


class Schema:
    """A valid Table Schema (https://datapackage.org/standard/table-schema/), or a Data Package of linked tables.

    ``Schema(description)`` takes a mapping or JSON text, and ``Schema.from_file`` a file. ``Schema.from_dtypes`` takes the dtypes of
    a frame and the bounds that you know. ``Schema.inspect`` reads a draft from a table, for you to edit. A schema is immutable.
    """

    def __init__(self, description: Mapping[str, Any] | str) -> None:
        if not isinstance(description, (str, Mapping)):
            raise TypeError(f"a schema must be a mapping or JSON text, not {type(description).__name__}; Schema.from_file reads a file")
        text = description if isinstance(description, str) else json.dumps(_named(description))
        self._handle = _core.schema_parse(text)
        self._text = text
        self.notes: tuple[str, ...] = ()

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, allow_outside: bool = False) -> Schema:
        """Read a JSON file. ``allow_outside``: a package may name files outside its folder."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        # For a package this also reads the keys of public tables.
        return cls(_core.schema_read(os.fspath(path), allow_outside) if is_package(text) else text)

    @classmethod
    def from_dtypes(
        cls,
        frame: Any,
        *,
        bounds: Mapping[Any, tuple[Any, Any]] | None = None,
        categories: Mapping[Any, Sequence[Any]] | None = None,
        label: Any = None,
        unit: Any = None,
        per_unit: Iterable[Any] = (),
        order: Any = None,
        max_rows_per_unit: int = 50,
    ) -> Schema:
        """A schema from the column names and dtypes of a pandas, polars or pyarrow frame. It looks at no value.

        The dtype of a boolean is enough, and so is that of a category with levels (pandas, ``polars.Enum``). A dtype that cannot
        hold missing values makes a required column. Numbers and dates need ``bounds``, {"age": (0, 120)}, and texts need
        ``categories``, {"town": ["Ayr", "Bath"]}. Take them from public knowledge, not from the records. Also pass
        ``categories`` if ``astype("category")`` took the levels from the values: such levels are facts about records.
        ``label`` is the column that holds the class, or the number to predict.

        If a person can have several rows: ``unit`` is the column that identifies the person, ``per_unit`` lists the columns that
        are constant for a person, and ``order`` is the column that orders a person's rows, which then has no missing values. At
        most ``max_rows_per_unit`` rows of a person count.
        """
        known = frame_of(frame)
        if known is None:
            raise TypeError(f"from_dtypes() needs a frame of pandas, polars or pyarrow, not {type(frame).__name__}")
        labels = {column.label for column in known.columns}
        for given, what in ((bounds, "bounds"), (categories, "categories")):
            for name in given or {}:
                if name not in labels:
                    raise OptionError(f"{what}: the frame has no column {name!r}")
        of_person = [per_unit] if isinstance(per_unit, str) else list(per_unit)
        for what, names in (("unit", [unit]), ("order", [order]), ("per_unit", of_person), ("label", [label])):
            for name in names:
                if name is not None and name not in labels:
                    raise OptionError(f"{what}: the frame has no column {name!r}")
        if unit is None and (of_person or order is not None):
            raise OptionError("per_unit and order need unit, the column that identifies the person")
        fields = [
            {"name": str(unit), "semblance": {"role": "id"}}
            if unit is not None and column.label == unit
            else field(known, column, (bounds or {}).get(column.label), (categories or {}).get(column.label))
            for column in known.columns
        ]
        needed = [
            f"{what} of " + ", ".join(repr(column.label) for column, made in zip(known.columns, fields) if made == what)
            for what in ("bounds", "categories")
            if what in fields
        ]
        if needed:
            raise SchemaError(
                f"the dtypes do not contain the {' and the '.join(needed)}: pass them as "
                + " and ".join(what.split()[0] + "={...}" for what in needed)
            )
        made: dict[Any, dict[str, Any]] = {column.label: one for column, one in zip(known.columns, fields) if isinstance(one, dict)}
        own: dict[str, Any] = {}
        if label is not None:
            number = "minimum" in made[label].get("constraints", {})
            own.update(label=str(label), task="regression" if number else "classification")
        if unit is not None:
            own.update(unit=str(unit), max_rows_per_unit=max_rows_per_unit)
        for name in of_person:
            made[name].setdefault("semblance", {})["per"] = "unit"
        if order is not None:
            own["order"] = str(order)
            made[order].setdefault("constraints", {})["required"] = True
        described = {"fields": fields, "missingValues": [""], **({"semblance": own} if own else {})}
        return cls(described)

    guess = Renamed("inspect")

    @classmethod
    def inspect(cls, data: Any) -> Schema:
        """A draft of a schema, read from a table, or of a package, read from several. NOT PRIVATE: its bounds and categories are facts about records.

        A dict of tables by name, ``{"patients": frame, "visits": frame}``, gives a package. Keys are found by their values, and ``notes``
        says why.

        Replace them with public knowledge before you use it: call ``to_dict()``, edit, ``Schema(...)``, then ``accept()``.
        If a dtype of a frame has levels, they are used, even those that no row has.

        ``notes`` names what to check and the columns that are ignored; each note is also a warning. ``proposals`` lists what else
        it found: the column that identifies the person, columns that are constant for a person, the order of rows, ids,
        constraints and spikes.
        """
        several = isinstance(data, Mapping) and not hasattr(data, "__arrow_c_stream__")
        text, notes = _core.data_inspect(linked(data) if several else table_of(data))
        warnings.warn(
            "an inspected schema holds facts about the records: it is NOT PRIVATE until you have edited and accepted it",
            NotPrivateWarning,
            stacklevel=2,
        )
        read = json.loads(text)
        made = cls(json.dumps(_linked_by_dtypes(read, data) if several else _by_dtypes(read, data)))
        made.notes = tuple((notes or "").splitlines())
        for note in made.notes:  # such as a column that is ignored
            warnings.warn(note, NotPrivateWarning, stacklevel=2)
        return made

    def check(self, data: Any) -> str:
        """How many cells do not match the schema, and how many rows break its constraints. NOT PRIVATE: these are counts of records."""
        return _core.data_check(table_of(data), self._handle)

    @property
    def proposals(self) -> tuple[str, ...]:
        """What ``inspect`` found and leaves to you, in the order of their numbers. NOT PRIVATE."""
        found = self.to_dict().get("semblance", {}).get("proposals", [])
        return tuple(f"{one['kind']}: {one['words']}" for one in found)

    def accept(self, take: str | int | Iterable[int | str] = "none") -> Schema:
        """Declare that everything in the schema is public. Until then, a fit warns. Returns a new schema.

        ``take`` chooses the ``proposals`` that become part of it: "all", "none", or one or more numbers (from 1) and kinds.
        """
        from ._files import as_file

        chosen = str(take) if isinstance(take, (str, int)) else ",".join(str(one) for one in take) or "none"
        with as_file(self._text, "schema.json") as path:
            return Schema(_core.schema_accept_file(path, chosen))

    def to_dict(self) -> dict[str, Any]:
        """The schema as it was given, for editing."""
        made: dict[str, Any] = json.loads(self._text)
        return made

    def to_json(self) -> str:
        """The schema in its canonical form, on one line: the same facts give the same text."""
        return _core.schema_json(self._handle)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, which the program can read."""
        with open(path, "x", encoding="utf-8") as file:
            json.dump(self.to_dict(), file, indent=2, ensure_ascii=False)
            file.write("\n")

    @property
    def columns(self) -> list[str]:
        """The column names."""
        return [str(field["name"]) for field in self.to_dict().get("fields", [])]

    @property
    def tables(self) -> list[str]:
        """The names of linked tables, parents before their children; none for a single table."""
        return [str(one["name"]) for one in _resources(self._own())]

    @property
    def label(self) -> str | None:
        """The column that holds the class, or the number to predict; None if there is none."""
        found = self.to_dict().get("semblance", {}).get("label")
        return None if found is None else str(found)

    def _own(self) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(self.to_json())
        return made

    @property
    def unit(self) -> str | None:
        """The column that identifies the person; None: every row is a person."""
        found = self._own().get("semblance", {}).get("unit")
        return None if found is None else str(found)

    @property
    def max_rows_per_unit(self) -> int | None:
        """The number of rows of a person that count at most; None: every row is a person."""
        own = self._own()
        below = [one["schema"] for one in _resources(own) if _foreign(one["schema"])]
        if below:  # linked tables: all below the root
            return sum(int(one["semblance"]["max_rows_per_unit"]) for one in below)
        found = own.get("semblance", {}).get("max_rows_per_unit")
        return None if found is None else int(found)

    @property
    def per_unit(self) -> list[str]:
        """The columns that are constant for a person."""
        return [str(one["name"]) for one in self._own().get("fields", []) if one.get("semblance", {}).get("per") == "unit"]

    @property
    def order(self) -> str | None:
        """The column that orders the rows of a person; None: the order in the data."""
        found = self._own().get("semblance", {}).get("order")
        return None if found is None else str(found)

    def __repr__(self) -> str:
        if self.tables:
            return f"<semblance.Schema of {len(self.tables)} linked tables>"
        label = f", label {self.label!r}" if self.label else ""
        return f"<semblance.Schema of {len(self.columns)} columns{label}>"

    def _repr_html_(self) -> str:
        parts = _resources(self.to_dict()) or [{"schema": self.to_dict()}]
        tables = "".join(_table(str(part.get("name", "")), part.get("schema") or {}) for part in parts)
        inspected = any(_is_inspected(part.get("schema") or {}) for part in parts)
        warning = "<p><b>NOT PRIVATE</b>: bounds and categories were read from the records</p>" if inspected else ""
        return f"<div>{warning}{tables}</div>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[type[Schema], tuple[str]]:
        return (Schema, (self._text,))
