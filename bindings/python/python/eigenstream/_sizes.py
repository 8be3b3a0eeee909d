"""The sizes of this build."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._errors import SizeError


def number_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Returns the number type of a learner; refuses a type in which no learner computes."""
    # `np.dtype(None)` is float64, which a learner has only if it is named.
    if dtype is None:
        raise TypeError("dtype is float32 or float64, not None")
    number: np.dtype[Any] = np.dtype(dtype)
    if number not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise TypeError(f"dtype is float32 or float64, not {number}")
    return number


def whole(size: Any) -> int:
    """Returns a size; refuses what is not a whole number."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)):
        raise TypeError(f"a size is a whole number, not {size!r}")
    return int(size)


def is_truth_value(value: Any) -> bool:
    """Returns whether a value is a bool of Python or of numpy, which would count as 0 or 1."""
    return bool(getattr(value, "dtype", type(value)) == bool)


def check_directions(name: str, arguments: dict[str, Any]) -> None:
    """Refuses numbers of directions that no build has. `arguments` are those of the learner `name`."""
    keep = arguments.get("keep", 0)
    if "window" in arguments:
        window = arguments["window"]
        if keep >= window:
            rule = "keeps fewer directions than its window has points"
            raise SizeError(f"{name} {rule}, in every build: keep is {keep}, window is {window}")
    elif "left" in arguments:
        left, right = arguments["left"], arguments["right"]
        if keep > min(left, right):
            rule = "keeps at most as many pairs as each group has channels"
            raise SizeError(f"{name} {rule}, in every build: keep is {keep}, left is {left}, right is {right}")
    elif keep >= arguments["channels"]:
        rule = "keeps fewer directions than it has channels"
        raise SizeError(f"{name} {rule}, in every build: keep is {keep}, channels is {arguments['channels']}")


def sizes(name: str | None = None, dtype: npt.DTypeLike = np.float32) -> list[tuple[str, tuple[int, ...]]]:
    """Returns the learners and their sizes, in the order of the type parameters in Rust: of all learners, or of the learner `name`."""
    width = number_type(dtype).itemsize
    names = sorted({learner for learner, _, _ in _native.sizes()})
    if name is not None and name not in names:
        raise ValueError(f"there is no learner {name!r}: the learners are {', '.join(names)}")
    found = {
        (learner, tuple(size for size in row if size))
        for learner, bytes_, row in _native.sizes()
        if bytes_ == width and name in (None, learner)
    }
    return sorted(found)
