"""Tests the forms of memory in which samples can be given."""

from __future__ import annotations

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
