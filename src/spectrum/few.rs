//! Eigenpairs of a symmetric matrix of one to three rows.
//! In: A. Out: its eigenvalues, descending, and its eigenvectors as columns; `None` if the method for three rows fails.
//! Method: two rows by one rotation; three rows by Newton's method for the smallest eigenvalue μ, a root of det(A −
//! μI), and deflation; three rows whose eigenvalues can be close by Jacobi's rotations (`by_rotations`). Proof:
//! `guide::mathematics`, "Three rows".
//! Cost: one inverse square root for two rows, two for three, at most 24 for Jacobi's rotations. No scratch.

use crate::scalar::Scalar;

pub(crate) const FEW: usize = 3;

/// An array of the values of an expression for the indices 0, 1 and 2, written out, so that opt-level `s` has no loop.
macro_rules! each {
    ($index:ident => $value:expr) => {
        [
            {
                const $index: usize = 0;
                $value
            },
            {
                const $index: usize = 1;
                $value
            },
            {
                const $index: usize = 2;
                $value
            },
        ]
    };
}

pub(crate) use each;

/// A matrix of `count` ≤ [`FEW`] rows; entries outside these rows and columns have no meaning and no influence.
pub(crate) type Few<T> = [[T; FEW]; FEW];

/// Eigenpairs: the eigenvector of `values[j]` is column j of `vectors[row][column]`.
#[derive(Clone, Copy)]
pub(crate) struct FewPairs<T> {
    pub(crate) values: [T; FEW],
    pub(crate) vectors: Few<T>,
}

pub(crate) const fn identity<T: Scalar>() -> Few<T> {
    let (zero, one) = (T::ZERO, T::ONE);
    [[one, zero, zero], [zero, one, zero], [zero, zero, one]]
}

/// Splits the matrix [B g; gᵀ h], with B of `count` rows, into an eigenvector and a matrix in the space orthogonal to
/// it.
///
/// The eigenvector is C·(−√ρ·t, 1) with C = 1/√(1 + ρ‖t‖²) and a scale ρ that the caller chooses. The basis of the
/// space is [I − κ·t·tᵀ; C·√ρ·tᵀ]: the first axes, moved into the space by the smallest rotation.
#[derive(Clone, Copy)]
pub(crate) struct Turn<T> {
    /// The vector t.
    pub(crate) towards: [T; FEW],
    /// The number C.
    pub(crate) cosine: T,
    /// The number κ = ρ·C²/(1 + C).
    pub(crate) shrink: T,
}

impl<T: Scalar> Turn<T> {
    /// Computes C and κ for t = `towards` of `count` entries and ρ = `unit`.
    #[cfg_attr(not(optimize_for_size), inline(always))]
    pub(crate) fn new(count: usize, towards: [T; FEW], unit: T) -> Self {
        let tangent = unit * dot(count, &towards, &towards);
        let cosine = (T::ONE + tangent).inverse_sqrt();
        let shrink = unit * cosine * cosine / (T::ONE + cosine);
        Self {
            towards,
            cosine,
            shrink,
        }
    }

    /// The matrix in the basis of [`Turn`]: B + t·kᵀ + k·tᵀ.
    ///
    /// Here B is `matrix`, √ρ·g is `side`, ρ·h is `corner`, and k = C·√ρ·g − κ·B·t + ½(κ·(κ·tᵀB·t − 2C·√ρ·gᵀt) +
    /// C²·ρ·h)·t.
    #[cfg_attr(not(optimize_for_size), inline(always))]
    pub(crate) fn of_plane(&self, count: usize, matrix: &Few<T>, side: &[T; FEW], corner: T) -> Few<T> {
        let t = &self.towards;
        let image = each!(I => dot(count, &matrix[I], t));
        let inner = self.shrink * dot(count, &image, t) - T::TWO * self.cosine * dot(count, side, t);
        // Half of the coefficient of t·tᵀ, because t·kᵀ and k·tᵀ both add it.
        let own = T::HALF * (self.shrink * inner + self.cosine * self.cosine * corner);
        let other = each!(I => self.cosine * side[I] - self.shrink * image[I] + own * t[I]);
        each!(I => each!(J => matrix[I][J] + (t[I] * other[J] + other[I] * t[J])))
    }
}

