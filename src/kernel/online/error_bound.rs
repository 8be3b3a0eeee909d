//! How far the directions of the fast mode are from the exact ones.
//! In: Ritz pairs (θᵢ, uᵢ) of the window's K with their images K·uᵢ. Out: a bound δ on ‖P − P̃‖, the difference between
//! P = Σpᵢvᵢvᵢᵀ of the exact directions and P̃ of these: the loss of a sample is off by at most δ·k(x, x). And whether the likely error,
//! which is some fifty times smaller than δ, is small enough to go on.
//! Method: the residuals rᵢ = K·uᵢ − θᵢuᵢ say how wrong the pairs that count are, and the trace and the squares of K bound every
//! eigenvalue that is not carried. Write C = Σφ(xⱼ)φ(xⱼ)ᵀ, S for the span of the directions that count, C₂ for C outside S. In blocks of S
//! and the rest, C and the diagonal matrix of the θᵢ differ by E = (rᵢ·rⱼ/√(θᵢθⱼ)), R with ‖R‖² ≤ Σ‖rᵢ‖²β/θᵢ, and C₂ ⪯ β. 1 − P and 1 − P̃ minimise
//! η·tr(QC) + tr(Q ln Q − Q), which is convex with modulus one in the Frobenius norm for 0 ⪯ Q ⪯ 1. Adding both inequalities:
//!
//! ```text
//! ‖P − P̃‖² ≤ δ² = η²(‖E‖² + 2‖R‖²) + 2·max(0, ηβ − τ)²,   ‖E‖ ≤ ε = Σ‖rᵢ‖²/θᵢ over those that count
//! ```
//!
//! β is the larger eigenvalue of (α, √(ε₂γ); √(ε₂γ), γ): α = θ_next + ε₂ with the largest θ that does not count and ε₂ of all that do not,
//! The factor 2: a direction that is carried without counting and one that is not carried may both be above τ/η.
//! γ = min(tr K − Σ(θ + ‖r‖²/θ), √(‖K‖² − Σ(θ² + 2‖r‖²) + (ε + ε₂)²)) over all that are carried.
//! Cost: 3·WINDOW multiply-adds for each direction carried, and WINDOW²/2 where the trace is not enough; no scratch.

use super::directions::Directions;
use crate::kernel::{GramWindow, Kernel, OnlineKernelSettings};
use crate::spectrum::vector::dot;
use crate::{Centering, Scalar};

/// The likely error with which the fast mode goes on: losses are then off by less than 10⁻³·k(x, x) on all streams of
/// `tests/online_kernel`. With 4·10⁻³ a stream of clusters came to 1.1·10⁻³.
const LIKELY_ERROR: f64 = 3e-3;

/// The part of max(0, ηβ − τ) that counts as likely: the bound β is far above the largest eigenvalue not carried where many small
/// ones are left. With all of it W2 with the quadratic kernel solved almost always exactly, to an error of 10⁻⁶.
const ABOVE: f64 = 0.01;

/// The rounding error of the trace and of the squares beyond the directions carried, in units of WINDOW·ε of the whole.
const ROUNDING: f64 = 4.0;

/// Sums over the residuals of the directions carried, in units of a power of two near the trace of K.
struct Residuals<T> {
    /// ε of the directions that count.
    counting: T,
    /// ε₂ of the others.
    trailing: T,
    /// Σ(θ + ‖r‖²/θ).
    trace: T,
    /// Σ(θ² + 2‖r‖²).
    squares: T,
    /// The square of the likely error.
    likely: T,
}

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    /// Sets `error`, and says whether the likely error is small; `least` is τ/η.
    #[inline(never)] // its numbers are gone before the scratch of a solution comes
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
        // NaN is too large as well.
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
                // About a centre images count up to a constant.
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
                // The first-order change of pᵢvᵢvᵢᵀ towards an eigenvector of the value `next`.
                let slope = self.probabilities.get(position).copied().unwrap_or(T::ZERO) / (value - next);
                sums.likely += slope * slope * part * next;
            } else {
                sums.trailing += part;
            }
        }
        sums
    }

    /// γ, a bound on the eigenvalues of C outside the span of the directions carried.
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
        // K̄ = K − m1ᵀ − 1mᵀ + μ11ᵀ with the means m of the rows and μ of all; `shifts` are m − μ/2. All zero if uncentered.
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
