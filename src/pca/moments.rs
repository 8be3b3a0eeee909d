//! Mean and scatter of a stream, and deviations from the mean.
//! In: samples x. Out: centre m, scatter C = Σ (x − m)(x − m)ᵀ, and weight t, the number of samples in C minus the
//! forgotten part. The start m⁰, the centre before the first sample, counts as η̃⁻¹ samples; t does not include the
//! start.
//! Method: [WK08] Algorithm 6, with the forgetting factor f: t ← f·t + 1, m ← m + (x − m)/(η̃⁻¹ + t), C ← f·C + (1 −
//! 1/(η̃⁻¹ + t))·(x − m_old)(x − m_old)ᵀ. For a merge see `guide::mathematics`, "The merge of two scatters".

use crate::codec::{stored, stored_choice, validate};
use crate::learner::energy_of;
use crate::scalar::constant::of_number;
use crate::scalar::sum::CompensatedVector;
use crate::spectrum::Change;
use crate::spectrum::symmetric::{add_outer, add_upper, clear, scale_upper, trace};
use crate::spectrum::vector::dot;
use crate::{CodecError, Forgetting, MergeError, SampleError, Scalar, SettingsError};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// The rule for the centre of the data.
///
/// \[WK08\] Algorithm 6. The start m⁰, the centre before the first sample, counts as η̃⁻¹ samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Center<T> {
    /// The mean of the samples, without the start (η̃⁻¹ = 0); the default.
    #[default]
    Mean,
    /// The mean of the samples and of the start m⁰, which counts as this number of samples.
    ///
    /// With forgetting, m⁰ and older samples lose weight.
    Weighted(T),
    /// Always the start m⁰; with m⁰ = 0 this is the "uncentered version of Algorithm 6" of \[WK08\].
    Fixed,
}

impl<T: Scalar> Center<T> {
    pub(super) const fn checked(self) -> Result<Self, SettingsError> {
        match self {
            Self::Weighted(inverse_rate) if !of_number!(inverse_rate => inverse_rate.is_finite() && inverse_rate >= 0.0) => {
                Err(SettingsError::CenterRate)
            }
            usable => Ok(usable),
        }
    }

    /// The fraction of a deviation by which the centre moves: 1/(η̃⁻¹ + t), or zero for `Fixed`.
    fn step(self, weight: T) -> T {
        match self {
            Self::Mean => T::ONE / weight,
            Self::Weighted(inverse_rate) => T::ONE / (inverse_rate + weight),
            Self::Fixed => T::ZERO,
        }
    }
}

stored_choice!(
    [T: Scalar] Center<T>: [inverse_rate: T = T::ZERO] { 0 = Mean, 1 = Weighted(inverse_rate), 2 = Fixed } if checked
);

/// The deviation x − m of a sample, and the energy of the deviation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deviation<T, const DIM: usize> {
    pub(super) values: [T; DIM],
    pub(super) energy: T,
}

impl<T: Scalar, const DIM: usize> Deviation<T, DIM> {
    /// The deviation of a sample, or the reason why the sample is refused.
    pub(super) fn of(sample: &[T; DIM], mean: &CompensatedVector<T, DIM>) -> Result<Self, SampleError> {
        energy_of(sample)?;
        let values = mean.before(sample);
        let energy = energy_of(&values)?;
        Ok(Self { values, energy })
    }
}

/// Mean and scatter of the samples so far.
#[derive(Clone, Debug)]
pub(super) struct Moments<T, const DIM: usize> {
    mean: CompensatedVector<T, DIM>,
    /// The scatter C; only the upper triangle is used.
    scatter: SMatrix<T, DIM, DIM>,
    /// The weight t: the number of samples minus the forgotten part.
    weight: T,
    samples_seen: u64,
}

impl<T: Scalar, const DIM: usize> Moments<T, DIM> {
    pub(super) const fn new() -> Self {
        Self {
            mean: CompensatedVector::ZERO,
            scatter: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
            weight: T::ZERO,
            samples_seen: 0,
        }
    }

