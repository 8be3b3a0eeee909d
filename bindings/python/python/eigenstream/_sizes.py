"""The sizes of this build."""

from __future__ import annotations

from . import _native


def sizes(name: str | None = None, dtype: str = "float32") -> list[tuple[str, tuple[int, ...]]]:
    """Returns the learners and their sizes, in the order of the type parameters in Rust."""
    width = {"float32": 4, "float64": 8}[dtype]
    found = {
        (learner, tuple(size for size in row if size))
        for learner, bytes_, row in _native.sizes()
        if bytes_ == width and name in (None, learner)
    }
    return sorted(found)
