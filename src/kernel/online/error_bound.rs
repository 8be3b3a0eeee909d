//! An upper bound of the distance between the directions of the fast mode and the exact directions.
//! In: approximate eigenpairs (Ritz pairs) (θᵢ, uᵢ) of the Gram matrix K of the window (or its centred form), with the images
//! K·uᵢ. Out: a bound δ on ‖P − P̃‖, where P = Σpᵢvᵢvᵢᵀ has the exact directions vᵢ with the keep probabilities pᵢ, and P̃ has
//! the approximate directions: the loss of a sample has an error of at most δ·k(x, x). Also out: whether the likely error, a
//! first-order estimate that is about fifty times smaller than δ, is small enough to accept the fast update.
//! Method: a pair counts if its direction can be kept, and is carried if the fast mode updates it. The residuals
//! rᵢ = K·uᵢ − θᵢuᵢ measure the error of the carried pairs. η is the learning rate and τ the threshold of `ambient`. The trace
//! of K and the sum of the squares of its entries bound every eigenvalue that is not carried. Let C = Σφ(xⱼ)φ(xⱼ)ᵀ with the
//! features φ(xⱼ) of the points, and S the span of the directions that count. In blocks of S and its complement, C differs from
//! the diagonal matrix of the θᵢ by a block E = (rᵢ·rⱼ/√(θᵢθⱼ)) inside S, the block C₂ outside S, whose eigenvalues are at most
//! β, and the block R between both, with ‖R‖² ≤ Σ‖rᵢ‖²β/θᵢ. Of all Q with 0 ⪯ Q ⪯ 1 and tr(1 − Q) = `KEEP`, Q = 1 − P minimises
//! η·tr(QC) + tr(Q ln Q − Q); Q = 1 − P̃ minimises this function with the diagonal matrix in place of C. The function of Q is
//! convex with modulus one in the Frobenius norm for 0 ⪯ Q ⪯ 1. Adding the inequalities of both minima gives:
//!
//! ```text
//! ‖P − P̃‖² ≤ δ² = η²(‖E‖² + 2‖R‖²) + 2·max(0, ηβ − τ)²,   ‖E‖ ≤ ε = Σ‖rᵢ‖²/θᵢ over the pairs that count
//! ```
//!
//! β is the larger eigenvalue of (α, √(ε₂γ); √(ε₂γ), γ). α = θ_next + ε₂, with θ_next the largest θ that does not count (zero if
//! every known θ counts), and ε₂ = Σ‖rᵢ‖²/θᵢ over the carried pairs that do not count.
//! γ = min(tr K − Σ(θ + ‖r‖²/θ), √(‖K‖² − Σ(θ² + 2‖r‖²) + (ε + ε₂)²)), with sums over all carried pairs. If the first of these
//! two bounds is at most τ/(2η), it is γ and the second is not computed.
//! The factor 2 of the last term of δ²: the eigenvalues of a direction that is carried but does not count and of a direction that
//! is not carried can both be above τ/η.
//! Cost: 3·WINDOW operations for each carried direction (5·WINDOW if centered), and WINDOW²/2 multiply-adds if the first bound
//! in γ is not enough. Scratch: WINDOW numbers.

use super::directions::Directions;
use crate::kernel::{GramWindow, Kernel, OnlineKernelSettings};
use crate::spectrum::vector::dot;
use crate::{Centering, Scalar};

/// The largest likely error (first-order estimate of the error of the directions) that the fast mode accepts. With this limit the
/// errors of the losses were below 10⁻³·k(x, x) on all streams of `tests/online_kernel`. With the limit 4·10⁻³ the error was
/// 1.1·10⁻³·k(x, x) on a stream of clusters.
const LIKELY_ERROR: f64 = 3e-3;

/// The fraction of max(0, ηβ − τ) that counts as a part of the likely error. η is the learning rate, τ the threshold, and β a
/// bound on the eigenvalues of the directions that do not count. If the fast mode leaves out many small eigenvalues, β is far
/// above the largest of these eigenvalues. With the factor 1, the benchmark W2 with the quadratic kernel needed an exact solution
/// for almost every sample, although the error was 10⁻⁶.
const ABOVE: f64 = 0.01;

/// The assumed rounding error of two remainders: the trace and the sum of squares of the Gram matrix, minus the parts of the
/// carried directions. The unit is `WINDOW` times the machine epsilon, with the trace scaled to a number near one.
const ROUNDING: f64 = 4.0;

/// Sums over the residuals r = K·u − θu of the carried pairs (θ, u), with K in units of a power of two near its trace.
struct Residuals<T> {
    /// ε: Σ‖r‖²/θ of the carried directions that count (can be kept).
    counting: T,
    /// ε₂: Σ‖r‖²/θ of the carried directions that do not count.
    trailing: T,
    /// Σ(θ + ‖r‖²/θ) of all carried pairs: their part of the trace of K.
    trace: T,
    /// Σ(θ² + 2‖r‖²) of all carried pairs: their part of the sum of squares of K.
    squares: T,
    /// The square of the likely error.
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
                // The first-order change of pᵢvᵢvᵢᵀ towards an eigenvector with the eigenvalue `next`.
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