    /// Removes all samples and sets the centre to `start`.
    pub(super) fn reset(&mut self, start: &[T; DIM]) {
        self.mean = CompensatedVector::of(*start);
        clear(&mut self.scatter);
        self.weight = T::ZERO;
        self.samples_seen = 0;
    }

    pub(super) fn deviation(&self, sample: &[T; DIM]) -> Result<Deviation<T, DIM>, SampleError> {
        Deviation::of(sample, &self.mean)
    }

    /// Refuses a sample if 2·(trace of the scatter + energy) overflows. Otherwise no entry and no eigenvalue of the new
    /// scatter can overflow.
    pub(super) fn check(&self, deviation: &Deviation<T, DIM>) -> Result<(), SampleError> {
        if (T::TWO * (trace(&self.scatter) + deviation.energy)).is_finite() {
            return Ok(());
        }
        let mut channel = 0;
        let mut largest = T::ZERO;
        for (index, value) in deviation.values.iter().enumerate() {
            if value.abs() > largest {
                largest = value.abs();
                channel = index;
            }
        }
        Err(SampleError::TooLarge { channel })
    }

    /// Learns a sample that `check` has accepted.
    pub(super) fn learn<'a>(
        &mut self,
        deviation: &'a Deviation<T, DIM>,
        center: Center<T>,
        forgetting: Forgetting<T>,
    ) -> Change<'a, T, DIM> {
        let retention = forgetting.count(&mut self.weight);
        if retention < T::ONE {
            scale_upper(&mut self.scatter, retention);
        }
        let step = center.step(self.weight);
        add_outer(&mut self.scatter, T::ONE - step, &deviation.values);
        self.mean.add(deviation.values.iter().map(|&value| step * value));
        self.samples_seen = self.samples_seen.saturating_add(1);
        Change {
            retention,
            weight: T::ONE - step,
            sample: &deviation.values,
            energy: deviation.energy,
            number: self.samples_seen,
        }
    }

    pub(super) fn mean(&self) -> &SVector<T, DIM> {
        &self.mean.sum
    }

    pub(super) fn scatter(&self) -> &SMatrix<T, DIM, DIM> {
        &self.scatter
    }

    /// Gives `CenteredPca::start_from` write access to the scatter.
    pub(super) fn scatter_mut(&mut self) -> &mut SMatrix<T, DIM, DIM> {
        &mut self.scatter
    }

    pub(super) fn weight(&self) -> T {
        self.weight
    }

    pub(super) fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// The factor from scatter to variance: 1/(t − 1) for [`Center::Mean`], otherwise 1/t; zero if the divisor is not
    /// positive.
    pub(super) fn variance_unit(&self, center: Center<T>) -> T {
        let degrees = match center {
            Center::Mean => self.weight - T::ONE,
            Center::Weighted(_) | Center::Fixed => self.weight,
        };
        if degrees > T::ZERO { T::ONE / degrees } else { T::ZERO }
    }

    /// Adds the moments of other samples, learned with the same `center` and, unless it is `Mean`, the same `start`; an
    /// error, and no change, if a number could overflow.
    pub(super) fn merge(&mut self, other: &Self, center: Center<T>, start: &[T; DIM]) -> Result<(), MergeError> {
        let shared = match center {
            Center::Mean => T::ZERO,
            Center::Weighted(inverse_rate) => inverse_rate,
            // The mean does not change, and the scatters are added.
            Center::Fixed => return self.combine(other, [T::ZERO; 3], start),
        };
        self.combine(other, [shared + self.weight, shared + other.weight, shared], start)
    }

    /// Adds moments to `self`, which has no samples. The start of `self` counts as `start_weight` samples and is not in
    /// `other`.
    pub(super) fn begin_with(&mut self, other: &Self, start_weight: T) -> Result<(), MergeError> {
        self.combine(other, [start_weight, other.weight, T::ZERO], &[T::ZERO; DIM])
    }

    /// `own` and `their` are the weights of `self` and `other`, each with its start; `shared` is the weight of a start
    /// that both contain. All three are zero for [`Center::Fixed`].
    fn combine(&mut self, other: &Self, [own, their, shared]: [T; 3], start: &[T; DIM]) -> Result<(), MergeError> {
        let weight = self.weight + other.weight;
        let whole = own + (their - shared);
        let per_whole = if whole > T::ZERO { T::ONE / whole } else { T::ZERO };
        let difference = other.mean.minus(&self.mean);
        let between = own * (their * per_whole);
        let mut largest = trace(&self.scatter) + trace(&other.scatter) + between * dot(&difference, &difference);
        let (own_pull, their_pull) = (shared * (own * per_whole), shared * (their * per_whole));
        let start = CompensatedVector::of(*start);
        let (from_start, their_from_start) = (self.mean.minus(&start), other.mean.minus(&start));
        if shared > T::ZERO {
            largest += own_pull * dot(&from_start, &from_start);
            largest += their_pull * dot(&their_from_start, &their_from_start);
        }
        // As in `check`, twice the trace of the merged scatter must be finite; `largest` is at least this trace.
        if !(weight.is_finite() && whole.is_finite() && (T::TWO * largest).is_finite()) {
            return Err(MergeError::Overflow);
        }
        add_upper(&mut self.scatter, &other.scatter);
        add_outer(&mut self.scatter, between, &difference);
        if shared > T::ZERO {
            add_outer(&mut self.scatter, -own_pull, &from_start);
            add_outer(&mut self.scatter, -their_pull, &their_from_start);
            for channel in 0..DIM {
                // Rounding can make the entry of a constant channel negative.
                let square = &mut self.scatter.data.0[channel][channel];
                *square = T::ZERO.max(*square);
            }
        }
        if own > T::ZERO {
            let steps = difference.iter().zip(&their_from_start);
            self.mean
                .add(steps.map(|(&difference, &away)| ((their - shared) * difference + shared * away) * per_whole));
        } else if their > T::ZERO {
            // Here `self` has no weight, so the merged mean is that of `other`, bit for bit.
            self.mean = other.mean;
        }
        self.weight = weight;
        self.samples_seen = self.samples_seen.saturating_add(other.samples_seen);
        Ok(())
    }

    fn validate(&self) -> Result<(), CodecError> {
        // The last sample has the weight one, so `weight` is zero or at least one.
        validate::accept(self.weight == T::ZERO || self.weight >= T::ONE, CodecError::Range)?;
        // With a negative entry on the diagonal, the trace would not bound the other entries.
        let diagonal = self.scatter.data.0.iter().enumerate();
        let mut squares = diagonal.filter_map(|(place, column)| column.get(place));
        validate::accept(squares.all(|&square| square >= T::ZERO), CodecError::Range)?;
        // No entry is larger than the trace. The factor 2 allows rounding, and `MIN_POSITIVE` the rounding of subnormal
        // numbers.
        let limit = T::TWO * trace(&self.scatter);
        validate::accept(limit.is_finite(), CodecError::Range)?;
        let columns = self.scatter.data.0.iter().enumerate();
        let upper = columns.flat_map(|(place, column)| column.iter().take(place.saturating_add(1)));
        validate::within(limit.max(T::MIN_POSITIVE), upper)
    }
}

