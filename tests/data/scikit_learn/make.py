"""Writes vectors.rs: what scikit-learn's KernelPCA and KernelRidge say of two small data sets.

    pip install scikit-learn==1.9.1 && python3 make.py > vectors.rs

Samples lie on a grid of 1/1024, so that f32 holds them exactly. Scores keep their sign: scikit-learn's rule is ours, the entry
of largest magnitude in an eigenvector is positive.
"""

import numpy as np
import sklearn
from sklearn.datasets import load_iris, make_circles
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import laplacian_kernel

KEEP = 3
KERNELS = {
    "Linear": dict(kernel="linear"),
    "Polynomial": dict(kernel="poly", gamma=1.0, coef0=1.0, degree=3),
    "Gaussian": dict(kernel="rbf", gamma=0.5),
    "Cosine": dict(kernel="cosine"),
    "Laplacian": dict(kernel="laplacian", gamma=0.5),
}


def on_grid(samples):
    return np.round(np.asarray(samples, dtype=float) * 1024) / 1024


def data_sets():
    circles, side = make_circles(n_samples=25, noise=0.05, factor=0.4, random_state=7)
    yield "circles", on_grid(circles), on_grid(circles[:, 0] * circles[:, 1] + side)
    iris = load_iris()
    chosen = np.r_[0:9, 50:58, 100:108]
    flowers = (iris.data - iris.data.mean(axis=0)) / iris.data.std(axis=0)
    yield "iris", on_grid(flowers[chosen]), on_grid(iris.target[chosen])


def pca_of(kernel):
    arguments = dict(KERNELS[kernel])
    if kernel == "Laplacian":  # known to KernelRidge by name, to KernelPCA as a function of a pair
        gamma = arguments.pop("gamma")
        arguments["kernel"] = lambda x, y: laplacian_kernel(x[None], y[None], gamma)[0, 0]
    return KernelPCA(n_components=KEEP, eigen_solver="dense", **arguments)


def literal(value):
    value = np.asarray(value, dtype=float)
    if value.ndim == 0:
        return repr(float(value))
    return "[" + ", ".join(literal(entry) for entry in value) + "]"


print(f"// Written by make.py with scikit-learn {sklearn.__version__} and numpy {np.__version__}.")
for name, samples, targets in data_sets():
    train, test = samples[:20], samples[20:]
    print(f"pub(super) const {name.upper()}: Vectors<{samples.shape[1]}> = Vectors {{")
    print(f"    train: {literal(train)},")
    print(f"    test: {literal(test)},")
    print(f"    targets: {literal(targets[:20])},")
    print("    models: [")
    for kernel in KERNELS:
        pca = pca_of(kernel).fit(train)
        ridge = KernelRidge(alpha=0.5, **KERNELS[kernel]).fit(train, targets[:20])
        print("        Model {")
        print(f"            kernel: \"{kernel}\",")
        print(f"            eigenvalues: {literal(pca.eigenvalues_)},")
        print(f"            scores: {literal(pca.transform(test))},")
        print(f"            coefficients: {literal(ridge.dual_coef_)},")
        print(f"            predictions: {literal(ridge.predict(test))},")
        print("        },")
    print("    ],")
    print("};")
