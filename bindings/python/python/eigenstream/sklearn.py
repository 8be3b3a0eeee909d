"""Estimators of scikit-learn around the learners: for `Pipeline`, `GridSearchCV`, `cross_val_score`.

The learner inside is `learner_`. It always computes in float32, bit-identical to the chip. `learner_.image()` is the image for the chip.
Results have the number type of the input, float32 or float64.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    OutlierMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from . import _monitor, _pca
from ._samples import Array

__all__ = [
    "BatchPca",
    "CenteredPca",
    "DensityPca",
    "Gha",
    "KernelPca",
    "Monitor",
    "OnlineKernelPca",
    "TrackingPca",
]

_POSITIVE = [Interval(Real, 0, None, closed="neither"), None]
_COUNT = [Interval(Integral, 1, None, closed="left"), None]
_PART = [Interval(Real, 0, 1, closed="both"), None]
_CENTERING = [StrOptions({"centered", "uncentered"}), None]


class _Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """`fit` learns every row once, in the given order; `transform` returns the code of each row."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {"n_components": _COUNT}
    _learner: ClassVar[type[Any]]
    learner_: Any

    def _begin(self, channels: int) -> Any:
        """Returns a new learner."""
        if channels < 2:
            raise ValueError("n_features = 1: the learners take 2 features and more")
        keep = self.n_components if self.n_components is not None else self._usual(channels)
        settings = {name: value for name, value in self.get_params(deep=False).items() if name != "n_components"}
        return self._learner(channels, keep, **settings)

    def _usual(self, channels: int) -> int:
        """Returns the number of directions if `n_components` is None: for a linear learner fewer than channels."""
        return min(2, channels - 1)

    def _samples(self, X: npt.ArrayLike, *, reset: bool) -> Array:
        return validate_data(self, X, dtype=[np.float64, np.float32], reset=reset)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Makes a new learner, which learns every row."""
        samples = self._samples(X, reset=True)
        # If a row is refused, the learner from before stays.
        learner = self._begin(samples.shape[1])
        self._learn(learner, samples)
        self.learner_ = learner
        return self

    def _learn(self, learner: Any, samples: Array) -> None:
        learner.learn(samples)
        if isinstance(learner, _pca.BatchPca | _pca.KernelPca):
            learner.fit()

    def transform(self, X: npt.ArrayLike) -> Array:
        """Returns the code of each row."""
        check_is_fitted(self, "learner_")
        samples = self._samples(X, reset=False)
        return self.learner_.transform(samples).astype(samples.dtype, copy=False)

    def score_samples(self, X: npt.ArrayLike) -> Array:
        """Returns minus the expected loss of each row: a high value is normal."""
        check_is_fitted(self, "learner_")
        samples = self._samples(X, reset=False)
        return -self.learner_.score(samples).astype(np.float64)

    def score(self, X: npt.ArrayLike, y: Any = None) -> float:
        """Returns the mean of `score_samples`, for `cross_val_score`."""
        return float(np.mean(self.score_samples(X)))

    @property
    def _n_features_out(self) -> int:
        return self.learner_.keep

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class _Online(_Transformer):
    """A learner that continues from batch to batch."""

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Learns every row, in addition to the rows that were learned before."""
        first = not hasattr(self, "learner_")
        samples = self._samples(X, reset=first)
        learner = self._begin(samples.shape[1]) if first else self.learner_
        self._learn(learner, samples)
        self.learner_ = learner
        return self


class _Linear(_Transformer):
    """A learner that can compute a sample from a code."""

    @property
    def components_(self) -> Array:
        """The directions, one in each row."""
        return self.learner_.components

    def inverse_transform(self, X: npt.ArrayLike) -> Array:
        """Returns the sample that each code represents."""
        check_is_fitted(self, "learner_")
        codes = check_array(X, dtype=[np.float64, np.float32])
        return self.learner_.inverse_transform(codes).astype(codes.dtype, copy=False)


class TrackingPca(_Linear, _Online):
    """`eigenstream.TrackingPca`: online PCA about zero that follows a changing subspace."""

    _learner = _pca.TrackingPca
    _parameter_constraints: ClassVar[dict[str, Any]] = _Transformer._parameter_constraints | {
        "learning_rate": _POSITIVE,
        "ceiling": _POSITIVE,
        "share": _PART,
        "scale": [StrOptions({"running", "off"}), None],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        learning_rate: float | None = None,
        ceiling: float | None = None,
        share: float | None = None,
        scale: str | None = None,
    ) -> None:
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.ceiling = ceiling
        self.share = share
        self.scale = scale


class CenteredPca(_Linear, _Online):
    """`eigenstream.CenteredPca`: online PCA about the mean."""

    _learner = _pca.CenteredPca
    _parameter_constraints: ClassVar[dict[str, Any]] = _Transformer._parameter_constraints | {
        "learning_rate": _POSITIVE,
        "memory": _POSITIVE,
        "read_out": [StrOptions({"randomized", "leader"}), None],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        learning_rate: float | None = None,
        memory: float | None = None,
        read_out: str | None = None,
    ) -> None:
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.memory = memory
        self.read_out = read_out


