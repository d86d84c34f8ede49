# SPDX-License-Identifier: Apache-2.0
"""A read-only dict of columns whose values are drawn when they are needed.

It is a dict, because ``pandas.DataFrame`` reads column names from a dict and from no other mapping. Everything that a dict would
answer from its own storage, which stays empty, is answered here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

__all__ = ["Columns"]


class Columns(dict[str, list[Any]]):
    """Column names and their values. ``len`` is the number of rows, as of a DataFrame."""

    def __init__(self) -> None:
        super().__init__()
        self._drawn: dict[str, list[Any]] | None = None

    @property
    def columns(self) -> list[str]:
        """The column names."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, list[Any]]:
        """Draw all rows."""
        raise NotImplementedError

    def _kept(self) -> dict[str, list[Any]]:
        """All rows, drawn once: a reader of columns asks for one after the other."""
        if self._drawn is None:
            self._drawn = self.to_dict()
        return self._drawn

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self:
            raise KeyError(name)
        return [*self._kept()[name]]

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self._kept().values()), []))

    def keys(self) -> Any:
        return dict.fromkeys(self.columns).keys()

    def values(self) -> Any:
        return self.copy().values()

    def items(self) -> Any:
        return self.copy().items()

    def copy(self) -> dict[str, list[Any]]:
        return {name: [*values] for name, values in self._kept().items()}

    def _refuse(self, *unused: Any, **others: Any) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be changed: edit what to_dict() returns")

    __setitem__ = __delitem__ = __or__ = __ror__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: pickle its Synthesizer, or what to_dict() returns")

    def __copy__(self) -> Columns:
        return self

    def __deepcopy__(self, memo: Any) -> Columns:
        return self

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = object.__hash__  # type: ignore[assignment]
