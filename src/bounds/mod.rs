//! Bounds on the expected total loss of a learner, and the learning rate that is tuned to the loss of the best subspace.
//! In: the number n of dimensions and k of kept directions (d = n − k are dropped), the largest length Q of a sample, and the
//! loss L of the best fixed subspace in hindsight, known or guessed. Out: a learning rate η, an upper bound on the total loss of
//! the learner, a lower bound on the regret (total loss minus L), and a meter that compares the loss of a run with a bound.
//! Method: \[WK08\] equations 3, 4 and 7, Theorems 1, 3, 6 and 8, Corollary 9; \[KW07\] equation 6 with the factor Q that is
//! missing in print, and equation 7. \[WK08\] has samples of length at most 1. For samples of length at most Q, all losses are
//! multiplied by Q² and η is divided by Q². A direction of evidence g is kept with probability 1 − e^(−g). A learner can have
//! four steps that these theorems do not contain: a rank cap (at most `RANK` directions are stored), a ceiling (upper limit of
//! g), a share step (a part of the weight is distributed again in each trial) and a scale (`EnergyScale`: η is divided by an
//! energy, for example the mean squared length). `certificate` makes the bound larger for the first three, and replaces Q² for
//! the scale.
//! Cost: a few `exp`, `ln` and square roots; the meter keeps two numbers and a count.

mod certificate;
mod excess;
mod lower;
mod online_to_batch;
mod regret_meter;

pub(crate) use excess::Excess;
pub use regret_meter::RegretMeter;

use crate::learner::energy_scale::is_norm_bound;
use crate::scalar::constant::of_number;
use crate::{Scalar, SettingsError};

/// The bounds of one problem. They depend on the divergence D of the best subspace from the start of the learner, and on the
/// largest length Q of a sample.
///
/// For any learning rate η > 0 the expected total loss of the algorithms of \[WK08\] and \[KW07\] is at most
/// [`loss`](Self::loss). [`learning_rate`](Self::learning_rate) is the η tuned to the loss of the best subspace, and
/// [`tuned_loss`](Self::tuned_loss) is the bound for this η. Also call [`with_excess`](Self::with_excess) for a learner with a
/// rank cap or a ceiling, [`with_share`](Self::with_share) for a share step, [`with_largest_energy`](Self::with_largest_energy)
/// for a scale.
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
    /// The divergence D, with the additions of `certificate`.
    divergence: T,
    /// Q: every sample x has ‖x‖ ≤ Q. With a kernel K: K(x, x) ≤ Q². With a scale: f·‖x‖² ≤ Q², where f = 1/energy is the number
    /// by which the scale multiplies η for this sample.
    norm_bound: T,
    /// n, the dimension of the space; infinite if the dimension is not known or infinite.
    dim: T,
    /// d = n − k, the number of dropped directions (k are kept), or of experts in a set; zero if k > n, infinite if `dim` is
    /// infinite.
    dropped: T,
}

impl<T: Scalar> Bounds<T> {
    /// The bounds for subspaces of k = `keep` of n = `dim` dimensions: D = (n − k)·ln(n / (n − k)), at most k for every n, and
    /// zero if k ≥ n.
    ///
    /// These bounds also hold for sets of n − k of n experts. Hedge has `keep` = n − 1 and D = ln n.
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

    /// The bounds with the divergence D = k·ln(n / k) that the papers (\[WK08\], \[KW07\]) print, k = `keep` and n = `dim`. D is
    /// zero if k = 0 or k ≥ n. For n / 2 < k < n this D is smaller than the D of [`new`](Self::new), and no proof covers it.
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

    /// The bounds for a space of any dimension, also for the infinite dimension of a Gaussian kernel: the divergence D is
    /// k = `keep`, the limit of [`new`](Self::new) for large n.
    #[must_use]
    pub fn dimension_free(keep: usize) -> Self {
        Self::of(T::from_usize(keep))
    }

    /// The bounds for a learner that starts from a density matrix W⁰ other than I/n. D = `divergence` is the relative entropy
    /// from the best subspace to W⁰, times the number of dropped directions.
    ///
    /// Let gᵢ be the evidence of direction vᵢ of the start (keep probability 1 − e^(−gᵢ)), and P the projection onto the best
    /// subspace. Then D = Σ gᵢ(1 − ‖Pvᵢ‖²), a sum over all n directions: the evidence outside the best subspace. For Hedge, if
    /// the best expert starts with the weight w, D = ln(1/w).
    ///
    /// These bounds do not contain n and k. So [`with_share`](Self::with_share) returns an error,
    /// [`with_rounding`](Self::with_rounding) makes D infinite, and [`lower`](Self::lower) returns zero.
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

    /// The divergence D in the formulas of the bounds, with the additions of [`with_excess`](Self::with_excess),
    /// [`with_share`](Self::with_share) and [`with_rounding`](Self::with_rounding).
    #[must_use]
    pub fn divergence(&self) -> T {
        self.divergence
    }

    /// The learning rate η = ln(1 + Q·√(2D / L)) / Q², with the divergence D and the largest length Q of a sample. `best_loss` is
    /// L, an upper bound on the loss of the best subspace.
    ///
    /// \[WK08\] equation 3; \[KW07\] equation 6 prints the formula without the inner Q. For L = 0 the formula gives η = ∞. So an
    /// L below [`Scalar::MIN_POSITIVE`] counts as `MIN_POSITIVE`. For D = 0, η is zero.
    #[must_use]
    pub fn learning_rate(&self, best_loss: T) -> T {
        // The quotient of two roots: the quotient under one root could overflow.
        let ratio = (T::TWO * self.divergence).sqrt() / T::MIN_POSITIVE.max(best_loss).sqrt();
        ln_of_one_and(self.norm_bound * ratio) / self.energy_bound()
    }

