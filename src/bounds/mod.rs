//! Bounds on the expected total loss of a learner, and the learning rate that they recommend.
//!
//! Symbols: n = dimensions; k = kept and d = n − k dropped directions; Q = largest length of a sample; L = loss of the
//! best fixed subspace in hindsight; η = learning rate; D = divergence, the distance of the best subspace from the
//! start of the learner; regret = total loss − L. Evidence g: a direction is kept with probability 1 − e⁻ᵍ. A charge is
//! what a step outside the theorems adds to D: the excess for removed evidence (rank cap, ceiling, merging), the share
//! step, rounding.
//! In: n, k, Q, and L, known or guessed. Out: a rate, an upper bound on the total loss, a lower bound on the regret,
//! and a meter for the loss of a run.
//! Method: \[WK08\] equations 3, 4, 7 and 19, Theorems 1, 3, 6 and 8, Corollary 9, section 6.3; \[KW07\] equation 6
//! with the factor Q that is missing in print, and equation 7. \[WK08\] has Q = 1: for another Q all losses are
//! multiplied by Q² and η is divided by Q². Proofs: `guide::mathematics`, "Proofs: `bounds`".
//! Cost: a few `exp`, `ln` and square roots.

mod excess;
mod regret_meter;

pub(crate) use excess::Excess;
pub use regret_meter::RegretMeter;

use crate::learner::energy_scale::is_norm_bound;
use crate::scalar::constant::of_number;
use crate::{Scalar, SettingsError};

/// The bounds of one problem, from its divergence D and the largest length Q of a sample.
///
/// The expected total loss is at most [`loss`](Self::loss) for any η > 0, and [`tuned_loss`](Self::tuned_loss) for the η of
/// [`learning_rate`](Self::learning_rate). Add [`with_excess`](Self::with_excess) for a learner that removes evidence (`RANK` below
/// `DIM`, or a ceiling), [`with_share`](Self::with_share) for a `Share`, [`with_largest_energy`](Self::with_largest_energy) for an
/// energy scale.
///
/// ```
/// use eigenstream::bounds::Bounds;
///
/// // The best plane in twenty dimensions would have lost 567; the learner is expected to lose at most 615.3.
/// let bounds = Bounds::<f64>::new(20, 2);
/// let learning_rate = bounds.learning_rate(567.0);
/// assert!((learning_rate - 0.0786).abs() < 1e-4);
/// assert!((bounds.tuned_loss(567.0) - 615.3).abs() < 0.1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Bounds<T> {
    /// The divergence D with all charges.
    divergence: T,
    /// The number Q with ‖x‖ ≤ Q; with a kernel, K(x, x) ≤ Q²; with a scale and its factor f, f·‖x‖² ≤ Q².
    norm_bound: T,
    /// The number n; infinite if it is not known.
    dim: T,
    /// The number d, or the number of experts in a set; zero if k ≥ n, infinite if n is not known.
    dropped: T,
}

impl<T: Scalar> Bounds<T> {
    /// The bounds for subspaces with `keep` of `dim` dimensions: D = d·ln(n/d), which is at most k, and zero if k ≥ n.
    ///
    /// They also hold for sets of d of n experts; Hedge has `keep` = n − 1 and D = ln n.
    #[must_use]
    pub fn new(dim: usize, keep: usize) -> Self {
        let dropped = T::from_usize(dim.saturating_sub(keep));
        let divergence = if dropped > T::ZERO {
            dropped * ln_of_one_and(T::from_usize(keep) / dropped)
        } else {
            T::ZERO
        };
        Self::of(divergence).with_sizes(dim, keep)
    }

    /// The bounds with D = k·ln(n/k), as printed in \[WK08\] and \[KW07\]; no proof covers n/2 < k < n.
    ///
    /// D is zero if k = 0 or k ≥ n.
    #[must_use]
    pub fn printed(dim: usize, keep: usize) -> Self {
        let kept = T::from_usize(keep);
        let divergence = if keep > 0 && dim > keep {
            kept * (T::from_usize(dim) / kept).ln()
        } else {
            T::ZERO
        };
        Self::of(divergence).with_sizes(dim, keep)
    }

