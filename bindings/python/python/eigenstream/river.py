"""Models of river around the learners: one sample at a time, as a dict.

The channels are the features, sorted by name. A feature that disappears is a missing channel: the monitor replaces it by the value that
the learner expects, and a transformer sets it to zero. When a new feature appears, a second learner that has a channel for it starts to
learn beside the first learner. The second learner replaces the first one when it has learned enough samples.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from river import base

from . import _monitor, _pca
from ._errors import SampleError
from ._samples import Array

__all__ = ["Monitor", "TrackingPca"]


class _Stage:
    """A learner, and the features that are the channels of the learner."""

    def __init__(self, learner: Any, features: tuple[Hashable, ...]) -> None:
        self.learner = learner
        self.features = features
        self.learned = 0

    def sample(self, x: dict[Hashable, Any], missing: float) -> Array:
        values = [x.get(feature, missing) for feature in self.features]
        # A number outside the range of float32 becomes infinite here; the learner refuses the sample and names the channel.
        with np.errstate(over="ignore"):
            return np.array([missing if value is None else value for value in values], dtype=np.float32)

    def call(self, function: Callable[[Array], Any], sample: Array) -> Any:
        """Calls a function of the learner. If the sample is refused, a note in the exception names the feature of the channel."""
        try:
            return function(sample)
        except SampleError as error:
            if error.channel is not None:
                error.add_note(f"channel {error.channel} is the feature {self.features[error.channel]!r}")
            raise


def _in_order(names: Any) -> tuple[Hashable, ...]:
    return tuple(sorted(names, key=lambda name: (str(type(name)), str(name))))


class _Growing:
    """The current learner, and the learner that will replace it."""

    _now: _Stage | None
    _next: _Stage | None

    def _make(self, channels: int) -> Any:
        raise NotImplementedError

    def _is_ready(self, stage: _Stage) -> bool:
        raise NotImplementedError

    def _prepare(self, x: dict[Hashable, Any]) -> list[_Stage]:
        """Returns the stages that learn a sample. Adds a stage if the sample has a new feature."""
        latest = self._next or self._now
        known = set(latest.features) if latest else set()
        names = {name for name, value in x.items() if value is not None}
        if not names:
            return []
        if not names <= known:
            features = _in_order(known | names)
            stage = _Stage(self._make(len(features)), features)
            if self._now is None or self._now.learned == 0:
                self._now = stage
            else:
                self._next = stage
        return [stage for stage in (self._now, self._next) if stage is not None]

    def _learn(self, x: dict[Hashable, Any], learn: Callable[[_Stage], None]) -> None:
        """Calls `learn` for each stage. If a sample is refused, no stage has learned it, and no stage was added for it."""
        before = self._now, self._next
        try:
            # The newest stage has every feature of the sample, so it is the one that refuses.
            for stage in reversed(self._prepare(x)):
                learn(stage)
        except Exception:
            self._now, self._next = before
            raise
        self._succeed()

    def _succeed(self) -> None:
        if self._next is not None and self._is_ready(self._next):
            self._now, self._next = self._next, None


class Monitor(_Growing, base.AnomalyDetector):
    """`eigenstream.Monitor`: a high score is unusual. The score is zero before the scale of the channels is known.

    Parameters
    ----------
    training
        Samples before the monitor watches.
    smoothing
        Samples over which the score is averaged for the alarm.

    Attributes
    ----------
    alarm
        Whether the last sample learned was in alarm.

    Examples
    --------
    >>> from eigenstream import river
    >>> monitor = river.Monitor(training=100)
    >>> for i in range(200):
    ...     monitor.learn_one({"x": i * 37 % 11, "y": i * 53 % 13})
    >>> monitor.score_one({"x": 5, "y": 60}) > 10 * monitor.score_one({"x": 5, "y": 6})
    True

    """

    def __init__(self, training: int = 400, smoothing: int = 5) -> None:
        self.training = training
        self.smoothing = smoothing
        self.alarm = False
        self._now = None
        self._next = None

    def _make(self, channels: int) -> _monitor.Monitor:
        return _monitor.Monitor(channels, training=self.training, smoothing=self.smoothing, missing="impute")

    def _is_ready(self, stage: _Stage) -> bool:
        return bool(stage.learner.is_watching)

    def learn_one(self, x: dict[Hashable, Any]) -> None:
        """Observes a sample."""

        def learn(stage: _Stage) -> None:
            sample = stage.sample(x, np.nan)
            if np.isnan(sample).all():
                return
            verdict = stage.call(stage.learner.observe, sample)
            stage.learned += 1
            if stage is self._now:
                self.alarm = verdict.alarm

        self._learn(x, learn)

    def score_one(self, x: dict[Hashable, Any]) -> float:
        """Returns the score of this sample alone; learns nothing.

        A missing feature is replaced by its usual level. `learn_one` replaces it by the value that the other features predict.
        """
        if self._now is None:
            return 0.0
        sample = self._now.sample(x, np.nan)
        sample = np.where(np.isnan(sample), self._now.learner.center, sample)
        return float(self._now.call(self._now.learner.score, sample))


class TrackingPca(_Growing, base.Transformer):
    """`eigenstream.TrackingPca`: the code of a sample in the current directions.

    Parameters
    ----------
    n_components
        Directions that are kept; at most one less than the number of features.
    learning_rate
        The learning rate, relative to the running energy of the samples; None is the default of the Rust crate.
    grace
        Samples that a learner with a new feature learns before it replaces the current learner.

    Examples
    --------
    >>> from eigenstream import river
    >>> pca = river.TrackingPca(n_components=1)
    >>> for i in range(100):
    ...     pca.learn_one({"x": i % 7 - 3.0, "y": 2.0 * (i % 7 - 3.0)})
    >>> sorted(pca.transform_one({"x": 1.0, "y": 2.0}))
    [0]

    """

    def __init__(self, n_components: int = 2, learning_rate: float | None = None, grace: int = 100) -> None:
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.grace = grace
        self._now = None
        self._next = None

    def _make(self, channels: int) -> _pca.TrackingPca:
        # A single feature has no subspace, so a second channel of zeros is added.
        channels = max(channels, 2)
        return _pca.TrackingPca(channels, min(self.n_components, channels - 1), learning_rate=self.learning_rate)

    def _is_ready(self, stage: _Stage) -> bool:
        return stage.learned >= self.grace

    def _sample(self, stage: _Stage, x: dict[Hashable, Any]) -> Array:
        sample = stage.sample(x, 0.0)
        return np.pad(sample, (0, stage.learner.channels - len(sample)))

    def learn_one(self, x: dict[Hashable, Any]) -> None:
        """Learns a sample."""

        def learn(stage: _Stage) -> None:
            stage.call(stage.learner.learn, self._sample(stage, x))
            stage.learned += 1

        self._learn(x, learn)

    def transform_one(self, x: dict[Hashable, Any]) -> dict[Hashable, float]:
        """Returns the code of a sample; learns nothing."""
        if self._now is None:
            return {place: 0.0 for place in range(self.n_components)}
        code = self._now.call(self._now.learner.transform, self._sample(self._now, x))
        padded = np.pad(code, (0, self.n_components - len(code)))
        return {place: float(number) for place, number in enumerate(padded)}
