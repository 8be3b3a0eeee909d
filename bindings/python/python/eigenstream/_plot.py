"""Draws pictures; matplotlib is imported at the first picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._samples import Array


def _new_axes(count: int) -> Any:
    import matplotlib.pyplot as plt

    return plt.subplots(count, 1, figsize=(8, 2.6 * count), layout="constrained")[1]


def components(directions: Array, axes: Any = None) -> Any:
    """Draws the weight of each channel in each direction."""
    axes = _new_axes(1) if axes is None else axes
    limit = float(np.abs(directions).max()) or 1.0
    picture = axes.imshow(directions, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    axes.set_xlabel("channel")
    axes.set_ylabel("direction")
    axes.set_yticks(range(len(directions)))
    axes.figure.colorbar(picture, ax=axes)
    return axes


def verdicts(
    score: Array, threshold: Array, alarm: Array, contribution: Array, names: Sequence[str] | None = None, axes: Any = None
) -> Any:
    """Draws score and threshold in the upper panel, the part of each channel in the lower panel; alarms are shaded."""
    channels = contribution.shape[1]
    labels = [f"channel {channel}" for channel in range(channels)] if names is None else list(names)
    if len(labels) != channels:
        raise ValueError(f"{len(labels)} names for {channels} channels")
    above, below = _new_axes(2) if axes is None else axes
    time = np.arange(len(score))
    watching = threshold < np.finfo(threshold.dtype).max
    above.plot(time, score, label="score", linewidth=0.8)
    above.plot(time[watching], threshold[watching], label="threshold", color="black", linewidth=0.8)
    smallest = score[score > 0]
    if smallest.size:
        above.set_yscale("log")
    below.stackplot(time, contribution.T, labels=labels, linewidth=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], alarm.astype(np.int8), [0]])))
    for panel in (above, below):
        for begin, end in edges.reshape(-1, 2):
            panel.axvspan(begin, end, color="tab:red", alpha=0.2, linewidth=0)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    above.set_ylabel("score")
    below.set_ylabel("part of the score")
    below.set_xlabel("sample")
    return above, below
