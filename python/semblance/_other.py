# SPDX-License-Identifier: Apache-2.0
"""Another project's package of the same name."""

from __future__ import annotations

import warnings
from importlib import metadata

__all__ = ["warn"]

OURS = "semblance-dp"


def warn() -> None:
    """Warn where the distribution ``semblance`` is installed: its files lie in the folder of this package, over ours or under them."""
    try:
        other = metadata.version("semblance")
    except metadata.PackageNotFoundError:
        return
    warnings.warn(
        f"the distribution 'semblance' {other}, another project, shares a folder with {OURS}, and each may have lost files: "
        f"run 'pip uninstall semblance {OURS}', then 'pip install {OURS}'",
        RuntimeWarning,
        stacklevel=3,
    )
