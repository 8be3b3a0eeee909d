"""Tests that bad input raises the right exception, with the row and the channel, and leaves the learner unchanged."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_learners import LEARNERS, trained

import eigenstream
from eigenstream import (
    CenteredPca,
    DensityPca,
    Gha,
    ImageError,
    KernelPca,
    Learner,
    Monitor,
    OnlineKernelPca,
    SampleError,
    SettingsError,
    SizeError,
    TrackingPca,
)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_a_bad_number_is_refused_with_its_row_and_channel(name: str, bad: float, machine: np.ndarray) -> None:
    learner = trained(name, machine[:300])
    before = learner.image()
    # The image of KernelPca contains only the fit, so the points of the window are compared separately.
    points = learner.points if hasattr(learner, "points") else None
    rows = machine[:8].astype(np.float64)
    rows[5, 3] = bad
    for call in [learner.learn, learner.score] + [getattr(learner, verb) for verb in ("observe", "transform") if hasattr(learner, verb)]:
        with pytest.raises(SampleError, match="row 5: .*channel 3") as caught:
            call(rows)
        assert (caught.value.row, caught.value.channel) == (5, 3)
        assert isinstance(caught.value, ValueError)
    assert learner.image() == before
    if points is not None:
        np.testing.assert_array_equal(learner.points, points)


def test_a_refused_trial_leaves_the_generator_alone(machine: np.ndarray) -> None:
    pca, random = TrackingPca(6, 2).learn(machine[:50]), eigenstream.Random(9)
    rows = machine[:4].copy()
    rows[3, 0] = np.nan
    before = pca.image()
    with pytest.raises(SampleError):
        pca.step(rows, random)
    assert pca.image() == before and random.next_u32() == eigenstream.Random(9).next_u32()


@pytest.mark.parametrize(
    "bad",
    [
        np.array([[1, 2, 3, 4, 5, None]], dtype=object),
        np.array([["1"] * 6]),
        np.zeros((2, 6), dtype=complex),
        np.zeros((2, 6), dtype=bool),
        np.zeros((2, 6), dtype="datetime64[s]"),
        [[1, 2, 3, 4, 5, "x"]],
        None,
    ],
    ids=["object", "text", "complex", "bool", "time", "mixed", "none"],
)
def test_a_wrong_type_is_a_type_error(bad: object, machine: np.ndarray) -> None:
    for learner in (TrackingPca(6, 2).learn(machine[:20]), Monitor(6).learn(machine[:20])):
        before = learner.image()
        for call in (learner.learn, learner.score):
            with pytest.raises(TypeError):
                call(bad)
        assert learner.image() == before


@pytest.mark.parametrize("shape", [(5,), (3, 5), (3, 7), (0,), (0, 6), (3, 0), (2, 2, 6), ()])
def test_a_wrong_shape_is_a_value_error(shape: tuple[int, ...], machine: np.ndarray) -> None:
    for learner in (TrackingPca(6, 2).learn(machine[:20]), Monitor(6).learn(machine[:20])):
        before = learner.image()
        for call in (learner.learn, learner.score):
            with pytest.raises(ValueError):
                call(np.zeros(shape, dtype=np.float32))
        assert learner.image() == before


def test_an_array_in_any_order_of_memory_is_read(machine: np.ndarray) -> None:
    plain = TrackingPca(6, 2).learn(machine)
    for same in (np.asfortranarray(machine), machine.astype(np.float64), machine.astype(">f4"), machine.tolist()):
        assert TrackingPca(6, 2).learn(same) == plain
    strided = np.zeros((len(machine), 12), dtype=np.float32)
    strided[:, ::2] = machine
    assert TrackingPca(6, 2).learn(strided[:, ::2]) == plain
    frozen = machine.copy()
    frozen.setflags(write=False)
    assert TrackingPca(6, 2).learn(frozen) == plain


@pytest.mark.parametrize("name", LEARNERS)
def test_a_damaged_image_is_refused(name: str, machine: np.ndarray) -> None:
    image = trained(name, machine[:300]).image()
    for length in (0, 3, 19, len(image) // 2, len(image) - 1):
        with pytest.raises(ImageError):
            eigenstream.from_image(image[:length])
    # The first 20 bytes are the header: learner, number type, kernel, sizes and length.
    for place in {*range(25), len(image) // 2, len(image) - 1}:
        wrong = bytearray(image)
        wrong[place] ^= 0x10
        with pytest.raises(ImageError):
            eigenstream.from_image(bytes(wrong))


def test_an_image_of_another_learner_or_size(machine: np.ndarray) -> None:
    image = TrackingPca(6, 2).learn(machine).image()
    with pytest.raises(TypeError, match="TrackingPca"):
        Monitor.from_image(image)
    with pytest.raises(TypeError):
        eigenstream.from_image(12)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        eigenstream.from_image("image")  # type: ignore[arg-type]
    # The first size with a checksum that fits: no damage, but a size that no build has.
    other = image[:8] + (99).to_bytes(2, "little") + image[10:-4]
    with pytest.raises(SizeError, match="^TrackingPca with channels 99, keep 2, rank 6 in float32 .*: no build has it$"):
        eigenstream.from_image(other + zlib.crc32(other).to_bytes(4, "little"))


def test_sizes_and_settings_that_do_not_exist() -> None:
    for wrong in (lambda: Monitor(65), lambda: TrackingPca(100, 2)):
        with pytest.raises(SizeError, match="table"):
            wrong()
    for wrong in (lambda: Monitor(0), lambda: TrackingPca(-3, 1)):
        with pytest.raises(ValueError):
            wrong()
    for wrong in (lambda: Monitor(6.0), lambda: Monitor("6"), lambda: Monitor(6, dtype="int32"), lambda: Monitor(6, score=[])):
        with pytest.raises(TypeError):
            wrong()
    for wrong in (
        lambda: TrackingPca(6, 2, learning_rate=-1),
        lambda: TrackingPca(6, 2, learning_rate=0),
        lambda: TrackingPca(6, 2, learning_rate=float("nan")),
        lambda: TrackingPca(6, 2, learning_rate="fast"),
        lambda: TrackingPca(6, 2, scale="never"),
        lambda: TrackingPca(6, 2, share=2.0),
        lambda: Monitor(6, training=-5),
        lambda: Monitor(6, training=1.5),
        lambda: Monitor(6, settle=5),
        lambda: Monitor(6, settle=1, learn=5, calibrate=5),
        lambda: Monitor(6, threshold=1.0, quantile=0.5),
        lambda: Monitor(6, false_alarms=2.0),
        lambda: Monitor(6, score="best"),
        lambda: Monitor(6, new_level="never", new_level_after=500),
        lambda: Monitor(6, training=500, settle=50, learn=200, calibrate=100),
        lambda: Monitor(6, threshold=1.0, threshold_factor=2.0),
        lambda: Monitor(6, threshold=1.0, threshold_floor=2.0),
        lambda: TrackingPca(6, 2, norm_bound=1.0, scale_memory=50),
        lambda: TrackingPca(6, 2, norm_bound=1.0, scale="off"),
        lambda: TrackingPca(6, 2, scale="off", scale_memory=50),
        lambda: DensityPca(6, 2, share_of="past_average"),
        lambda: CenteredPca(6, 2, center="fixed", center_weight=2),
        lambda: Gha(6, 2, rate="falling"),
    ):
        with pytest.raises(SettingsError):
            wrong()


@pytest.mark.parametrize("wrong", [True, False, np.True_, np.array(True)], ids=repr)
def test_a_truth_value_is_no_setting(wrong: Any) -> None:
    for name in ("training", "threshold", "score"):
        with pytest.raises(TypeError, match=f"^{name} has to be a number or a word, not .*{bool(wrong)}"):
            Monitor(6, **{name: wrong})
    with pytest.raises(TypeError, match="^learning_rate has to be a number or a word, not "):
        TrackingPca(6, 2, learning_rate=wrong)
    for name in ("best_loss", "learning_rate", "largest_energy", "share", "trials", "segments"):
        with pytest.raises(TypeError, match=f"^{name} is a number, not .*{bool(wrong)}"):
            TrackingPca(6, 2).bound(**{"best_loss": 1.0, "learning_rate": 1.0, name: wrong})


def test_no_type_is_no_number_type() -> None:
    for wrong in (lambda: Monitor(6, dtype=None), lambda: eigenstream.sizes("Monitor", None)):
        with pytest.raises(TypeError, match="^dtype is float32 or float64, not None$"):
            wrong()


def test_a_series_of_one_channel_is_refused_with_its_remedy() -> None:
    series = np.sin(np.arange(2000.0))
    for call in (Monitor(1).learn, Monitor(1).observe, Monitor(1).score, Monitor(1).plot):
        words = r"^2000 channels in a sample, the learner has 1: pass a series as samples.reshape\(-1, 1\)$"
        with pytest.raises(ValueError, match=words):
            call(series)
        call(series.reshape(-1, 1))
        call(series[:1])
    pca = TrackingPca(3, 1)
    with pytest.raises(ValueError, match=r"^4 numbers in a code, the learner keeps 1 directions: .* codes.reshape\(-1, 1\)$"):
        pca.inverse_transform(np.zeros(4))
    # An array of rows is no series, and a learner of more channels has none.
    for learner, rows in ((Monitor(1), np.zeros((5, 2))), (Monitor(6), series)):
        with pytest.raises(ValueError, match="channels in a sample, the learner has .$"):
            learner.learn(rows)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: TrackingPca(6, 2, learning_rate=-1), "learning_rate is -1.0"),
        (lambda: TrackingPca(6, 2, ceiling=0, learning_rate=2), "ceiling is 0.0"),
        (lambda: DensityPca(6, 2, share=2, share_of="past_average"), 'share is 2.0, share_of is "past_average"'),
        (lambda: TrackingPca(6, 2, norm_bound=float("nan")), "norm_bound is NaN"),
        (lambda: TrackingPca(6, 2, scale_memory=0.5), "scale_memory is 0.5"),
        (lambda: CenteredPca(6, 2, center_weight=-3), "center_weight is -3.0"),
        (lambda: CenteredPca(6, 2, memory=1), "memory is 1.0"),
        (lambda: KernelPca(6, 2, gamma=1e-300), "gamma is 1e-300, which float32 rounds to 0"),
        (lambda: OnlineKernelPca(6, 2, stride=0), "stride is 0.0"),
        (lambda: OnlineKernelPca(6, 2, novelty=1), "novelty is 1.0"),
        (lambda: Monitor(6, quantile=1.5), "quantile is 1.5"),
        (lambda: Monitor(6, false_alarms=0), "false_alarms is 0.0"),
        (lambda: Monitor(6, false_alarms=1e-50), "false_alarms is 1e-50, which float32 rounds to 0"),
        (lambda: Monitor(6, quantile=1 - 1e-9), "quantile is 0.999999999, which float32 rounds to 1"),
        (lambda: Monitor(6, threshold=1e39), "threshold is 1e39, which float32 rounds to inf"),
        (lambda: Monitor(6, threshold=-1e39), "threshold is -1e39, which float32 rounds to -inf"),
        (lambda: Monitor(6, threshold=np.inf), "threshold is inf"),
        (lambda: Monitor(6, dtype="float64", quantile=1.5), "quantile is 1.5"),
        (lambda: Monitor(6, dtype="float64", threshold=-1e39), "threshold is -1e39"),
        (lambda: Monitor(6, threshold=-1), "threshold is -1.0"),
        (lambda: Monitor(6, threshold_factor=2, threshold_floor=-1), "threshold_factor is 2.0, threshold_floor is -1.0"),
        (lambda: Monitor(6, release=1.5, confirm=3), "release is 1.5"),
        (lambda: Monitor(6, settle=1, learn=5, calibrate=5), "settle is 1.0, learn is 5.0, calibrate is 5.0"),
    ],
)
def test_a_refused_setting_is_named_with_its_value(make: Callable[[], Learner], words: str) -> None:
    with pytest.raises(SettingsError, match=f"[^:]+: {words}$"):
        make()


def test_a_setting_of_a_wrong_type_is_named_with_its_value() -> None:
    with pytest.raises(TypeError, match=r"^score has to be a number or a word, not \['loss'\]$"):
        Monitor(6, score=["loss"])  # type: ignore[arg-type]


def test_a_seed_is_a_whole_number() -> None:
    for wrong in (True, False, np.True_, 1.0, "1", None):
        with pytest.raises(TypeError, match=f"^a seed is a whole number, not {re.escape(repr(wrong))}$"):
            eigenstream.Random(wrong)  # type: ignore[arg-type]
    for wrong in (-1, 2**64):
        with pytest.raises(ValueError, match=f"^a seed is a whole number from 0 to {2**64 - 1}, not {wrong}$"):
            eigenstream.Random(wrong)
    assert eigenstream.Random(np.int64(3)).next_u64() == eigenstream.Random(3).next_u64()
    assert eigenstream.Random(2**64 - 1).next_u32() != eigenstream.Random(0).next_u32()


def test_the_samples_of_a_new_level_need_no_word() -> None:
    assert Monitor(6, new_level_after=500).image() == Monitor(6, new_level="accept", new_level_after=500).image()
    assert Monitor(6, new_level_after=500).image() != Monitor(6).image()


def test_a_learner_without_codes_refuses_to_go_back() -> None:
    for width in (0, 6):
        with pytest.raises(RuntimeError, match="inverse_transform"):
            Monitor(6)._native.inverse_transform(np.zeros((3, width), dtype=np.float32))


def test_learners_that_do_not_belong_together(machine: np.ndarray) -> None:
    pca = TrackingPca(6, 2).learn(machine[:100])
    before = pca.image()
    with pytest.raises(eigenstream.MergeError):
        pca.merge(TrackingPca(6, 2, learning_rate=0.5))
    with pytest.raises(TypeError):
        pca.merge(TrackingPca(5, 2))
    with pytest.raises(TypeError):
        pca.merge(TrackingPca(6, 2, dtype=np.float64))
    with pytest.raises(TypeError):
        pca.merge(eigenstream.BatchPca(6, 2))
    with pytest.raises(TypeError):
        pca.start_from(eigenstream.BatchPca(5, 2))
    assert pca.image() == before


def test_a_message_is_true_of_the_value() -> None:
    with pytest.raises(SettingsError, match="training has to be a whole number from 0 to 4294967295, not 1000000000000"):
        Monitor(6, training=10**12)
    for wrong in (lambda: TrackingPca("six", 2), lambda: TrackingPca(6, "two"), lambda: OnlineKernelPca(6, 2, "ten")):
        with pytest.raises(TypeError, match="a size is a whole number, not '"):
            wrong()
    with pytest.raises(TypeError, match="TrackingPca starts from a BatchPca, not from NoneType"):
        TrackingPca(6, 2).start_from(None)  # type: ignore[arg-type]


def test_a_wrong_code_is_refused_as_a_code(machine: np.ndarray) -> None:
    pca = TrackingPca(6, 2).learn(machine[:100])
    with pytest.raises(ValueError, match="3 numbers in a code, the learner keeps 2 directions"):
        pca.inverse_transform(np.zeros((4, 3)))
    with pytest.raises(ValueError, match=r"there are no codes in an array of shape \(0,\)"):
        pca.inverse_transform([])
    with pytest.raises(ValueError, match="codes have one or two dimensions, not 3"):
        pca.inverse_transform(np.zeros((1, 4, 2)))
    with pytest.raises(TypeError, match="codes have to be real numbers, not an array of bool"):
        pca.inverse_transform([True, False])


def test_columns_of_pandas_with_nullable_numbers_are_read(machine: np.ndarray) -> None:
    pd = pytest.importorskip("pandas")
    names = list("abcdef")
    rows = np.round(machine[:800] * 1000)
    plain = TrackingPca(6, 2).learn(rows)
    frame = pd.DataFrame(rows, columns=names)
    mixed = {"a": "Float32", "b": "Int64", "c": "Int32", "d": "int64", "e": "Float64"}
    for types in ("Float64", "Float32", "Int64", mixed):
        assert TrackingPca(6, 2).learn(frame.astype(types)) == plain
    assert TrackingPca(6, 2).learn(frame.astype("Int64").iloc[0]) == TrackingPca(6, 2).learn(rows[0])
    assert TrackingPca(6, 2).learn(pd.array(rows[0], dtype="Float64")) == TrackingPca(6, 2).learn(rows[0])
    gaps = rows.copy()
    gaps[700, 2] = np.nan
    expected = Monitor(6, training=600, missing="impute")
    scores = expected.observe(gaps).score
    for types in ("Float64", "Int64", mixed):
        missing = frame.astype(types)
        missing.loc[700, "c"] = pd.NA
        for call in (Monitor(6).observe, Monitor(6).plot, TrackingPca(6, 2).learn):
            with pytest.raises(SampleError, match="row 700: .*channel 2"):
                call(missing)
        filled = Monitor(6, training=600, missing="impute")
        np.testing.assert_array_equal(filled.observe(missing).score, scores)
        assert filled == expected
    # The error names the column of text, also behind a column with pd.NA.
    for kind in ("boolean", "string", "object", "bool"):
        wrong = (frame * 0).astype("Int64")
        wrong.loc[700, "a"] = pd.NA
        wrong = wrong.astype({"d": kind})
        with pytest.raises(TypeError, match=f"^samples have to be real numbers: column 'd' has {kind}$"):
            plain.learn(wrong)
    with pytest.raises(TypeError, match=r"^samples have to be real numbers: column 'time' has datetime64\["):
        plain.learn(frame.drop(columns="f").assign(time=pd.Timestamp("2024-01-01")))
    with pytest.raises(ValueError, match=r"^800 channels in a sample, the learner has 1: pass a series as samples.to_frame\(\)$"):
        Monitor(1).learn(frame["a"])
    Monitor(1).learn(frame["a"].to_frame())


def test_rows_of_no_array_are_named_by_their_type() -> None:
    for wrong, kind in ((iter([[1.0] * 6]), "list_iterator"), ({"a": 1.0}, "dict"), ("text", "str"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"^samples have to be an array of real numbers, not {kind}$"):
            Monitor(6).learn(wrong)  # type: ignore[arg-type]


def test_a_masked_value_is_a_missing_value(machine: np.ndarray) -> None:
    rows = machine[:800].copy()
    mask = np.zeros(rows.shape, dtype=bool)
    mask[700, 2] = True
    gaps = np.where(mask, np.nan, rows)
    rows[mask] = 1000.0
    for masked in (np.ma.masked_array(rows, mask), np.ma.masked_array(rows, mask).astype(np.float64)):
        with pytest.raises(SampleError, match="row 700: .*channel 2"):
            Monitor(6, training=600).observe(masked)
        filled = Monitor(6, training=600, missing="impute")
        expected = Monitor(6, training=600, missing="impute")
        np.testing.assert_array_equal(filled.observe(masked).score, expected.observe(gaps).score)
        assert filled == expected
        with pytest.raises(SampleError, match="row 700: .*channel 2"):
            Monitor(6).plot(masked)
    with pytest.raises(SampleError, match="row 0: .*channel 1"):
        TrackingPca(6, 2).learn(np.ma.masked_equal([1, 2, 3, 4, 5, 6], 2))
    assert TrackingPca(6, 2).learn(np.ma.masked_array(machine)) == TrackingPca(6, 2).learn(machine)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"best_loss": float("nan")}, "best_loss is a finite number, not nan"),
        ({"best_loss": float("inf")}, "best_loss is a finite number, not inf"),
        ({"learning_rate": -1.0}, "learning_rate is a finite number above 0, not -1.0"),
        ({"learning_rate": float("inf")}, "learning_rate is a finite number above 0, not inf"),
        ({"share": -0.5}, "share is a number from 0 to 1, not -0.5"),
        ({"share": float("nan")}, "share is a number from 0 to 1, not nan"),
        ({"share": 1.0}, "share is 1.0$"),
        ({"largest_energy": -1.0}, "largest_energy is -1.0$"),
        ({"trials": -1}, "trials is not negative, not -1"),
        ({"segments": 0}, "segments is at least 1, not 0"),
    ],
)
def test_there_is_no_bound_from_a_wrong_number(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TrackingPca(6, 2).bound(**{"best_loss": 1.0, "learning_rate": 1.0, **wrong})


@pytest.mark.parametrize("name", ["kernel_gha_f32", "kernel_gha_f64", "apex_f32", "lagged_f32"])
def test_the_image_of_a_learner_that_python_does_not_have_is_refused(name: str) -> None:
    """A `KernelGha` has the number of a `Gha`, and a kernel."""
    image = (Path(__file__).parents[3] / "tests" / "data" / "images" / f"{name}.eigs").read_bytes()
    with pytest.raises(ImageError, match=f"^the image holds another learner, number {image[5]}$"):
        eigenstream.from_image(image)
