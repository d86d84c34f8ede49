# SPDX-License-Identifier: Apache-2.0
"""A synthesizer for SDGym: the two functions that SDGym needs, and the class that it makes from them.

    from semblance.sdgym import synthesizer
    sdgym.benchmark_single_table(custom_synthesizers=[synthesizer(epsilon=1)])

The metadata of SDGym has types but no bounds. So a part of the budget discovers the schema, unless ``schema=`` is given. Id columns
are not fitted, and the sample numbers them from 0. SDV 2 passes a dict of frames, even for one table, and gets such a dict back.
Several tables need a package as schema (docs/LINKED.md).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from ._errors import OptionError
from ._synthesizer import Synthesizer

__all__ = ["get_trained_synthesizer", "sample_from_synthesizer", "synthesizer"]


def _columns(metadata: Any) -> dict[str, Any]:
    """The columns in the metadata of one table: a dict, or an object with ``to_dict``."""
    found = metadata if isinstance(metadata, Mapping) else metadata.to_dict()
    if "tables" in found:
        (found,) = found["tables"].values()
    columns: dict[str, Any] = dict(found["columns"])
    return columns


def get_trained_synthesizer(data: Any, metadata: Any, **parameters: Any) -> dict[str, Any]:
    """Fit a pandas frame, or a dict of frames as SDV 2 passes it."""
    if isinstance(data, Mapping) and len(data) != 1:
        if parameters.get("schema") is None:
            raise OptionError("several tables need a package as schema: pass schema=")
        return {"synthesizer": Synthesizer(**parameters).fit(dict(data)), "names": None}
    table = next(iter(data)) if isinstance(data, Mapping) else None
    frame = data if table is None else data[table]
    names, columns = [*frame.columns], _columns(metadata)
    ids = [name for name in names if columns.get(name, {}).get("sdtype") == "id"]
    fitted = Synthesizer(**parameters).fit(frame.drop(columns=ids))
    return {"synthesizer": fitted, "names": names, "ids": ids, "table": table}


def sample_from_synthesizer(trained: Mapping[str, Any], n: float) -> Any:
    """n rows as a pandas frame with the columns of the fitted one, or as a dict of it. For several tables, n scales the number of persons."""
    fitted = trained["synthesizer"]
    if trained["names"] is None:
        return fitted.sample(persons=max(1, round(n * fitted.n_))).to_pandas()
    # SDGym asks for len(data) rows, which for a dict is the number of tables.
    rows = fitted.n_ if trained["table"] is not None and n == 1 else n
    frame = fitted.sample(rows).to_pandas()
    for name in trained["ids"]:
        frame[name] = range(len(frame))
    frame = frame.reindex(columns=trained["names"])
    return frame if trained["table"] is None else {trained["table"]: frame}


def synthesizer(name: str = "Semblance", *, tables: bool = False, **parameters: Any) -> Any:
    """The class that SDGym runs. ``tables=True`` is for its benchmarks of several tables. Needs sdgym."""
    sdgym = importlib.import_module("sdgym")
    create = sdgym.create_multi_table_synthesizer if tables else sdgym.create_single_table_synthesizer
    return create(
        display_name=name,
        get_trained_synthesizer_fn=lambda data, metadata: get_trained_synthesizer(data, metadata, **parameters),
        sample_from_synthesizer_fn=sample_from_synthesizer,
    )