/// Σ leftᵢ·rightᵢ over the first `count` entries; `count` is at least one.
#[inline(always)]
pub(crate) fn dot<T: Scalar>(count: usize, left: &[T; FEW], right: &[T; FEW]) -> T {
    let mut sum = left[0] * right[0];
    if count > 1 {
        sum += left[1] * right[1];
    }
    if count > 2 {
        sum += left[2] * right[2];
    }
    sum
}

/// The eigenpairs of a matrix of `count` rows, one to three; three rows must be positive semidefinite.
///
/// For three rows, `below` is at most the smallest eigenvalue μ. Returns `None` if μ is too close to an eigenvalue of
/// the block of the first two rows, if its eigenvector is more than 45° from the third axis, or if Newton's method
/// fails.
#[inline(always)]
pub(crate) fn eigenpairs<T: Scalar>(count: usize, matrix: &Few<T>, below: T) -> Option<FewPairs<T>> {
    match count {
        1 => Some(FewPairs {
            values: [matrix[0][0], T::ZERO, T::ZERO],
            vectors: identity(),
        }),
        2 => Some(two(matrix)),
        _ => three(matrix, below),
    }
}

/// [`eigenpairs`] for eigenvalues that can be close. With three rows this function is slower, and returns `None` if the
/// rotations do not converge.
#[inline(always)]
pub(crate) fn close_pairs<T: Scalar>(count: usize, matrix: &Few<T>) -> Option<FewPairs<T>> {
    match count {
        3 => by_rotations(matrix),
        _ => eigenpairs(count, matrix, T::ZERO),
    }
}

#[cfg_attr(not(optimize_for_size), inline(always))]
fn two<T: Scalar>(matrix: &Few<T>) -> FewPairs<T> {
    let [[first, side, _], [_, second, _], _] = *matrix;
    let middle = T::HALF * (first + second);
    let half = T::HALF * (first - second);
    let square = half * half + side * side;
    let mut vectors = identity();
    if square < T::MIN_POSITIVE {
        // The squares underflow: the matrix counts as diagonal.
        if first < second {
            (vectors[0][0], vectors[1][0]) = (T::ZERO, T::ONE);
            (vectors[0][1], vectors[1][1]) = (-T::ONE, T::ZERO);
        }
        return FewPairs {
            values: [first.max(second), first.min(second), T::ZERO],
            vectors,
        };
    }
    let inverse = square.inverse_sqrt();
    let radius = square * inverse;
    // The angle ψ of the first eigenvector has cos 2ψ = `half`/`radius` and sin 2ψ = `side`/`radius`.
    let (larger, smaller) = half_angle(half.abs(), side, inverse);
    let (cosine, sine) = if half >= T::ZERO {
        (larger, smaller)
    } else {
        (smaller, larger)
    };
    (vectors[0][0], vectors[1][0]) = (cosine, sine);
    (vectors[0][1], vectors[1][1]) = (-sine, cosine);
    FewPairs {
        values: [middle + radius, middle - radius, T::ZERO],
        vectors,
    }
}

/// Returns (cos φ, sin φ) with |φ| ≤ 45°, cos 2φ = `half`·`inverse` ≥ 0 and sin 2φ = `side`·`inverse`.
///
/// For an angle ψ with cos 2ψ < 0, the caller passes −`half`: the result is then (sin ψ, cos ψ).
#[inline(always)]
fn half_angle<T: Scalar>(half: T, side: T, inverse: T) -> (T, T) {
    // cos² φ = ½ + ½ cos 2φ, and sin φ = ½ sin 2φ / cos φ.
    let square = T::HALF + T::HALF * half * inverse;
    // 1/√q for q = `square`, ½ ≤ q ≤ 1: a polynomial with an error below 0.4 %, then one Newton step, in `f64` two. The
    // error is then about 2·10⁻⁵ in `f32` and 4·10⁻¹⁰ in `f64`.
    let mut secant = (T::from_f64(0.835_45) * square - T::from_f64(2.066_21)) * square;
    secant += T::from_f64(2.233_95);
    let newton = |root: T| root * (T::from_f64(1.5) - T::HALF * square * root * root);
    secant = newton(secant);
    if T::EPSILON < T::from_f64(1e-8) {
        secant = newton(secant);
    }
    let cosine = square * secant;
    let sine = T::HALF * side * inverse * secant;
    // One more Newton step makes the length of (cos φ, sin φ) one.
    let length = T::from_f64(1.5) - T::HALF * (cosine * cosine + sine * sine);
    (cosine * length, sine * length)
}

