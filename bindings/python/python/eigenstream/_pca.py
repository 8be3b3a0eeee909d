"""The PCA learners of the Rust crate. In the help of a learner, the value in brackets after a setting is its default."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from . import _native
from ._learner import Coding, DrawingPca, Learner, Mergeable, Pca, Streaming
from ._native import Random
from ._samples import Array
from ._sizes import is_truth_value, whole


class _Certified(DrawingPca):
    """A learner whose total loss has a bound on every stream."""

    @property
    def evidence(self) -> Array:
        """The evidence of each direction. A direction is kept with probability 1 - exp(-evidence)."""
        return self._vector("evidence")

    @property
    def density(self) -> Array:
        """The density matrix of the paper."""
        return self._reading("density")

    @property
    def excess(self) -> float:
        """The part of the bound so far that is due to the rank limit, to merged directions and to the upper limit of the evidence."""
        return self._number("excess")

    def bound(
        self,
        best_loss: float,
        *,
        learning_rate: float,
        largest_energy: float | None = None,
        share: float = 0.0,
        trials: int | None = None,
        segments: int = 1,
    ) -> float:
        """Returns the largest possible total expected loss, if the best subspace in hindsight has the loss `best_loss`.

        Samples have an energy of at most one, or of `largest_energy`, in units of the learner's scale. `learning_rate` and `share`: those
        of the settings. `trials`: samples learned. `segments`: the number of subspaces that the comparison may use one after the other.
        """
        given = {"best_loss": best_loss, "learning_rate": learning_rate, "largest_energy": largest_energy, "share": share}
        for name, value in (given | {"trials": trials, "segments": segments}).items():
            if is_truth_value(value):
                raise TypeError(f"{name} is a number, not {value!r}")
        trials = self.samples_seen if trials is None else trials
        if not math.isfinite(best_loss):
            raise ValueError(f"best_loss is a finite number, not {best_loss}")
        if not (math.isfinite(learning_rate) and learning_rate > 0):
            raise ValueError(f"learning_rate is a finite number above 0, not {learning_rate}")
        if not 0 <= share <= 1:
            raise ValueError(f"share is a number from 0 to 1, not {share}")
        if trials < 0:
            raise ValueError(f"trials is not negative, not {trials}")
        if segments < 1:
            raise ValueError(f"segments is at least 1, not {segments}")
        return _native.bound(
            self.channels, self.keep, self.excess, best_loss, learning_rate, largest_energy, share, trials, segments
        )


class TrackingPca(_Certified, Mergeable):
    """Online PCA that follows a changing subspace, [WK08] Algorithm 5 in low-rank form.

    `learning_rate` (3): divided by the running mean energy of the samples; with `scale` "off" it is not divided.
    `scale` ("running"): or "off". `scale_memory`: samples after which the mean energy forgets; by default it forgets nothing.
    `norm_bound`: a bound on the length of a sample, whose square replaces the mean energy. `ceiling` (14): the upper limit of the
    evidence; it may be infinite. `share` (0): the part of the weight that all directions share after each sample.
    `rank`, the number of directions stored, is min(channels, 2·keep + 2).
    """

    def __init__(
        self,
        channels: int,
        keep: int,
        *,
        dtype: npt.DTypeLike = np.float32,
        learning_rate: float | None = None,
        ceiling: float | None = None,
        share: float | None = None,
        scale: str | None = None,
        scale_memory: float | None = None,
        norm_bound: float | None = None,
    ) -> None:
        self._create((channels, keep, min(whole(channels), 2 * whole(keep) + 2)), locals())

    def start_from(self, batch: BatchPca) -> Self:
        """Starts again from the fit of a `BatchPca`, of one device or of many devices."""
        if not isinstance(batch, BatchPca):
            raise TypeError(f"a TrackingPca starts from a BatchPca, not from {type(batch).__name__}")
        self._native.start_from(batch._native)
        return self


class DensityPca(_Certified):
    """Online PCA with the full density matrix, [WK08] Algorithm 5.

    `learning_rate` (1). `ceiling` (inf): the upper limit of the evidence. `share` (0): the part of the weight that is shared after
    each sample, as `share_of` says: "uniform", "past_average" or "past_posteriors". `share_of` needs `share`.
    """

    def __init__(
        self,
        channels: int,
        keep: int,
        *,
        dtype: npt.DTypeLike = np.float32,
        learning_rate: float | None = None,
        ceiling: float | None = None,
        share: float | None = None,
        share_of: str | None = None,
    ) -> None:
        self._create((channels, keep), locals())


class _Explaining(Learner):
    """A learner that computes the variance along its directions."""

    @property
    def explained_variance(self) -> Array:
        """The variance along each direction kept."""
        return self._vector("explained_variance")

    @property
    def explained_variance_ratio(self) -> Array:
        """Explained variance divided by the total variance."""
        return self._vector("explained_variance_ratio")


class _Fitting(_Explaining):
    """A learner that computes its directions when `fit` is called."""

    def fit(self) -> bool:
        """Computes the directions from the samples learned. Returns False if the solver reached its iteration limit."""
        return self._native.command("fit")

    @property
    def eigenvalues(self) -> Array:
        """The eigenvalues, descending: of a `BatchPca` all of them, of a `KernelPca` those of the directions kept."""
        return self._vector("eigenvalues")

    @property
    def loss(self) -> float:
        """The sum of the eigenvalues that are not kept."""
        return self._number("loss")


class _Centered(Pca):
    """A learner with a centre."""

    @property
    def mean(self) -> Array:
        """The centre."""
        return self._vector("mean")


class CenteredPca(_Explaining, _Centered, DrawingPca, Mergeable):
    """Online PCA about a moving centre, [WK08] Algorithm 6. `merge` equals one pass over all samples, except for rounding.

    `learning_rate` (1): divided by the running mean energy of the samples; `scale` ("running"), `scale_memory` and `norm_bound` as in
    `TrackingPca`. `center` ("mean"): or "fixed"; or set `center_weight`, the number of samples for which the starting centre counts.
    `memory`: samples after which the past is forgotten; by default nothing is. `read_out` ("randomized"): or "leader".
    """

    def __init__(
        self,
        channels: int,
        keep: int,
        *,
        dtype: npt.DTypeLike = np.float32,
        learning_rate: float | None = None,
        center: str | None = None,
        center_weight: float | None = None,
        memory: float | None = None,
        read_out: str | None = None,
        scale: str | None = None,
        scale_memory: float | None = None,
        norm_bound: float | None = None,
    ) -> None:
        self._create((channels, keep), locals())

    @property
    def density(self) -> Array:
        """The density matrix of the paper."""
        return self._reading("density")

    @property
    def scatter(self) -> Array:
        """The scatter matrix about the centre."""
        return self._reading("scatter")


class BatchPca(_Fitting, _Centered, Mergeable):
    """PCA of all samples learned so far: `learn`, then `fit`. Before the first `fit` every code is zero.

    `centering` ("centered"): or "uncentered".
    """

    def __init__(
        self, channels: int, keep: int, *, dtype: npt.DTypeLike = np.float32, centering: str | None = None
    ) -> None:
        self._create((channels, keep), locals())


class Gha(Pca):
    """The generalised Hebbian algorithm; `keep` = 1 is Oja's rule.

    `learning_rate` (0.03125). `rate`: how it is used: "relative", divided by the mean energy of the samples and the default;
    "constant"; or "falling". `rate` needs `learning_rate`. `deflation` ("sanger"): or "gradient_ascent".
    """

    def __init__(
        self,
        channels: int,
        keep: int,
        *,
        dtype: npt.DTypeLike = np.float32,
        learning_rate: float | None = None,
        rate: str | None = None,
        deflation: str | None = None,
    ) -> None:
        self._create((channels, keep), locals())

    def step(self, samples: npt.ArrayLike) -> tuple[Array, Any]:
        """Runs one trial for each row: computes code and loss, then learns the row."""
        rows, single = self._rows(samples)
        codes, losses, _ = self._native.step(rows, Random(0))
        return (codes[0], losses[0]) if single else (codes, losses)


class OnlineKernelPca(DrawingPca):
    """Online kernel PCA over a window of points, [KW07] Algorithm 6, with the Gaussian kernel exp(-gamma·|x - y|²).

    `window`: the number of points. `gamma` (1). `learning_rate` (1). `centering` ("uncentered"):
    or "centered". `stride` (1): one of so many samples is stored. `novelty` (0): samples that are less new than this are not stored;
    0 stores all.
    """

    def __init__(
        self,
        channels: int,
        keep: int,
        window: int = 16,
        *,
        dtype: npt.DTypeLike = np.float32,
        gamma: float | None = None,
        learning_rate: float | None = None,
        centering: str | None = None,
        stride: int | None = None,
        novelty: float | None = None,
    ) -> None:
        self._create((channels, keep, window, min(whole(window), 16)), locals())

    @property
    def components(self) -> Array:
        """The coefficients of the points in each direction, one direction in each row."""
        return self._reading("components")

    @property
    def points(self) -> Array:
        """The points of the window."""
        return self._reading("points")

    @property
    def eigenvalues(self) -> Array:
        """The eigenvalues of the Gram matrix that are tracked."""
        return self._vector("eigenvalues")

    def inverse_transform(self, codes: npt.ArrayLike) -> Array:
        """Not available: a code of the feature space does not represent a sample."""
        raise NotImplementedError("a code of feature space stands for no sample")


class KernelPca(Coding, _Fitting):
    """Batch kernel PCA of the newest `window` samples, with the Gaussian kernel: `learn`, then `fit`. Before `fit` every code is zero.

    `window`: the number of points. `gamma` (1). `centering` ("centered"): or "uncentered".

    The image contains the fit. A pickle contains the points of the window too.
    """

    def __init__(
        self,
        channels: int,
        keep: int,
        window: int = 16,
        *,
        dtype: npt.DTypeLike = np.float32,
        gamma: float | None = None,
        centering: str | None = None,
    ) -> None:
        self._create((channels, keep, window), locals())

    def __reduce__(self) -> tuple[Any, ...]:
        return _with_window, (type(self), self.image(), self._reading("history")), self._attributes()

    def denoise(self, samples: npt.ArrayLike) -> Array:
        """Returns each sample without the part that the directions do not explain."""
        return self._each(lambda rows: self._native.denoise(rows)[0], samples)

    @property
    def points(self) -> Array:
        """The points of the window."""
        return self._reading("points")


def _with_window(kind: type[KernelPca], image: bytes, history: Array) -> KernelPca:
    """Restores a fit and the window that had learned `history`, for `pickle`."""
    learner = kind.from_image(image)
    learner._native.command("reset")
    if len(history):
        learner.learn(history)
    return learner


class PairedPca(Streaming):
    """Finds pairs of combinations of two groups of channels that vary together. A row has the left channels, then the right channels.

    `learning_rate` (1): divided by the running mean of the product of both lengths; `scale` ("running"), `scale_memory` and
    `norm_bound` as in `TrackingPca`. `memory`: samples after which the past is forgotten; by default nothing is.
    """

    def __init__(
        self,
        left: int,
        right: int,
        keep: int,
        *,
        dtype: npt.DTypeLike = np.float32,
        learning_rate: float | None = None,
        memory: float | None = None,
        scale: str | None = None,
        scale_memory: float | None = None,
        norm_bound: float | None = None,
    ) -> None:
        self._create((left, right, keep), locals())

    def step(self, samples: npt.ArrayLike, random: Random) -> tuple[Any, Any]:
        """Runs one trial for each row: computes gain and expected gain, then learns the row."""
        rows, single = self._rows(samples)
        _, gains, expected = self._native.step(rows, random)
        return (gains[0], expected[0]) if single else (gains, expected)

    def expected_gain(self, samples: npt.ArrayLike) -> Any:
        """Returns the expected gain of each row. Changes nothing."""
        return self._each(lambda rows: self._native.transform(rows)[:, 0], samples)

    @property
    def left(self) -> Array:
        """The combination of the left group in each pair, one pair in each row."""
        return self._reading("left")

    @property
    def right(self) -> Array:
        """The combination of the right group in each pair, one pair in each row."""
        return self._reading("right")

    @property
    def singular_values(self) -> Array:
        """The singular value of each pair."""
        return self._vector("singular_values")

    @property
    def keep_probabilities(self) -> Array:
        """The probability with which each pair is kept."""
        return self._vector("keep_probabilities")

    @property
    def opposed_probabilities(self) -> Array:
        """The probability with which each pair is kept with the sign of one group reversed."""
        return self._vector("opposed_probabilities")

    @property
    def unpaired_probability(self) -> float:
        """The probability with which each direction of the larger group that is in no pair is kept."""
        return self._number("unpaired_probability")

    @property
    def cross_scatter(self) -> Array:
        """The sums of the products of a left and a right channel, one left channel in each row."""
        return self._reading("cross_scatter")
