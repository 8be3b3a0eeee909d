//! An upper bound of the distance between the directions of the fast mode and the exact directions.
//! In: approximate eigenpairs (Ritz pairs) (θᵢ, uᵢ) of the Gram matrix K of the window (or its centred form), with the images
//! K·uᵢ. Out: a bound δ on ‖P − P̃‖. P = Σpᵢvᵢvᵢᵀ has the exact directions vᵢ with the keep probabilities pᵢ; P̃ has the
//! approximate directions and probabilities. So the expected loss of a sample x has an error of at most δ·k(x, x). Also out:
//! whether the likely error, a first-order estimate that is usually much smaller than δ, is small enough to accept the fast
//! update. If centered, the mean of the features is subtracted from all features φ, also in k(x, x) = ‖φ(x)‖².
//! Method: η is the learning rate and τ the threshold of `ambient`. A pair counts if its direction can be kept. A pair is carried
//! if the fast mode updates it; all pairs that count are carried. ‖·‖ of a matrix is the Frobenius norm.
//! - The residual of a carried pair is rᵢ = K·uᵢ − θᵢuᵢ. ε is Σ‖rᵢ‖²/θᵢ over the pairs that count, ε₂ is this sum over the other
//!   carried pairs.
//! - C = Σφ(xⱼ)φ(xⱼ)ᵀ, with the features φ(xⱼ) of the points, has the positive eigenvalues of K. S is the span of the directions
//!   that count. The matrix D is diagonal with the entries θᵢ inside S, and zero outside S.
//! - C − D has three blocks. Inside S: E with the entries rᵢ·rⱼ/√(θᵢθⱼ), so ‖E‖ ≤ ε. Outside S: C₂ with eigenvalues of at most β
//!   (see below). Between both: R with ‖R‖² ≤ εβ.
//! - Among all Q with 0 ⪯ Q ⪯ 1 and tr(1 − Q) = `KEEP`, Q = 1 − P minimises η·tr(QC) + tr(Q ln Q − Q), and Q = 1 − P̃ minimises
//!   η·tr(QD) + tr(Q ln Q − Q). Both functions of Q are strongly convex with modulus one in the Frobenius norm. Adding the
//!   inequalities of both minima gives:
//!
//! ```text
//! ‖P − P̃‖² ≤ η²(‖E‖² + 2‖R‖²) + 2·max(0, ηβ − τ)² ≤ δ² = η²(ε² + 2εβ) + 2·max(0, ηβ − τ)²
//! ```
//!
//! The last term has the factor 2, because two groups of directions can have eigenvalues above τ/η: directions that are carried
//! but do not count, and directions that are not carried.
//! β is the larger eigenvalue of the symmetric matrix (α, √(ε₂γ); √(ε₂γ), γ). α is θ_next + ε₂, with θ_next the largest θ that
//! does not count (zero if every known θ counts). γ is a bound on the eigenvalues of C outside the span of the carried
//! directions. It is the smaller of two numbers, each with a margin for rounding and with sums over all carried pairs. The first
//! number is tr K − Σ(θᵢ + ‖rᵢ‖²/θᵢ). The second number is √(‖K‖² − Σ(θᵢ² + 2‖rᵢ‖²) + (ε + ε₂)²); it is not computed if the first
//! number is at most τ/(2η).
//! Cost: 3·WINDOW operations for each carried direction (5·WINDOW if centered), and WINDOW²/2 multiply-adds if the second number
//! is computed. Scratch: WINDOW numbers.

use super::directions::Directions;
use crate::kernel::{GramWindow, Kernel, OnlineKernelSettings};
use crate::spectrum::vector::dot;
use crate::{Centering, Scalar};

/// The largest likely error (first-order estimate of the error of the directions) that the fast mode accepts. With this limit the
/// errors of the losses were below 3.2·10⁻⁴·k(x, x) on the clusters of `tests/online_kernel`. With the limit 3·10⁻³ one error was
/// 1.4·10⁻³·k(x, x).
const LIKELY_ERROR: f64 = 2.5e-3;

/// The fraction of max(0, ηβ − τ) that counts as a part of the likely error. η is the learning rate, τ the threshold, and β a
/// bound on the eigenvalues of the directions that do not count. If the fast mode leaves out many small eigenvalues, β can be
/// far above the largest of these eigenvalues. With the fraction 1, the benchmark W2 with the quadratic kernel needed an exact
/// solution for almost every sample.
const ABOVE: f64 = 0.01;

/// The assumed rounding error of two remainders: the trace and the sum of squares of the Gram matrix, minus the parts of the
/// carried directions. This number is multiplied by `WINDOW` and by the machine epsilon. The Gram matrix is first divided by the
/// largest power of two up to the sum of the k(xᵢ, xᵢ).
const ROUNDING: f64 = 4.0;

