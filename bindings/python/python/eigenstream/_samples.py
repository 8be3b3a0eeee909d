"""Converts samples to the form that the compiled part needs: two dimensions, one number type, contiguous rows.

An array that already has this form is not copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def _with_nan(samples: Any) -> Any:
    """Returns the numbers of a DataFrame, a Series or an array of pandas that has a nullable number type; pd.NA becomes NaN.

    Other samples are returned as they are. pandas is not imported: its nullable types have the `kind` of a number and are no
    types of numpy.
    """
    columns: Any = getattr(samples, "dtypes", None)
    types = list(columns) if getattr(columns, "ndim", 0) == 1 else [getattr(samples, "dtype", None)]
    is_nullable = any(not isinstance(each, np.dtype) for each in types)
    if is_nullable and all(getattr(each, "kind", "O") in "fiu" for each in types):
        return samples.to_numpy(dtype=np.float64, na_value=np.nan)
    return samples


def rows_of(
    samples: npt.ArrayLike, dtype: np.dtype[Any], width: int, noun: str, wrong_width: tuple[str, str]
) -> tuple[Array, bool]:
    """Returns the samples as rows of `width` numbers, and whether a single sample was given.

    A masked number and pd.NA become NaN: the learner refuses the sample, or the monitor imputes the number. Messages call the
    rows `noun`; `wrong_width` says what the numbers of a row are, and how many of them the learner has.
    """
    if hasattr(samples, "to_numpy"):
        samples = _with_nan(samples)
    if isinstance(samples, np.ma.MaskedArray) and np.ma.is_masked(samples) and samples.dtype.kind in "fiu":
        samples = np.where(np.ma.getmaskarray(samples), np.nan, samples.data.astype(np.promote_types(samples.dtype, dtype)))
    array = np.asarray(samples)
    if array.dtype == dtype and array.ndim == 2 and array.shape[1] == width and len(array) and array.flags.c_contiguous:
        return array, False
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{noun} have to be real numbers, not an array of {array.dtype}")
    if array.ndim not in (1, 2):
        raise ValueError(f"{noun} have one or two dimensions, not {array.ndim}")
    if array.size == 0:
        raise ValueError(f"there are no {noun} in an array of shape {array.shape}")
    if array.shape[-1] != width:
        remedy = f": pass a series as {noun}.reshape(-1, 1)" if array.ndim == 1 and width == 1 else ""
        raise ValueError(f"{array.shape[-1]} {wrong_width[0]}, the learner {wrong_width[1]}{remedy}")
    # A number outside the range of `dtype` becomes infinite here; the learner refuses the sample and names the channel.
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(np.atleast_2d(array), dtype=dtype)
    return rows, array.ndim == 1
