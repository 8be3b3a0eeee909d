//! Eigenpairs of a symmetric matrix of one to three rows, faster than the general eigensolvers.
//! In: the matrix A. Out: its eigenvalues, descending, and its eigenvectors as the columns of a rotation. For three rows there is
//! no result if the method is not accurate.
//! Method: two rows by one rotation with the angle ψ, tan 2ψ = 2a₁₂/(a₁₁ − a₂₂). Three rows by deflation: Newton's method finds
//! the smallest root μ of det(A − μI). Let A = [B g; gᵀ h] with B of two rows. The eigenvector of μ is parallel to (−τ, 1) with
//! (B − μI)τ = g. In the plane orthogonal to this eigenvector, A is a matrix of two rows. If the eigenvalues of three rows can be
//! close or equal, Jacobi's rotations (`jacobi`).
//! Cost: about 60 operations for two rows, 200 for three. No scratch.

mod jacobi;

use crate::Scalar;

/// The largest number of rows.
pub(crate) const FEW: usize = 3;

/// Evaluates an expression for each index below [`FEW`]. Returns the array of the results. The macro writes the expression three
/// times, because the compiler does not unroll a loop at opt-level `s`.
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

/// A matrix of `count` ≤ [`FEW`] rows and columns. Entries outside the first `count` rows and columns have no meaning. No entry
/// inside these rows and columns is computed from them.
pub(crate) type Few<T> = [[T; FEW]; FEW];

/// Eigenvalues and eigenvectors. `vectors[row][column]`: a column is an eigenvector.
#[derive(Clone, Copy)]
pub(crate) struct FewPairs<T> {
    pub(crate) values: [T; FEW],
    pub(crate) vectors: Few<T>,
}

/// The identity matrix.
pub(crate) const fn identity<T: Scalar>() -> Few<T> {
    let (zero, one) = (T::ZERO, T::ONE);
    [[one, zero, zero], [zero, one, zero], [zero, zero, one]]
}

/// Splits a symmetric matrix [B g; gᵀ h] into a known eigenvector and a smaller matrix in the space orthogonal to this
/// eigenvector. B has `count` rows, h is a number. The eigenvector, of length one, is C·(−√ρ·t, 1) with t = `towards`,
/// ρ = `unit` of [`new`](Self::new) and C = 1/√(1 + ρ‖t‖²).
///
/// The columns of [I − κ·t·tᵀ; C·√ρ·tᵀ] with κ = ρ·C²/(1 + C) are an orthonormal basis of the space orthogonal to the
/// eigenvector. They are the first `count` axes after the smallest rotation that brings these axes into this space.
#[derive(Clone, Copy)]
pub(crate) struct Turn<T> {
    /// t: the eigenvector is parallel to (−√ρ·t, 1).
    pub(crate) towards: [T; FEW],
    /// C, the cosine of the angle between the eigenvector and the last axis.
    pub(crate) cosine: T,
    /// κ = ρ·C²/(1 + C).
    pub(crate) shrink: T,
}

impl<T: Scalar> Turn<T> {
    /// Computes C and κ for t = `towards`, of `count` entries, and ρ = `unit`.
    #[cfg_attr(not(optimize_for_size), inline(always))]
    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn new(count: usize, towards: [T; FEW], unit: T) -> Self {
        // tan² of the angle between the eigenvector and the last axis: ρ‖t‖².
        let tangent = unit * dot(count, &towards, &towards);
        // C = 1/√(1 + tan²).
        let cosine = (T::ONE + tangent).inverse_sqrt();
        // κ = ρ·C²/(1 + C).
        let shrink = unit * cosine * cosine / (T::ONE + cosine);
        Self {
            towards,
            cosine,
            shrink,
        }
    }

