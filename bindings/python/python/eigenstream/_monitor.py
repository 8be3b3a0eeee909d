"""The monitor: learns the normal state of a machine and says when a sample is not normal."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from . import _export, _plot
from ._learner import Learner
from ._samples import Array, Rows
from ._sizes import is_truth_value

PHASES = ("warmup", "calibrating", "watching", "frozen", "standstill", "unsettled")
STATES = ("learning", "normal", "second_normal", "unusual", "moving", "steady", "stuck")
HEALTH = ("good", "unknown", "stuck", "missing", "quantised")

#: The keyword of each rule for the threshold. The default rule, "usual", is a rate of false alarms that is not in the image.
_RULES = {"fixed": "threshold", "quantile": "quantile", "false_alarms": "false_alarms", "usual": "false_alarms"}
_USUAL_RATE = 1e-7


def _are_equal(first: Any, second: Any) -> bool:
    """Returns whether two fields are equal. NaN equals NaN, so that a verdict equals its copy."""
    have_nan = all(np.asarray(each).dtype.kind == "f" for each in (first, second))
    return np.array_equal(first, second, equal_nan=have_nan)


def _have_equal_fields(first: Any, second: Any) -> bool:
    return all(_are_equal(getattr(first, field.name), getattr(second, field.name)) for field in fields(first))


def _rows_in(row: Any) -> int | slice | Array:
    """Returns an index of `Verdicts` as numpy reads it: a number, a slice, a mask or an array of numbers."""
    if isinstance(row, slice):
        return row
    if isinstance(row, list) or (hasattr(row, "__array__") and np.ndim(row) == 1):
        # An empty list does not say its type of number.
        rows = np.asarray(row) if len(row) else np.zeros(0, dtype=int)
        if rows.ndim == 1 and rows.dtype.kind in "biu":
            return rows
    elif not is_truth_value(row) and hasattr(row, "__index__"):
        return operator.index(row)
    raise TypeError(f"a row is a whole number, and rows are a slice, a mask or whole numbers, not {row!r}")


# The `__eq__` of a dataclass compares arrays with `==`, which is no single answer.
@dataclass(frozen=True, eq=False)
class Verdict:
    """The verdict on one sample.

    `score`: the smoothed score; a high score is unusual. `threshold`: an alarm begins above it; the largest finite number in training.
    `alarm`: whether there is an alarm, raised by the score or by a sensor that has stopped. `phase`: a word of `PHASES`.
    `state`: a word of `STATES`. `stuck`: the first channel whose value has stopped changing, or None. `guilty`: the channel to look at,
    the stuck one or the one with the largest part in the score. `moved`: how far the level of a channel has moved, in spreads: the
    maximum over the channels. `seen` and `need`: samples seen in the warm-up, and samples that the warm-up needs; zero after the warm-up.
    `contribution`: the part of each channel in the score.
    """

    score: float
    threshold: float
    alarm: bool
    phase: str
    state: str
    stuck: int | None
    guilty: int
    moved: float
    seen: int
    need: int
    contribution: Array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Verdict) and _have_equal_fields(self, other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False, repr=False)
class Verdicts:
    """The verdicts on a batch, one array for each field of `Verdict`.

    `phase` and `state` are indices into `PHASES` and `STATES`; `stuck` is -1 if no channel is stuck.
    """

    score: Array
    threshold: Array
    alarm: Array
    phase: Array
    state: Array
    stuck: Array
    guilty: Array
    moved: Array
    seen: Array
    need: Array
    contribution: Array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Verdicts) and _have_equal_fields(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Verdicts: {len(self)} samples, {int(self.alarm.sum())} in alarm>"

    def __len__(self) -> int:
        return len(self.score)

    @overload
    def __getitem__(self, row: int | np.integer[Any]) -> Verdict: ...
    @overload
    def __getitem__(self, row: slice | list[bool] | list[int] | Array) -> Verdicts: ...
    def __getitem__(self, row: int | np.integer[Any] | slice | list[bool] | list[int] | Array) -> Verdict | Verdicts:
        """Returns the verdict of a row, or the verdicts of some rows: of a slice, of a mask, or of an array of row numbers."""
        chosen = _rows_in(row)
        if not isinstance(chosen, int):
            return Verdicts(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})
        return self._verdict(chosen)

    def _verdict(self, row: int) -> Verdict:
        stuck = int(self.stuck[row])
        return Verdict(
            score=float(self.score[row]),
            threshold=float(self.threshold[row]),
            alarm=bool(self.alarm[row]),
            phase=PHASES[self.phase[row]],
            state=STATES[self.state[row]],
            stuck=None if stuck < 0 else stuck,
            guilty=int(self.guilty[row]),
            moved=float(self.moved[row]),
            seen=int(self.seen[row]),
            need=int(self.need[row]),
            contribution=self.contribution[row],
        )

    def to_pandas(self, index: Any = None) -> Any:
        """Returns a DataFrame with the phases and the states as words, without the contributions of the channels; needs pandas."""
        import pandas as pd

        columns = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "contribution"}
        columns["phase"] = pd.Categorical.from_codes(self.phase, PHASES)
        columns["state"] = pd.Categorical.from_codes(self.state, STATES)
        return pd.DataFrame(columns, index=index)


class Monitor(Learner):
    """The monitor with its default learner, the Mahalanobis distance: `SensorMonitor` of the Rust crate.

    The settings are those of `MonitorSettings`. The value in brackets is the default.

    `training` (2048): samples before the monitor watches, at least 27; or set its three phases `settle`, `learn` and `calibrate`.
    `level_memory` (300): the level of a channel follows a slow change in about so many samples; if `training` is given and a tenth
    of it is more than 300, this tenth is the default.
    `input_smoothing` (3): samples averaged before the score. `smoothing` (5): scores averaged after it.
    `score` ("loss"): or "relative", "leverage", "combined". `learning` ("while_normal"): or "always", "frozen".
    `missing` ("refuse"): or "impute", which replaces NaN by the expected value.
    `new_level` ("accept"): or "ask", "never": the reaction to an alarm that is steady after `new_level_after` (2000) samples.
    `threshold`, `quantile` or `false_alarms` (1e-7): at most one of them; a fixed threshold, a quantile of the scores of the
    calibration, or a rate of false alarms. `threshold_factor` (1) and `threshold_floor` (0) change a threshold that is not fixed.
    `confirm` (1): scores above the threshold before an alarm begins. `release` (1): an alarm ends at this part of the threshold.
    `hold_off` (0): samples after an alarm without a new alarm. `median` (1): 3 removes single spikes from the score.
    """

    def __init__(
        self,
        channels: int,
        *,
        median: int = 1,
        dtype: npt.DTypeLike = np.float32,
        training: int | None = None,
        settle: int | None = None,
        learn: int | None = None,
        calibrate: int | None = None,
        level_memory: int | None = None,
        input_smoothing: int | None = None,
        smoothing: int | None = None,
        score: str | None = None,
        learning: str | None = None,
        missing: str | None = None,
        new_level: str | None = None,
        new_level_after: int | None = None,
        threshold: float | None = None,
        quantile: float | None = None,
        false_alarms: float | None = None,
        threshold_factor: float | None = None,
        threshold_floor: float | None = None,
        release: float | None = None,
        confirm: int | None = None,
        hold_off: int | None = None,
    ) -> None:
        self._create((channels, median), locals())

    @overload
    def observe(self, samples: Sequence[float]) -> Verdict: ...
    @overload
    def observe(self, samples: Rows) -> Verdicts: ...
    # Any: the types of most arrays do not tell one sample from rows, and mypy takes the first overload for them.
    @overload
    def observe(self, samples: npt.ArrayLike) -> Any: ...
    def observe(self, samples: Any) -> Any:
        """Judges each sample. Then learns from the sample, depending on the phase and on `learning`.

        Returns a `Verdict` for one sample, and `Verdicts` for an array of rows. If a row is refused, no row is observed. The score of
        a verdict is smoothed, and a sample counts for at most 32 times the threshold; `score` returns the score without both.
        """
        rows, single = self._rows(samples)
        verdicts = Verdicts(**self._native.observe(rows))
        return verdicts[0] if single else verdicts

    @property
    def settings(self) -> dict[str, int | float | str]:
        """The settings as keywords: `Monitor(channels, dtype=dtype, **settings)` is a new monitor with the same settings.

        An image contains the settings, so those of a chip are read, too. `training` is read as `settle`, `learn` and `calibrate`.
        Of `threshold`, `quantile` and `false_alarms`, the dict has the one that sets the threshold. A setting without effect is not
        in the dict: `threshold_factor` and `threshold_floor` of a fixed threshold, and `new_level_after` with "never".
        """
        stored = self._native.settings()
        names = ["schedule.settle", "schedule.learn", "schedule.calibrate", "level_memory", "input_smoothing", "smoothing", "score"]
        names += ["learning", "missing", "new_level", "decision.release", "decision.confirm", "decision.hold_off"]
        settings: dict[str, int | float | str] = {"median": self._native.sizes[1]}
        settings |= {name.rpartition(".")[2]: stored[name] for name in names}
        if stored["new_level"] != "never":
            settings["new_level_after"] = stored["new_level.samples"]
        rule = str(stored["threshold.rule"])
        settings[_RULES[rule]] = _USUAL_RATE if rule == "usual" else stored["threshold.rule.at"]
        if rule != "fixed":
            settings["threshold_factor"] = stored["threshold.factor"]
            settings["threshold_floor"] = stored["threshold.floor"]
        return settings

    @property
    def threshold(self) -> float:
        """The score above which an alarm begins; the largest finite number until the threshold is computed."""
        return self._number("threshold")

    @property
    def is_watching(self) -> bool:
        """Whether training is over."""
        return self._number("watching") == 1.0

    @property
    def health(self) -> dict[str, Any]:
        """How far the verdicts can be trusted.

        "channels": a word of `HEALTH` for each channel. "moved": how far the level of each channel has moved, in spreads. "explained":
        the part of the variance of each channel that the other channels explain. "usual_score": the median score of the calibration.
        Since the monitor began to watch: "watched" samples, "alarm_samples" of them in alarm, which is the "alarm_rate", in so many
        "alarms". "locked_out": samples in alarm since the last sample without an alarm.
        """
        explained = self._native.reading("explained")
        return {
            "channels": [HEALTH[int(number)] for number in self._vector("channel_health")],
            "moved": self._vector("moved"),
            "explained": None if explained is None else explained[0],
            "usual_score": self._number("usual_score"),
            "alarm_rate": self._number("alarm_rate"),
            "watched": self._count("watched"),
            "alarm_samples": self._count("alarm_samples"),
            "alarms": self._count("alarms"),
            "locked_out": self._count("locked_out"),
        }

    @property
    def center(self) -> Array:
        """The level of each channel."""
        return self._vector("center")

    @property
    def spread(self) -> Array:
        """The spread of each channel."""
        return self._vector("spread")

    def acknowledge(self) -> bool:
        """Accepts the state of the current alarm as normal. Returns False if there is no state to accept."""
        return self._native.command("acknowledge")

    def recalibrate(self) -> Self:
        """Starts a new calibration: computes a new threshold from the next samples. Everything learned stays."""
        self._native.command("recalibrate")
        return self

    def interrupt(self) -> Self:
        """Tells the monitor that samples were dropped: the next sample does not follow the last one."""
        self._native.command("interrupt")
        return self

    def set_learning(self, learning: str) -> Self:
        """Sets the learning while watching: "always", "while_normal" or "frozen"."""
        if learning not in ("always", "while_normal", "frozen"):
            raise ValueError(f"learning is 'always', 'while_normal' or 'frozen', not {learning!r}")
        self._native.command(learning)
        return self

    def to_c(self, name: str = "monitor") -> str:
        """Returns a C header with the image, for `NAME_load`. The monitors of C have float32 and no median."""
        if self.dtype != np.float32 or self._native.sizes[1] != 1:
            raise ValueError("the monitors of C have float32 and a median of 1")
        return _export.c(self.channels, self.image(), name)

    def plot(self, samples: npt.ArrayLike, names: Sequence[str] | None = None, axes: Any = None) -> Any:
        """Draws the verdicts on the samples; needs matplotlib. A copy of the monitor observes the samples.

        `names`: of the channels; by default the columns of a DataFrame. `axes`: two axes of matplotlib. Returns the two axes.
        """
        if names is None and hasattr(samples, "to_numpy"):
            names = getattr(samples, "columns", None)
        seen: Verdicts = self.__copy__().observe(self._rows(samples)[0])
        return _plot.verdicts(seen.score, seen.threshold, seen.alarm, seen.contribution, names, axes)
