"""Tests that compilers accept the source text of `to_rust` and `to_c`, and that it restores the learner."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from test_learners import LEARNERS, trained

from eigenstream import Monitor, PairedPca, TrackingPca

ROOT = Path(__file__).parents[3]


def test_the_text_says_type_name_and_bytes(machine: np.ndarray) -> None:
    pca = TrackingPca(6, 2).learn(machine[:100])
    text = pca.to_rust("motor")
    assert "pub type Trained = pca::TrackingPca<f32, 6, 2, 6>;" in text and "pub fn motor()" in text
    assert f"[u8; {len(pca.image())}]" in text and text.count("0x") == len(pca.image())


def test_text_that_cannot_be_is_refused() -> None:
    for name in ("Not a name", "", "2fast", "a-b"):
        with pytest.raises(ValueError):
            Monitor(6).to_c(name)
        with pytest.raises(ValueError):
            Monitor(6).to_rust(name)
    with pytest.raises(ValueError):
        Monitor(6, dtype=np.float64).to_c()


@pytest.mark.parametrize("name", ["fn", "type", "self", "crate", "async", "gen", "try", "yield", "macro"])
def test_a_keyword_of_rust_names_no_function(name: str) -> None:
    with pytest.raises(ValueError, match=f"^'{name}' is a keyword of Rust: give another name$"):
        Monitor(6).to_rust(name)


@pytest.mark.parametrize("name", ["uint8", "int32", "size", "intptr", "uint_fast16"])
def test_the_type_of_a_monitor_is_no_type_of_c(name: str) -> None:
    """The type of the monitor is `NAME_t`."""
    with pytest.raises(ValueError, match=f"^'{name}' is no name of a monitor: {name}_t is a type of C$"):
        Monitor(6).to_c(name)


def test_a_monitor_does_not_have_the_prefix_of_the_header() -> None:
    with pytest.raises(ValueError, match="^'eig' is no name of a monitor: names with eig_ belong to eigenstream.h$"):
        Monitor(6).to_c("eig")


def test_a_keyword_of_rust_is_a_name_in_c() -> None:
    assert "pub fn int()" in Monitor(6).to_rust("int") and "fn_image[" in Monitor(6).to_c("fn")


PROGRAM = """#include <stddef.h>
#include "eigenstream.h"
#include "motor_image.h"
EIG_DECLARE_MONITOR(motor, 6, 1024)
eig_status start(motor_t *monitor, const eig_settings *settings) {
  const eig_status status = motor_init(monitor, settings);
  return status == EIG_OK ? motor_load(monitor, motor_image, sizeof motor_image, NULL) : status;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("language", ["c99", "c11", "c++14"])
@pytest.mark.parametrize("name", ["motor", "int", "class"])
def test_a_c_compiler_accepts_the_header(language: str, name: str, machine: np.ndarray, tmp_path: Path) -> None:
    monitor = Monitor(6, training=200).learn(machine[:300])
    # A name is only the beginning of names, so it may be a keyword.
    header = monitor.to_c(name)
    assert header.count("0x") == len(monitor.image())
    (tmp_path / f"{name}_image.h").write_text(header)
    source = tmp_path / ("start.cpp" if "+" in language else "start.c")
    source.write_text(PROGRAM.replace("motor", name))
    strict = ["-fsyntax-only", f"-std={language}", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command = ["cc", *strict, "-I", str(ROOT / "bindings" / "c" / "include"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.whole
@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is missing")
def test_a_rust_program_restores_every_learner(machine: np.ndarray, tmp_path: Path) -> None:
    """Builds a program with one module for each learner. The program restores the learners and encodes them again."""
    learners = {name.lower(): trained(name, machine[:300]) for name in LEARNERS}
    learners["pairedpca"] = PairedPca(6, 5, 2).learn(np.hstack([machine[:300], machine[:300, :5]]))
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text(
        "[package]\nname = 'restored'\nversion = '0.0.0'\nedition = '2024'\n[workspace]\n"
        f"[dependencies]\neigenstream = {{ path = '{ROOT}' }}\n"
    )
    main = ["use eigenstream::Codec;", "fn main() {"]
    for name, learner in learners.items():
        (tmp_path / "src" / f"{name}.rs").write_text(learner.to_rust(name))
        main.insert(0, f"mod {name};")
        main.append(f"let learner = {name}::{name}().expect('restores');".replace("'", '"'))
        main.append(f"let mut image = [0; {len(learner.image())}];")
        main.append("learner.encode(&mut image).expect('encodes');".replace("'", '"'))
        main.append(f"assert_eq!(image, {name}::IMAGE);")
    (tmp_path / "src" / "main.rs").write_text("\n".join([*main, "}"]))
    # The dependencies are built once for all runs of the tests.
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "python" / "restored"
    done = subprocess.run(
        ["cargo", "run", "--quiet"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "CARGO_TARGET_DIR": str(target), "RUSTFLAGS": "-Dwarnings"},
    )
    assert done.returncode == 0, done.stderr
