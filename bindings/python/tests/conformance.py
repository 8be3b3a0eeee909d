"""The conformance program in Python, with the stream, the order of values and the digest of the Rust program.

The stream and the digest are implemented a second time here, with numpy; the learners are those of the package. If the digest equals the
digest of the chip, then samples, results and images pass through Python without any change of a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import eigenstream
from eigenstream import Random, SampleError

DIM, KEEP, LENGTH, CHANGE = 6, 2, 60, 30


class Digest:
    """FNV-1a over the bits of each value."""

    def __init__(self) -> None:
        self.value = 0xCBF29CE484222325

    def update(self, data: bytes) -> None:
        for byte in data:
            self.value = (self.value ^ byte) * 0x100000001B3 % 2**64

    def u8(self, number: int) -> None:
        self.update(number.to_bytes(1, "little"))

    def u32(self, number: int) -> None:
        self.update(number.to_bytes(4, "little"))

    def u64(self, number: int) -> None:
        self.update(number.to_bytes(8, "little"))

    def number(self, number: Any) -> None:
        self.update(np.asarray(number).tobytes())

    def array(self, numbers: Any) -> None:
        """Adds an array of one dimension, or a matrix as an array of its columns."""
        self.u64(len(numbers))
        for part in numbers:
            self.array(part) if np.ndim(part) else self.number(part)

    def result(self, call: Callable[[], Any], note: Callable[[Any], None]) -> Any:
        """Adds the value of a call, or the error of its sample."""
        try:
            value = call()
        except SampleError as error:
            self.u8(0)
            self.u8(1 if "overflows" in str(error) else 0)
            assert error.channel is not None
            self.u64(error.channel)
            return None
        self.u8(1)
        note(value)
        return value

    def nothing(self, _: Any) -> None:
        """Adds nothing: for a call that returns no value."""

    def image(self, learner: eigenstream.Learner, room: int) -> None:
        """Adds the length of the image, then its bytes and zeros up to `room` bytes."""
        image = learner.image()
        self.u8(1)
        self.u64(len(image))
        padded = image.ljust(room, b"\0")
        self.u64(len(padded))
        self.update(padded)


class Stream:
    """The samples of the conformance program."""

    def __init__(self, dtype: Any) -> None:
        self.number = np.dtype(dtype).type
        self.random = Random(6)

    def signal(self) -> Any:
        if self.number is np.float32:
            uniform = np.float32(self.random.next_u32() >> 8) * np.float32(1 / 16_777_216)
        else:
            uniform = np.float64(self.random.next_u64() >> 11) * np.float64(1 / 9_007_199_254_740_992)
        return self.number(2) * uniform - self.number(1)

    def samples(self) -> Iterator[np.ndarray]:
        half, noise = self.number(0.5), self.number(0.02)
        mixture: list[list[Any]] = []
        for time in range(LENGTH):
            if time % CHANGE == 0:
                mixture = [[self.signal() for _ in range(DIM)] for _ in range(2)]
            first, second = self.signal(), self.signal()
            mixed = [
                half * (first * mixture[0][i] + second * mixture[1][i]) + noise * self.signal() for i in range(DIM)
            ]
            yield self.disturbed(time, np.array(mixed, dtype=self.number))

    def disturbed(self, time: int, sample: np.ndarray) -> np.ndarray:
        largest = np.finfo(self.number).max
        if time in (7, 8):
            return np.zeros_like(sample)
        if time == 11:
            return sample * self.number(40)
        if time == 13:
            sample[4] = np.nan
        if time == 17:
            sample[1] = -np.inf
        if time == 19:
            return np.full_like(sample, largest)
        if time in (23, 24):
            return np.ones_like(sample)
        if time == 37:
            return sample * self.number(1e-20)
        if time == 41:
            sample[0] = -0.0
        return sample


def code(digest: Digest, pca: Any, sample: np.ndarray) -> None:
    found = digest.result(lambda: pca.transform(sample), digest.array)
    if found is not None:
        digest.result(lambda: pca.inverse_transform(found), digest.array)


def trial(digest: Digest, value: Any) -> None:
    codes, loss, expected = value
    digest.array(codes)
    digest.number(loss)
    digest.number(expected)


def linear(digest: Digest, pca: Any, dtype: Any, each: Callable[[np.ndarray], None]) -> None:
    for sample in Stream(dtype).samples():
        digest.result(lambda: pca.score(sample), digest.number)
        digest.result(lambda: pca.residual(sample), digest.array)
        each(sample)
    digest.image(pca, 1024)


def drawing(digest: Digest, pca: Any, dtype: Any, random: Random, step: Callable[..., Any]) -> None:
    def each(sample: np.ndarray) -> None:
        code(digest, pca, sample)
        digest.result(lambda: step(pca, sample, random), lambda value: trial(digest, value))
        digest.array(pca.keep_probabilities)

    linear(digest, pca, dtype, each)


def tracking(digest: Digest, dtype: Any) -> None:
    track(digest, eigenstream.TrackingPca(DIM, KEEP, dtype=dtype), dtype, eigenstream.TrackingPca.step)


def track(digest: Digest, pca: Any, dtype: Any, step: Callable[..., Any]) -> None:
    random = Random(1)
    drawing(digest, pca, dtype, random, step)
    digest.array(pca.components)
    digest.array(pca.evidence)
    digest.array(pca.density)
    digest.u32(random.next_u32())


def tracking_with_shares(digest: Digest, dtype: Any) -> None:
    digest.u8(1)
    pca = eigenstream.TrackingPca(DIM, KEEP, dtype=dtype, learning_rate=0.3, scale="off", share=0.01, ceiling=np.inf)
    track(digest, pca, dtype, eigenstream.TrackingPca.step_with_corners)


def density(digest: Digest, dtype: Any) -> None:
    digest.u8(1)
    pca = eigenstream.DensityPca(
        DIM, KEEP, dtype=dtype, learning_rate=0.5, share=0.01, share_of="past_average", ceiling=14
    )
    random = Random(2)
    drawing(digest, pca, dtype, random, eigenstream.DensityPca.step)
    digest.array(pca.components)
    digest.array(pca.evidence)
    digest.u32(random.next_u32())


def batch(digest: Digest, dtype: Any) -> None:
    for centering in ("centered", "uncentered"):
        pca = eigenstream.BatchPca(DIM, KEEP, dtype=dtype, centering=centering)
        linear(digest, pca, dtype, lambda sample: digest.result(lambda: pca.learn(sample), digest.nothing))
        digest.u8(0 if pca.fit() else 1)
        for sample in Stream(dtype).samples():
            digest.result(lambda: pca.score(sample), digest.number)
            digest.result(lambda: pca.residual(sample), digest.array)
            code(digest, pca, sample)
        digest.array(pca.components)
        digest.array([pca.mean])
        digest.array([pca.eigenvalues])
        digest.number(pca.mean.dtype.type(pca.loss))
        digest.array(pca.explained_variance)
        digest.array(pca.explained_variance_ratio)
        digest.image(pca, 1024)


def merged_centered(digest: Digest, dtype: Any) -> None:
    for weight in (None, 2.0):
        parts = [eigenstream.CenteredPca(DIM, KEEP, dtype=dtype, center_weight=weight) for _ in range(2)]
        for step, sample in enumerate(Stream(dtype).samples()):
            digest.result(lambda: parts[step % 2].learn(sample), digest.nothing)
        pca, other = parts
        pca.merge(other)
        digest.u8(1)
        digest.image(pca, 1024)


def gha(digest: Digest, dtype: Any) -> None:
    for settings in ({}, {"learning_rate": 0.5, "rate": "falling", "deflation": "gradient_ascent"}):
        if settings:
            digest.u8(1)
        learner = eigenstream.Gha(DIM, KEEP, dtype=dtype, **settings)  # type: ignore[arg-type]
        for sample in Stream(dtype).samples():
            digest.result(lambda: learner.score(sample), digest.number)
            digest.result(lambda: learner.residual(sample), digest.array)
            digest.result(lambda: learner.learn(sample), digest.nothing)
        digest.image(learner, 2048)


def preimage(digest: Digest, found: Any) -> None:
    clean, endings, passes = found
    digest.array(clean[0])
    digest.u8(int(endings[0]))
    digest.u64(int(passes[0]))


def kernel_pca(digest: Digest, dtype: Any) -> None:
    for centering in ("centered", "uncentered"):
        pca = eigenstream.KernelPca(DIM, KEEP, 10, dtype=dtype, centering=centering)
        for sample in Stream(dtype).samples():
            try:
                pca.learn(sample)
            except SampleError:
                pass
        digest.u8(0 if pca.fit() else 1)
        for sample in Stream(dtype).samples():
            digest.result(lambda: pca.transform(sample), digest.array)
            digest.result(lambda: pca.score(sample), digest.number)
            digest.result(lambda: pca._native.denoise(sample[np.newaxis]), lambda found: preimage(digest, found))
        digest.array(pca.eigenvalues)
        digest.array(pca.explained_variance)
        digest.number(pca.eigenvalues.dtype.type(pca.loss))
        digest.image(pca, 4096)


def online_kernel_pca(digest: Digest, dtype: Any) -> None:
    pca = eigenstream.OnlineKernelPca(DIM, KEEP, 10, dtype=dtype)
    random = Random(12)
    for sample in Stream(dtype).samples():
        digest.result(lambda: pca.score(sample), digest.number)
        digest.result(lambda: pca.transform(sample), digest.array)
        digest.result(lambda: pca.step(sample, random), lambda value: trial(digest, value))
        digest.array(pca.keep_probabilities)
        digest.array(pca.eigenvalues)
    digest.image(pca, 4096)


def verdict(digest: Digest, found: eigenstream.Verdict) -> None:
    # A verdict has floats of Python. They are exact, so the number type of the monitor gives its bits back.
    number = found.contribution.dtype.type
    digest.number(number(found.score))
    digest.number(number(found.threshold))
    digest.u8(found.alarm)
    phase = eigenstream.PHASES.index(found.phase)
    digest.u8(phase)
    if phase == 0:
        digest.u32(found.seen)
        digest.u32(found.need)
    digest.u8(eigenstream.STATES.index(found.state))
    digest.u8(found.stuck is not None)
    if found.stuck is not None:
        digest.u64(found.stuck)
    digest.number(number(found.moved))
    digest.array(found.contribution)


def monitor(digest: Digest, dtype: Any) -> None:
    digest.u8(1)
    watch = eigenstream.Monitor(
        DIM,
        median=3,
        dtype=dtype,
        settle=8,
        learn=16,
        calibrate=16,
        level_memory=20,
        new_level="accept",
        new_level_after=20,
    )
    for sample in Stream(dtype).samples():
        found = digest.result(lambda: watch.observe(sample), lambda value: verdict(digest, value))
        if found is not None:
            digest.u64(found.guilty)
    digest.image(watch, 4096)


def lives(digest: Digest, dtype: Any, choices: list[Callable[[], Any]], look: Callable, live: Callable) -> None:
    """Runs a learner of the registry five times, each time with a restart in the middle; `choices` are its settings."""

    def outcome(numbers: Callable[[], list[Any]]) -> bool:
        try:
            found = numbers()
        except SampleError:
            return False
        for part in found:
            digest.number(np.asarray(part, dtype=dtype))
        return True

    for choice in range(5):
        learner, random = choices[choice % len(choices)](), Random(14)
        for step, sample in enumerate(Stream(dtype).samples()):
            looked = outcome(lambda: look(learner, sample))
            lived = outcome(lambda: live(learner, sample, random))
            for good in (looked, lived):
                digest.update(b"\x01" if good else b"\x00\xff")
            if step == 30:
                learner = type(learner).from_image(learner.image())
                digest.u8(1)
        digest.image(learner, 2048)


def look_at_pca(*told: str) -> Callable[[Any, np.ndarray], list[Any]]:
    def look(pca: Any, sample: np.ndarray) -> list[Any]:
        back = pca.inverse_transform(pca.transform(sample))
        return [back, pca.residual(sample), pca.score(sample)] + [getattr(pca, name) for name in told]

    return look


def live_drawing(pca: Any, sample: np.ndarray, random: Random) -> list[Any]:
    """Draws every third sample with the mixture decomposition."""
    step = pca.step_with_corners if pca.samples_seen % 3 == 2 else pca.step
    return list(step(sample, random))


def registry_tracking(digest: Digest, dtype: Any) -> None:
    make = partial(eigenstream.TrackingPca, DIM, KEEP, dtype=dtype)
    choices = [
        make,
        partial(make, learning_rate=0.5, scale="off", share=1e-3),
        partial(make, ceiling=np.inf, norm_bound=2),
    ]
    look = look_at_pca("evidence", "keep_probabilities", "components")
    lives(digest, dtype, choices, look, live_drawing)


def registry_density(digest: Digest, dtype: Any) -> None:
    make = partial(eigenstream.DensityPca, DIM, KEEP, dtype=dtype)
    slow = partial(make, learning_rate=0.5, share=1e-3)
    choices = [
        make,
        partial(slow, ceiling=14),
        partial(slow, share_of="past_average"),
        partial(slow, share_of="past_posteriors"),
    ]
    look = look_at_pca("evidence", "keep_probabilities", "components")
    lives(digest, dtype, choices, look, live_drawing)


def registry_centered(digest: Digest, dtype: Any) -> None:
    make = partial(eigenstream.CenteredPca, DIM, KEEP, dtype=dtype)
    choices = [
        make,
        partial(make, memory=50, read_out="leader"),
        partial(make, center="fixed"),
        partial(make, center_weight=2, scale_memory=50),
    ]
    look = look_at_pca("explained_variance", "keep_probabilities", "components")
    lives(digest, dtype, choices, look, live_drawing)


def registry_paired(digest: Digest, dtype: Any) -> None:
    make = partial(eigenstream.PairedPca, DIM, 5, KEEP, dtype=dtype)
    choices = [
        make,
        partial(make, learning_rate=0.5, scale="off", memory=50),
        partial(make, learning_rate=2, scale_memory=50),
    ]

    def both(sample: np.ndarray) -> np.ndarray:
        return np.concatenate([sample, sample[::-1][:5]])

    def look(pairs: Any, sample: np.ndarray) -> list[Any]:
        row = both(sample)
        told = [pairs.residual(row), pairs.score(row), pairs.expected_gain(row), pairs.cross_scatter.T]
        told.append(pairs.unpaired_probability)
        columns = (pairs.left, pairs.right, pairs.singular_values, pairs.keep_probabilities, pairs.opposed_probabilities)
        return told + [part for pair in zip(*columns, strict=True) for part in pair]

    lives(digest, dtype, choices, look, lambda pairs, sample, random: list(pairs.step(both(sample), random)))


def registry_sensor_monitor(digest: Digest, dtype: Any) -> None:
    make = partial(eigenstream.Monitor, DIM, dtype=dtype)
    short = partial(make, settle=10, learn=40, calibrate=50, release=0.5, confirm=2, hold_off=5)
    choices = [
        make,
        partial(short, score="combined", learning="always"),
        partial(short, threshold=1, level_memory=20, new_level="accept", new_level_after=40),
        partial(short, quantile=0.5, new_level="ask", new_level_after=40, missing="impute"),
        partial(short, false_alarms=0.01, new_level="never"),
    ]

    def look(watch: Any, sample: np.ndarray) -> list[Any]:
        names = ("threshold", "moved", "usual_score", "alarm_rate", "explained")
        readings = [watch._native.reading(name) for name in names]
        return [watch.score(sample)] + [reading for reading in readings if reading is not None]

    def live(watch: Any, sample: np.ndarray, _: Random) -> list[Any]:
        found = watch.observe(sample)
        if found.state == "steady":
            watch.acknowledge()
        stuck = 0 if found.stuck is None else found.stuck + 1
        state = eigenstream.STATES.index(found.state)
        return [found.contribution, found.score, found.threshold, found.moved, int(found.alarm), state, stuck]

    lives(digest, dtype, choices, look, live)


ROWS: dict[str, Callable[[Digest, Any], None]] = {
    "tracking": tracking,
    "tracking_with_shares": tracking_with_shares,
    "density": density,
    "batch": batch,
    "merged_centered": merged_centered,
    "gha": gha,
    "kernel_pca": kernel_pca,
    "online_kernel_pca": online_kernel_pca,
    "monitor": monitor,
    "registry_tracking": registry_tracking,
    "registry_density": registry_density,
    "registry_centered": registry_centered,
    "registry_paired": registry_paired,
    "registry_sensor_monitor": registry_sensor_monitor,
}
