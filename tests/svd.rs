//! Agreement with numpy on 514 matrices that this file and `tests/data/numpy_svd/make.py` build alike.

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::{Convergence, Svd};

const VALUES: &str = include_str!("data/numpy_svd/values.txt");

/// The limit of all errors. The unit is (ROWS + COLUMNS)·ε, with the machine epsilon ε; for values and residual it is
/// multiplied by the largest singular value.
const TOLERANCE: f64 = 4.0;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Zero,
    Random,
    GradedColumns,
    GradedRows,
    Clustered,
    RankDeficient,
}

const KINDS: [Kind; 5] = [
    Kind::Random,
    Kind::GradedColumns,
    Kind::GradedRows,
    Kind::Clustered,
    Kind::RankDeficient,
];

/// Pseudo-random integers from −2048 to 2047, equal to those of `make.py`.
struct Recurrence(u32);

impl Recurrence {
    fn entry(&mut self) -> i32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 20) as i32 - 2048
    }
}

/// A factor that falls from 1 at the first place to 2⁻⁴⁰ at the last.
fn graded(place: usize, places: usize) -> f64 {
    2.0_f64.powi(-((40 * place / (places - 1).max(1)) as i32))
}

fn matrix<const ROWS: usize, const COLUMNS: usize>(kind: Kind, seed: u32) -> SMatrix<f64, ROWS, COLUMNS> {
    let mut chance = Recurrence(seed);
    let mut made = SMatrix::zeros();
    if kind == Kind::RankDeficient {
        let rank = (ROWS.min(COLUMNS) / 2).max(1);
        let left: Vec<i32> = (0..ROWS * rank).map(|_| chance.entry().div_euclid(128)).collect();
        let right: Vec<i32> = (0..rank * COLUMNS).map(|_| chance.entry().div_euclid(128)).collect();
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                let entry: i32 = (0..rank)
                    .map(|i| left[row * rank + i] * right[i * COLUMNS + column])
                    .sum();
                made[(row, column)] = f64::from(entry) / 64.0;
            }
        }
        return made;
    }
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let entry = chance.entry();
            let small = f64::from(entry) / 2048.0;
            made[(row, column)] = match kind {
                Kind::Zero | Kind::RankDeficient => 0.0,
                Kind::Random => small,
                Kind::GradedColumns => small * graded(column, COLUMNS),
                Kind::GradedRows => small * graded(row, ROWS),
                Kind::Clustered => {
                    f64::from(u8::from(row == column)) + f64::from(entry.div_euclid(256)) / f64::from(1 << 23)
                }
            };
        }
    }
    made
}

/// Returns the errors of values, residual and orthogonality, in the units of `TOLERANCE`.
fn check<T: Scalar, const ROWS: usize, const COLUMNS: usize>(kind: Kind, seed: u32, wanted: &[f64]) -> [f64; 3] {
    let exact = matrix::<ROWS, COLUMNS>(kind, seed);
    let mut svd = Svd::<T, ROWS, COLUMNS>::new();
    let reached = svd.decompose(&exact.map(T::from_f64));
    assert_eq!(
        reached,
        Ok(Convergence::Reached),
        "{kind:?} {ROWS}×{COLUMNS}, seed {seed}"
    );
    let unit = (ROWS + COLUMNS) as f64 * T::EPSILON.to_f64();
    let largest = wanted[0].max(f64::MIN_POSITIVE);
    assert_eq!(svd.values().len(), wanted.len());
    assert!(svd.values().is_sorted_by(|left, right| left >= right));

    let mut errors = [0.0_f64; 3];
    for (value, wanted) in svd.values().iter().zip(wanted) {
        errors[0] = errors[0].max((value.to_f64() - wanted).abs() / (unit * largest));
    }
    let left = svd.left().map(|entry| entry.to_f64());
    let right = svd.right().map(|entry| entry.to_f64());
    let mut rebuilt = SMatrix::<f64, ROWS, COLUMNS>::zeros();
    for (place, value) in svd.values().iter().enumerate() {
        rebuilt += left.column(place) * right.column(place).transpose() * value.to_f64();
    }
    errors[1] = (rebuilt - exact).abs().max() / (unit * largest);
    let skew = (left.transpose() * left - SMatrix::identity()).abs().max();
    let skew = skew.max((right.transpose() * right - SMatrix::identity()).abs().max());
    errors[2] = skew / unit;
    assert!(
        errors.iter().all(|&error| error <= TOLERANCE),
        "{kind:?} {ROWS}×{COLUMNS}, seed {seed}: {errors:?}"
    );
    errors
}

