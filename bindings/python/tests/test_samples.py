"""Tests the forms in which samples can be given: arrays in any memory, and DataFrames of Polars."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest

from eigenstream import Monitor, TrackingPca


def off_by_one(array: np.ndarray) -> np.ndarray:
    """Returns an array with the same numbers that begins at an odd address, as after a header of one byte in a file."""
    moved = np.frombuffer(b"h" + array.tobytes(), dtype=array.dtype, offset=1).reshape(array.shape)
    assert not moved.flags.aligned and moved.flags.c_contiguous
    return moved


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_array_that_is_not_aligned_is_read(dtype: type, machine: np.ndarray) -> None:
    rows = machine[:300].astype(dtype)
    monitor, twin = (Monitor(6, training=200, dtype=dtype) for _ in range(2))
    assert monitor.observe(off_by_one(rows)) == twin.observe(rows)
    assert monitor.observe(off_by_one(rows[0])) == twin.observe(rows[0])
    pca = TrackingPca(6, 2, dtype=dtype).learn(off_by_one(rows))
    assert pca == TrackingPca(6, 2, dtype=dtype).learn(rows)
    codes = pca.transform(rows)
    np.testing.assert_array_equal(pca.inverse_transform(off_by_one(codes)), pca.inverse_transform(codes))


def a_frame(rows: np.ndarray) -> Any:
    return pytest.importorskip("polars").DataFrame({name: rows[:, channel] for channel, name in enumerate("abcdef")})


def test_a_frame_of_polars_is_an_array(machine: np.ndarray) -> None:
    polars = pytest.importorskip("polars")
    rows = machine[:300].copy()
    rows[:, 5] = np.round(rows[:, 5])
    frame = a_frame(rows)
    for same in (frame, frame.cast(polars.Float64), frame.with_columns(polars.col("f").cast(polars.Int16))):
        assert Monitor(6, training=200).observe(same) == Monitor(6, training=200).observe(rows)
    assert Monitor(6).observe(frame[:1].transpose()["column_0"]) == Monitor(6).observe(rows[0])
    # A null counts as NaN, also in a column of nothing else.
    gaps = rows.copy()
    gaps[7, 0] = gaps[:, 5] = np.nan
    nulls = a_frame(gaps).fill_nan(None).with_columns(polars.lit(None).alias("f"))
    learners = [Monitor(6, training=200, missing="impute") for _ in range(2)]
    assert learners[0].observe(nulls) == learners[1].observe(gaps)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "Boolean"),
        (datetime.datetime(2026, 1, 2), "Datetime"),
        (datetime.date(2026, 1, 2), "Date"),
        (datetime.time(3, 4), "Time"),
        (datetime.timedelta(seconds=5), "Duration"),
        ("text", "String"),
    ],
)
def test_a_column_of_polars_without_numbers_is_refused(value: object, kind: str, machine: np.ndarray) -> None:
    """Polars itself converts truth values and times to numbers if another column has numbers."""
    polars = pytest.importorskip("polars")
    frame = a_frame(machine[:30]).with_columns(polars.lit(value).alias("c"))
    learners = (Monitor(6), TrackingPca(6, 2))
    for learner in learners:
        before = learner.image()
        for bad in (frame, frame.select(polars.col("c").alias(name) for name in "abcdef")):
            column = "c" if bad is frame else "a"
            with pytest.raises(TypeError, match=rf"^samples have to be real numbers: column '{column}' has {kind}"):
                learner.learn(bad)
        assert learner.image() == before
