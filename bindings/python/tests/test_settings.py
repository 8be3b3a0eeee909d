"""Tests that the settings of a monitor can be read, from a new monitor, a copy and an image."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from typing import Any

import numpy as np
import pytest

import eigenstream
from eigenstream import Monitor

DEFAULTS = {
    "median": 1,
    "settle": 307,
    "learn": 1127,
    "calibrate": 614,
    "level_memory": 300,
    "input_smoothing": 3,
    "smoothing": 5,
    "score": "loss",
    "learning": "while_normal",
    "missing": "refuse",
    "new_level": "accept",
    "new_level_after": 2000,
    "false_alarms": 1e-7,
    "threshold_factor": 1.0,
    "threshold_floor": 0.0,
    "release": 1.0,
    "confirm": 1,
    "hold_off": 0,
}

#: Settings, and what they change in the settings that are read. None: the setting is not there.
GIVEN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"training": 600}, {"settle": 90, "learn": 330, "calibrate": 180}),
    ({"training": 4000}, {"settle": 600, "learn": 2200, "calibrate": 1200, "level_memory": 400}),
    ({"settle": 4, "learn": 5, "calibrate": 6, "level_memory": 7}, {"settle": 4, "learn": 5, "calibrate": 6, "level_memory": 7}),
    ({"training": 0}, {"settle": 4, "learn": 15, "calibrate": 8}),
    ({"median": 3, "input_smoothing": 0, "smoothing": 2**32 - 1}, {"median": 3, "input_smoothing": 0, "smoothing": 2**32 - 1}),
    ({"score": "combined", "learning": "frozen", "missing": "impute"}, {"score": "combined", "learning": "frozen", "missing": "impute"}),
    ({"new_level": "never"}, {"new_level": "never", "new_level_after": None}),
    ({"new_level": "ask"}, {"new_level": "ask"}),
    ({"new_level_after": 99}, {"new_level_after": 99}),
    ({"threshold": 2.7}, {"threshold": 2.7, "false_alarms": None, "threshold_factor": None, "threshold_floor": None}),
    ({"quantile": 0.9, "threshold_factor": 1.1}, {"quantile": 0.9, "threshold_factor": 1.1, "false_alarms": None}),
    ({"false_alarms": 1e-3, "threshold_floor": 0.3}, {"false_alarms": 1e-3, "threshold_floor": 0.3}),
    ({"release": 0.8, "confirm": 3, "hold_off": 100}, {"release": 0.8, "confirm": 3, "hold_off": 100}),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("given", "changed"), GIVEN, ids=lambda each: ",".join(each))
def test_the_settings_of_a_monitor_are_read(dtype: str, given: dict[str, Any], changed: dict[str, Any], machine: np.ndarray) -> None:
    expected = {name: value for name, value in (DEFAULTS | changed).items() if value is not None}
    monitor = Monitor(6, dtype=dtype, **given)
    assert monitor.settings == expected
    assert {name: type(value) for name, value in monitor.settings.items()} == {name: type(value) for name, value in expected.items()}
    assert json.loads(json.dumps(monitor.settings)) == expected
    monitor.observe(machine[:700])
    for twin in (eigenstream.from_image(monitor.image()), pickle.loads(pickle.dumps(monitor)), copy.copy(monitor), monitor):
        assert isinstance(twin, Monitor) and twin.settings == expected


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("given", [given for given, _ in GIVEN], ids=",".join)
def test_the_settings_make_the_same_monitor(dtype: str, given: dict[str, Any], machine: np.ndarray) -> None:
    first = Monitor(6, dtype=dtype, **given)
    second = Monitor(6, dtype=dtype, **first.settings)
    assert second.settings == first.settings
    if any(rule in given for rule in ("threshold", "quantile", "false_alarms")):
        assert second == first
    # The image tells the default rule from a rate that equals its rate; the verdicts do not.
    assert second.observe(machine[:2500]) == first.observe(machine[:2500])


def test_the_settings_name_every_keyword_of_a_monitor() -> None:
    keywords = set(inspect.signature(Monitor).parameters) - {"channels", "dtype", "training"}
    assert {name for given, _ in GIVEN for name in Monitor(6, **given).settings} == keywords


def test_the_settings_are_those_of_now() -> None:
    monitor = Monitor(6)
    assert monitor.set_learning("always").settings == DEFAULTS | {"learning": "always"}
    # A change of the dict changes no monitor.
    monitor.settings["confirm"] = 9
    assert monitor.settings["confirm"] == 1
    with pytest.raises(AttributeError):
        monitor.settings = DEFAULTS  # type: ignore[misc]
