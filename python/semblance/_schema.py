"""What is publicly known of a table: names, types, bounds and categories of its columns, and the label."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import Any

from . import _core
from ._data import is_path, table
from ._errors import NotPrivateWarning

__all__ = ["Schema"]


class Schema:
    """A Table Schema (https://datapackage.org/standard/table-schema/), checked.

    ``Schema(description)`` takes a mapping, or JSON text; ``Schema.from_file`` a file; ``Schema.guess`` reads a first one
    off a table, for you to edit. A schema does not change once it is made.
    """

    def __init__(self, description: Mapping[str, Any] | str) -> None:
        text = description if isinstance(description, str) else json.dumps(description)
        self._handle = _core.schema_parse(text)
        self._text = text
        self.notes: tuple[str, ...] = ()

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Schema:
        """The schema that a JSON file holds."""
        with open(path, encoding="utf-8") as file:
            return cls(file.read())

    @classmethod
    def guess(cls, data: Any) -> Schema:
        """A first schema, read off a table. NOT PRIVATE: its bounds and categories are facts about records.

        Put what is known anyway in their place before you use it: ``to_dict()``, edit, ``Schema(...)``. ``notes`` says
        what to look at.
        """
        text, notes = _core.schema_guess_file(os.fspath(data)) if is_path(data) else _core.data_guess(table(data))
        warnings.warn(
            "a guessed schema holds facts about the records: NOT PRIVATE until you have edited it",
            NotPrivateWarning,
            stacklevel=2,
        )
        made = cls(text)
        made.notes = tuple((notes or "").splitlines())
        return made

    def check(self, data: Any) -> str:
        """What the table holds that the schema does not foresee, and rows that break its rules. NOT PRIVATE: counts of records."""
        if is_path(data):
            from ._files import as_file

            with as_file(self._text, "schema.json") as path:
                return _core.schema_check_file(path, os.fspath(data))
        return _core.data_check(table(data), self._handle)

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
    def label(self) -> str | None:
        """The column by which classes are told apart, where there is one."""
        found = self.to_dict().get("semblance", {}).get("label")
        return None if found is None else str(found)

    def __repr__(self) -> str:
        label = f", label {self.label!r}" if self.label else ""
        return f"<semblance.Schema of {len(self.columns)} columns{label}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[type[Schema], tuple[str]]:
        return (Schema, (self._text,))