class DensityPca(_Linear, _Online):
    """`eigenstream.DensityPca`: online PCA about zero with the full density matrix."""

    _learner = _pca.DensityPca
    _parameter_constraints: ClassVar[dict[str, Any]] = _Transformer._parameter_constraints | {
        "learning_rate": _POSITIVE,
        "ceiling": _POSITIVE,
        "share": _PART,
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        learning_rate: float | None = None,
        ceiling: float | None = None,
        share: float | None = None,
    ) -> None:
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.ceiling = ceiling
        self.share = share


class Gha(_Linear, _Online):
    """`eigenstream.Gha`: the generalised Hebbian algorithm."""

    _learner = _pca.Gha
    _parameter_constraints: ClassVar[dict[str, Any]] = _Transformer._parameter_constraints | {
        "learning_rate": _POSITIVE,
        "rate": [StrOptions({"relative", "constant", "falling"}), None],
    }

    def __init__(
        self, n_components: int | None = None, *, learning_rate: float | None = None, rate: str | None = None
    ) -> None:
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.rate = rate


class BatchPca(_Linear, _Online):
    """`eigenstream.BatchPca`: PCA of all rows learned, about their mean or about zero."""

    _learner = _pca.BatchPca
    _parameter_constraints: ClassVar[dict[str, Any]] = _Transformer._parameter_constraints | {
        "centering": _CENTERING,
    }

    def __init__(self, n_components: int | None = None, *, centering: str | None = None) -> None:
        self.n_components = n_components
        self.centering = centering


class _Kernel(_Transformer):
    """A learner in the feature space, which can have more directions than channels."""

    def _usual(self, channels: int) -> int:
        return 2


class OnlineKernelPca(_Kernel, _Online):
    """`eigenstream.OnlineKernelPca`: online kernel PCA over a window of points, with the Gaussian kernel."""

    _learner = _pca.OnlineKernelPca
    _parameter_constraints: ClassVar[dict[str, Any]] = _Transformer._parameter_constraints | {
        "window": _COUNT[:1],
        "gamma": _POSITIVE,
        "learning_rate": _POSITIVE,
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        window: int = 16,
        gamma: float | None = None,
        learning_rate: float | None = None,
    ) -> None:
        self.n_components = n_components
        self.window = window
        self.gamma = gamma
        self.learning_rate = learning_rate


class KernelPca(_Kernel):
    """`eigenstream.KernelPca`: kernel PCA of the last `window` rows, with the Gaussian kernel."""

    _learner = _pca.KernelPca
    _parameter_constraints: ClassVar[dict[str, Any]] = _Transformer._parameter_constraints | {
        "window": _COUNT[:1],
        "gamma": _POSITIVE,
        "centering": _CENTERING,
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        window: int = 16,
        gamma: float | None = None,
        centering: str | None = None,
    ) -> None:
        self.n_components = n_components
        self.window = window
        self.gamma = gamma
        self.centering = centering


class Monitor(OutlierMixin, BaseEstimator):
    """`eigenstream.Monitor` as an outlier detector.

    `fit` observes every row once, in the given order; the training has as many samples as there are rows. Then each row is judged alone,
    without smoothing. `contamination` is the part of the rows of `fit` that are outliers; "auto" uses the threshold of the chip, at which
    a false alarm is very rare.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "contamination": [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="right")],
        "score_by": [StrOptions({"loss", "relative", "leverage", "combined"}), None],
    }

    def __init__(self, contamination: float | str = 0.1, *, score_by: str | None = None) -> None:
        self.contamination = contamination
        self.score_by = score_by

    def _samples(self, X: npt.ArrayLike, *, reset: bool) -> Array:
        return validate_data(self, X, dtype=[np.float64, np.float32], reset=reset)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Learns the normal state from the rows."""
        samples = self._samples(X, reset=True)
        rows, channels = samples.shape
        # Each row is judged alone, so the threshold is computed from samples and scores without smoothing.
        learner = _monitor.Monitor(channels, training=rows, score=self.score_by, input_smoothing=1, smoothing=1)
        learner.observe(samples)
        self.learner_ = learner
        if self.contamination == "auto":
            if not learner.is_watching:
                text = f"there is no threshold after {rows} rows: every row counts as normal"
                warnings.warn(text, UserWarning, stacklevel=2)
            self.offset_ = -learner.threshold
            return self
        scores = self._scores(samples)
        # Without a scale of the channels the score of every row is zero, of a row that is no row of `fit` too.
        if not scores.any():
            text = f"every score is zero after {rows} rows: every row counts as normal"
            warnings.warn(text, UserWarning, stacklevel=2)
        self.offset_ = float(np.percentile(scores, 100.0 * float(self.contamination)))
        return self

    def _scores(self, samples: Array) -> Array:
        return -self.learner_.score(samples).astype(np.float64)

    def score_samples(self, X: npt.ArrayLike) -> Array:
        """Returns minus the score of each row: a high value is normal."""
        check_is_fitted(self, "learner_")
        return self._scores(self._samples(X, reset=False))

    def decision_function(self, X: npt.ArrayLike) -> Array:
        """Returns `score_samples` minus `offset_`: a row below zero is an outlier."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: npt.ArrayLike) -> Array:
        """Returns -1 for an outlier, 1 for a normal row."""
        return np.where(self.decision_function(X) < 0, -1, 1)
