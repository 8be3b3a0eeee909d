"""Tests the learners through Python."""

from __future__ import annotations

import _thread
import ast
import copy
import inspect
import json
import pickle
import re
import signal
import threading
from dataclasses import fields, replace
from importlib.metadata import version

import numpy as np
import pytest

import eigenstream
from eigenstream import (
    BatchPca,
    CenteredPca,
    DensityPca,
    Gha,
    KernelPca,
    Monitor,
    OnlineKernelPca,
    PairedPca,
    TrackingPca,
    Verdicts,
)

LEARNERS = {
    "Monitor": lambda: Monitor(6, training=200),
    "TrackingPca": lambda: TrackingPca(6, 2),
    "CenteredPca": lambda: CenteredPca(6, 2),
    "DensityPca": lambda: DensityPca(6, 2),
    "BatchPca": lambda: BatchPca(6, 2),
    "Gha": lambda: Gha(6, 2),
    "OnlineKernelPca": lambda: OnlineKernelPca(6, 2, 10, gamma=0.1),
    "KernelPca": lambda: KernelPca(6, 2, 10, gamma=0.1),
    "TrackingPca64": lambda: TrackingPca(6, 2, dtype=np.float64),
}


def trained(name: str, samples: np.ndarray) -> eigenstream.Learner:
    learner = LEARNERS[name]().learn(samples)
    if hasattr(learner, "fit"):
        learner.fit()
    return learner


@pytest.mark.parametrize("name", LEARNERS)
def test_an_image_restores_the_learner_bit_for_bit(name: str, machine: np.ndarray) -> None:
    learner = trained(name, machine[:300])
    for twin in (
        eigenstream.from_image(learner.image()),
        type(learner).from_image(learner.image()),
        pickle.loads(pickle.dumps(learner)),
        copy.deepcopy(learner),
    ):
        assert type(twin) is type(learner) and twin == learner and twin.dtype == learner.dtype
        np.testing.assert_array_equal(twin.score(machine[300:400]), learner.score(machine[300:400]))
    # Learning with the copy does not change the original.
    twin.learn(machine[300:310])
    if name != "KernelPca":
        assert twin != learner
    with pytest.raises(TypeError):
        hash(learner)


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_one_by_one_are_the_batch(name: str, machine: np.ndarray) -> None:
    whole, single = LEARNERS[name](), LEARNERS[name]()
    whole.learn(machine[:250])
    for row in machine[:250]:
        single.learn(row)
    assert whole == single
    np.testing.assert_array_equal(whole.score(machine[:9]), [single.score(row) for row in machine[:9]])


def test_the_monitor_finds_a_fault_and_the_channel(machine: np.ndarray) -> None:
    monitor = Monitor(6, training=2000)
    before = monitor.observe(machine[:3000])
    assert monitor.is_watching and not before.alarm.any()
    broken = machine[3000:3200].copy()
    broken[:, 4] += 3.0
    after = monitor.observe(broken)
    assert after.alarm[20:].all()
    assert (after.guilty[20:] == 4).mean() > 0.9
    verdict = after[-1]
    assert verdict.alarm and verdict.phase == "watching" and verdict.guilty == 4
    np.testing.assert_allclose(after.contribution.sum(axis=1), after.score, rtol=1e-4)
    assert monitor.health["alarms"] == 1 and monitor.health["channels"] == ["good"] * 6
    table = after.to_pandas()
    assert len(table) == 200 and table["phase"].iloc[-1] == "watching"


def test_scoring_changes_nothing(machine: np.ndarray) -> None:
    monitor = Monitor(6, training=200).learn(machine[:300])
    before = monitor.image()
    monitor.score(machine)
    monitor.plot(machine[300:400])
    assert monitor.image() == before


def test_the_directions_are_those_of_numpy(machine: np.ndarray) -> None:
    _, _, rows = np.linalg.svd(machine.astype(np.float64), full_matrices=False)
    best = rows[:2].T @ rows[:2]
    for pca in (TrackingPca(6, 2), DensityPca(6, 2, ceiling=14), BatchPca(6, 2, centering="uncentered")):
        pca.learn(machine)
        if isinstance(pca, BatchPca):
            pca.fit()
        components = pca.components
        assert components.shape == (2, 6)
        np.testing.assert_allclose(components @ components.T, np.eye(2), atol=1e-5)
        assert np.abs(components.T @ components - best).max() < 0.1, pca
        codes = pca.transform(machine[:5])
        np.testing.assert_allclose(codes, machine[:5] @ components.T, atol=1e-5)
        np.testing.assert_allclose(pca.inverse_transform(codes), codes @ components, atol=1e-5)
        np.testing.assert_allclose((pca.residual(machine[:5]) ** 2).sum(axis=1), pca.score(machine[:5]), rtol=1e-3, atol=1e-6)
        assert pca.samples_seen == 4000


