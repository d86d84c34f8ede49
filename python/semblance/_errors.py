"""What can go wrong, by kind. Messages name a file, column or option, never a value of the data."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

__all__ = [
    "BudgetError",
    "CertificateError",
    "EntropyError",
    "FileError",
    "InUseError",
    "InputError",
    "InternalError",
    "LedgerError",
    "NotFittedError",
    "NotPrivateWarning",
    "OptionError",
    "SchemaError",
    "SemblanceError",
    "SemblanceWarning",
    "Stopped",
]


class SemblanceError(Exception):
    """Every failure of the library. ``file`` is the file that it is about, where there is one."""

    file: str | None = None


class OptionError(SemblanceError, ValueError):
    """An argument or option is unknown, out of range, or not one of the method's."""


class InputError(SemblanceError, ValueError):
    """Data, a model or a release is not acceptable as a whole: a column is not there, a type has no meaning."""


class SchemaError(InputError):
    """A schema says something that cannot be, or the table clearly does not fit it."""


class LedgerError(InputError):
    """A ledger is damaged, or of another kind."""


class CertificateError(InputError):
    """A certificate does not hold."""


class NotFittedError(SemblanceError, ValueError, AttributeError):
    """There is no model yet: call fit() or load() first."""


class InUseError(SemblanceError, RuntimeError):
    """A synthesizer is being fitted, by another thread or by a call that this one is part of."""


class BudgetError(SemblanceError):
    """The ledger does not allow this release. Nothing was drawn, and nothing spent."""


class FileError(SemblanceError, OSError):
    """Reading or writing failed."""


class EntropyError(SemblanceError):
    """The system could not supply secure randomness."""


class InternalError(SemblanceError):
    """Something that must hold does not: please report it."""


class Stopped(SemblanceError):
    """The work was stopped on request."""


class SemblanceWarning(UserWarning):
    """What a run tells and need not stop for. Public: of the plan or of a release."""


class NotPrivateWarning(SemblanceWarning):
    """What is returned was computed from real records: for their owner's eyes."""


# How options were spelled once.
_RENAMED = {"engine": "duckdb", "driver": "adbc_driver"}


def unknown_option(name: str) -> OptionError:
    """One that no method and no kind of data has."""
    if name in _RENAMED:
        return OptionError(f"{name!r} is not an option (did you mean {_RENAMED[name]!r}?)")
    return OptionError(f"{name!r} is not an option; semblance.options() lists them")


class Renamed:
    """A member that has another name now."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self._words = f"{owner.__name__}.{name} is called {owner.__name__}.{self._name} now"

    def __get__(self, instance: object, owner: type | None = None) -> NoReturn:
        raise AttributeError(self._words)


_KINDS: dict[int, type[SemblanceError]] = {
    1: OptionError,
    2: InputError,
    3: BudgetError,
    4: FileError,
    6: EntropyError,
    7: InternalError,
    8: Stopped,
    9: InUseError,
}
_ABOUT: dict[str, type[InputError]] = {"schema": SchemaError, "ledger": LedgerError, "certificate": CertificateError}

# What there is to do, in the words of this package; by the names of sbl_hint (semblance/status.h).
_HINTS: dict[str, str] = {
    "OVERWRITE": "choose another name, or pass overwrite=True",
    "LEDGER_SHARE": "pass the same ledger to all",
    "LEDGER_MAKE": "make the ledger first: semblance.Ledger.create()",
    "TRAIN": "what was paid for is kept: .train() continues from it",
    "HEALTH": "compare schema and data (Schema.check), or pass health='tell'",
    "RESUME": "what was paid for is kept: .resume(data) continues from it",
    "WHERE": "see the conditions of where",
    "ROWS": "pass another number of rows",
    "CLASSES": "pass classes",
    "REAL_LABELS": "pass real_labels",
    "SYNTHETIC_LABELS": "pass synthetic_labels",
    "TRAIN_LABELS": "pass train_labels",
    "NO_MODELS": "pass models='none'",
    "TRAIN_SET": "pass train",
    "SCHEMA": "pass a schema, or a larger epsilon",
    "FILES": "name the files of the run",
    "DELTA": "pass a delta well below one in the number of records",
    "DELIMITER": "pass delimiter",
    "TAKE": "pass take: numbers, kinds, 'all' or 'none'",
    "LEDGER_UNIT": "pass another ledger: semblance.Ledger.create(max_rows_per_unit=...) makes one for persons",
    "ROWS_PER_PERSON": "say how many rows a person has",
    "PERSONS": "see the number of persons",
    "DUCKDB": "install duckdb or pyarrow, or pass duckdb",
    "COLUMNS": "pass columns, or a schema",
    "ONE_SITE": "declare that all rows of a person are at one site",
    "ADBC_DRIVER": "install it, or pass adbc_driver",
    "TABLE": "pass table",
    "ADD_REMOVE": "pass neighbours='add-remove'",
    "ONE_ROW": "pass one_row_per_person=True, or a schema with a unit",
    "LEDGER": "pass a ledger",
    "DEVICE": "pass device='cpu', or 'auto'",
    "OUTSIDE": "pass allow_outside=True",
    "DECIMAL": "pass decimal=',' or decimal='.'",
    "COMMAS": "fit anew with decimal=',' or thousands=',', or continue with decimal='.' and .resume(data)",
}
Made = TypeVar("Made")
_OURS = re.compile(r"semblance\._errors\.(\w+): ([^\n]*)")


def _ours(error: BaseException) -> SemblanceError | None:
    """The exception of this package that one of an engine carries, from a task: as what caused it, or in its words."""
    cause = getattr(error, "cause", None)  # of Ray
    if isinstance(cause, SemblanceError):
        return type(cause)(str(cause))
    found = _OURS.search(str(error))
    kind = globals().get(found[1]) if found is not None else None
    return kind(found[2]) if found is not None and isinstance(kind, type) and issubclass(kind, SemblanceError) else None


def hidden(what: str, call: Callable[..., Made], *arguments: Any) -> Made:
    """What the call gives. What a library raises may quote a record: an exception that says ``what`` failed takes its place,
    and none is chained to it. Those of this package, interrupts, missing packages and want of memory are passed on.
    """
    try:
        return call(*arguments)
    except (SemblanceError, ImportError, MemoryError):
        raise
    except Exception as error:
        try:
            carried = _ours(error)
        except Exception:  # of a __str__
            carried = None
    raise carried or InputError(f"{what} failed; the reason is not shown, because it may quote a record")


def make(status: int, message: str, hint: str | None, file: str, about: str) -> BaseException:
    """The exception of a failure; called by the C module."""
    if status == 5:
        return MemoryError(message)
    kind = _KINDS.get(status, InternalError)
    if kind is InputError:
        kind = SchemaError if hint == "HEALTH" else _ABOUT.get(about, InputError)
    words = f"{message}; {_HINTS[hint]}" if hint is not None else message
    error = kind(words)
    error.file = file or None
    return error