    /// The bounds for any dimension, also the infinite one of a Gaussian kernel: D = k.
    #[must_use]
    pub fn dimension_free(keep: usize) -> Self {
        Self::of(T::from_usize(keep))
    }

    /// The bounds for a learner that does not start from the uniform density matrix I/n, with the divergence D of its
    /// start.
    ///
    /// D is d times the relative entropy from the best subspace to the start. If the start gives evidence gᵢ to the
    /// direction vᵢ, and P projects onto the best subspace, D = Σ gᵢ(1 − ‖Pvᵢ‖²) over all n directions. For Hedge, if
    /// the best expert starts with the weight w, D = ln(1/w). These bounds do not know n and k:
    /// [`with_share`](Self::with_share) returns an error, [`with_rounding`](Self::with_rounding) makes D infinite, and
    /// [`lower`](Self::lower) returns zero.
    ///
    /// # Errors
    /// [`SettingsError::Divergence`] if D is negative or not finite.
    ///
    /// ```
    /// use eigenstream::{bounds::Bounds, nalgebra::SMatrix, pca::{TrackingPca, TrackingSettings}};
    ///
    /// let mut pca = TrackingPca::<f64, 5, 1, 5>::new(TrackingSettings::unscaled(1.0)?);
    /// pca.start_from(&SMatrix::<f64, 5, 1>::new(1.0, 0.0, 0.0, 0.0, 0.0), &[0.96])?;
    /// // If the start contains the best direction, D is the evidence of the other four directions.
    /// let [_, others @ ..] = pca.evidence();
    /// let bounds = Bounds::<f64>::from_divergence(others.iter().sum())?;
    /// assert!(bounds.divergence() < 0.05 && Bounds::<f64>::new(5, 1).divergence() > 0.8);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub const fn from_divergence(divergence: T) -> Result<Self, SettingsError> {
        if of_number!(divergence => divergence >= 0.0 && divergence.is_finite()) {
            Ok(Self::of(divergence))
        } else {
            Err(SettingsError::Divergence)
        }
    }

    /// Sets the largest length Q of a sample; 1 by default.
    ///
    /// # Errors
    /// [`SettingsError::NormBound`] if Q is not positive, or if Q² is zero, subnormal or not finite.
    pub const fn with_norm_bound(self, norm_bound: T) -> Result<Self, SettingsError> {
        if is_norm_bound(norm_bound) {
            Ok(Self { norm_bound, ..self })
        } else {
            Err(SettingsError::NormBound)
        }
    }

    /// The divergence D with the charges.
    #[must_use]
    pub fn divergence(&self) -> T {
        self.divergence
    }

    /// The learning rate η = ln(1 + Q·√(2D / L)) / Q² for `best_loss` = L, or an upper bound on L.
    ///
    /// \[WK08\] equation 3; \[KW07\] equation 6 prints the formula without the inner Q. An L below [`Scalar::MIN_POSITIVE`] counts
    /// as `MIN_POSITIVE`. For D = 0, η is zero.
    #[must_use]
    pub fn learning_rate(&self, best_loss: T) -> T {
        // Takes both roots before the division, because the quotient could overflow.
        let ratio = (T::TWO * self.divergence).sqrt() / T::MIN_POSITIVE.max(best_loss).sqrt();
        ln_of_one_and(self.norm_bound * ratio) / self.energy_bound()
    }

    /// The bound on the total loss at the rate tuned to `best_loss` = L: L + Q·√(2LD) + Q²·D.
    ///
    /// \[WK08\] equations 4 and 7, \[KW07\] equation 7. A negative L counts as zero. The excess of a learner is known
    /// only after the run, too late to tune its rate: call [`loss`](Self::loss) with the rate of the run.
    #[must_use]
    pub fn tuned_loss(&self, best_loss: T) -> T {
        let best_loss = T::ZERO.max(best_loss);
        // Zero times an infinite D would be NaN.
        let spread = if best_loss > T::ZERO {
            self.norm_bound * (T::TWO * best_loss).sqrt() * self.divergence.sqrt()
        } else {
            T::ZERO
        };
        best_loss + spread + self.energy_bound() * self.divergence
    }

    /// The bound on the total loss at any learning rate: Q²·(ηL + D) / (1 − exp(−ηQ²)).
    ///
    /// \[WK08\] Theorems 1 (experts), 3 (sets of experts) and 6 (subspaces), \[KW07\] Theorem 1. A negative L counts as
    /// zero. Returns [`Scalar::MAX`] if ηQ² is not positive or η is not finite.
    #[must_use]
    pub fn loss(&self, best_loss: T, learning_rate: T) -> T {
        self.loss_from(self.divergence, best_loss, learning_rate)
    }

    /// The bound on the total loss with a moving centre, \[WK08\] Theorem 8.
    ///
    /// With η̃⁻¹ = `start.inverse_rate` and a = `start.distance` it is
    ///
    /// ```text
    /// Q²·(ηL + D + ηη̃⁻¹a) / (1 − e^(−ηQ²)) + Q²·(1 + ln(1 + (trials − 1)/(η̃⁻¹ + 1)))
    /// ```
    ///
    /// The paper prints η̃η̃⁻¹ instead of ηη̃⁻¹. Here Q bounds the distance of a sample from the centre at that trial; this
    /// distance is at most 2 if samples and start have a length of at most 1.
    ///
    /// ```
    /// use eigenstream::bounds::{Bounds, CenterStart};
    /// let bounds = Bounds::<f64>::new(10, 5);
    /// let start = CenterStart { inverse_rate: 2.0, distance: 0.0 };
    /// // One trial that starts at the best centre adds Q² = 1.
    /// assert_eq!(bounds.centered_loss(30.0, 1.0, start, 1), bounds.loss(30.0, 1.0) + 1.0);
    /// ```
    #[must_use]
    pub fn centered_loss(&self, best_loss: T, learning_rate: T, start: CenterStart<T>, trials: usize) -> T {
        let away = learning_rate * start.inverse_rate * start.distance;
        let later = T::from_usize(trials.saturating_sub(1));
        let drift = T::ONE + (T::ONE + later / (start.inverse_rate + T::ONE)).ln();
        self.loss_from(self.divergence + away, best_loss, learning_rate) + self.energy_bound() * drift
    }

    /// The bound on the total loss if the centre is the running mean: [`loss`](Self::loss) + Q²·ln(`trials`) +
    /// `first_length`².
    ///
    /// \[WK08\] Corollary 9. Q bounds the distance of a sample from the centre at that trial, `first_length` the length of the
    /// first sample.
    #[must_use]
    pub fn mean_centered_loss(&self, best_loss: T, learning_rate: T, first_length: T, trials: usize) -> T {
        let drift = self.energy_bound() * T::from_usize(trials.max(1)).ln();
        self.loss(best_loss, learning_rate) + drift + first_length * first_length
    }

    /// The bound on the expected loss of a new sample after `trials` trials: [`loss`](Self::loss) / `trials`.
    ///
    /// \[WK08\] section 6.3, for [`AverageDensity`](crate::pca::AverageDensity) and
    /// [`RandomStop`](crate::pca::RandomStop), in expectation over independent samples of one distribution. `best_loss`
    /// is the expected total loss of the best fixed subspace over as many samples. For zero trials the bound is Q².
    ///
    /// ```
    /// use eigenstream::bounds::Bounds;
    /// let bounds = Bounds::<f64>::new(20, 2);
    /// // The best plane loses 0.1 for each sample. The bound is above 0.16 after 100 samples, and near 0.1 after 10,000.
    /// let rate = |trials: f64| bounds.learning_rate(0.1 * trials);
    /// assert!(bounds.fresh_loss(10.0, rate(100.0), 100) > 0.16);
    /// assert!(bounds.fresh_loss(1_000.0, rate(10_000.0), 10_000) < 0.107);
    /// ```
    #[must_use]
    pub fn fresh_loss(&self, best_loss: T, learning_rate: T, trials: usize) -> T {
        if trials == 0 {
            return self.energy_bound();
        }
        self.loss(best_loss, learning_rate) / T::from_usize(trials)
    }

    /// The lower bound (1 − ε)·Q·√(L·d·ln(n/d)) on the regret, with ε = `slack`: \[WK08\] equation 19.
    ///
    /// For every ε > 0, if n/d and L/d are large enough, there is for every learner a stream with at least this regret. The excess
    /// does not change the bound.
    ///
    /// - For n/d = 2, the proof gives the factor 1 − ε = 0.68.
    /// - The bound is zero for n/d < 2, where there is no proof, and if n is not known.
    /// - The stream consists of symmetric matrices with eigenvalues zero and one, not of samples; streams of samples are not
    ///   covered.
    ///
    /// ```
    /// use eigenstream::bounds::Bounds;
    ///
    /// let bounds = Bounds::<f64>::new(20, 18);
    /// let (lower, upper) = (bounds.lower(100.0, 0.0), bounds.tuned_loss(100.0) - 100.0);
    /// assert!((lower - 21.46).abs() < 0.01 && (upper - 34.95).abs() < 0.01);
    /// ```
    #[must_use]
    pub fn lower(&self, best_loss: T, slack: T) -> T {
        let part = T::ZERO.max(T::ONE - slack);
        // If both sizes are infinite, n/d is NaN and the comparison is false.
        let divergence = if self.dropped > T::ZERO && self.dim / self.dropped >= T::TWO {
            self.dropped * ln_of_one_and((self.dim - self.dropped) / self.dropped)
        } else {
            T::ZERO
        };
        part * self.norm_bound * T::ZERO.max(best_loss).sqrt() * divergence.sqrt()
    }

    /// Adds to D the excess of a learner, the charge for evidence that the learner removed.
    ///
    /// Pass [`TrackingPca::excess`](crate::pca::TrackingPca::excess) or
    /// [`DensityPca::excess`](crate::pca::DensityPca::excess): the bound then holds for every `RANK` and every ceiling.
    /// A negative excess counts as zero; NaN makes D infinite.
    ///
    /// ```
    /// use eigenstream::{bounds::Bounds, pca::{TrackingPca, TrackingSettings}};
    ///
    /// // The samples are four axes, one after the other, but `RANK` is 3: the learner removes evidence and adds the charge to its
    /// // excess.
    /// let mut pca = TrackingPca::<f64, 6, 1, 3>::new(TrackingSettings::unscaled(0.5)?);
    /// let mut total = 0.0;
    /// for trial in 0..200 {
    ///     let axis = core::array::from_fn(|i| if i == trial % 4 { 1.0 } else { 0.0 });
    ///     total += pca.score(&axis)?;
    ///     pca.learn(&axis)?;
    /// }
    /// // The best fixed direction is one of the four axes.
    /// let bounds = Bounds::<f64>::new(6, 1).with_excess(pca.excess());
    /// assert!(pca.excess() > 1.0 && total <= bounds.loss(150.0, 0.5));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_excess(self, excess: T) -> Self {
        self.charged(excess)
    }

    /// Sets Q² to the largest scaled energy f·‖x‖² of a sample, rounded up, for a learner with a scale.
    ///
    /// f is [`EnergyScale::factor`](crate::EnergyScale::factor) after the scale has observed x. The bound then limits Σ
    /// f·loss, and L is the smallest Σ f·loss of a fixed subspace. A second `EnergyScale` with the settings of the
    /// learner gives the factors of a learner created by `new`, not of one that was merged or started from a batch.
    ///
    /// ```
    /// use eigenstream::{EnergyScale, ScaleSettings, bounds::Bounds, pca::{TrackingPca, TrackingSettings}};
    ///
    /// let mut pca = TrackingPca::<f64, 3, 1, 3>::new(TrackingSettings::DEFAULT);
    /// let mut scale = EnergyScale::new(ScaleSettings::DEFAULT);
    /// let (mut total, mut largest) = (0.0_f64, 0.0_f64);
    /// for trial in 1..100_u32 {
    ///     let sample = [0.0, f64::from(trial), 0.0];
    ///     let (loss, energy) = (pca.score(&sample)?, sample[1] * sample[1]);
    ///     pca.learn(&sample)?;
    ///     scale.observe(energy);
    ///     total += scale.factor() * loss;
    ///     largest = largest.max(scale.factor() * energy);
    /// }
    /// // All samples lie on the second axis, so the best direction has the loss L = 0.
    /// let bounds = Bounds::<f64>::new(3, 1).with_largest_energy(largest)?.with_excess(pca.excess());
    /// assert!(total <= bounds.loss(0.0, 1.0));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SettingsError::NormBound`] if Q² is subnormal, not positive or not finite.
    pub fn with_largest_energy(self, largest_energy: T) -> Result<Self, SettingsError> {
        let length = T::ZERO.max(largest_energy).sqrt();
        // The square of the rounded root can be below `largest_energy`, so the root is enlarged a little.
        self.with_norm_bound(length * (T::ONE + T::TWO * T::EPSILON))
    }

    /// Adds to D the charge for [`Share::Uniform`](crate::pca::Share::Uniform), which spreads the part α = `part` of the weight in
    /// each of `trials` trials.
    ///
    /// In [`loss`](Self::loss), L is then the loss of `segments` subspaces, each the best for one segment of the
    /// trials; with one segment the bound also holds for the other kinds of share. For fixed L the best α is (segments
    /// − 1)/(trials − 1). A number of `segments` above `trials` counts as `trials`, zero as one. The bound also holds
    /// for sets of experts.
    ///
    /// ```
    /// use eigenstream::bounds::Bounds;
    /// let fixed = Bounds::<f64>::new(20, 2).with_share(1e-3, 1_500, 1)?;
    /// let shifting = Bounds::<f64>::new(20, 2).with_share(1e-3, 1_500, 3)?;
    /// // One subspace for each third of the stream has a much smaller loss, so the bound is lower.
    /// assert!(shifting.loss(70.0, 1.0) < fixed.loss(900.0, 1.0));
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    ///
    /// # Errors
    /// [`SettingsError::Share`] unless 0 ≤ α < 1, if α is zero with more than one segment, or if n is not known.
    pub fn with_share(self, part: T, trials: usize, segments: usize) -> Result<Self, SettingsError> {
        let segments = segments.min(trials).max(1);
        let (changes, stays) = (segments - 1, trials.saturating_sub(segments));
        if !(part >= T::ZERO && part < T::ONE && self.dim.is_finite() && (part > T::ZERO || changes == 0)) {
            return Err(SettingsError::Share);
        }
        if self.dropped <= T::ZERO {
            return Ok(self);
        }
        // Computes ln(1/(1 − α)) so that it is accurate for small α.
        let stay = T::from_usize(stays) * ln_of_one_and(part / (T::ONE - part));
        let change = if changes > 0 {
            // Computes ln(n/(d·α)) as a difference, because n/(d·α) can overflow.
            T::from_usize(changes) * ((self.dim / self.dropped).ln() - part.ln())
        } else {
            T::ZERO
        };
        Ok(self.charged(self.dropped * (stay + change)))
    }

    /// Adds to D the charge for rounding, 2·d·max(16, n)·`epsilon`·`evidence` for each of `trials` trials.
    ///
    /// `epsilon` is the machine epsilon of the learner's number type, `evidence` the ceiling (the upper limit of the evidence) plus
    /// η times the largest scaled energy. Without this charge the bound can fail in `f32`, after millions of samples that are too
    /// short to change the learner. If n is not known, D becomes infinite.
    ///
    /// ```
    /// use eigenstream::bounds::Bounds;
    /// let exact = Bounds::<f64>::new(20, 2);
    /// // The default ceiling of 14 and a rate of 3, 10,000 samples of length one or less in `f32`.
    /// let rounded = exact.with_rounding(f64::from(f32::EPSILON), 14.0 + 3.0, 10_000);
    /// assert!((rounded.divergence() - exact.divergence() - 14.6).abs() < 0.1);
    /// ```
    #[must_use]
    pub fn with_rounding(self, epsilon: T, evidence: T, trials: usize) -> Self {
        let factor = self.dim.max(T::from_f64(16.0));
        self.charged(T::from_usize(trials) * T::TWO * self.dropped * factor * epsilon * evidence)
    }

    fn charged(self, charge: T) -> Self {
        Self {
            // Both comparisons are false for NaN, so D becomes infinite.
            divergence: if charge <= T::ZERO {
                self.divergence
            } else if charge > T::ZERO {
                self.divergence + charge
            } else {
                T::INFINITY
            },
            ..self
        }
    }

    const fn of(divergence: T) -> Self {
        Self {
            divergence,
            norm_bound: T::ONE,
            dim: T::INFINITY,
            dropped: T::INFINITY,
        }
    }

    fn with_sizes(self, dim: usize, keep: usize) -> Self {
        Self {
            dim: T::from_usize(dim),
            dropped: T::from_usize(dim.saturating_sub(keep)),
            ..self
        }
    }

    fn energy_bound(&self) -> T {
        self.norm_bound * self.norm_bound
    }

    fn loss_from(&self, divergence: T, best_loss: T, learning_rate: T) -> T {
        let energy = self.energy_bound();
        let gain = -(-learning_rate * energy).exp_m1();
        if gain > T::ZERO && learning_rate.is_finite() {
            energy * (learning_rate * T::ZERO.max(best_loss) + divergence) / gain
        } else {
            T::MAX
        }
    }
}