/// The largest number of Newton steps; near a simple eigenvalue each step doubles the number of correct digits.
const STEPS: usize = 8;

fn three<T: Scalar>(matrix: &Few<T>, below: T) -> Option<FewPairs<T>> {
    let [[first, side, g1], [_, second, g2], [_, _, corner]] = *matrix;
    let trace = first + second + corner;
    let root = smallest_root(matrix, below, T::TWO * T::EPSILON * trace)?;
    // `towards` = (B − μI)⁻¹·g with μ = `root`, and B and g as in [`Turn`].
    let (above_first, above_second) = (first - root, second - root);
    let determinant = above_first * above_second - side * side;
    // The smaller eigenvalue of B − μI is at least `determinant` divided by the trace of B − μI. So, if `apart` is
    // true, the error of `towards` is of the order of 32·ε or less.
    let apart = determinant * T::from_f64(32.0) >= trace * (above_first + above_second);
    (above_first > T::ZERO && apart).then_some(())?;
    let inverse = T::ONE / determinant;
    let towards = [
        (above_second * g1 - side * g2) * inverse,
        (above_first * g2 - side * g1) * inverse,
        T::ZERO,
    ];
    (dot(2, &towards, &towards) <= T::ONE).then_some(())?;
    let turn = Turn::new(2, towards, T::ONE);
    let top = two(&turn.of_plane(2, matrix, &[g1, g2, T::ZERO], corner));
    // The first two eigenvectors are the basis of [`Turn`] times those of `top`; the third is C·(−t, 1).
    let mut vectors = identity();
    for j in 0..2 {
        let column = [top.vectors[0][j], top.vectors[1][j], T::ZERO];
        let along = dot(2, &turn.towards, &column);
        for i in 0..2 {
            vectors[i][j] = column[i] - turn.shrink * along * turn.towards[i];
        }
        vectors[2][j] = turn.cosine * along;
    }
    for i in 0..2 {
        vectors[i][2] = -turn.cosine * turn.towards[i];
    }
    vectors[2][2] = turn.cosine;
    Some(FewPairs {
        values: [top.values[0], top.values[1], root],
        vectors,
    })
}

/// The smallest root μ of det(A − μI), by Newton's method from `below` until a step is at most `rounding`.
///
/// Below this root the polynomial is convex, so a step passes the root only by rounding. Returns `None` if the slope
/// has the wrong sign or [`STEPS`] steps are not enough.
fn smallest_root<T: Scalar>(matrix: &Few<T>, below: T, rounding: T) -> Option<T> {
    let [[first, a12, a13], [_, second, a23], [_, _, third]] = *matrix;
    let (s12, s13, s23) = (a12 * a12, a13 * a13, a23 * a23);
    let (sides, product) = (s12 + s13 + s23, T::TWO * a12 * a13 * a23);
    let mut root = below;
    for _ in 0..STEPS {
        let (d1, d2, d3) = (first - root, second - root, third - root);
        // det(A − μI) with μ = `root`.
        let value = d1 * (d2 * d3 - s23) + product - d2 * s13 - d3 * s12;
        // The derivative with respect to μ, times −1.
        let slope = d1 * (d2 + d3) + d2 * d3 - sides;
        (slope > T::ZERO).then_some(())?;
        let step = value / slope;
        root += step;
        if step.abs() <= rounding {
            return Some(root);
        }
    }
    None
}

#[cfg(test)]
mod tests;

/// The largest number of sweeps; a sweep rotates each pair of axes once. Near the end each sweep at least doubles the
/// number of correct digits.
const SWEEPS: usize = 8;

