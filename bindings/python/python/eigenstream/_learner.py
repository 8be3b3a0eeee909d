"""The functions that all learners have: learning, scoring, images, pickling, export."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from . import _export, _plot
from ._errors import SizeError
from ._native import Native, Random
from ._samples import Array, rows_of
from ._sizes import check_directions, is_truth_value, number_type, whole

#: A larger number does not fit the compiled part.
_LARGEST_SIZE = 0xFFFF_FFFF


class Learner:
    """A learner of the Rust crate. Its image contains all its settings and its whole state."""

    _native: Native
    _names: ClassVar[dict[str, type[Learner]]] = {}

    def __init__(self) -> None:
        """Raises TypeError: this class has what all learners have in common."""
        raise TypeError("Learner is no learner itself: take TrackingPca, Monitor or another class of eigenstream")

    def __init_subclass__(cls) -> None:
        # A class of a user that has the name of a learner does not replace the learner.
        if cls.__module__.partition(".")[0] == __package__:
            Learner._names[cls.__name__] = cls

    def _create(self, sizes: tuple[int, ...], arguments: dict[str, Any]) -> None:
        """Makes the compiled learner. `arguments` are those of `__init__`: all that are no size and not None are settings."""
        number = number_type(arguments["dtype"])
        for size in sizes:
            if whole(size) < 1:
                raise ValueError(f"a size is at least 1, not {size}")
            if size > _LARGEST_SIZE:
                raise SizeError(f"no size of the table is as large as {size}")
        padded = [int(size) for size in sizes] + [0] * (4 - len(sizes))
        others = ("self", "dtype", "channels", "keep", "window", "left", "right", "median")
        settings = {name: value for name, value in arguments.items() if name not in others and value is not None}
        for setting, value in settings.items():
            if is_truth_value(value):
                raise TypeError(f"{setting} has to be a number or a word, not {value!r}")
        name = next(kind.__name__ for kind in type(self).__mro__ if Learner._names.get(kind.__name__) is kind)
        check_directions(name, arguments)
        self._native = Native.create(name, number.itemsize, padded, settings)

    @classmethod
    def from_image(cls, image: bytes) -> Self:
        """Restores the learner of an image from a chip or from `image()`.

        `Learner.from_image` accepts the image of any learner; a subclass accepts only images of its own learner.
        """
        if not isinstance(image, (bytes, bytearray, memoryview)):
            raise TypeError(f"an image is bytes, not {type(image).__name__}")
        native = Native.restore(bytes(image))
        kind = Learner._names[native.name]
        if issubclass(cls, kind):
            kind = cls
        elif not issubclass(kind, cls):
            raise TypeError(f"the image holds a {native.name}, not a {cls.__name__}")
        learner: Self = kind.__new__(kind)
        learner._native = native
        return learner

    def image(self) -> bytes:
        """Returns the bytes that a chip restores: settings and state."""
        return self._native.image()

    def _attributes(self) -> dict[str, Any]:
        """Returns the attributes that a subclass of a user has added."""
        return {name: value for name, value in self.__dict__.items() if name != "_native"}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_image, (self.image(),), self._attributes()

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self._attributes())
        twin._native = self._native.copy()
        return twin

    def __deepcopy__(self, memo: Any) -> Self:
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(self._attributes(), memo))
        twin._native = self._native.copy()
        return twin

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Learner) and type(self) is type(other) and self.image() == other.image()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._native.rust_type.split('::', 1)[1]}>"

    @property
    def channels(self) -> int:
        """Channels of a sample."""
        return self._native.channels

    @property
    def dtype(self) -> np.dtype[Any]:
        """The number type in which the learner computes."""
        return np.dtype(np.float32 if self._native.bytes == 4 else np.float64)

    def _rows(self, samples: npt.ArrayLike) -> tuple[Array, bool]:
        width = self._native.channels
        return rows_of(samples, self.dtype, width, "samples", ("channels in a sample", f"has {width}"))

    def learn(self, samples: npt.ArrayLike) -> Self:
        """Learns one sample, or every row of an array. If a row is refused, no row is learned."""
        self._native.learn(self._rows(samples)[0])
        return self

    def _each(self, compute: Callable[[Array], Array], samples: npt.ArrayLike) -> Any:
        """Returns the results for the rows, or one result if one sample was given."""
        rows, single = self._rows(samples)
        results = compute(rows)
        return results[0] if single else results

    def score(self, samples: npt.ArrayLike) -> Any:
        """Returns how unusual each sample is, one number for each row. Changes nothing."""
        return self._each(self._native.score, samples)

    def _reading(self, name: str) -> Array:
        array = self._native.reading(name)
        if array is None:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return array

    def _vector(self, name: str) -> Array:
        return self._reading(name)[0]

    def _number(self, name: str) -> float:
        return float(self._reading(name)[0, 0])

    def _count(self, name: str) -> int:
        count = self._native.count(name)
        if count is None:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return count

    def to_rust(self, name: str = "learner") -> str:
        """Returns a Rust module with the image: its function `name()` restores the learner on the chip."""
        return _export.rust(self._native.rust_type, self.image(), name)


class Coding(Learner):
    """A learner that computes a code of each sample."""

    @property
    def keep(self) -> int:
        """The number of directions kept, which is the length of a code."""
        return self._native.codes

    def transform(self, samples: npt.ArrayLike) -> Array:
        """Returns the code of each sample."""
        return self._each(self._native.transform, samples)


class Streaming(Learner):
    """A learner that counts its samples and can begin again."""

    def residual(self, samples: npt.ArrayLike) -> Array:
        """Returns the unexpected part of each channel; the squares of a row sum to the score of the row."""
        return self._each(self._native.residual, samples)

    @property
    def samples_seen(self) -> int:
        """The number of samples learned."""
        return self._count("samples_seen")

    def reset(self) -> Self:
        """Deletes everything that was learned; the settings stay."""
        self._native.command("reset")
        return self


class Pca(Coding, Streaming):
    """A learner with directions."""

    def inverse_transform(self, codes: npt.ArrayLike) -> Array:
        """Returns the sample that each code represents."""
        width = self._native.codes
        rows, single = rows_of(codes, self.dtype, width, "codes", ("numbers in a code", f"keeps {width} directions"))
        samples = self._native.inverse_transform(rows)
        return samples[0] if single else samples

    @property
    def components(self) -> Array:
        """The directions, one in each row."""
        return self._reading("components")

    def plot(self, axes: Any = None) -> Any:
        """Draws the directions; needs matplotlib. Returns the axes."""
        return _plot.components(self.components, axes)


class DrawingPca(Pca):
    """A learner that keeps each direction with a probability."""

    def step(self, samples: npt.ArrayLike, random: Random) -> tuple[Array, Any, Any]:
        """Runs one trial for each row: computes code, loss and expected loss, then learns the row."""
        rows, single = self._rows(samples)
        codes, losses, expected = self._native.step(rows, random)
        return (codes[0], losses[0], expected[0]) if single else (codes, losses, expected)

    def step_with_corners(self, samples: npt.ArrayLike, random: Random) -> tuple[Array, Any, Any]:
        """`step` with the draw of the paper: a corner of the mixture decomposition, [WK08] Algorithm 2."""
        rows, single = self._rows(samples)
        codes, losses, expected = self._native.step_with_corners(rows, random)
        return (codes[0], losses[0], expected[0]) if single else (codes, losses, expected)

    @property
    def keep_probabilities(self) -> Array:
        """The probability with which each direction is kept."""
        return self._vector("keep_probabilities")


class Mergeable(Learner):
    """A learner that can be merged with another learner of its type."""

    def merge(self, other: Self) -> Self:
        """Merges another learner with the same settings into this learner."""
        if type(other) is not type(self):
            raise TypeError(f"a {type(self).__name__} merges with its own kind, not with {type(other).__name__}")
        # A learner that is merged with itself gives its samples twice, as its copy does.
        self._native.merge(other._native.copy() if other is self else other._native)
        return self
