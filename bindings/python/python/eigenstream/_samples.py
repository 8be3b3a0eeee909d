"""Converts samples to the form that the compiled part needs: two dimensions, one number type, contiguous rows.

An array that already has this form is not copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def rows_of(samples: npt.ArrayLike, dtype: np.dtype[Any], width: int) -> tuple[Array, bool]:
    """Returns the samples as rows of `width` numbers, and whether a single sample was given."""
    array = np.asarray(samples)
    if array.dtype == dtype and array.ndim == 2 and array.shape[1] == width and len(array) and array.flags.c_contiguous:
        return array, False
    if array.dtype.kind not in "fiu":
        raise TypeError(f"samples have to be real numbers, not an array of {array.dtype}")
    if array.ndim not in (1, 2):
        raise ValueError(f"samples have one or two dimensions, not {array.ndim}")
    if array.size == 0:
        raise ValueError(f"there are no samples in an array of shape {array.shape}")
    if array.shape[-1] != width:
        raise ValueError(f"{array.shape[-1]} channels in a sample, the learner has {width}")
    # A number outside the range of `dtype` becomes infinite here; the learner refuses the sample and names the channel.
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(np.atleast_2d(array), dtype=dtype)
    return rows, array.ndim == 1
