# SPDX-License-Identifier: Apache-2.0
"""Replicates: several synthetic tables, each from its own draw of the posterior, for valid confidence intervals."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, overload

from . import _core
from ._certificate import Certificate
from ._sample import LinkedSample, Model, Sample

__all__ = ["Replicates"]

_Table: TypeAlias = "Sample | LinkedSample"


class Replicates(Sequence["Sample | LinkedSample"]):
    """Synthetic tables to run the same analysis on, one after the other. Combined, their results have a valid confidence interval.

    It is a sequence of Samples or, for linked tables, of LinkedSamples. Each has its own model, which is drawn from the posterior
    given the releases when it is first used, at no cost in privacy. An analysis of a single one has an interval that is too short.
    """

    def __init__(
        self, handle: _core._Replicates, count: int, fitted: Model, draw: Callable[[Model, int], _Table], certificate: Certificate | None
    ) -> None:
        self._handle, self._count, self._fitted, self._draw = handle, count, fitted, draw
        self._models: list[Model] = []
        self._lock = threading.Lock()
        self.certificate = certificate

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> _Table: ...
    @overload
    def __getitem__(self, index: slice) -> list[_Table]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        i = operator.index(index)
        if not -self._count <= i < self._count:
            raise IndexError(f"there are {self._count} replicates, from 0 to {self._count - 1}")
        return self._draw(self._model(i % self._count), i % self._count)

    def _model(self, i: int) -> Model:
        """Model i, and those before it."""
        with self._lock:
            while len(self._models) <= i:
                model = Model()
                _core.replicates_next(self._handle, model.handle)
                model.frame, model.frames = self._fitted.frame, self._fitted.frames
                self._models.append(model)
            return self._models[i]

    def __repr__(self) -> str:
        promise = "" if self.certificate is None else f", {self.certificate._sentence()}"
        return (
            f"<semblance.Replicates: {self._count} synthetic tables for confidence intervals; run the same analysis on each "
            f"and combine the results{promise}>"
        )