def test_the_total_loss_is_within_the_bound(machine: np.ndarray) -> None:
    samples = (machine / np.linalg.norm(machine, axis=1).max()).astype(np.float64)
    pca = TrackingPca(6, 2, dtype=np.float64, learning_rate=0.5, scale="off")
    _, _, expected = pca.step(samples, eigenstream.Random(1))
    best = (np.linalg.svd(samples, compute_uv=False)[2:] ** 2).sum()
    assert best < expected.sum() <= pca.bound(best, learning_rate=0.5)
    with pytest.raises(TypeError, match="learning_rate"):
        pca.bound(best)  # type: ignore[call-arg]
    assert abs(pca.keep_probabilities.sum() - 2) < 1e-4
    assert pca.evidence.shape == (6,) and pca.density.shape == (6, 6) and abs(np.trace(pca.density) - 1) < 1e-4


def test_merged_parts_are_one_pass(machine: np.ndarray) -> None:
    for make in (lambda: BatchPca(6, 2), lambda: CenteredPca(6, 2)):
        whole, first, second = make().learn(machine), make().learn(machine[:1000]), make().learn(machine[1000:])
        first.merge(second)
        if isinstance(first, BatchPca):
            first.fit(), whole.fit()
        assert first.samples_seen == 4000
        np.testing.assert_allclose(first.mean, whole.mean, atol=1e-4)
        np.testing.assert_allclose(first.explained_variance, whole.explained_variance, rtol=1e-3)


def test_a_start_from_a_batch_knows_its_directions(machine: np.ndarray) -> None:
    batch = BatchPca(6, 2, centering="uncentered").learn(machine)
    with pytest.raises(eigenstream.FitError):
        TrackingPca(6, 2).start_from(batch)
    batch.fit()
    pca = TrackingPca(6, 2).start_from(batch)
    assert pca.score(machine[:100]).mean() < 1.5 * batch.score(machine[:100]).mean()


def test_pairs_of_two_groups() -> None:
    random = np.random.default_rng(3)
    left = random.normal(size=(500, 6)).astype(np.float32)
    right = random.normal(size=(500, 5)).astype(np.float32) * 0.1
    right[:, 1] += 2 * left[:, 3]
    pairs = PairedPca(6, 5, 2).learn(np.hstack([left, right]))
    assert np.abs(pairs.left[0]).argmax() == 3 and np.abs(pairs.right[0]).argmax() == 1
    assert pairs.samples_seen == 500 and pairs.cross_scatter.shape == (6, 5)
    np.testing.assert_allclose(pairs.cross_scatter, left.T @ right, rtol=1e-3, atol=0.05)
    twin = eigenstream.from_image(pairs.image())
    gain, expected = pairs.step(np.hstack([left[0], right[0]]), eigenstream.Random(1))
    assert np.isfinite([gain, expected]).all() and twin.samples_seen == 500


def test_kernel_pca_denoises() -> None:
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    pca = KernelPca(2, 2, 16, gamma=1.0).learn(ring)
    assert pca.fit()
    clean = pca.denoise([[1.3, 0.0]])
    assert abs(np.linalg.norm(clean) - 1) < 0.3 - 0.05
    assert pca.transform(ring).shape == (16, 2) and pca.points.shape == (16, 2)
    online = OnlineKernelPca(2, 2, 16, gamma=1.0).learn(ring)
    assert online.score([0.0, 5.0]) > online.score(ring).max()


def test_two_threads_run_at_once(machine: np.ndarray) -> None:
    """The interpreter's lock is released in a batch: another thread continues while the batch runs."""
    samples = np.tile(machine, (200, 1))
    ticks, done = [], threading.Event()

    def run() -> None:
        TrackingPca(6, 2).learn(samples)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.wait(0.005):
        ticks.append(1)
    thread.join()
    assert len(ticks) > 3


def test_a_picture_has_the_names_of_the_columns(machine: np.ndarray) -> None:
    frame = pytest.importorskip("pandas").DataFrame(machine[:700], columns=list("uvwxyz"))
    for samples, names, expected in (
        (frame, None, list("uvwxyz")),
        (frame, list("abcdef"), list("abcdef")),
        (machine[:700], None, [f"channel {channel}" for channel in range(6)]),
    ):
        below = Monitor(6, training=600).plot(samples, names)[1]
        assert [text.get_text() for text in below.get_legend().get_texts()] == expected