/// Eigenpairs of three rows by Jacobi's rotations; `None` if [`SWEEPS`] sweeps are not enough.
#[inline(never)]
fn by_rotations<T: Scalar>(matrix: &Few<T>) -> Option<FewPairs<T>> {
    let mut matrix = *matrix;
    let mut vectors = identity();
    // The trace is at least the largest eigenvalue, because no eigenvalue is negative.
    let negligible = T::from_f64(0.25) * T::EPSILON * (matrix[0][0] + matrix[1][1] + matrix[2][2]);
    for _ in 0..SWEEPS {
        if matrix[0][1].abs().max(matrix[0][2].abs()).max(matrix[1][2].abs()) <= negligible {
            let mut pairs = FewPairs {
                values: each!(I => matrix[I][I]),
                vectors: orthonormal(&vectors),
            };
            put_in_order::<T, 0, 1>(&mut pairs);
            put_in_order::<T, 1, 2>(&mut pairs);
            put_in_order::<T, 0, 1>(&mut pairs);
            return Some(pairs);
        }
        rotate::<T, 0, 1, 2>(&mut matrix, &mut vectors, negligible);
        rotate::<T, 0, 2, 1>(&mut matrix, &mut vectors, negligible);
        rotate::<T, 1, 2, 0>(&mut matrix, &mut vectors, negligible);
    }
    None
}

/// Makes the entry in row P and column Q zero by a rotation of at most 45°, unless this entry is negligible or squares
/// underflow. O is the third axis.
fn rotate<T: Scalar, const P: usize, const Q: usize, const O: usize>(
    matrix: &mut Few<T>,
    vectors: &mut Few<T>,
    negligible: T,
) {
    let side = matrix[P][Q];
    let half = T::HALF * (matrix[P][P] - matrix[Q][Q]);
    let square = half * half + side * side;
    if side.abs() <= negligible || square < T::MIN_POSITIVE {
        return;
    }
    let inverse = square.inverse_sqrt();
    let (cosine, sine) = half_angle(half.abs(), side, inverse);
    let sign = if half < T::ZERO { -T::ONE } else { T::ONE };
    let sine = sign * sine;
    // The larger diagonal entry grows by `side`²/(√`square` + |`half`|), and the smaller one is reduced by this amount.
    let shift = sign * side * side / (square * inverse + half.abs());
    matrix[P][P] += shift;
    matrix[Q][Q] -= shift;
    (matrix[P][Q], matrix[Q][P]) = (T::ZERO, T::ZERO);
    let (first, second) = (matrix[P][O], matrix[Q][O]);
    matrix[P][O] = cosine * first + sine * second;
    matrix[Q][O] = cosine * second - sine * first;
    (matrix[O][P], matrix[O][Q]) = (matrix[P][O], matrix[Q][O]);
    for row in vectors {
        let (first, second) = (row[P], row[Q]);
        row[P] = cosine * first + sine * second;
        row[Q] = cosine * second - sine * first;
    }
}

/// One Newton step from the matrix R = `vectors` towards the nearest orthonormal matrix: R + ½R(I − RᵀR).
fn orthonormal<T: Scalar>(vectors: &Few<T>) -> Few<T> {
    let [first, second, third] = vectors;
    let product = |i: usize, j: usize| first[i] * first[j] + second[i] * second[j] + third[i] * third[j];
    // `error` = ½(I − RᵀR).
    let error = each!(I => each!(J => T::HALF * (if I == J { T::ONE } else { T::ZERO } - product(I, J))));
    each!(I => each!(J => vectors[I][J] + dot(FEW, &vectors[I], &error[J])))
}

/// Swaps the eigenpairs P and Q if the value of Q is larger.
fn put_in_order<T: Scalar, const P: usize, const Q: usize>(pairs: &mut FewPairs<T>) {
    let (first, second) = (pairs.values[P], pairs.values[Q]);
    if first < second {
        (pairs.values[P], pairs.values[Q]) = (second, first);
        for row in &mut pairs.vectors {
            (row[P], row[Q]) = (row[Q], row[P]);
        }
    }
}