/// Sums over the residuals r = K·u − θu of the carried pairs (θ, u). K and θ are divided by the largest power of two up to the
/// sum of the k(xᵢ, xᵢ).
struct Residuals<T> {
    /// ε: Σ‖r‖²/θ of the carried directions that count (can be kept).
    counting: T,
    /// ε₂: Σ‖r‖²/θ of the carried directions that do not count.
    trailing: T,
    /// Σ(θ + ‖r‖²/θ) of all carried pairs: their part of the trace of K.
    trace: T,
    /// Σ(θ² + 2‖r‖²) of all carried pairs: their part of the sum of squares of K.
    squares: T,
    /// The square of the likely error, without the part that `ABOVE` adds.
    likely: T,
}

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    /// Sets `error` to the bound δ, and returns whether the likely error (an estimate of the error of the directions) is small
    /// enough. Directions with an eigenvalue above `least` = τ/η can be kept (τ: threshold, η: learning rate). If the result is
    /// false, `error` is the bound δ or unchanged.
    #[inline(never)] // frees its stack before an exact solution begins
    pub(super) fn is_near_the_exact_solution<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        settings: &OnlineKernelSettings<T>,
        least: T,
    ) -> bool {
        let mut trace = T::ZERO;
        for &norm in window.norms() {
            trace += norm;
        }
        let unit = trace.power_of_two();
        let next = self.values.get(self.count).copied().unwrap_or(T::ZERO) / unit;
        let sums = self.residuals(unit, next, settings.centering);
        let limit = T::from_f64(LIKELY_ERROR * LIKELY_ERROR);
        // `is_finite` refuses NaN too.
        if !sums.likely.is_finite() || sums.likely > limit {
            return false;
        }
        let (alpha, least) = (next + sums.trailing, least / unit);
        let gamma = self.largest_beyond(window, unit, least, &sums);
        let half = T::HALF * (alpha - gamma);
        let beta = T::HALF * (alpha + gamma) + (half * half + sums.trailing * gamma).sqrt();
        let rate = settings.learning_rate * unit;
        let above = T::ZERO.max(rate * (beta - least));
        let parts = sums.counting * (sums.counting + T::TWO * beta);
        self.error = (rate * rate * parts + T::TWO * above * above).sqrt().min(T::MAX);
        let above = T::from_f64(ABOVE) * above;
        sums.likely + above * above <= limit
    }

    fn residuals(&self, unit: T, next: T, centering: Centering) -> Residuals<T> {
        let mut sums = Residuals {
            counting: T::ZERO,
            trailing: T::ZERO,
            trace: T::ZERO,
            squares: T::ZERO,
            likely: T::ZERO,
        };
        let [vectors, images] = &self.columns;
        let pairs = vectors.iter().zip(images).zip(&self.values).enumerate();
        for (position, ((vector, image), &value)) in pairs.take(self.carried) {
            let mut residual = [T::ZERO; WINDOW];
            for ((rest, &entry), &image) in residual.iter_mut().zip(vector).zip(image) {
                *rest = (image - value * entry) / unit;
            }
            if centering == Centering::Centered {
                // For centred points each image K·u is known only up to a constant added to all entries. So the mean of the
                // residual is subtracted.
                let mut mean = T::ZERO;
                for &rest in &residual {
                    mean += rest;
                }
                mean /= T::from_usize(WINDOW);
                for rest in &mut residual {
                    *rest -= mean;
                }
            }
            let energy = dot(&residual, &residual);
            let value = value / unit;
            let part = energy / value;
            sums.trace += value + part;
            sums.squares += value * value + T::TWO * energy;
            if position < self.count {
                sums.counting += part;
                // To first order, the change of pᵢvᵢvᵢᵀ towards a direction with the eigenvalue `next` is pᵢ·c/(θᵢ − `next`) with
                // c² = `part`·`next`. `likely` is the sum of the squares of these changes.
                let slope = self.probabilities.get(position).copied().unwrap_or(T::ZERO) / (value - next);
                sums.likely += slope * slope * part * next;
            } else {
                sums.trailing += part;
            }
        }
        sums
    }

    /// Returns γ/`unit`. γ is a bound on the eigenvalues of C = Σφ(xⱼ)φ(xⱼ)ᵀ outside the span of the directions that the fast
    /// mode carries. `least` is τ/(η·`unit`), with the threshold τ and the learning rate η.
    fn largest_beyond<K: Kernel<T, DIM>, const DIM: usize>(
        &self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        unit: T,
        least: T,
        sums: &Residuals<T>,
    ) -> T {
        let points = T::from_usize(WINDOW);
        let rounding = T::from_f64(ROUNDING) * points * T::EPSILON;
        let mut trace = T::ZERO;
        for &norm in window.norms() {
            trace += norm / unit;
        }
        // The centred matrix is K̄ = K − m1ᵀ − 1mᵀ + μ11ᵀ, with the row means m, the mean μ of all entries and the vector 1 of
        // ones. `shifts` are m − μ/2, `mean` is μ; all are zero if uncentered.
        let mean = self.mean / unit;
        let by_trace = T::ZERO.max(trace - points * mean - sums.trace + rounding);
        if by_trace <= T::HALF * least {
            return by_trace;
        }
        let mut means = T::ZERO;
        for &shift in &self.shifts {
            let row = shift / unit + T::HALF * mean;
            means += row * row;
        }
        let total = window.square_sum(unit) - T::TWO * points * means + points * points * (mean * mean);
        let all = sums.counting + sums.trailing;
        let squares = total - sums.squares + all * all + rounding;
        by_trace.min(T::ZERO.max(squares).sqrt())
    }
}
