"""Draws pictures; matplotlib is imported at the first picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._learner import Pca
    from ._monitor import Verdicts


def _new_axes(count: int) -> Any:
    import matplotlib.pyplot as plt

    return plt.subplots(count, 1, figsize=(8, 2.6 * count), layout="constrained")[1]


def components(pca: Pca, axes: Any = None) -> Any:
    """Draws the weight of each channel in each direction."""
    axes = _new_axes(1) if axes is None else axes
    table = pca.components
    limit = float(np.abs(table).max()) or 1.0
    picture = axes.imshow(table, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    axes.set_xlabel("channel")
    axes.set_ylabel("direction")
    axes.set_yticks(range(len(table)))
    axes.figure.colorbar(picture, ax=axes)
    return axes


def verdicts(seen: Verdicts, names: Sequence[str] | None = None, axes: Any = None) -> Any:
    """Draws score and threshold in the upper panel, the part of each channel in the lower panel; alarms are shaded."""
    channels = seen.contribution.shape[1]
    labels = [f"channel {channel}" for channel in range(channels)] if names is None else list(names)
    if len(labels) != channels:
        raise ValueError(f"{len(labels)} names for {channels} channels")
    above, below = _new_axes(2) if axes is None else axes
    time = np.arange(len(seen))
    watching = seen.threshold < np.finfo(seen.threshold.dtype).max
    above.plot(time, seen.score, label="score", linewidth=0.8)
    above.plot(time[watching], seen.threshold[watching], label="threshold", color="black", linewidth=0.8)
    smallest = seen.score[seen.score > 0]
    if smallest.size:
        above.set_yscale("log")
    below.stackplot(time, seen.contribution.T, labels=labels, linewidth=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], seen.alarm.astype(np.int8), [0]])))
    for panel in (above, below):
        for begin, end in edges.reshape(-1, 2):
            panel.axvspan(begin, end, color="tab:red", alpha=0.2, linewidth=0)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    above.set_ylabel("score")
    below.set_ylabel("part of the score")
    below.set_xlabel("sample")
    return above, below
