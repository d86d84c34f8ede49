# SPDX-License-Identifier: Apache-2.0
"""Optional packages."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["arrow", "needed"]


def arrow(engine: str = "semblance.distributed") -> Any:
    """pyarrow, or an error that says what to install."""
    return needed("pyarrow", engine)


def needed(package: str, who: str) -> Any:
    """An optional package, or an error that says what to install."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise ModuleNotFoundError(f"{who} needs {package}: pip install {package.split('.')[0]}", name=package) from None