    /// Returns the matrix [B g; gᵀ h], restricted to the space orthogonal to the eigenvector, in the basis of [`Turn`]. B is
    /// `matrix`, √ρ·g is `side`, ρ·h is `corner`. The result is B + t·kᵀ + k·tᵀ with
    /// k = C·√ρ·g − κ·B·t + ½(κ·(κ·tᵀB·t − 2C·√ρ·gᵀt) + C²·ρ·h)·t.
    #[cfg_attr(not(optimize_for_size), inline(always))]
    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn of_plane(&self, count: usize, matrix: &Few<T>, side: &[T; FEW], corner: T) -> Few<T> {
        let t = &self.towards;
        // B·t.
        let image = each!(I => dot(count, &matrix[I], t));
        // κ·tᵀB·t − 2C·√ρ·gᵀt.
        let inner = self.shrink * dot(count, &image, t) - T::TWO * self.cosine * dot(count, side, t);
        // `own` is the coefficient of t in k. t·kᵀ and k·tᵀ each add `own`·t·tᵀ to the result, so `own` is half of the
        // coefficient of t·tᵀ.
        let own = T::HALF * (self.shrink * inner + self.cosine * self.cosine * corner);
        let other = each!(I => self.cosine * side[I] - self.shrink * image[I] + own * t[I]);
        each!(I => each!(J => matrix[I][J] + (t[I] * other[J] + other[I] * t[J])))
    }
}

/// Returns Σ aᵢbᵢ over the first `count` entries. If `count` is zero, returns the product of the first entries.
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

/// Returns the eigenpairs of a symmetric matrix of `count` rows, one to three. A matrix of three rows must be positive
/// semidefinite, because its trace is used as a bound on its norm, and `below` must be at most its smallest eigenvalue. For fewer
/// rows `below` is not used.
///
/// Returns `None` for three rows in three cases: the smallest eigenvalue μ is too close to an eigenvalue of the first two rows
/// and columns, the angle between the eigenvector of μ and the third axis is above 45°, or Newton's method does not find μ.
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

/// Returns the eigenpairs of a positive semidefinite matrix of `count` rows, one to three. Its eigenvalues can be close or equal.
/// For three rows this takes longer than [`eigenpairs`], and returns `None` for NaN or if the rotations do not converge.
#[inline(always)]
pub(crate) fn close_pairs<T: Scalar>(count: usize, matrix: &Few<T>) -> Option<FewPairs<T>> {
    match count {
        3 => jacobi::eigenpairs(matrix),
        _ => eigenpairs(count, matrix, T::ZERO),
    }
}

