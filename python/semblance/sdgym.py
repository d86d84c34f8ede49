"""For SDGym: a pair of functions of the shape that it asks of a synthesizer, and the class that it makes of them.

    from semblance.sdgym import synthesizer
    sdgym.benchmark_single_table(custom_synthesizers=[synthesizer(epsilon=1)])

The metadata of SDGym has types and no bounds, so the schema is discovered with the same budget. Columns that it calls ids
are not fitted; they are numbered afresh in what is drawn.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from ._synthesizer import Synthesizer

__all__ = ["get_trained_synthesizer", "sample_from_synthesizer", "synthesizer"]


def _columns(metadata: Any) -> dict[str, Any]:
    """Of a dict, or of an object that becomes one; of one table, or of several of which there is one."""
    found = metadata if isinstance(metadata, Mapping) else metadata.to_dict()
    if "tables" in found:
        (found,) = found["tables"].values()
    columns: dict[str, Any] = dict(found["columns"])
    return columns


def get_trained_synthesizer(data: Any, metadata: Any, **parameters: Any) -> dict[str, Any]:
    """Fit a pandas frame."""
    names = [*data.columns]
    columns = _columns(metadata)
    ids = [name for name in names if columns.get(name, {}).get("sdtype") == "id"]
    fitted = Synthesizer(**parameters).fit(data.drop(columns=ids))
    return {"synthesizer": fitted, "names": names, "ids": ids}


def sample_from_synthesizer(trained: Mapping[str, Any], n: int) -> Any:
    """n rows as a pandas frame with the columns of the fitted one."""
    frame = trained["synthesizer"].sample(n).to_pandas()
    for name in trained["ids"]:
        frame[name] = range(n)
    return frame.reindex(columns=trained["names"])


def synthesizer(name: str = "Semblance", **parameters: Any) -> Any:
    """The class that SDGym runs; needs sdgym."""
    sdgym = importlib.import_module("sdgym")
    return sdgym.create_single_table_synthesizer(
        display_name=name,
        get_trained_synthesizer_fn=lambda data, metadata: get_trained_synthesizer(data, metadata, **parameters),
        sample_from_synthesizer_fn=sample_from_synthesizer,
    )
