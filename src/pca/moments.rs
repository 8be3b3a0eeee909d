//! Mean and scatter of a stream, and the deviation of a sample from the mean.
//! In: samples x, one by one. Out: the centre m, the scatter C = Σ (x − m)(x − m)ᵀ, and the weight t: the number of samples in
//! C, minus the forgotten part. With the centre rate η̃ of [WK08], the start m⁰ of the centre counts as η̃⁻¹ samples. These are
//! in m and C, but not in t.
//! Method: [WK08] Algorithm 6, with the forgetting factor f. η̃⁻¹ = 0 gives Welford's update of the mean. The update:
//! t ← f·t + 1, m ← m + (x − m)/(η̃⁻¹ + t), C ← f·C + (1 − 1/(η̃⁻¹ + t))·(x − m_old)(x − m_old)ᵀ.
//! A sample is centred before it is multiplied, so that data far from the origin lose no digits. The rounding error of the
//! mean is stored (`mean_rounding`), so that small steps still count after millions of samples.
//! Cost: DIM² + 2·DIM + 1 numbers and a count; DIM²/2 multiply-adds per sample. Each sample costs DIM²/2 multiplications more
//! with forgetting and, in `f32`, after 2²¹ samples.

mod merge;

use crate::codec::{stored, stored_choice, validate};
use crate::learner::energy_of;
use crate::scalar::constant::of_number;
use crate::scalar::sum::CompensatedVector;
use crate::spectrum::Change;
use crate::spectrum::symmetric::{add_outer, clear, scale_upper, trace};
use crate::{CodecError, Forgetting, SampleError, Scalar, SettingsError};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// The centre of the data, \[WK08\] Algorithm 6. The start m⁰, the centre before the first sample, counts as η̃⁻¹ samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Center<T> {
    /// The mean of the samples. The start m⁰ does not count: its weight η̃⁻¹ is zero. The default.
    #[default]
    Mean,
    /// The mean of the samples and of the start m⁰; m⁰ counts as this number of samples, η̃⁻¹. With forgetting, m⁰ and older
    /// samples lose weight.
    Weighted(T),
    /// Always the start m⁰, of weight η̃⁻¹ = ∞. With m⁰ = 0 this is the "uncentered version of Algorithm 6" of \[WK08\].
    Fixed,
}

impl<T: Scalar> Center<T> {
    /// Refuses a weight of the start that is NaN, infinite or negative.
    pub(super) const fn checked(self) -> Result<Self, SettingsError> {
        match self {
            Self::Weighted(inverse_rate) if !of_number!(inverse_rate => inverse_rate.is_finite() && inverse_rate >= 0.0) => {
                Err(SettingsError::CenterRate)
            }
            usable => Ok(usable),
        }
    }

    /// 1/(η̃⁻¹ + t) with t = `weight`: the fraction of a sample's deviation by which the centre moves. Zero for `Fixed`.
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

/// A sample minus the centre, x − m, and its energy ‖x − m‖².
#[derive(Clone, Copy, Debug)]
pub(super) struct Deviation<T, const DIM: usize> {
    pub(super) values: [T; DIM],
    pub(super) energy: T,
}

impl<T: Scalar, const DIM: usize> Deviation<T, DIM> {
    /// The deviation of a sample from the centre `mean`, or the reason why the sample is refused.
    pub(super) fn of(sample: &[T; DIM], mean: &CompensatedVector<T, DIM>) -> Result<Self, SampleError> {
        energy_of(sample)?;
        let values = mean.before(sample);
        let energy = energy_of(&values)?;
        Ok(Self { values, energy })
    }
}

/// Mean and scatter so far.
#[derive(Clone, Debug)]
pub(super) struct Moments<T, const DIM: usize> {
    /// The centre, m.
    mean: CompensatedVector<T, DIM>,
    /// The scatter about the centre, C, upper triangle.
    scatter: SMatrix<T, DIM, DIM>,
    /// The number of samples in the scatter, t; less than `samples_seen` if samples are forgotten.
    weight: T,
    samples_seen: u64,
}

impl<T: Scalar, const DIM: usize> Moments<T, DIM> {
    /// Moments without samples; the centre is zero.
    pub(super) const fn new() -> Self {
        Self {
            mean: CompensatedVector::ZERO,
            scatter: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
            weight: T::ZERO,
            samples_seen: 0,
        }
    }

    /// Removes all samples and sets the centre to the start m⁰.
    pub(super) fn reset(&mut self, start: &[T; DIM]) {
        self.mean = CompensatedVector::of(*start);
        clear(&mut self.scatter);
        self.weight = T::ZERO;
        self.samples_seen = 0;
    }

    /// The sample minus the centre, or the reason why the sample is refused.
    pub(super) fn deviation(&self, sample: &[T; DIM]) -> Result<Deviation<T, DIM>, SampleError> {
        Deviation::of(sample, &self.mean)
    }

    /// Refuses a sample if 2·(trace of the scatter + energy of the deviation) overflows. Otherwise no entry and no eigenvalue of
    /// the new scatter overflows.
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

    /// Learns a sample that `check` has accepted. Returns the change of the scatter.
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

    /// The scatter, writable, for `CenteredPca::start_from`.
    pub(super) fn scatter_mut(&mut self) -> &mut SMatrix<T, DIM, DIM> {
        &mut self.scatter
    }

    /// t, the number of samples in the scatter, minus the forgotten part.
    pub(super) fn weight(&self) -> T {
        self.weight
    }

    pub(super) fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// The factor that turns the scatter of t samples into variance: 1/(t − 1) for [`Center::Mean`], otherwise 1/t. Zero if the
    /// divisor is not positive.
    pub(super) fn variance_unit(&self, center: Center<T>) -> T {
        let degrees = match center {
            Center::Mean => self.weight - T::ONE,
            Center::Weighted(_) | Center::Fixed => self.weight,
        };
        if degrees > T::ZERO { T::ONE / degrees } else { T::ZERO }
    }
}

stored!([T: Scalar, const DIM: usize] Moments<T, DIM> { mean, scatter, weight, samples_seen } if validate);

impl<T: Scalar, const DIM: usize> Moments<T, DIM> {
    fn validate(&self) -> Result<(), CodecError> {
        // The last sample has weight one, so the total weight is at least one after the first sample.
        validate::accept(self.weight == T::ZERO || self.weight >= T::ONE, CodecError::Range)?;
        // The diagonal holds sums of squares. With a negative entry the trace would not bound the other entries.
        let diagonal = self.scatter.data.0.iter().enumerate();
        let mut squares = diagonal.filter_map(|(place, column)| column.get(place));
        validate::accept(squares.all(|&square| square >= T::ZERO), CodecError::Range)?;
        // By construction no entry of a scatter matrix has a larger magnitude than the trace; ×2 for rounding. Subnormal numbers
        // have larger relative rounding errors, so the limit is at least `MIN_POSITIVE`. Entries below the diagonal are not used.
        let limit = T::TWO * trace(&self.scatter);
        validate::accept(limit.is_finite(), CodecError::Range)?;
        let columns = self.scatter.data.0.iter().enumerate();
        let upper = columns.flat_map(|(place, column)| column.iter().take(place.saturating_add(1)));
        validate::within(limit.max(T::MIN_POSITIVE), upper)
    }
}

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
        // Deviations (−2, −1), (0, 3), (2, −2): Σxx = 8, Σxy = −2, Σyy = 14.
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
        // A million samples at 256 ± 1, then 100,000 samples at 257. The late steps of the mean are about 1e-6, far below the
        // spacing 3e-5 of `f32` numbers near 256.
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
}
