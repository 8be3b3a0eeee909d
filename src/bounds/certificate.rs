//! Bounds for `TrackingPca` and `DensityPca` with steps that the theorems of [WK08] do not contain: rank cap, ceiling, share step
//! and scale (the head of `bounds` defines these steps).
//! In: the excess E of a learner (see `excess`), the part α of all weight that a share step distributes evenly in each trial, the
//! largest energy q (squared length) of a scaled sample, and the precision of the numbers. Out: [`Bounds`] that hold with these
//! four steps, and with rounding.
//! Method: of n directions a learner keeps k and drops d = n − k. η is the learning rate. The learner stores an evidence matrix
//! G, which defines the density matrix W = e^(−G)/d. The T trials are divided into s segments. L is the loss of the best s
//! subspaces (the comparators), one for each segment. With a scale, L and the total loss are those of the scaled samples. In a
//! relative entropy a comparator is the density matrix P/d, with the projection P onto the d directions that it drops. The
//! divergence D is d times the relative entropy from the first comparator to W before the first trial. A change of W that is not
//! in the theorems can increase the relative entropy from the comparator to W. The charge for the change is at least d times the
//! largest such increase. E is the sum of the charges for removed evidence. The expected total loss is at most the following
//! number, in which E and the charges of the share steps are added to D:
//!
//! ```text
//! q·(η·L + D + E + (s − 1)·d·ln(n/(dα)) + (T − s)·d·ln(1/(1 − α))) / (1 − e^(−ηq))
//! ```
//!
//! W′ is W after the share step. If the comparator stays, W′ ⪰ (1 − α)W, so the charge is d·ln(1/(1 − α)). If the comparator
//! changes, W′ ⪰ αI/n, so the charge is d·ln(n/(dα)). The factor q/(1 − e^(−ηq)) follows from 1 − e^(−ηa) ≥ (a/q)(1 − e^(−ηq))
//! for energies a from 0 to q. Rounding adds one more charge: `with_rounding`.
//! Cost: at most three `ln`, one square root.

use super::{Bounds, ln_of_one_and};
use crate::{Scalar, SettingsError};

impl<T: Scalar> Bounds<T> {
    /// Adds the excess of a learner to the [`divergence`](Self::divergence) D of the bounds. The excess is the charge for
    /// evidence that the learner removed: [`TrackingPca::excess`](crate::pca::TrackingPca::excess) or
    /// [`DensityPca::excess`](crate::pca::DensityPca::excess). The bound then holds for every `RANK` and every ceiling. The
    /// ceiling is the upper limit of the evidence g of a direction, which is kept with probability 1 − e⁻ᵍ.
    ///
    /// A negative excess counts as zero. If the excess is NaN, D becomes infinite.
    ///
    /// ```
    /// use eigenstream::{bounds::Bounds, pca::{TrackingPca, TrackingSettings}};
    ///
    /// // Four axes in turn, but `RANK` is 3: the learner removes evidence and adds the charge to its excess.
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

    /// Sets Q², the largest energy of a sample in the formulas of the bounds, to q = `largest_energy`, rounded up. q is the
    /// largest scaled energy f·‖x‖² of a sample x, with the factor f of the learner's scale.
    ///
    /// A learner with an [`EnergyScale`](crate::EnergyScale) learns x as the learner of \[WK08\] learns √f·x; f is the factor
    /// after the scale has observed x. So the bound limits Σ f·loss, and L is the smallest Σ f·loss of a fixed subspace. To
    /// compute the factors f, use a second `EnergyScale` with the `ScaleSettings` of the learner: for each sample first call
    /// `observe` with the energy, then read `factor`. These factors are correct for a learner created by `new`. A learner that
    /// was started from a batch or merged has other factors, because its scale has already observed earlier samples.
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
    /// [`SettingsError::NormBound`] if q is not positive, or if q is subnormal or not finite after rounding up.
    pub fn with_largest_energy(self, largest_energy: T) -> Result<Self, SettingsError> {
        let length = if largest_energy > T::ZERO {
            largest_energy.sqrt()
        } else {
            T::ZERO
        };
        // The square of the rounded root can be below `largest_energy`. So the root is enlarged a little.
        self.with_norm_bound(length * (T::ONE + T::TWO * T::EPSILON))
    }

    /// Adds the charge of the share step [`Share::Uniform`](crate::pca::Share::Uniform): in each of T = `trials` trials the part
    /// α = `part` of all weight is distributed evenly. In [`loss`](Self::loss), L is then the loss of s = `segments` subspaces,
    /// each the best for one segment of the trials.
    ///
    /// With one segment, L is the loss of one fixed subspace, and the bound also holds for the other kinds of share step.
    /// If s = 0 or T = 0, s counts as 1. Otherwise an s above T counts as T. For fixed L and s < T, the bound is smallest for
    /// α = (s − 1)/(T − 1). The bound also holds for sets of n − k of n experts; Hedge has k = n − 1.
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
    /// [`SettingsError::Share`] in three cases: α is not in 0 ≤ α < 1; α is zero and there is more than one segment; n and k are
    /// not known, as with [`dimension_free`](Self::dimension_free) and [`from_divergence`](Self::from_divergence).
    pub fn with_share(self, part: T, trials: usize, segments: usize) -> Result<Self, SettingsError> {
        let segments = segments.min(trials).max(1);
        let (changes, stays) = (segments - 1, trials.saturating_sub(segments));
        if !(part >= T::ZERO && part < T::ONE && self.dim.is_finite() && (part > T::ZERO || changes == 0)) {
            return Err(SettingsError::Share);
        }
        if self.dropped <= T::ZERO {
            return Ok(self);
        }
        // ln(1/(1 − α)) = ln(1 + α/(1 − α)) with α = `part`: the right side is accurate for small α, too.
        let stay = T::from_usize(stays) * ln_of_one_and(part / (T::ONE - part));
        let change = if changes > 0 {
            // ln(n/(d·α)) as the difference of two logarithms, because n/(d·α) can overflow; d = `dropped`, α = `part`.
            T::from_usize(changes) * ((self.dim / self.dropped).ln() - part.ln())
        } else {
            T::ZERO
        };
        Ok(self.charged(self.dropped * (stay + change)))
    }