def test_pictures(machine: np.ndarray, tmp_path) -> None:
    monitor = Monitor(6, training=600).learn(machine[:700])
    broken = machine[700:1200].copy()
    broken[300:, 2] += 3
    above, below = monitor.plot(broken, names=list("abcdef"))
    above.figure.savefig(tmp_path / "monitor.png")
    axes = TrackingPca(6, 2).learn(machine).plot()
    axes.figure.savefig(tmp_path / "components.png")
    assert (tmp_path / "monitor.png").stat().st_size > 10_000
    assert (tmp_path / "components.png").stat().st_size > 3_000


def test_the_table_says_what_it_has() -> None:
    for dtype in ("f8", float, np.float64, np.dtype("float64"), "float64"):
        assert eigenstream.sizes("Monitor", dtype) == eigenstream.sizes("Monitor", "float64")
    for wrong in ("int32", "f2"):
        with pytest.raises(TypeError, match="dtype is float32 or float64, not "):
            eigenstream.sizes("Monitor", wrong)
    with pytest.raises(ValueError, match="^there is no learner 'monitor': the learners are BatchPca, .*, Monitor, .*, TrackingPca$"):
        eigenstream.sizes("monitor")
    assert ("TrackingPca", (6, 2, 6)) in eigenstream.sizes()
    assert ("Monitor", (6, 3)) in eigenstream.sizes("Monitor", "float64")
    for name, sizes in eigenstream.sizes():
        if name == "TrackingPca":
            assert repr(TrackingPca(*sizes[:2])) == f"<TrackingPca<f32, {sizes[0]}, {sizes[1]}, {sizes[2]}>>"
        if name == "OnlineKernelPca":
            OnlineKernelPca(*sizes[:3])
        if name == "KernelPca":
            first, second, third = sizes
            assert repr(KernelPca(*sizes)) == f"<KernelPca<f32, kernel::Gaussian<f32>, {first}, {second}, {third}>>"


def test_a_count_of_samples_is_exact_above_the_whole_numbers_of_float32(machine: np.ndarray) -> None:
    pca = BatchPca(6, 2).learn(machine[0])
    for _ in range(24):
        pca.merge(pca)
    assert pca.learn(machine[0]).samples_seen == 2**24 + 1


def test_the_numbers_of_a_verdict_have_the_types_that_it_names(machine: np.ndarray) -> None:
    verdicts = Monitor(6, training=600).observe(machine[:700])
    verdict = verdicts[-1]
    names = ("score", "threshold", "alarm", "stuck", "guilty", "moved", "seen", "need")
    numbers = {name: getattr(verdict, name) for name in names}
    assert [type(number) for number in numbers.values()] == [float, float, bool, type(None), int, float, int, int]
    assert json.loads(json.dumps(numbers)) == numbers and verdict.score == verdicts.score[-1] > 0


def test_verdicts_are_compared(machine: np.ndarray) -> None:
    first, second = (Monitor(6, training=600).observe(machine[:700]) for _ in range(2))
    assert first == second and first[650] == second[650]
    other = Monitor(6, training=600).observe(machine[1:701])
    assert first != other and first[650] != other[650] and first != first[650] and first[650] != 3
    for verdict in (first, first[650]):
        with pytest.raises(TypeError, match="unhashable type: 'Verdict"):
            hash(verdict)


def test_a_verdict_with_nan_equals_its_copy(machine: np.ndarray) -> None:
    verdicts = Monitor(6, training=600).observe(machine[:700])
    gaps = verdicts.contribution.copy()
    gaps[650, 2] = np.nan
    first, second = (replace(verdicts, contribution=gaps.copy(), moved=np.full(700, np.nan)) for _ in range(2))
    assert first == second and first[650] == second[650] and first == copy.deepcopy(first)
    assert first != verdicts and first[650] != verdicts[650]


