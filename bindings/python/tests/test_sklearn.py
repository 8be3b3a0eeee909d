"""Runs scikit-learn's own checks, and tests the estimators in the tools of scikit-learn."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import eigenstream
from eigenstream import sklearn as estimators

ALL = [getattr(estimators, name) for name in estimators.__all__]


@pytest.mark.parametrize("estimator", ALL, ids=lambda estimator: estimator.__name__)
def test_check_estimator_fails_nowhere(estimator: type, figures: list[str]) -> None:
    results = check_estimator(estimator(), on_fail=None, on_skip=None)
    count = Counter(result["status"] for result in results)
    figures.append(f"check_estimator({estimator.__name__}): " + ", ".join(f"{count[key]} {key}" for key in ("passed", "failed", "skipped")))
    failed = [(result["check_name"], repr(result["exception"])) for result in results if result["status"] == "failed"]
    assert not failed
    assert count["passed"] >= 40


@pytest.mark.parametrize("estimator", [each for each in ALL if each is not estimators.Monitor], ids=lambda each: each.__name__)
def test_transformers_work_in_a_pipeline_with_pandas(estimator: type, machine: np.ndarray) -> None:
    frame = pytest.importorskip("pandas").DataFrame(machine, columns=list("abcdef"))
    pipeline = make_pipeline(StandardScaler(), estimator(n_components=2)).set_output(transform="pandas")
    codes = pipeline.fit_transform(frame)
    name = estimator.__name__.lower()
    assert list(codes.columns) == [f"{name}0", f"{name}1"] and len(codes) == len(frame)


def test_a_grid_search_chooses_a_learning_rate(machine: np.ndarray) -> None:
    search = GridSearchCV(estimators.TrackingPca(2), {"learning_rate": [0.1, 1.0]}, cv=2).fit(machine)
    assert search.best_params_["learning_rate"] in (0.1, 1.0)
    target = machine[:, 1] > 0
    pipeline = make_pipeline(estimators.CenteredPca(2), LogisticRegression())
    assert cross_val_score(pipeline, machine, target, cv=3).mean() > 0.8


def test_the_learner_inside_is_that_of_the_chip(machine: np.ndarray) -> None:
    fitted = estimators.TrackingPca(2).fit(machine)
    assert fitted.learner_ == eigenstream.TrackingPca(6, 2).learn(machine)
    half = estimators.TrackingPca(2).partial_fit(machine[:2000]).partial_fit(machine[2000:])
    assert half.learner_ == fitted.learner_
    np.testing.assert_array_equal(fitted.components_, fitted.learner_.components)


def test_the_monitor_with_the_threshold_of_the_chip(machine: np.ndarray) -> None:
    detector = estimators.Monitor(contamination="auto").fit(machine)
    assert (detector.predict(machine) == 1).mean() > 0.99
    assert (detector.predict(machine + [0, 0, 9, 0, 0, 0]) == -1).mean() > 0.99


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("estimator", [each for each in ALL if hasattr(each, "inverse_transform")], ids=lambda each: each.__name__)
def test_the_way_back_has_the_number_type_of_the_codes(estimator: type, dtype: type, machine: np.ndarray) -> None:
    fitted = estimator(2).fit(machine)
    codes = fitted.transform(machine[:9].astype(dtype))
    samples = fitted.inverse_transform(codes)
    assert samples.dtype == dtype
    np.testing.assert_array_equal(samples, fitted.learner_.inverse_transform(codes))
    assert fitted.inverse_transform([[1, 2]]).dtype == np.float64


@pytest.mark.parametrize("estimator", ALL, ids=lambda estimator: estimator.__name__)
def test_a_fit_that_fails_changes_nothing(estimator: type, machine: np.ndarray) -> None:
    bad = machine.astype(np.float64)
    bad[7, 3] = 1e200
    calls = [verb for verb in ("fit", "partial_fit") if hasattr(estimator, verb)]
    for call in calls:
        new = estimator()
        with pytest.raises(eigenstream.SampleError, match="row 7: .*channel 3"):
            getattr(new, call)(bad)
        with pytest.raises(NotFittedError):
            new.score_samples(machine)
        fitted = estimator().fit(machine)
        before = fitted.learner_.image()
        with pytest.raises(eigenstream.SampleError):
            getattr(fitted, call)(bad)
        assert fitted.learner_.image() == before


def test_a_monitor_that_does_not_watch_says_so(machine: np.ndarray) -> None:
    for rows in (machine[:10], np.ones((400, 6))):
        with pytest.warns(UserWarning, match=f"there is no threshold after {len(rows)} rows: every row counts as normal"):
            detector = estimators.Monitor(contamination="auto").fit(rows)
        assert not detector.learner_.is_watching and (detector.predict(machine) == 1).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimators.Monitor(contamination="auto").fit(machine[:400])


def test_a_monitor_without_scores_says_so(machine: np.ndarray) -> None:
    """Before the scale of the channels is known every score is zero, so the part of the outliers sets no limit."""
    for rows in (machine[:3], np.ones((400, 6))):
        with pytest.warns(UserWarning, match=f"every score is zero after {len(rows)} rows: every row counts as normal"):
            detector = estimators.Monitor().fit(rows)
        assert (detector.predict(machine + 100) == 1).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (estimators.Monitor().fit(machine[:40]).predict(machine + 100) == -1).all()
