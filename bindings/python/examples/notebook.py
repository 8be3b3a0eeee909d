# %% [markdown]
# # From the chip to the notebook and back
#
# A monitor learns on an emulated Cortex-M4F. The notebook reads the image of the monitor, shows and tunes it, and sends it back to the
# chip. The chip and this notebook compute identical bits, so the notebook can predict every verdict of the chip.
#
# Run it as a notebook (the cells begin with `# %%`) or as a program: `python notebook.py FOLDER`.

# %%
import os
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib

if "ipykernel" not in sys.modules:
    matplotlib.use("Agg")
import numpy as np

import eigenstream

ROOT = Path(os.environ.get("EIGENSTREAM_ROOT", Path(__file__).resolve().parents[3]))
FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 and "ipykernel" not in sys.modules else ".").resolve()
TARGET = "thumbv7em-none-eabihf"
NAMES = ["current", "heat", "speed", "x", "y", "z"]

# %% [markdown]
# ## The chip
# The file `samples.bin` replaces the sensors of the chip, and `flash.bin` replaces its flash.


# %%
def build() -> Path:
    """Builds the program of the chip, `examples/board/src/bin/recording.rs`."""
    subprocess.run(
        ["cargo", "build", "--quiet", "--release", "--package", "eigenstream-board", "--bin", "recording", "--target", TARGET],
        cwd=ROOT,
        check=True,
    )
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / TARGET / "release" / "recording"


def run_chip(program: Path, samples: np.ndarray) -> str:
    """Runs the emulated chip over the samples; returns the printed text."""
    (FOLDER / "samples.bin").write_bytes(samples.astype("<f4").tobytes())
    emulator = ["qemu-system-arm", "-machine", "mps2-an386", "-cpu", "cortex-m4", "-nographic"]
    emulator += ["-semihosting-config", "enable=on,target=native", "-kernel", str(program)]
    done = subprocess.run(emulator, cwd=FOLDER, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout


def machine(rows: int, seed: int) -> np.ndarray:
    """Returns samples of six sensors that depend on two movements of a machine, with noise."""
    mixture = np.random.default_rng(0).normal(size=(2, 6))
    random = np.random.default_rng(seed)
    samples = random.normal(size=(rows, 2)) @ mixture + 0.2 * random.normal(size=(rows, 6)) + [3, 40, 10, 0, 0, 9.8]
    return samples.astype(np.float32)


assert shutil.which("qemu-system-arm"), "qemu-system-arm is missing"
FOLDER.mkdir(parents=True, exist_ok=True)
(FOLDER / "flash.bin").unlink(missing_ok=True)
program = build()

# %% [markdown]
# ## Learn on the chip

# %%
normal = machine(1000, seed=1)
print(run_chip(program, normal))
monitor = eigenstream.Monitor.from_image((FOLDER / "flash.bin").read_bytes())

# On this computer these samples give the same bytes.
here = eigenstream.Monitor(6, training=600)
here.observe(normal)
assert here == monitor, "the chip and the notebook differ"
print(f"{monitor!r}: the image of the chip, {len(monitor.image())} bytes, is that of the notebook, bit for bit")

# %% [markdown]
# ## Look

# %%
print(monitor.health)
fault = machine(600, seed=2)
fault[300:, 1] += np.linspace(0, 3, 300, dtype=np.float32)
monitor.plot(fault, NAMES)[0].figure.savefig(FOLDER / "before.png", dpi=80)

# %% [markdown]
# ## Tune
# Which threshold finds the fault first without a false alarm on other normal samples? The default asks for a rate of 1e-7.


# %%
def delay(rate: float) -> float:
    """Returns the samples from the beginning of the fault to the alarm; infinite if there is a false alarm or no alarm."""
    tried = eigenstream.Monitor(6, training=600, false_alarms=rate)
    tried.observe(normal)
    if tried.observe(machine(3000, seed=3)).alarm.any():
        return np.inf
    alarm = tried.observe(fault).alarm
    return float(alarm[300:].argmax()) if alarm.any() and not alarm[:300].any() else np.inf


delays = {rate: delay(rate) for rate in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)}
best = min(delays, key=delays.__getitem__)
print(delays, "best:", best)
tuned = eigenstream.Monitor(6, training=600, false_alarms=best)
tuned.observe(normal)
tuned.plot(fault, NAMES)[0].figure.savefig(FOLDER / "after.png", dpi=80)

# %% [markdown]
# ## Back to the chip
# The chip restores the tuned monitor and observes the fault. The notebook computes the alarm of the chip in advance.

# %%
(FOLDER / "flash.bin").write_bytes(tuned.image())
(FOLDER / "trained.rs").write_text(tuned.to_rust("monitor"))
(FOLDER / "motor_image.h").write_text(tuned.to_c("motor"))
said = run_chip(program, fault)
print(said)
expected = tuned.observe(fault)
first = int(expected.alarm.argmax())
assert expected.alarm.any() and f"sample {first}: alarm, channel {expected.guilty[first]}" in said
assert (FOLDER / "flash.bin").read_bytes() == tuned.image(), "the chip and the notebook differ"
print(f"alarm at sample {first}, channel {NAMES[expected.guilty[first]]}: on the chip as here")