    /// The bound on the total loss at the learning rate tuned to L = `best_loss`: L + Q·√(2LD) + Q²·D, with the divergence D and
    /// the largest length Q of a sample. A negative L counts as zero.
    ///
    /// \[WK08\] equations 4 and 7, \[KW07\] equation 7. The excess of a learner (its addition to D) is known only after the run,
    /// too late to tune the rate. After [`with_excess`](Self::with_excess) call [`loss`](Self::loss) with the rate of the run
    /// instead.
    #[must_use]
    pub fn tuned_loss(&self, best_loss: T) -> T {
        let best_loss = T::ZERO.max(best_loss);
        // Zero times an infinite divergence would be NaN.
        let spread = if best_loss > T::ZERO {
            self.norm_bound * (T::TWO * best_loss).sqrt() * self.divergence.sqrt()
        } else {
            T::ZERO
        };
        best_loss + spread + self.energy_bound() * self.divergence
    }

    /// The bound on the total loss at any learning rate η: Q²·(ηL + D) / (1 − exp(−ηQ²)), with L = `best_loss`, the divergence D
    /// and the largest length Q of a sample. A negative L counts as zero. Returns [`Scalar::MAX`] if ηQ² is not
    /// positive or η is not finite.
    ///
    /// \[WK08\] Theorems 1 (experts), 3 (sets of experts) and 6 (subspaces), \[KW07\] Theorem 1.
    #[must_use]
    pub fn loss(&self, best_loss: T, learning_rate: T) -> T {
        self.loss_from(self.divergence, best_loss, learning_rate)
    }

    /// The bound on the total loss with a moving centre, \[WK08\] Theorem 8. With L = `best_loss`, η = `learning_rate`, the
    /// divergence D, Q of [`with_norm_bound`](Self::with_norm_bound), η̃⁻¹ = `start.inverse_rate`, a = `start.distance` and
    /// T = `trials` the bound is
    ///
    /// ```text
    /// Q²·(ηL + D + ηη̃⁻¹a) / (1 − e^(−ηQ²)) + Q²·(1 + ln(1 + (T − 1)/(η̃⁻¹ + 1)))
    /// ```
    ///
    /// The paper prints η̃η̃⁻¹ instead of ηη̃⁻¹. Here Q bounds the distance of each sample from the centre at the time of the
    /// sample. If the samples and the start of the centre have a length of at most one, this distance is at most 2.
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

    /// The bound on the total loss if the centre is the mean of the samples so far: [`loss`](Self::loss) + Q²·ln T + R², with
    /// T = `trials` and the length R = `first_length` of the first sample. \[WK08\] Corollary 9.
    ///
    /// As in [`centered_loss`](Self::centered_loss), Q bounds the distance of each sample from the centre at the time of the
    /// sample.
    #[must_use]
    pub fn mean_centered_loss(&self, best_loss: T, learning_rate: T, first_length: T, trials: usize) -> T {
        let drift = self.energy_bound() * T::from_usize(trials.max(1)).ln();
        self.loss(best_loss, learning_rate) + drift + first_length * first_length
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

    /// Q², the largest squared length of a sample.
    fn energy_bound(&self) -> T {
        self.norm_bound * self.norm_bound
    }

    fn loss_from(&self, divergence: T, best_loss: T, learning_rate: T) -> T {
        let energy = self.energy_bound();
        let gain = -(-learning_rate * energy).exp_m1();
        // There is no bound if the learning rate times Q² is not positive, or if the learning rate is infinite.
        if gain > T::ZERO && learning_rate.is_finite() {
            energy * (learning_rate * T::ZERO.max(best_loss) + divergence) / gain
        } else {
            T::MAX
        }
    }
}

/// eˣ − 1 for x = `power` ≥ 0, accurate for small x: the factor x/ln(eˣ) corrects the rounding error of eˣ (Kahan). Calls only `exp`
/// and `ln`, so a program that has both needs no code for [`Scalar::exp_m1`].
pub(crate) fn exp_minus_one<T: Scalar>(power: T) -> T {
    let whole = power.exp();
    if whole > T::ONE {
        (whole - T::ONE) * (power / whole.ln())
    } else {
        power
    }
}

/// ln(1 + x) for x = `part` ≥ 0, accurate for small x: the factor x/((1 + x) − 1) corrects the rounding error of 1 + x (Kahan).
pub(crate) fn ln_of_one_and<T: Scalar>(part: T) -> T {
    let whole = T::ONE + part;
    if whole > T::ONE && whole.is_finite() {
        whole.ln() * (part / (whole - T::ONE))
    } else {
        part
    }
}

/// Weight and distance of the start of a moving centre, for [`Bounds::centered_loss`].
///
/// ```
/// use eigenstream::bounds::CenterStart;
/// let start = CenterStart { inverse_rate: 2.0_f32, distance: 0.125 };
/// assert_eq!(start.inverse_rate * start.distance, 0.25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CenterStart<T> {
    /// η̃⁻¹: the start of the centre counts as this number of samples.
    pub inverse_rate: T,
    /// m⁰ is the start of the centre, m the best centre. The distance is the squared length of the part of m − m⁰ outside the
    /// best subspace. In \[WK08\]: d·(m − m⁰)ᵀU(m − m⁰), where d·U is the projection onto the complement of the best subspace.
    pub distance: T,
}

#[cfg(test)]
mod tests;
