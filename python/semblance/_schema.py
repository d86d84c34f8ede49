"""What is publicly known of a table: names, types, bounds and categories of its columns, and the label."""

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
    """Column labels that are not text, such as the numbers of a frame's columns, become texts."""
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
    """An inspection, but for the columns that a frame's dtypes know."""
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
    """Is it of linked tables: a mapping with resources, or such a JSON text?"""
    if isinstance(description, str) and description.lstrip().startswith("{"):
        try:
            description = json.loads(description)
        except ValueError:
            return False  # which the library says
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
    """A package whose fields list the keys of public tables that they name. Those are public, as the package says."""
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
        raise SchemaError(f"the public table {name!r} needs a primaryKey of one field")
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
    return ", ".join(roles + (["the same in all rows of a person"] if own.get("per") == "unit" else []))


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
    """A Table Schema (https://datapackage.org/standard/table-schema/), checked; or a Data Package of several, of linked tables.

    ``Schema(description)`` takes a mapping, or JSON text; ``Schema.from_file`` a file; ``Schema.from_dtypes`` the dtypes of
    a frame and the bounds that you know; ``Schema.inspect`` reads a first one off a table, for you to edit. A schema does not change once it is made.
    """

    def __init__(self, description: Mapping[str, Any] | str) -> None:
        if not isinstance(description, (str, Mapping)):
            raise TypeError(f"a schema is a mapping or JSON text, not {type(description).__name__}; Schema.from_file reads a file")
        text = description if isinstance(description, str) else json.dumps(_named(description))
        self._handle = _core.schema_parse(text)
        self._text = text
        self.notes: tuple[str, ...] = ()

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, allow_outside: bool = False) -> Schema:
        """The schema that a JSON file holds. ``allow_outside``: a package may name files outside of its folder."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        # Of a package the keys of public tables are read, too.
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
        """A schema from the names and dtypes of a frame of pandas, polars or pyarrow, without a look at any value.

        Booleans, and categories whose dtype has the levels (pandas, ``polars.Enum``), are known from it; a dtype that
        cannot hold missing values makes a column that has none. Numbers and dates need ``bounds``, {"age": (0, 120)}, and
        texts need ``categories``, {"town": ["Ayr", "Bath"]}: what anyone may know, not what the records hold. So do levels
        that ``astype("category")`` took from the values: they are facts about records. ``label`` is the column by
        which classes are told apart, or a number to be predicted.

        Where a person may own several rows, ``unit`` is the column that says whose row it is, ``per_unit`` are columns
        that are the same in all rows of a person, ``order`` is the one that orders them (of which no value is missing
        then), and at most ``max_rows_per_unit`` rows of a person count.
        """
        known = frame_of(frame)
        if known is None:
            raise TypeError(f"a frame of pandas, polars or pyarrow has dtypes, and {type(frame).__name__} is none")
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
            raise OptionError("per_unit and order need unit: the column that says whose row it is")
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
                f"dtypes do not tell the {' and the '.join(needed)}: pass them as "
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
        """A first schema, read off a table, or a package, read off several. NOT PRIVATE: its bounds and categories are facts about records.

        A dict of tables by their names, ``{"patients": frame, "visits": frame}``, gives a package: keys are found by their values, and ``notes``
        says why.

        What the dtypes of a frame say (booleans, levels of categories, also those that no row has) is taken from them.

        Replace them with public knowledge before you use it: ``to_dict()``, edit, ``Schema(...)``, ``accept()``.
        ``notes`` says what to look at, and which columns are ignored, and is warned of; ``proposals`` what else it saw: whose row it is, what is the
        person's, what orders rows, ids, constraints, spikes.
        """
        several = isinstance(data, Mapping) and not hasattr(data, "__arrow_c_stream__")
        text, notes = _core.data_inspect(linked(data) if several else table_of(data))
        warnings.warn(
            "an inspected schema holds facts about the records: NOT PRIVATE until you have edited and accepted it",
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
        """Cells of the table that do not fit the schema, and rows that break its rules. NOT PRIVATE: counts of records."""
        return _core.data_check(table_of(data), self._handle)

    @property
    def proposals(self) -> tuple[str, ...]:
        """What ``inspect`` saw and leaves to you, in words, in the order of their numbers. NOT PRIVATE."""
        found = self.to_dict().get("semblance", {}).get("proposals", [])
        return tuple(f"{one['kind']}: {one['words']}" for one in found)

    def accept(self, take: str | int | Iterable[int | str] = "none") -> Schema:
        """The schema of an owner who says that what was read from the records is public: without that, a fit warns.

        ``take`` says which ``proposals`` become a part of it: "all", "none", or numbers (from 1) and kinds, one or several.
        """
        from ._files import as_file

        chosen = str(take) if isinstance(take, (str, int)) else ",".join(str(one) for one in take) or "none"
        with as_file(self._text, "schema.json") as path:
            return Schema(_core.schema_accept_file(path, chosen))

    def to_dict(self) -> dict[str, Any]:
        """As it was given: to be edited and made a schema again."""
        made: dict[str, Any] = json.loads(self._text)
        return made

    def to_json(self) -> str:
        """What it means, on one line: the same facts give the same text."""
        return _core.schema_json(self._handle)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as a file that the program reads, too."""
        with open(path, "x", encoding="utf-8") as file:
            json.dump(self.to_dict(), file, indent=2, ensure_ascii=False)
            file.write("\n")

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return [str(field["name"]) for field in self.to_dict().get("fields", [])]

    @property
    def tables(self) -> list[str]:
        """The names of linked tables, parents before their children; none for a single table."""
        return [str(one["name"]) for one in _resources(self._own())]

    @property
    def label(self) -> str | None:
        """The column by which classes are told apart, where there is one."""
        found = self.to_dict().get("semblance", {}).get("label")
        return None if found is None else str(found)

    def _own(self) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(self.to_json())
        return made

    @property
    def unit(self) -> str | None:
        """The column that says whose row it is, where a person may own several."""
        found = self._own().get("semblance", {}).get("unit")
        return None if found is None else str(found)

    @property
    def max_rows_per_unit(self) -> int | None:
        """How many rows of a person count at most; None: a row is a person."""
        own = self._own()
        below = [one["schema"] for one in _resources(own) if _foreign(one["schema"])]
        if below:  # for linked tables, all below the root
            return sum(int(one["semblance"]["max_rows_per_unit"]) for one in below)
        found = own.get("semblance", {}).get("max_rows_per_unit")
        return None if found is None else int(found)

    @property
    def per_unit(self) -> list[str]:
        """The columns that are the same in all rows of a person."""
        return [str(one["name"]) for one in self._own().get("fields", []) if one.get("semblance", {}).get("per") == "unit"]

    @property
    def order(self) -> str | None:
        """The column that orders the rows of a person; None: they are in the order of reading."""
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