def test_rows_of_verdicts_are_verdicts(machine: np.ndarray) -> None:
    verdicts = Monitor(6, training=600).observe(machine[:700])
    late = verdicts[600:]
    assert isinstance(late, Verdicts) and len(late) == 100 and late[0] == verdicts[600] and late[-1] == verdicts[-1]
    assert late.contribution.shape == (100, 6) and len(late.to_pandas()) == 100
    mask = verdicts.score > np.median(verdicts.score)
    rows = np.flatnonzero(mask)
    columns = {field.name: getattr(verdicts, field.name)[mask] for field in fields(verdicts)}
    for some in (mask, mask.tolist(), rows, rows.tolist(), rows - 700):
        assert verdicts[some] == Verdicts(**columns)
    assert len(verdicts[[]]) == 0 and len(verdicts[np.zeros(700, dtype=bool)]) == 0
    assert verdicts[np.int64(3)] == verdicts[3] == list(verdicts)[3]
    for wrong in (700, -701, [700], mask[:600]):
        with pytest.raises(IndexError):
            verdicts[wrong]
    for wrong in ("alarm", 1.0, [1.0], None, (1, 2), True, np.True_, mask.reshape(-1, 1)):
        with pytest.raises(TypeError, match="^a row is a whole number, and rows are a slice, a mask or whole numbers, not "):
            verdicts[wrong]


def test_a_pickled_window_continues_like_the_original(machine: np.ndarray) -> None:
    """The image of a KernelPca contains only the fit. A pickle contains the points of the window and their ages too."""
    for rows, is_fitted in ((0, False), (7, False), (7, True), (23, False), (23, True)):
        pca = KernelPca(6, 2, 10, gamma=0.1)
        if rows:
            pca.learn(machine[:rows])
        if is_fitted:
            pca.fit()
        twin = pickle.loads(pickle.dumps(pca))
        assert twin == pca
        np.testing.assert_array_equal(twin.points, pca.points)
        for each in (pca, twin):
            each.learn(machine[100:104]).fit()
        np.testing.assert_array_equal(twin.points, pca.points)
        assert twin == pca


class Pump(Monitor):
    """A subclass of a user, with an attribute of its own."""

    place: list[str]

    def pressure(self) -> float:
        return float(self.center[0])


def test_a_subclass_is_a_learner(machine: np.ndarray) -> None:
    pump = Pump(6, training=600).learn(machine[:700])
    pump.place = ["cellar"]
    assert pump.image() == Monitor(6, training=600).learn(machine[:700]).image()
    for twin in (pickle.loads(pickle.dumps(pump)), copy.copy(pump), copy.deepcopy(pump), Pump.from_image(pump.image())):
        assert type(twin) is Pump and twin == pump and twin.pressure() == pump.pressure()
    for twin in (pickle.loads(pickle.dumps(pump)), copy.copy(pump), copy.deepcopy(pump)):
        assert twin.place == ["cellar"] and twin._native is not pump._native
    assert copy.copy(pump).place is pump.place and copy.deepcopy(pump).place is not pump.place
    with pytest.raises(TypeError, match="holds a TrackingPca, not a Pump"):
        Pump.from_image(TrackingPca(6, 2).image())


def test_a_subclass_with_the_name_of_a_learner_does_not_replace_it() -> None:
    own = type("Gha", (Gha,), {})
    assert type(eigenstream.from_image(Gha(6, 2).image())) is Gha
    assert type(own.from_image(Gha(6, 2).image())) is own


def test_names_in_a_picture_are_any_sequence(machine: np.ndarray) -> None:
    pandas = pytest.importorskip("pandas")
    monitor = Monitor(6, training=600).learn(machine[:700])
    for names in (np.array(list("abcdef")), pandas.Index(list("abcdef")), tuple("abcdef")):
        _, below = monitor.plot(machine[700:800], names=names)
        assert [text.get_text() for text in below.get_legend().get_texts()] == list("abcdef")
    with pytest.raises(ValueError, match="2 names for 6 channels"):
        monitor.plot(machine[700:800], names=["a", "b"])


HELPFUL = [Monitor, TrackingPca, CenteredPca, DensityPca, BatchPca, Gha, OnlineKernelPca, KernelPca, PairedPca]