stored!([T: Scalar, const DIM: usize] Moments<T, DIM> { mean, scatter, weight, samples_seen } if validate);

#[cfg(test)]
mod tests {
    use super::*;

    fn learn<const DIM: usize>(moments: &mut Moments<f32, DIM>, center: Center<f32>, sample: [f32; DIM]) {
        let deviation = moments.deviation(&sample);
        assert!(deviation.is_ok());
        if let Ok(deviation) = deviation {
            moments.learn(&deviation, center, Forgetting::NONE);
        }
    }

    #[test]
    fn mean_and_scatter_come_out_as_in_the_book() {
        let mut moments = Moments::new();
        for sample in [[1.0, 0.0], [3.0, 4.0], [5.0, -1.0]] {
            learn(&mut moments, Center::Mean, sample);
        }
        // The deviations from the mean are (−2, −1), (0, 3) and (2, −2): Σxx = 8, Σxy = −2, Σyy = 14.
        assert_eq!(*moments.mean(), SVector::from([3.0, 1.0]));
        let scatter = moments.scatter();
        let entries = [scatter[(0, 0)], scatter[(0, 1)], scatter[(1, 1)]];
        for (entry, wanted) in entries.into_iter().zip([8.0, -2.0, 14.0]) {
            assert!((entry - wanted).abs() < 1e-5);
        }
        assert_eq!(moments.variance_unit(Center::Mean), 0.5);
    }