/// Returns the eigenpairs of a matrix of two rows.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
fn two<T: Scalar>(matrix: &Few<T>) -> FewPairs<T> {
    let [[first, side, _], [_, second, _], _] = *matrix;
    // `middle` is m = ½(a₁₁ + a₂₂), `half` is ½(a₁₁ − a₂₂).
    let middle = T::HALF * (first + second);
    let half = T::HALF * (first - second);
    // `square` is r² = (½(a₁₁ − a₂₂))² + a₁₂². The eigenvalues are m ± r with m = `middle`, r = `radius`.
    let square = half * half + side * side;
    let mut vectors = identity();
    if square < T::MIN_POSITIVE {
        // `half`² and `side`² underflow: the matrix counts as diagonal.
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
    // ψ is the angle from the first axis to the first eigenvector: cos 2ψ = `half`/r and sin 2ψ = `side`/r with r = `radius`.
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

/// Returns (cos φ, sin φ) with 0 ≤ |φ| ≤ 45°, cos 2φ = `half`·`inverse` and sin 2φ = `side`·`inverse`. `half` is not negative.
///
/// For an angle ψ with cos 2ψ = −`half`·`inverse` and sin 2ψ as above, the result is (sin ψ, cos ψ).
#[inline(always)]
fn half_angle<T: Scalar>(half: T, side: T, inverse: T) -> (T, T) {
    // cos² φ = ½ + ½ cos 2φ, and sin φ = ½ sin 2φ / cos φ.
    let square = T::HALF + T::HALF * half * inverse;
    // 1/√q for q = `square`, ½ ≤ q ≤ 1: a polynomial with an error below 0.4 %, then Newton's method, with an error below
    // 2·10⁻⁵ in `f32` and 4·10⁻¹⁰ in `f64`. This error multiplies cos φ and sin φ by one common factor near one.
    let mut secant = (T::from_f64(0.835_45) * square - T::from_f64(2.066_21)) * square;
    secant += T::from_f64(2.233_95);
    let newton = |root: T| root * (T::from_f64(1.5) - T::HALF * square * root * root);
    secant = newton(secant);
    if T::EPSILON < T::from_f64(1e-8) {
        secant = newton(secant);
    }
    let cosine = square * secant;
    let sine = T::HALF * side * inverse * secant;
    // One more step of Newton's method corrects the length of (cos φ, sin φ) to one. This step removes the common factor.
    let length = T::from_f64(1.5) - T::HALF * (cosine * cosine + sine * sine);
    (cosine * length, sine * length)
}

/// The largest number of Newton steps for the smallest eigenvalue of three rows. Near a simple eigenvalue each step about doubles
/// the number of correct digits.
const STEPS: usize = 8;

/// Returns the eigenpairs of a matrix of three rows. `below` is at most the smallest eigenvalue. [`eigenpairs`] says when the
/// result is `None`.
#[inline(always)]
fn three<T: Scalar>(matrix: &Few<T>, below: T) -> Option<FewPairs<T>> {
    let [[first, side, g1], [_, second, g2], [_, _, corner]] = *matrix;
    let trace = first + second + corner;
    let root = smallest_root(matrix, below, T::TWO * T::EPSILON * trace)?;
    // The matrix is A = [B g; gᵀ h] with B of two rows; `root` is μ. Compute diagonal and determinant of B − μI, and then
    // `towards` = τ = (B − μI)⁻¹g.
    let (above_first, above_second) = (first - root, second - root);
    let determinant = above_first * above_second - side * side;
    // The smaller eigenvalue of B − μI is at least det(B − μI)/tr(B − μI). The rounding error of τ is about ε·tr A divided by
    // this eigenvalue. If `apart` is true, the error is at most about 32·ε.
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
    // With τ = `towards`, κ = `turn.shrink`, C = `turn.cosine`: the first two eigenvectors are [I − κττᵀ; Cτᵀ] times the
    // eigenvectors in `top`. The third eigenvector is (−τ, 1)·C.
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

/// Returns the smallest root μ of det(A − μI), by Newton's method from `below`. Below the smallest root the polynomial is convex,
/// so only rounding errors can make a step pass the root. The search ends after a step of magnitude at most `rounding`.
///
/// Below the root the derivative of the polynomial is negative. Returns `None` if the computed derivative is not negative, or if
/// [`STEPS`] steps are not enough.
#[inline(always)]
fn smallest_root<T: Scalar>(matrix: &Few<T>, below: T, rounding: T) -> Option<T> {
    let [[first, a12, a13], [_, second, a23], [_, _, third]] = *matrix;
    let (s12, s13, s23) = (a12 * a12, a13 * a13, a23 * a23);
    let (sides, product) = (s12 + s13 + s23, T::TWO * a12 * a13 * a23);
    let mut root = below;
    for _ in 0..STEPS {
        let (d1, d2, d3) = (first - root, second - root, third - root);
        // With dᵢ = aᵢᵢ − μ: det(A − μI) = d₁d₂d₃ + 2a₁₂a₁₃a₂₃ − d₁a₂₃² − d₂a₁₃² − d₃a₁₂².
        let value = d1 * (d2 * d3 - s23) + product - d2 * s13 - d3 * s12;
        // Minus the derivative of det(A − μI) by μ: d₁d₂ + d₁d₃ + d₂d₃ − a₁₂² − a₁₃² − a₂₃².
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
