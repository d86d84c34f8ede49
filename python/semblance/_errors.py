# SPDX-License-Identifier: Apache-2.0
"""Exceptions and warnings. Messages name a file, column or option, never a value of the data."""

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
    """The base of all exceptions of the package. ``file`` is the file that the message is about, or None."""

    file: str | None = None


class OptionError(SemblanceError, ValueError):
    """An argument or option is unknown, out of range, or does not apply to the method."""


class InputError(SemblanceError, ValueError):
    """Data, a model or a release cannot be used: a column does not exist, or a type is not supported."""


class SchemaError(InputError):
    """A schema is not valid, or the table clearly does not match it."""


class LedgerError(InputError):
    """A ledger is damaged, or does not apply to this data."""


class CertificateError(InputError):
    """A certificate is not valid, or does not match the files."""


class NotFittedError(SemblanceError, ValueError, AttributeError):
    """There is no model yet. Call fit() or load() first."""


class InUseError(SemblanceError, RuntimeError):
    """The synthesizer is being fitted by another thread, or by the call that runs this code."""


class BudgetError(SemblanceError):
    """The limit of the ledger does not allow this release. No noise was drawn, and nothing was spent."""


class FileError(SemblanceError, OSError):
    """A file could not be read or written."""


class EntropyError(SemblanceError):
    """The operating system did not supply secure randomness."""


class InternalError(SemblanceError):
    """A bug in Semblance. Please report it."""


class Stopped(SemblanceError):
    """The work was stopped on request."""


class SemblanceWarning(UserWarning):
    """A warning that does not stop a run. It is public: it follows from the plan or from a release."""


class NotPrivateWarning(SemblanceWarning):
    """The result was computed from real records. Only the owner of the data may see it."""


# Old names of options.
_RENAMED = {"engine": "duckdb", "driver": "adbc_driver"}


def unknown_option(name: str) -> OptionError:
    """The error for a name that is not an option."""
    if name in _RENAMED:
        return OptionError(f"{name!r} is not an option (did you mean {_RENAMED[name]!r}?)")
    return OptionError(f"{name!r} is not an option; semblance.options() lists them")


class Renamed:
    """A member that was renamed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self._words = f"{owner.__name__}.{name} was renamed: use {owner.__name__}.{self._name}"

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

# What to do about an error, in Python. The names are those of sbl_hint (semblance/status.h).
_HINTS: dict[str, str] = {
    "OVERWRITE": "choose another name, or pass overwrite=True",
    "LEDGER_SHARE": "pass the same ledger to all of them",
    "LEDGER_MAKE": "create the ledger first with semblance.Ledger.create()",
    "TRAIN": "what was paid for is kept; .train() continues from it",
    "HEALTH": "compare the schema with the data (Schema.check), or pass health='tell'",
    "RESUME": "what was paid for is kept; .resume(data) continues from it",
    "WHERE": "change the conditions of where",
    "ROWS": "pass another number of rows",
    "CLASSES": "pass classes=",
    "REAL_LABELS": "pass real_labels=",
    "SYNTHETIC_LABELS": "pass synthetic_labels=",
    "TRAIN_LABELS": "pass train_labels=",
    "NO_MODELS": "pass models='none'",
    "TRAIN_SET": "pass train=",
    "SCHEMA": "pass a schema, or a larger epsilon",
    "FILES": "pass the files of the run",
    "DELTA": "pass a delta well below 1/n, where n is the number of records",
    "DELIMITER": "pass delimiter=",
    "TAKE": "pass take=, with numbers, kinds, 'all' or 'none'",
    "LEDGER_UNIT": "pass another ledger: semblance.Ledger.create(max_rows_per_unit=...) makes one for persons",
    "ROWS_PER_PERSON": "pass the number of rows that a person may have",
    "PERSONS": "pass another number of persons",
    "DUCKDB": "install duckdb or pyarrow, or pass duckdb=",
    "COLUMNS": "pass columns=, or a schema",
    "ONE_SITE": "declare that all rows of a person are at one site",
    "ADBC_DRIVER": "install it, or pass adbc_driver=",
    "TABLE": "pass table=",
    "ADD_REMOVE": "pass neighbours='add-remove'",
    "ONE_ROW": "pass one_row_per_person=True, or a schema with a unit",
    "LEDGER": "pass a ledger",
    "DEVICE": "pass device='cpu', or 'auto'",
    "OUTSIDE": "pass allow_outside=True",
    "DECIMAL": "pass decimal=',' or decimal='.'",
    "COMMAS": "fit again with decimal=',' or thousands=',', or continue with decimal='.' and .resume(data)",
}
Made = TypeVar("Made")
_OURS = re.compile(r"semblance\._errors\.(\w+): ([^\n]*)")


def _ours(error: BaseException) -> SemblanceError | None:
    """The exception of this package that an engine's exception carries from a task: as its cause, or in its text."""
    cause = getattr(error, "cause", None)  # of Ray
    if isinstance(cause, SemblanceError):
        return type(cause)(str(cause))
    found = _OURS.search(str(error))
    kind = globals().get(found[1]) if found is not None else None
    return kind(found[2]) if found is not None and isinstance(kind, type) and issubclass(kind, SemblanceError) else None


def hidden(what: str, call: Callable[..., Made], *arguments: Any) -> Made:
    """Make the call and hide the exceptions of other libraries, which may quote a record.

    They are replaced by one that says ``what`` failed, without a chain. Exceptions of this package, interrupts, missing
    packages and a lack of memory pass.
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
    """Make the exception of a failure. The C module calls this."""
    if status == 5:
        return MemoryError(message)
    kind = _KINDS.get(status, InternalError)
    if kind is InputError:
        kind = SchemaError if hint == "HEALTH" else _ABOUT.get(about, InputError)
    words = f"{message}; {_HINTS[hint]}" if hint is not None else message
    error = kind(words)
    error.file = file or None
    return error
