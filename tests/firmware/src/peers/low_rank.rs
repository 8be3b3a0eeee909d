//! Adds a multiple of xxᵀ to a low-rank symmetric matrix, held as eigenvectors and eigenvalues, largest first.
//! Method: with the eigenvectors U, the eigenvalues d, the factor η, c = Uᵀx and ρ = ‖x − Uc‖ the sum is diag(d, 0) +
//! η·(c, ρ)(c, ρ)ᵀ in the basis [U, (x − Uc)/ρ], a matrix of SIZE = RANK + 1 rows. Jacobi rotations diagonalise it, and
//! the direction with the smallest eigenvalue is dropped.
//! Cost: about n·(RANK + 1)² multiply-adds, and at most [`SWEEPS`] sweeps with two square roots and three divisions for
//! each entry above the diagonal.

use eigenstream::Scalar;

/// Largest number of sweeps.
const SWEEPS: u32 = 5;

/// Adds `rate`·xxᵀ to the matrix with these directions and eigenvalues; `coordinates` are c, `outside` is ρ².
pub(super) fn add<const DIM: usize, const RANK: usize, const SIZE: usize>(
    basis: &mut [[f32; DIM]; RANK],
    values: &mut [f32; RANK],
    rate: f32,
    sample: &[f32; DIM],
    (coordinates, outside): (&[f32; RANK], f32),
) {
    let length = Scalar::sqrt(outside);
    let mut small = [[0.0; SIZE]; SIZE];
    for row in 0..RANK {
        for column in 0..RANK {
            small[row][column] = rate * coordinates[row] * coordinates[column];
        }
        small[row][row] += values[row];
        small[row][RANK] = rate * length * coordinates[row];
        small[RANK][row] = small[row][RANK];
    }
    small[RANK][RANK] = rate * outside;
    let vectors = diagonalise(&mut small);
    // If ρ = 0, the sample adds no direction.
    let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
    for channel in 0..DIM {
        let mut old = [0.0; RANK];
        for row in 0..RANK {
            old[row] = basis[row][channel];
        }
        let mut beside = sample[channel];
        for row in 0..RANK {
            beside -= coordinates[row] * old[row];
        }
        beside *= scale;
        for row in 0..RANK {
            let mut sum = vectors[row][RANK] * beside;
            for column in 0..RANK {
                sum += vectors[row][column] * old[column];
            }
            basis[row][channel] = sum;
        }
    }
    for row in 0..RANK {
        values[row] = small[row][row];
    }
}

/// Writes the eigenvalues to the diagonal, and returns the eigenvectors as rows.
fn diagonalise<const N: usize>(matrix: &mut [[f32; N]; N]) -> [[f32; N]; N] {
    let mut vectors = [[0.0; N]; N];
    for row in 0..N {
        vectors[row][row] = 1.0;
    }
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for first in 0..N {
            for second in first + 1..N {
                rotated |= rotate(matrix, &mut vectors, first, second);
            }
        }
        if !rotated {
            break;
        }
    }
    sort(matrix, &mut vectors);
    vectors
}

/// Makes one entry off the diagonal zero; returns false if it is already negligible.
fn rotate<const N: usize>(
    matrix: &mut [[f32; N]; N],
    vectors: &mut [[f32; N]; N],
    first: usize,
    second: usize,
) -> bool {
    let entry = matrix[first][second];
    let (one, other) = (matrix[first][first], matrix[second][second]);
    if Scalar::abs(entry) <= 1e-7 * (Scalar::abs(one) + Scalar::abs(other)) {
        return false;
    }
    // Of the two angles that make the entry zero, the smaller one has the tangent sign(h)/(|h| + √(h² + 1)) with h =
    // (other − one)/(2·entry).
    let half = (other - one) / (2.0 * entry);
    let size = 1.0 / (Scalar::abs(half) + Scalar::sqrt(half * half + 1.0));
    let tangent = if half < 0.0 { -size } else { size };
    let cosine = 1.0 / Scalar::sqrt(tangent * tangent + 1.0);
    let sine = tangent * cosine;
    matrix[first][first] = one - tangent * entry;
    matrix[second][second] = other + tangent * entry;
    matrix[first][second] = 0.0;
    matrix[second][first] = 0.0;
    for place in 0..N {
        if place != first && place != second {
            let (left, right) = (matrix[place][first], matrix[place][second]);
            let turned = [cosine * left - sine * right, sine * left + cosine * right];
            [matrix[place][first], matrix[place][second]] = turned;
            [matrix[first][place], matrix[second][place]] = turned;
        }
        let (left, right) = (vectors[first][place], vectors[second][place]);
        vectors[first][place] = cosine * left - sine * right;
        vectors[second][place] = sine * left + cosine * right;
    }
    true
}

/// Sorts the diagonal, largest first, and the vectors with it.
fn sort<const N: usize>(matrix: &mut [[f32; N]; N], vectors: &mut [[f32; N]; N]) {
    for sorted in 1..N {
        for low in (0..sorted).rev() {
            if matrix[low][low] >= matrix[low + 1][low + 1] {
                break;
            }
            let held = matrix[low][low];
            matrix[low][low] = matrix[low + 1][low + 1];
            matrix[low + 1][low + 1] = held;
            vectors.swap(low, low + 1);
        }
    }
}