    /// Adds the charge of rounding, 2·d·max(16, n)·ε·`evidence` for each of the `trials`, where d of n directions are dropped
    /// and ε = `epsilon` is the relative precision of the number type of the learner. `evidence` is an upper bound on
    /// ‖G + ηxxᵀ‖, with the evidence matrix G, the learning rate η and a scaled sample x: the ceiling (upper limit of the
    /// evidence) plus η times the largest scaled energy.
    ///
    /// A rounding error of at most δ in G changes tr UG (U: density matrix of the best subspace) by at most δ, and the logarithm
    /// of the normalisation of the density matrix by at most δ. So the charge of a trial is 2·d·δ. δ is 16·ε·`evidence` for
    /// `TrackingPca`, and n·ε·`evidence` for the eigendecomposition of `DensityPca`; the larger of the two is used. In the
    /// example below, the sum of the charges exceeds D after 1,300 trials. Without the charge the bound can fail in `f32`, after
    /// millions of samples that are too short to change the learner. If n and k are not known (see
    /// [`dimension_free`](Self::dimension_free) and [`from_divergence`](Self::from_divergence)), D becomes infinite.
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
            // Both comparisons are false for a charge of NaN: the divergence becomes infinite.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_costs_what_the_formula_says() {
        let (n, d, part, trials, segments) = (8.0_f64, 5.0, 0.01, 300, 4);
        let plain = Bounds::<f64>::new(8, 3);
        let shared = plain.with_share(part, trials, segments);
        let price = 3.0 * d * (n / (d * part)).ln() + 296.0 * d * (1.0 / (1.0 - part)).ln();
        assert!(shared.is_ok_and(|it| (it.divergence() - plain.divergence() - price).abs() < 1e-12));
        // The charge of the share α = 1e-9 is not lost, although 1 − α rounds to 1 in `f32`.
        let tiny = Bounds::<f32>::new(8, 3).with_share(1e-9, 1_000_000, 1);
        assert!(tiny.is_ok_and(|it| (it.divergence() - Bounds::<f32>::new(8, 3).divergence() - 5e-3).abs() < 1e-6));
    }

    #[test]
    fn a_share_without_a_price_is_refused() {
        let bounds = Bounds::<f64>::new(8, 3);
        for part in [-0.1, 1.0, 2.0, f64::NAN] {
            assert_eq!(bounds.with_share(part, 10, 1), Err(SettingsError::Share));
        }
        assert_eq!(bounds.with_share(0.0, 10, 2), Err(SettingsError::Share));
        assert_eq!(bounds.with_share(0.0, 10, 1), Ok(bounds));
        assert_eq!(bounds.with_share(0.5, 0, 0), Ok(bounds));
        let free = Bounds::<f64>::dimension_free(3);
        assert_eq!(free.with_share(0.1, 10, 1), Err(SettingsError::Share));
        assert_eq!(
            Bounds::<f64>::new(3, 3)
                .with_share(0.1, 10, 2)
                .map(|it| it.divergence()),
            Ok(0.0)
        );
    }

    #[test]
    fn an_energy_is_the_square_of_a_length() {
        let bounds = Bounds::<f64>::new(8, 3);
        let close = |left: f64, right: f64| (left - right).abs() <= 1e-14 * right;
        let by_length = bounds.with_norm_bound(3.0).map(|it| it.loss(5.0, 0.7));
        let by_energy = bounds.with_largest_energy(9.0).map(|it| it.loss(5.0, 0.7));
        assert!(by_length.is_ok_and(|length| by_energy.is_ok_and(|energy| close(energy, length))));
        for energy in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(bounds.with_largest_energy(energy), Err(SettingsError::NormBound));
        }
        assert_eq!(bounds.with_excess(-1.0), bounds);
        assert_eq!(bounds.with_excess(f64::NAN).loss(1.0, 0.5), f64::INFINITY);
    }

    #[test]
    fn there_are_no_more_segments_than_trials() {
        let bounds = Bounds::<f64>::new(8, 3);
        assert_eq!(bounds.with_share(0.01, 2, 5), bounds.with_share(0.01, 2, 2));
    }

    #[test]
    fn the_bound_of_the_energy_is_never_below_it() {
        for energy in (1..2_000).map(|i| 0.37 * i as f32) {
            let bounds = Bounds::<f32>::new(8, 3).with_largest_energy(energy);
            assert!(bounds.is_ok_and(|bounds| bounds.energy_bound() >= energy), "{energy}");
        }
    }

    #[test]
    fn rounding_costs_as_much_as_with_sixteen_channels() {
        // 10 trials, 2·5 dropped directions, the factor 16, ε and the evidence 3.
        let bounds = Bounds::<f64>::new(8, 3);
        let price = bounds.with_rounding(1e-3, 3.0, 10).divergence() - bounds.divergence();
        assert!((price - 10.0 * 10.0 * 16.0 * 1e-3 * 3.0).abs() < 1e-12, "{price}");
        let wide = Bounds::<f64>::new(20, 15);
        let price = wide.with_rounding(1e-3, 3.0, 10).divergence() - wide.divergence();
        assert!((price - 10.0 * 10.0 * 20.0 * 1e-3 * 3.0).abs() < 1e-12, "{price}");
    }
}