/// Compares the singular values of each matrix with the next line of `values.txt`.
struct Walk {
    lines: Vec<Vec<f64>>,
    line: usize,
    seed: u32,
    worst: [f64; 3],
}

impl Walk {
    fn size<T: Scalar, const ROWS: usize, const COLUMNS: usize>(&mut self, each: u32) {
        self.one::<T, ROWS, COLUMNS>(Kind::Zero);
        for kind in KINDS {
            for _ in 0..each {
                self.seed += 1;
                self.one::<T, ROWS, COLUMNS>(kind);
            }
        }
    }

    fn one<T: Scalar, const ROWS: usize, const COLUMNS: usize>(&mut self, kind: Kind) {
        let errors = check::<T, ROWS, COLUMNS>(kind, self.seed, &self.lines[self.line]);
        for (worst, error) in self.worst.iter_mut().zip(errors) {
            *worst = worst.max(error);
        }
        self.line += 1;
    }
}

fn every_matrix<T: Scalar>() {
    let numbers = |line: &str| line.split(' ').filter_map(|number| number.parse().ok()).collect();
    let mut walk = Walk {
        lines: VALUES.lines().map(numbers).collect(),
        line: 0,
        seed: 0,
        worst: [0.0; 3],
    };
    walk.size::<T, 1, 1>(4);
    walk.size::<T, 2, 2>(9);
    walk.size::<T, 3, 2>(9);
    walk.size::<T, 2, 5>(9);
    walk.size::<T, 4, 4>(9);
    walk.size::<T, 6, 3>(9);
    walk.size::<T, 3, 7>(9);
    walk.size::<T, 8, 8>(9);
    walk.size::<T, 12, 5>(9);
    walk.size::<T, 5, 12>(9);
    walk.size::<T, 24, 1>(4);
    walk.size::<T, 1, 40>(4);
    walk.size::<T, 16, 16>(4);
    walk.size::<T, 32, 32>(3);
    assert_eq!(walk.line, walk.lines.len());
    assert!(walk.line >= 500, "{} matrices", walk.line);
    println!("values, residual, orthogonality: {:.2?}", walk.worst);
}

#[test]
fn singular_values_agree_with_numpy_in_f64() {
    every_matrix::<f64>();
}

#[test]
fn singular_values_agree_with_numpy_in_f32() {
    every_matrix::<f32>();
}

#[test]
fn small_singular_values_of_graded_columns_are_accurate() {
    // The columns are nearly orthogonal and have about the lengths 1, 10⁻⁶ and 10⁻¹².
    let matrix = SMatrix::<f64, 3, 3>::new(1.0, 1e-12, 1e-18, 1e-6, 1e-6, 1e-18, 1e-6, 1e-12, 1e-12);
    let mut svd = Svd::new();
    assert_eq!(svd.decompose(&matrix), Ok(Convergence::Reached));
    for (value, wanted) in svd.values().iter().zip([1.0, 1e-6, 1e-12]) {
        assert!((value / wanted - 1.0).abs() < 1e-5, "{value:e}");
    }
}

fn equal_entries<T: Scalar, const N: usize>(entry: f64) {
    let mut svd = Svd::<T, N, N>::new();
    let reached = svd.decompose(&SMatrix::repeat(T::from_f64(entry)));
    assert_eq!(reached, Ok(Convergence::Reached), "{N}");
    let largest = entry * N as f64;
    let values: Vec<f64> = svd.values().iter().map(|value| value.to_f64()).collect();
    let limit = TOLERANCE * 2.0 * N as f64 * T::EPSILON.to_f64() * largest;
    assert!(
        (values[0] - largest).abs() <= limit,
        "{N} × {N} of {entry}: {}",
        values[0]
    );
    assert!(values[1..].iter().all(|value| *value <= limit), "{N} × {N} of {entry}");
}

/// The rotations collect the squares of all entries in the first column.
#[test]
fn a_matrix_of_equal_entries_does_not_overflow() {
    for entry in [1.0, 1.9] {
        equal_entries::<f32, 12>(entry);
        equal_entries::<f32, 16>(entry);
        equal_entries::<f32, 24>(entry);
        equal_entries::<f64, 12>(entry);
        equal_entries::<f64, 16>(entry);
        equal_entries::<f64, 24>(entry);
        equal_entries::<f64, 48>(entry);
    }
}
