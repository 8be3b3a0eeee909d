"""Streaming PCA and machine monitoring: the code of the microcontroller, bit for bit, in Python.

>>> import eigenstream
>>> monitor = eigenstream.Monitor(6, training=600)
>>> verdicts = monitor.observe(samples)            # an array of rows, float32 or float64
>>> firmware = monitor.image()                     # the bytes that the chip restores
"""

from ._errors import FitError, ImageError, MergeError, SampleError, SettingsError, SizeError
from ._learner import Learner
from ._monitor import HEALTH, PHASES, STATES, Monitor, Verdict, Verdicts
from ._native import VERSION as __version__
from ._native import Random
from ._pca import BatchPca, CenteredPca, DensityPca, Gha, KernelPca, OnlineKernelPca, PairedPca, TrackingPca
from ._sizes import sizes

__all__ = [
    "HEALTH",
    "PHASES",
    "STATES",
    "BatchPca",
    "CenteredPca",
    "DensityPca",
    "FitError",
    "Gha",
    "ImageError",
    "KernelPca",
    "Learner",
    "MergeError",
    "Monitor",
    "OnlineKernelPca",
    "PairedPca",
    "Random",
    "SampleError",
    "SettingsError",
    "SizeError",
    "TrackingPca",
    "Verdict",
    "Verdicts",
    "__version__",
    "from_image",
    "sizes",
]

from_image = Learner.from_image