/// eˣ − 1 for x = `power` ≥ 0 and a finite eˣ, by Kahan's method. It calls only `exp` and `ln`.
pub(crate) fn exp_minus_one<T: Scalar>(power: T) -> T {
    let whole = power.exp();
    if whole > T::ONE {
        (whole - T::ONE) * (power / whole.ln())
    } else {
        power
    }
}

/// ln(1 + x) for x = `part` ≥ 0, accurate for small x, by Kahan's method.
pub(crate) fn ln_of_one_and<T: Scalar>(part: T) -> T {
    let whole = T::ONE + part;
    if whole > T::ONE && whole.is_finite() {
        whole.ln() * (part / (whole - T::ONE))
    } else {
        part
    }
}

/// The weight and the distance of the start of a moving centre, for [`Bounds::centered_loss`].
///
/// ```
/// use eigenstream::bounds::CenterStart;
/// let start = CenterStart { inverse_rate: 2.0_f32, distance: 0.125 };
/// assert_eq!(start.inverse_rate * start.distance, 0.25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CenterStart<T> {
    /// η̃⁻¹: the start counts as this number of samples.
    pub inverse_rate: T,
    /// The squared length of the part of m − m⁰ outside the best subspace, with the start m⁰ and the best centre m.
    ///
    /// \[WK08\] writes it as d·(m − m⁰)ᵀU(m − m⁰).
    pub distance: T,
}

#[cfg(test)]
mod tests;