@pytest.mark.parametrize("kind", HELPFUL)
def test_the_help_names_every_setting_and_its_true_default(kind: type[eigenstream.Learner], machine: np.ndarray) -> None:
    words = inspect.getdoc(kind)
    parameters = inspect.signature(kind).parameters
    assert [name for name in parameters if f"`{name}`" not in words and name not in ("channels", "keep", "left", "right", "dtype")] == []
    found = re.findall(r"`(\w+)` \(([^)]+)\)", words)
    defaults = {name: float("inf") if value == "inf" else ast.literal_eval(value) for name, value in found}
    sizes = [{"left": 6, "right": 5, "channels": 6, "keep": 2}[name] for name in parameters if name in ("left", "right", "channels", "keep")]
    rate = defaults.pop("false_alarms", None)
    assert kind(*sizes, **defaults) == kind(*sizes)
    # Every default is there, so another value of it makes another learner.
    for name in defaults:
        if isinstance(defaults[name], int) and name != "median":
            other = {"release": 0.5, "share": 0.5, "novelty": 0.5}.get(name, defaults[name] + 1000)
            assert kind(*sizes, **{**defaults, name: other}) != kind(*sizes)
    if rate is not None:
        # The image tells the default rule from a rate that equals its rate; the threshold does not.
        thresholds = [Monitor(6, training=600, **given).learn(machine[:600]).threshold for given in ({}, {"false_alarms": rate})]
        assert thresholds[0] == thresholds[1] < 1e6


def test_the_verdicts_of_a_batch_are_shown_in_one_line(machine: np.ndarray) -> None:
    rows = machine[:800].copy()
    rows[700:, 2] += 9.0
    verdicts = Monitor(6, training=600).observe(rows)
    count = int(verdicts.alarm.sum())
    assert count > 90 and repr(verdicts) == f"<Verdicts: 800 samples, {count} in alarm>"
    assert repr(verdicts[0]).startswith("Verdict(score=0.0, threshold=")


def test_the_package_says_its_version() -> None:
    assert eigenstream.__version__ == version("eigenstream")


def test_a_generator_is_copied_and_pickled(machine: np.ndarray) -> None:
    random = eigenstream.Random(7)
    TrackingPca(6, 2).step(machine[:99], random)
    twins = [copy.copy(random), copy.deepcopy(random)]
    twins += [pickle.loads(pickle.dumps(random, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    numbers = [random.next_u64() for _ in range(5)]
    for twin in twins:
        assert type(twin) is eigenstream.Random and twin is not random
        assert [twin.next_u64() for _ in range(5)] == numbers
    assert eigenstream.Random(0).next_u32() == copy.copy(eigenstream.Random(0)).next_u32() != numbers[0]
    for wrong in (b"short", bytes(17), None):
        with pytest.raises((TypeError, ValueError)):
            random.__setstate__(wrong)


def test_the_class_of_all_learners_is_no_learner() -> None:
    with pytest.raises(TypeError, match="^Learner is no learner itself: take TrackingPca"):
        eigenstream.Learner()


@pytest.mark.parametrize("call", ["learn", "step"])
def test_ctrl_c_stops_a_batch_and_nothing_is_learned(call: str) -> None:
    samples = np.random.default_rng(3).normal(size=(1_000_000, 6)).astype(np.float32)
    learner, random = DensityPca(6, 2), eigenstream.Random(5)
    learner.learn(samples[:100])
    before, seed = copy.copy(learner), copy.copy(random)
    arguments = (samples, random) if call == "step" else (samples,)
    # A shell starts programs in the background without Ctrl-C: then Python has no handler for it.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.2, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            getattr(learner, call)(*arguments)
    finally:
        signal.signal(signal.SIGINT, usual)
    assert learner == before and random.next_u64() == seed.next_u64()


def test_a_learner_that_another_thread_changes_says_that_it_is_busy(machine: np.ndarray) -> None:
    samples = np.tile(machine, (250, 1))
    pca, random = TrackingPca(6, 2), eigenstream.Random(1)
    thread = threading.Thread(target=pca.step, args=(samples, random))
    calls = [lambda: pca.learn(machine), lambda: pca.score(machine), lambda: pca.channels, lambda: repr(pca), lambda: pca == pca]
    calls += [pca.image, lambda: copy.copy(pca), lambda: TrackingPca(6, 2).merge(pca), lambda: pca.components, pca.reset]
    thread.start()
    while thread.is_alive():
        try:
            pca.channels
        except RuntimeError:
            break
    for call in calls:
        with pytest.raises(RuntimeError, match="^the learner is busy with a batch in another thread$"):
            call()
    for draw in (random.next_u32, lambda: copy.copy(random), lambda: TrackingPca(6, 2).step(machine, random)):
        with pytest.raises(RuntimeError, match="^the generator is busy with a batch in another thread$"):
            draw()
    assert thread.is_alive()
    thread.join()
    assert pca.samples_seen == len(samples)
    # Calls that change nothing run at once.
    thread = threading.Thread(target=pca.score, args=(samples,))
    thread.start()
    while thread.is_alive():
        assert pca.samples_seen == len(samples)
    thread.join()
