# SPDX-License-Identifier: Apache-2.0
"""The guarantee of a fit, in numbers and in words."""

from __future__ import annotations

import json
import os
from html import escape
from typing import Any

from . import _core
from ._files import as_file

__all__ = ["Certificate"]


class Certificate:
    """The certificate of a fit. The constructor verifies that every number follows from the mechanisms that it lists."""

    holds: bool  #: False: nothing is guaranteed
    epsilon: float  #: at ``delta``, over all releases of the ledger; rounded up
    delta: float  #: 0 for pure releases
    mu: float  #: of Gaussian differential privacy; 0 without a Gaussian release
    epsilon_of_run: float  #: for the releases of this run only
    neighbours: str  #: "replace-one" or "add-remove"
    n: int  #: the public number of records; 0 if it is private
    releases: int  #: the number of releases of this run
    others: int  #: the number of other releases in the ledger
    run_only: bool  #: the ledger was made for this run, and the cost of other runs is not included
    images: bool  #: False: a table
    method: str
    trained_on: str  #: the device that trained a network, such as "cpu"; "" if nothing was trained or the device is unknown
    statement: str  #: the guarantee in words

    def __init__(self, text: str) -> None:
        facts, self.statement = _core.certificate_read(text)
        self._text = text
        for name, value in facts.items():
            setattr(self, name, value)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a file that the program or ``save`` wrote."""
        with open(path, encoding="utf-8") as file:
            return cls(file.read())

    def to_json(self) -> str:
        """The certificate, byte for byte."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The certificate as a dict (docs/FORMATS.md)."""
        made: dict[str, Any] = json.loads(self._text)
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, which ``semblance verify`` can check."""
        with open(path, "x", encoding="utf-8", newline="") as file:
            file.write(self._text)

    def verify(
        self,
        *,
        ledger: str | os.PathLike[str] | None = None,
        model: str | os.PathLike[str] | None = None,
        output: str | os.PathLike[str] | None = None,
        schema: str | os.PathLike[str] | None = None,
        key: str | os.PathLike[str] | None = None,
        signature: str | os.PathLike[str] | None = None,
    ) -> str:
        """Recompute every number and compare the certificate with the files. Returns the statement; raises CertificateError.

        ``key`` is a public Ed25519 key in PEM, and ``signature`` the file that ``sign`` or ``semblance sign`` wrote."""

        def name(path: str | os.PathLike[str] | None) -> str | None:
            return None if path is None else os.fspath(path)

        if (key is None) != (signature is None):
            raise ValueError("pass key and signature together")
        with as_file(self._text, "certificate.json") as path:
            return _core.certificate_verify(
                path, name(ledger), name(model), name(output), name(schema), name(key), name(signature)
            )

    def sign(self, key: str | os.PathLike[str], signature: str | os.PathLike[str]) -> None:
        """Sign the certificate with a private Ed25519 key in PEM. Writes 64 bytes to a new file, as ``semblance sign`` does."""
        with as_file(self._text, "certificate.json") as path:
            _core.certificate_sign(path, os.fspath(key), os.fspath(signature))

    def _sentence(self) -> str:
        if not self.holds:
            return "guarantee: NONE"
        replace = self.neighbours == "replace-one"
        if "rows_per_unit" in self.to_dict()["guarantee"]:
            rows = "all rows of one person have other values" if replace else "all rows of one person are there or not"
        else:
            rows = "one row has another value" if replace else "one row is there or not"
        scope = "this run only" if self.run_only else "all releases of the ledger"
        return f"epsilon {self.epsilon:.6g} at delta {self.delta:.3g} ({rows}; {scope})"

    def __repr__(self) -> str:
        return f"<semblance.Certificate {self._sentence()}>"

    def __str__(self) -> str:
        return self.statement

    def _repr_html_(self) -> str:
        return (
            f"<p><b>Differentially private:</b> {escape(self._sentence())}, method {escape(self.method)}</p>"
            f"<details><summary>The guarantee in words</summary><pre>{escape(self.statement)}</pre></details>"
        )

    def __reduce__(self) -> tuple[type[Certificate], tuple[str]]:
        return (Certificate, (self._text,))
