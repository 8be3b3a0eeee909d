"""Writes values.txt: the singular values that numpy finds, of 514 matrices that the test in tests/svd.rs makes in the same way.

    pip install numpy==2.4.6 && python3 make.py > values.txt

Every entry is a small integer times a power of two, exact in f32. One line a matrix: the singular values, descending.
"""

import numpy as np

# (rows, columns, matrices of each kind)
SIZES = [
    (1, 1, 4), (2, 2, 9), (3, 2, 9), (2, 5, 9), (4, 4, 9), (6, 3, 9), (3, 7, 9), (8, 8, 9),
    (12, 5, 9), (5, 12, 9), (24, 1, 4), (1, 40, 4), (16, 16, 4), (32, 32, 3),
]
KINDS = ["random", "graded columns", "graded rows", "clustered", "rank deficient"]


class Recurrence:
    def __init__(self, seed):
        self.state = seed

    def entry(self):
        """An integer from -2048 to 2047."""
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return (self.state >> 20) - 2048


def graded(place, places):
    """1 down to 2^-40, which is 12 decades."""
    return 2.0 ** -(40 * place // max(places - 1, 1))


def matrix(kind, rows, columns, chance):
    if kind == "rank deficient":
        rank = max(1, min(rows, columns) // 2)
        left = [[chance.entry() // 128 for _ in range(rank)] for _ in range(rows)]
        right = [[chance.entry() // 128 for _ in range(columns)] for _ in range(rank)]
        return np.array(left) @ np.array(right) / 64.0
    made = np.zeros((rows, columns))
    for row in range(rows):
        for column in range(columns):
            entry = chance.entry()
            if kind == "random":
                made[row, column] = entry / 2048
            elif kind == "graded columns":
                made[row, column] = entry / 2048 * graded(column, columns)
            elif kind == "graded rows":
                made[row, column] = entry / 2048 * graded(row, rows)
            else:
                made[row, column] = float(row == column) + entry // 256 / 2**23
    return made


seed = 0
for rows, columns, each in SIZES:
    matrices = [np.zeros((rows, columns))]
    for kind in KINDS:
        for _ in range(each):
            seed += 1
            matrices.append(matrix(kind, rows, columns, Recurrence(seed)))
    for made in matrices:
        assert np.array_equal(made, made.astype(np.float32))
        print(" ".join(f"{value:.17g}" for value in np.linalg.svd(made, compute_uv=False)))
