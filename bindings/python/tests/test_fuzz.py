"""Hostile arrays, settings and images in calls of any order. Every execution is its seed.

A call works, or it raises a documented exception: the exceptions of the package are ValueErrors. A call that raises leaves
the learner unchanged. Numbers that a call returns are finite. A learner accepts its own image at any time.
"""

from __future__ import annotations

import inspect
import pickle
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_learners import LEARNERS

import eigenstream
from eigenstream import Learner, Random

#: NotImplementedError: a code of feature space has no inverse transform.
DOCUMENTED = (TypeError, ValueError, NotImplementedError)
EXECUTIONS = 25
CALLS = 40

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, -1e300, 3e38, 1.8e19, 1e19, 1e-23, 1e-38, 1e-45, 5e-324]
DTYPES = ["f4", "f8", "f2", "longdouble", ">f4", ">f8", "i1", "i2", "i8", "u1", "u8", "?", "c8", "O", "S3", "U3", "M8[s]", "m8[s]", "V4"]


def numbers(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of every size, or common ones, a few of them special."""
    values = random.normal(size=shape)
    if random.random() < 0.3:
        with np.errstate(over="ignore"):
            values *= 10.0 ** random.integers(-320, 309)
    if random.random() < 0.3 and values.size:
        values.flat[random.integers(values.size)] = random.choice(SPECIAL)
    return values


def samples(random: np.random.Generator, width: int) -> Any:
    """Samples that fit the learner half of the time: any type, shape, order in memory and container."""
    rows = int(random.integers(0, 6))
    shapes = [(width,), (rows, width), (rows, width + 1), (width, rows), (rows,), (2, rows, width), ()]
    fits = random.random() < 0.5
    values = numbers(random, (max(rows, 1), width) if fits else shapes[random.integers(len(shapes))])
    dtype = random.choice(DTYPES[:6]) if fits else random.choice(DTYPES)
    try:
        with np.errstate(all="ignore"):
            array = values.astype(dtype)
    except DOCUMENTED:
        array = values
    match random.integers(9):
        case 0:
            array = np.asfortranarray(array)
        case 1 if array.ndim:
            array = array[::-1]
        case 2 if array.ndim == 2:
            array = np.repeat(array, 2, axis=1)[:, ::2]
        case 3 if array.ndim:
            array = np.broadcast_to(array[:1], array.shape)
        case 4:
            array.setflags(write=False)
        case 5:
            return array.tolist()
        case 6:
            return np.ma.masked_array(array)
        case 7 if not fits:
            strange: list[Any] = [None, "samples", b"bytes", {}, [[1.0], [1.0, 2.0]], object(), 3, [[]]]
            return strange[random.integers(len(strange))]
    return array


def damaged(random: np.random.Generator, image: bytes) -> bytes:
    """An image with wrong bytes or another length, mostly with a checksum that fits."""
    data = bytearray(image)
    for _ in range(random.integers(0, 4)):
        place = int(random.integers(len(data)))
        match random.integers(4):
            case 0:
                data[place] ^= 1 << int(random.integers(8))
            case 1:
                data[place : place + 4] = struct.pack("<f", random.choice(SPECIAL[:5] + SPECIAL[8:]))
            case 2:
                data = data[: max(place, 1)]
            case _:
                data += bytes(random.integers(0, 256, random.integers(9), dtype=np.uint8))
    if len(data) > 4 and random.random() < 0.7:
        data[-4:] = zlib.crc32(data[:-4]).to_bytes(4, "little")
    return bytes(data)


def state(learner: Learner) -> tuple[bytes, bytes]:
    """Everything that a call could change. The image of a KernelPca is its fit; its window is read separately."""
    points = learner.points if hasattr(learner, "points") else np.zeros(0)
    return learner.image(), points.tobytes()


def check_finite(found: Any) -> None:
    if isinstance(found, np.ndarray) and found.dtype.kind == "f":
        assert np.isfinite(found).all(), found
    elif isinstance(found, float):
        assert np.isfinite(found)
    elif isinstance(found, tuple):
        for part in found:
            check_finite(part)


def calls(learner: Learner, random: np.random.Generator) -> list[Callable[[], Any]]:
    """Every call of the learner, with hostile arguments."""
    native: Any = learner
    chance = Random(int(random.integers(1 << 32)))
    given = samples(random, learner.channels)
    found: list[Callable[[], Any]] = [
        lambda: learner.learn(given),
        lambda: learner.score(given),
        lambda: Learner.from_image(damaged(random, learner.image())).score(np.zeros(learner.channels)) is None,
    ]
    for verb in ("observe", "transform", "residual", "denoise", "expected_gain"):
        if hasattr(native, verb):
            found.append(lambda verb=verb: getattr(native, verb)(given))
    if hasattr(native, "inverse_transform"):
        found.append(lambda: native.inverse_transform(samples(random, native.keep)))
    if hasattr(native, "step"):
        arguments = inspect.signature(native.step).parameters
        found.append(lambda: native.step(given, chance) if len(arguments) == 2 else native.step(given))
    for command in ("fit", "reset", "recalibrate", "interrupt", "acknowledge"):
        if hasattr(native, command):
            found.append(lambda command=command: getattr(native, command)() is None)
    if hasattr(native, "merge"):
        others: list[Any] = [learner, learner.from_image(learner.image()), None]
        found.append(lambda: native.merge(others[random.integers(len(others))]) is None)
    return found


@pytest.mark.parametrize("name", LEARNERS)
def test_calls_of_any_order(name: str) -> None:
    worked = 0
    for seed in range(EXECUTIONS):
        random = np.random.default_rng([seed, len(name)])
        learner = LEARNERS[name]()
        for _ in range(CALLS):
            before = state(learner)
            choices = calls(learner, random)
            try:
                check_finite(choices[random.integers(len(choices))]())
                worked += 1
            except DOCUMENTED:
                assert state(learner) == before, f"seed {seed}: refused and changed"
        image = learner.image()
        assert eigenstream.from_image(image).image() == image, f"seed {seed}"
        assert pickle.loads(pickle.dumps(learner)) == learner, f"seed {seed}"
    assert worked > EXECUTIONS


@pytest.mark.parametrize("name", LEARNERS)
def test_damaged_images(name: str, machine: np.ndarray) -> None:
    learner = LEARNERS[name]().learn(machine[:40])
    image, accepted = learner.image(), 0
    for seed in range(300):
        random = np.random.default_rng([seed, len(name)])
        try:
            twin = eigenstream.from_image(damaged(random, image))
        except DOCUMENTED:
            continue
        accepted += 1
        assert eigenstream.from_image(twin.image()) == twin, f"seed {seed}"
        try:
            # An image with other numbers may refuse samples, for example as too large beside its mean.
            rows = np.resize(machine[:20], (20, twin.channels))
            check_finite(twin.learn(rows).score(rows))
        except DOCUMENTED:
            pass
        assert eigenstream.from_image(twin.image()) == twin, f"seed {seed}"
    assert accepted > 0


@pytest.mark.parametrize("name", LEARNERS)
def test_settings_of_any_kind(name: str, machine: np.ndarray) -> None:
    kind = type(LEARNERS[name]())
    names = [*inspect.signature(kind).parameters, "nonsense"]
    values = [None, 0, 1, 2, 3, 6, 7, -1, 1 << 70, 1e-3, 0.5, *SPECIAL, "fast", "always", "uniform", "", "\0", b"x", [], {}, True, 1j]
    made = 0
    for seed in range(300):
        random = np.random.default_rng([seed, len(name)])
        given: dict[str, Any] = {}
        for parameter, value in (("channels", 6), ("left", 6), ("right", 5), ("keep", 2), ("window", 10)):
            if parameter in names:
                given[parameter] = value
        for _ in range(random.integers(1, 3)):
            given[names[random.integers(len(names))]] = values[random.integers(len(values))]
        try:
            learner = kind(**given)
        except DOCUMENTED:
            continue
        made += 1
        rows = np.resize(machine[:12], (12, learner.channels))
        learner.learn(rows)
        check_finite(learner.score(rows))
        assert eigenstream.from_image(learner.image()) == learner, f"seed {seed}: {given}"
    assert made > 0
