# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_rows.py - arrays and tables of others as rows of the engine.

Dense float64 and float32 arrays in C order are read where they lie, and so are the values and
columns of CSR arrays of float64, whichever of scipy's two widths the columns have. Whatever else is
given is converted once; of CSR arrays with 32-bit offsets these, one number for each row.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _engine


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def _sparse_rows(X: Any) -> _engine.Data:
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    width = np.int32 if X.indices.dtype == np.int32 else np.int64
    return _engine.Data.csr(np.ascontiguousarray(X.data, dtype=np.float64),
                            np.ascontiguousarray(X.indices, dtype=width),
                            np.ascontiguousarray(X.indptr, dtype=np.int64), int(X.shape[1]))


def _dense_array(X: Any) -> np.ndarray:
    if type(X) is not np.ndarray:
        X = np.asarray(X)
    if X.dtype != np.float64 and X.dtype != np.float32:
        if X.dtype.kind not in "biufO":
            raise ValueError(f"X: got {X.dtype}, must be numbers")
        X = X.astype(np.float64)
    if X.ndim != 2:
        raise ValueError(f"X: got {X.ndim} dimensions, must have two: a row per sample")
    return X if X.flags.c_contiguous and X.flags.aligned else np.ascontiguousarray(X)


def rows_of(X: Any, *, checked: bool = False) -> _engine.Data:
    """Rows of the engine. ``checked``: the caller has refused what is not finite."""
    if _is_sparse(X):
        return _sparse_rows(X)
    return _engine.Data.dense(_dense_array(X), checked)


def column_names(X: Any) -> list[str]:
    """The names of a table's columns; none when it has none, or they are not all text."""
    names = getattr(X, "column_names", None)  # pyarrow's; its columns are the values
    names = getattr(X, "columns", None) if names is None else names
    if names is None or _is_sparse(X):
        return []
    names = list(names)
    return names if all(isinstance(name, str) for name in names) else []


def numbers_of(values: Any, name: str, rows: int) -> np.ndarray:
    """One finite float64 per row."""
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    if numbers.shape != (rows,):
        raise ValueError(f"{name}: got shape {numbers.shape}, must be one number for each of the "
                         f"{rows} rows")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name}: must be finite")
    return numbers


def label_names(classes: Sequence[Any]) -> list[str]:
    """What the engine calls the classes: numbers by their shortest text, all else as it is."""
    return [_engine.label_text(float(value)) if _is_double(value) else str(value)
            for value in classes]


def _is_double(value: Any) -> bool:
    """A number that a double holds: 2**53 + 1 would have the name of another class."""
    if isinstance(value, (int, np.integer)):
        return int(float(value)) == int(value)
    return isinstance(value, (float, np.floating, np.bool_))


def classes_of(names: Sequence[str]) -> np.ndarray:
    """The classes that names stand for: whole numbers, numbers, or the names themselves."""
    try:
        numbers = np.array([float(name) for name in names])
    except ValueError:
        return np.array(names)
    if np.isfinite(numbers).all() and (numbers == np.trunc(numbers)).all():
        return numbers.astype(np.int64)
    return numbers
