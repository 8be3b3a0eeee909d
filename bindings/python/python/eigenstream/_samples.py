"""Converts samples to the form that the compiled part needs: two dimensions, one number type, contiguous rows, aligned numbers.

An array that already has this form is not copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Frame(Protocol):
    """A DataFrame of pandas or Polars."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""
        ...


#: Types that are certainly rows.
Rows = Sequence[Sequence[float]] | Frame


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


def _check_polars(samples: Any, noun: str) -> None:
    """Refuses a DataFrame of Polars with a column of truth values, times or text. Messages call the rows `noun`.

    Polars itself converts truth values and times to numbers if another column has numbers. Polars is not imported: only its
    types have `is_numeric`, and its DataFrames have a list of them. Each null in a column of nulls becomes NaN.
    """
    kinds = getattr(samples, "dtypes", None)
    if isinstance(kinds, list):
        for name, kind in zip(samples.columns, kinds, strict=False):
            if hasattr(kind, "is_numeric") and not kind.is_numeric() and str(kind) != "Null":
                raise TypeError(f"{noun} have to be real numbers: column {name!r} has {kind}")


def _words_for(samples: Any, array: Array) -> str:
    """Says which part of the samples is not a number: a column of a DataFrame, or all of them."""
    if hasattr(samples, "to_numpy"):
        for name in getattr(samples, "columns", ()):
            numbers = np.asarray(samples[name])
            kind = getattr(samples[name], "dtype", numbers.dtype)
            if getattr(kind, "kind", numbers.dtype.kind) not in "fiu":
                return f"real numbers: column {name!r} has {kind}"
    if array.ndim == 0:
        return f"an array of real numbers, not {type(samples).__name__}"
    return f"real numbers, not an array of {array.dtype}"


def rows_of(
    samples: npt.ArrayLike, dtype: np.dtype[Any], width: int, noun: str, wrong_width: tuple[str, str]
) -> tuple[Array, bool]:
    """Returns the samples as rows of `width` numbers, and whether a single sample was given.

    A masked number and pd.NA become NaN: the learner refuses the sample, or the monitor imputes the number. Messages call the
    rows `noun`; `wrong_width` says what the numbers of a row are, and how many of them the learner has.
    """
    as_rows = "to_frame()" if hasattr(samples, "to_frame") else "reshape(-1, 1)"
    if hasattr(samples, "to_numpy"):
        _check_polars(samples, noun)
        samples = _with_nan(samples)
    if isinstance(samples, np.ma.MaskedArray) and np.ma.is_masked(samples) and samples.dtype.kind in "fiu":
        samples = np.where(np.ma.getmaskarray(samples), np.nan, samples.data.astype(np.promote_types(samples.dtype, dtype)))
    array = np.asarray(samples)
    is_ready = array.dtype == dtype and array.flags.c_contiguous and array.flags.aligned
    if is_ready and array.ndim == 2 and array.shape[1] == width and len(array):
        return array, False
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{noun} have to be {_words_for(samples, array)}")
    if array.ndim not in (1, 2):
        raise ValueError(f"{noun} have one or two dimensions, not {array.ndim}")
    if array.size == 0:
        raise ValueError(f"there are no {noun} in an array of shape {array.shape}")
    if array.shape[-1] != width:
        remedy = f": pass a series as {noun}.{as_rows}" if array.ndim == 1 and width == 1 else ""
        raise ValueError(f"{array.shape[-1]} {wrong_width[0]}, the learner {wrong_width[1]}{remedy}")
    # A number outside the range of `dtype` becomes infinite here; the learner refuses the sample and names the channel.
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(np.atleast_2d(array), dtype=dtype)
    return rows if rows.flags.aligned else rows.copy(), array.ndim == 1
