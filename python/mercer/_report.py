# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_report.py - a model and its rows as one HTML page."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _engine
from ._rows import label_names, numbers_of, rows_of
from ._settings import settings


def _rows_with_targets(model: Any, X: Any, y: Any, queries: Any = None,
                       sample_weight: Any = None) -> _engine.Data:
    data = rows_of(X)
    data.column_names = list(model.engine.column_names)
    if y is not None and model.engine.labels:
        places = {name: place for place, name in enumerate(model.engine.labels)}
        codes = [places.get(name, -1) for name in label_names(list(y))]
        if -1 not in codes:
            data.set_classes(numbers_of(codes, "y", data.rows), model.engine.labels)
        elif model.machine != "one-class":  # whose rows may be called anything
            raise ValueError(f"y: row {codes.index(-1)} is of a class that the model does not have")
    elif y is not None:
        data.set_targets(numbers_of(y, "y", data.rows))
    if queries is not None:
        groups = np.unique(queries, return_inverse=True)[1]
        data.set_queries(numbers_of(groups, "queries", data.rows).astype(np.int64))
    if sample_weight is not None:
        data.set_weights(numbers_of(sample_weight, "sample_weight", data.rows))
    return data


def write_report(model: Any, X: Any = None, y: Any = None, *,
                 path: str | os.PathLike[str] = "report.html",
                 validation: tuple[Any, ...] | None = None, sample_weight: Any = None,
                 queries: Any = None, refits: bool = False, verify: bool = True, title: str = "", seed: int = 0,
                 n_jobs: int | None = None) -> dict[str, Any]:
    """Writes a page about a :class:`mercer.Model` and returns its numbers.

    Parameters
    ----------
    X, y : the training rows, or others; without them the page tells what the model alone does
    path : the HTML file to write. It needs no other file and no network.
    validation : (X, y) of rows that did not train; (X, y, queries) of a ranking
    sample_weight : the weights that trained the model; its certificate needs them
    queries : of a ranking, a value per row: rows of one value are compared
    refits : train again for the learning curve and the gap over time, about five trainings
    verify : recompute the certificate when X, y are the training rows
    title : heading of the page
    seed : of the bootstrap and of what is shuffled

    Returns
    -------
    dict : what ``mercer report --json`` prints: every number of the page, with intervals
    """
    data = None if X is None else _rows_with_targets(model, X, y, queries, sample_weight)
    others = None if validation is None else _rows_with_targets(model, *validation)
    page, numbers = _engine.report(model.engine, data, others,
                                   {"title": title, "verify": bool(verify), "refits": bool(refits)},
                                   settings(n_jobs, seed=seed))
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)
    return json.loads(numbers)
