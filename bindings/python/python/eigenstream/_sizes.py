"""The sizes of this build."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native


def number_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Returns the number type of a learner; refuses a type in which no learner computes."""
    number: np.dtype[Any] = np.dtype(dtype)
    if number not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise TypeError(f"dtype is float32 or float64, not {number}")
    return number


def whole(size: Any) -> int:
    """Returns a size; refuses what is not a whole number."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)):
        raise TypeError(f"a size is a whole number, not {size!r}")
    return int(size)


def sizes(name: str | None = None, dtype: npt.DTypeLike = np.float32) -> list[tuple[str, tuple[int, ...]]]:
    """Returns the learners and their sizes, in the order of the type parameters in Rust."""
    width = number_type(dtype).itemsize
    found = {
        (learner, tuple(size for size in row if size))
        for learner, bytes_, row in _native.sizes()
        if bytes_ == width and name in (None, learner)
    }
    return sorted(found)
