"""Packages that only some of this package stands on."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["arrow", "needed"]


def arrow(engine: str = "semblance.distributed") -> Any:
    """pyarrow, or one line that says what to install."""
    return needed("pyarrow", engine)


def needed(package: str, who: str) -> Any:
    """A package that an engine stands on, or one line that says what to install."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise ModuleNotFoundError(f"{who} needs {package}: pip install {package.split('.')[0]}", name=package) from None