    #[test]
    fn the_start_counts_as_so_many_samples() {
        // One sample at 4 and a start at 0 that counts as three samples: the mean is 1, the scatter 4²·3/4.
        let mut moments = Moments::new();
        learn(&mut moments, Center::Weighted(3.0), [4.0]);
        assert_eq!((moments.mean()[0], moments.scatter[(0, 0)]), (1.0, 12.0));
    }

    #[test]
    fn a_mean_far_from_zero_still_moves_after_a_million_samples() {
        // The stream has a million samples at 256 ± 1, then 100,000 samples at 257. The late steps of the mean are
        // about 1e-6, far below the spacing 3e-5 of `f32` numbers near 256.
        let mut moments = Moments::new();
        for i in 0..1_100_000 {
            let side = if i < 1_000_000 && i % 2 == 0 { -1.0 } else { 1.0 };
            learn(&mut moments, Center::Mean, [256.0 + side]);
        }
        let [below] = moments.mean.before(&[256.0]);
        let mean = -f64::from(below);
        assert!((mean - 1.0 / 11.0).abs() < 1e-5, "mean {mean}");
    }

    #[test]
    fn a_sample_that_the_scatter_cannot_hold_is_not_admitted() {
        let mut moments = Moments::new();
        learn(&mut moments, Center::Fixed, [0.0, 1.0e19]);
        let refused = moments.deviation(&[1.0, -1.0e19]).and_then(|one| moments.check(&one));
        assert_eq!(refused, Err(SampleError::TooLarge { channel: 1 }));
    }

    fn learned<const DIM: usize>(center: Center<f64>, start: [f64; DIM], samples: &[[f64; DIM]]) -> Moments<f64, DIM> {
        let mut moments = Moments::new();
        moments.reset(&start);
        for sample in samples {
            if let Ok(deviation) = moments.deviation(sample) {
                moments.learn(&deviation, center, Forgetting::NONE);
            }
        }
        moments
    }

    #[test]
    fn a_start_that_is_in_both_parts_counts_once() {
        let samples = [[1.0, 4.0], [3.0, -2.0], [7.0, 0.5], [2.0, 2.0], [9.0, -1.0]];
        let start = [10.0, -5.0];
        for center in [
            Center::Mean,
            Center::Weighted(0.0),
            Center::Weighted(3.0),
            Center::Fixed,
        ] {
            let whole = learned(center, start, &samples);
            for cut in 0..=samples.len() {
                let (first, second) = samples.split_at(cut);
                let mut merged = learned(center, start, first);
                assert_eq!(merged.merge(&learned(center, start, second), center, &start), Ok(()));
                assert_eq!((merged.weight, merged.samples_seen), (whole.weight, whole.samples_seen));
                assert!(
                    (merged.mean() - whole.mean()).abs().max() < 1e-14,
                    "{center:?}, cut {cut}"
                );
                let off = (merged.scatter - whole.scatter).abs().max();
                assert!(off < 1e-13, "{center:?}, cut {cut}: {off:e}");
            }
        }
    }

    #[test]
    fn sums_beyond_the_largest_number_are_refused_and_change_nothing() {
        let far = |value: f64| learned(Center::Mean, [0.0], &[[value], [value]]);
        let mut moments = far(1e154);
        let before = (moments.mean, moments.weight, moments.scatter);
        assert_eq!(
            moments.merge(&far(-1e154), Center::Mean, &[0.0]),
            Err(MergeError::Overflow)
        );
        assert_eq!((moments.mean, moments.weight, moments.scatter), before);
    }
}
