"""Runs river's own checks that need no network, and tests features that appear and disappear."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("river")
from river import checks, compose, preprocessing
from river.checks import anomaly, common

from eigenstream import SampleError, river

pytestmark = pytest.mark.whole

MODELS = [river.Monitor, river.TrackingPca]


def outcome(model: object, check: object) -> str:
    try:
        check(model.clone())  # type: ignore[attr-defined, operator]
    except OSError:
        # The check needs to download a data set.
        return "network"
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"
    return "passed"


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_no_local_check_fails(kind: type, figures: list[str]) -> None:
    model = kind()
    found = [(check.__name__, outcome(model, check)) for check in checks.yield_checks(model)]
    results = [result for _, result in found]
    figures.append(f"river's checks of {kind.__name__}: {results.count('passed')} passed, {results.count('network')} need the network")
    assert not [each for each in found if each[1] not in ("passed", "network")]
    assert results.count("passed") >= 14


def stream(length: int, seed: int = 5) -> list[dict[str, float]]:
    random = np.random.default_rng(seed)
    load = random.normal(size=length)
    return [
        {"current": x + 0.1 * n, "heat": 2 * x + 0.1 * m, "speed": -x + 0.1 * k}
        for x, n, m, k in zip(load, *random.normal(size=(3, length)), strict=True)
    ]


def test_a_fault_scores_high() -> None:
    monitor = river.Monitor(training=300)
    for sample in stream(600):
        monitor.learn_one(sample)
    usual = monitor.score_one(stream(1, 9)[0])
    assert monitor.score_one({"current": 0.0, "heat": 9.0, "speed": 0.0}) > 20 * usual
    for _ in range(20):
        monitor.learn_one({"current": 0.0, "heat": 9.0, "speed": 0.0})
    assert monitor.alarm


def test_features_that_vanish_and_appear() -> None:
    monitor = river.Monitor(training=100)
    for sample in stream(200):
        monitor.learn_one(dict(reversed(sample.items())))
    # The channels are sorted by name, so their order is the same in every process.
    assert monitor._now.features == ("current", "heat", "speed")
    whole = stream(1, 9)[0]
    del whole["heat"]
    assert np.isfinite(monitor.score_one(whole))
    monitor.learn_one(whole)
    for time, sample in enumerate(stream(300, 6)):
        monitor.learn_one({**sample, "a": float(time % 5), "noise": float(time % 7)})
    # The larger monitor has replaced the first one, so a fault in the new feature changes the score.
    assert monitor._now.features == ("a", "current", "heat", "noise", "speed")
    assert monitor.score_one({**stream(1, 9)[0], "a": 2.0, "noise": 500.0}) > 100


def test_the_transformer_in_a_pipeline() -> None:
    model = compose.Pipeline(preprocessing.StandardScaler(), river.TrackingPca(n_components=1))
    for sample in stream(300):
        model.learn_one(sample)
    codes = [model.transform_one(sample)[0] for sample in stream(100, 8)]
    loads = [sample["current"] for sample in stream(100, 8)]
    assert abs(np.corrcoef(codes, loads)[0, 1]) > 0.98


def labelled(length: int) -> list[tuple[dict[str, float], bool]]:
    """Returns a stream with some faults. It replaces the data set that river's checks of detectors download."""
    samples = [(sample, False) for sample in stream(length)]
    for time in range(length // 2, length, 20):
        samples[time] = ({**samples[time][0], "heat": 25.0}, True)
    return samples


@pytest.mark.parametrize(
    "check",
    [
        common.check_learn_one,
        common.check_pickling,
        common.check_shuffle_features_no_impact,
        common.check_emerging_features,
        common.check_disappearing_features,
        common.check_radically_disappearing_features,
        common.check_predict_one_pure,
        common.check_predict_one_before_any_learn,
        common.check_no_state_aliasing_with_input,
        common.check_clone_is_independent,
        anomaly.check_roc_auc,
    ],
    ids=lambda check: check.__name__,
)
def test_the_checks_of_detectors_with_a_stream_of_our_own(check) -> None:
    check(river.Monitor(training=100), labelled(400))


@pytest.mark.parametrize("wrong", [np.inf, "text"])
@pytest.mark.parametrize("make", [lambda: river.Monitor(training=100), lambda: river.TrackingPca(2)], ids=["Monitor", "TrackingPca"])
def test_a_sample_that_is_refused_changes_nothing(make, wrong: object, machine: np.ndarray) -> None:
    """The sample has a feature that is new and wrong: no learner starts for it, and the first learner learns nothing of it."""
    model = make()
    rows = [dict(zip("abcde", row.tolist(), strict=False)) for row in machine[:300]]
    for row in rows[:200]:
        model.learn_one(row)
    before = model._now.learner.image()
    for bad in ({**rows[200], "f": wrong}, {**rows[200], "b": wrong}):
        with pytest.raises(ValueError):
            model.learn_one(bad)
        assert model._now.learner.image() == before and model._now.learned == 200 and model._next is None
    # With two learners.
    model.learn_one({**rows[201], "f": 1.0})
    before, beside = model._now.learner.image(), model._next.learner.image()
    with pytest.raises(ValueError):
        model.learn_one({**rows[202], "f": wrong})
    assert model._now.learner.image() == before and model._next.learner.image() == beside and model._next.learned == 1


@pytest.mark.parametrize("make", [lambda: river.Monitor(training=100), lambda: river.TrackingPca(2)])
def test_the_feature_of_a_refused_channel_is_named(make, machine: np.ndarray) -> None:
    model = make()
    for row in machine[:150]:
        model.learn_one(dict(zip(("heat", "load", "speed"), row[:3], strict=True)))
    wrong = {"heat": 1.0, "load": np.inf, "speed": 2.0}
    for call in (model.learn_one, getattr(model, "score_one", None) or model.transform_one):
        with pytest.raises(SampleError) as caught:
            call(wrong)
        assert caught.value.__notes__ == ["channel 1 is the feature 'load'"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_a_number_too_large_for_float32_is_refused_without_a_warning(kind: type) -> None:
    model = kind()
    for x in stream(50):
        model.learn_one(x)
    answer = model.score_one if hasattr(model, "score_one") else model.transform_one
    for call in (model.learn_one, answer):
        with pytest.raises(SampleError, match="is not a finite number"):
            call(dict.fromkeys(x, 1e39))
