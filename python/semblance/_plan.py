# SPDX-License-Identifier: Apache-2.0
"""What a fit would release, as a text, a dict, and a table for notebooks."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from ._show import html_details, html_table

__all__ = ["Plan"]


class Plan(str):
    """What a fit would release and how much noise it adds: a text to print. ``to_dict()`` gives the same as a dict."""

    _json: str

    def to_dict(self) -> dict[str, Any]:
        """The plan as a dict (docs/FORMATS.md)."""
        made: dict[str, Any] = json.loads(self._json)
        return made

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        plan = self.to_dict()
        rows = [
            (block.get("of") or block["name"], block["values"], f"{block['noise_deviation']:.4g}", f"{block['noise_share']:.3g}")
            for block in plan["blocks"]
        ]
        promise = f"epsilon {plan['epsilon']:g}, delta {plan['delta']:g}, {plan['neighbours']} neighbours, {plan['n']} {_records(plan)}"
        warned = "".join(f"<p><b>Warning:</b> {escape(line)}</p>" for line in plan.get("warnings", []))
        return (
            f"<div><p><b>Plan</b>: method {escape(plan['method'])}, {escape(promise)}</p>"
            f"{html_table(['sums of', 'values', 'noise (std)', 'noise over signal'], rows, _rounds(plan))}"
            f"<p>{escape(_estimate(plan))}</p>{warned}{html_details('The whole plan', str(self))}</div>"
        )


def _records(plan: dict[str, Any]) -> str:
    return "images" if plan["data"] == "images" else "records"


def _rounds(plan: dict[str, Any]) -> str:
    return "One release" if plan["rounds"] == 1 else f"The first of at most {plan['rounds']} releases"


def _estimate(plan: dict[str, Any]) -> str:
    """How long a fit takes, as a sentence."""
    found = plan.get("estimate")
    if found is None:
        return ""
    seconds = found["reading_seconds"] + found["fitting_seconds"]
    time = f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} minutes"
    return f"A fit takes about {time} with {found['threads']} threads and {max(1, round(found['bytes'] / 1e6))} MB of memory."
