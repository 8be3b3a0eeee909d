"""Tests which sizes are refused, and whether the error names the right remedy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import eigenstream
from eigenstream import (
    BatchPca,
    CenteredPca,
    DensityPca,
    Gha,
    KernelPca,
    Learner,
    Monitor,
    OnlineKernelPca,
    PairedPca,
    SizeError,
    TrackingPca,
)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Monitor(65), "Monitor with channels 65, median 1 in float32"),
        (lambda: Monitor(6, median=5), "Monitor with channels 6, median 5 in float32"),
        (lambda: Monitor(9, dtype="float64"), "Monitor with channels 9, median 1 in float64"),
        (lambda: TrackingPca(6, 5), "TrackingPca with channels 6, keep 5, rank 6 in float32"),
        (lambda: BatchPca(6, 3), "BatchPca with channels 6, keep 3 in float32"),
        (lambda: OnlineKernelPca(6, 2, 20), "OnlineKernelPca with channels 6, keep 2, window 20, rank 16 in float32"),
        (lambda: KernelPca(6, 2, 20), "KernelPca with channels 6, keep 2, window 20 in float32"),
        (lambda: PairedPca(5, 6, 2), "PairedPca with left 5, right 6, keep 2 in float32"),
    ],
)
def test_sizes_of_no_build_are_refused_without_a_remedy(make: Callable[[], Learner], words: str) -> None:
    with pytest.raises(SizeError, match=f"^{words} is not in the table of this build, .*: no build has it$"):
        make()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Monitor(7), "Monitor with channels 7, median 1 in float32"),
        (lambda: Monitor(12, dtype="float64"), "Monitor with channels 12, median 1 in float64"),
        (lambda: TrackingPca(64, 8), "TrackingPca with channels 64, keep 8, rank 18 in float32"),
        (lambda: KernelPca(6, 4, 64), "KernelPca with channels 6, keep 4, window 64 in float32"),
        (lambda: OnlineKernelPca(8, 2, dtype="float64"), "OnlineKernelPca with channels 8, keep 2, window 16, rank 16 in float64"),
        (lambda: PairedPca(8, 8, 4), "PairedPca with left 8, right 8, keep 4 in float32"),
    ],
)
def test_sizes_of_a_release_are_there_or_refused_with_the_remedy(make: Callable[[], Learner], words: str) -> None:
    if ("Monitor", (64, 1)) in eigenstream.sizes("Monitor"):
        make()
        return
    with pytest.raises(SizeError, match=f"^{words} is not in the table of this build, .*: `cargo harness python --all` builds it$"):
        make()


@pytest.mark.parametrize("kind", [TrackingPca, CenteredPca, DensityPca, BatchPca, Gha])
@pytest.mark.parametrize("keep", [6, 7])
def test_as_many_directions_as_channels_are_in_no_build(kind: type[Learner], keep: int) -> None:
    words = f"^{kind.__name__} keeps fewer directions than it has channels, in every build: keep is {keep}, channels is 6$"
    with pytest.raises(SizeError, match=words):
        kind(6, keep)


@pytest.mark.parametrize("kind", [OnlineKernelPca, KernelPca])
@pytest.mark.parametrize("keep", [10, 12])
def test_as_many_directions_as_points_are_in_no_build(kind: type[Learner], keep: int) -> None:
    words = f"^{kind.__name__} keeps fewer directions than its window has points, in every build: keep is {keep}, window is 10$"
    with pytest.raises(SizeError, match=words):
        kind(6, keep, 10)


def test_more_pairs_than_channels_of_a_group_are_in_no_build() -> None:
    words = "^PairedPca keeps at most as many pairs as each group has channels, in every build: keep is 6, left is 6, right is 5$"
    with pytest.raises(SizeError, match=words):
        PairedPca(6, 5, 6)
    with pytest.raises(SizeError, match="table"):
        PairedPca(6, 5, 5)


def test_the_table_obeys_the_rules_of_the_directions() -> None:
    for dtype in ("float32", "float64"):
        for name, sizes in eigenstream.sizes(dtype=dtype):
            if name == "PairedPca":
                assert sizes[2] <= min(sizes[:2])
            elif name in ("OnlineKernelPca", "KernelPca"):
                assert sizes[1] < sizes[2]
            elif name != "Monitor":
                assert sizes[1] < sizes[0]
