//! The Mahalanobis distance: how far a sample is from zero, with each principal direction in units of its standard
//! deviation.
//! In: samples with mean zero. Out: d² = xᵀP x / DIM, P = S⁻¹, and the part of each channel in d².
//! Method: C is a weighted mean of x xᵀ that starts as the identity, which counts as two samples. S = (1 − α)·C +
//! α·μ·I, with the shrinkage α and μ = tr C / DIM. A refresh computes L with S = L·Lᵀ: after ⌊t/2⌋ new samples, at most
//! 32, with t = `weight`. With z = L⁻¹x, ‖z‖² = DIM·d². With g = P x, the part of channel i is proportional to gᵢ²/Pᵢᵢ,
//! the fall of xᵀP x if this channel alone moves to the value that the others predict.
//! Cost: DIM²/2 multiply-adds to score or learn, DIM² for the parts; for a refresh DIM³/3, DIM inverse square roots
//! and DIM divisions.

mod settings;

pub use settings::MahalanobisSettings;

use crate::codec::{stored, validate};
use crate::learner::{energy_of, own_verbs, refusal};
use crate::spectrum::symmetric::{identity, mirror, set_identity, trace};
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::{CodecError, Learner, SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// The identity counts as this number of samples.
const PRIOR: u32 = 2;

/// L is computed again after this number of new samples at the latest.
const REFRESH: u32 = 32;

/// The Mahalanobis distance on `DIM` channels: the learner of [`SensorMonitor`](crate::monitor::SensorMonitor).
///
/// A sample scores high if it is unusually far from zero in any direction; normal samples score about 1 or less on
/// average. Centre the samples first, as the monitor does.
///
/// ```
/// use eigenstream::{Learner, pca::{Mahalanobis, MahalanobisSettings}};
///
/// let mut shape = Mahalanobis::<f32, 2>::new(MahalanobisSettings::DEFAULT);
/// for i in 0..400 {
///     // Two channels that move together by ±3; each adds or subtracts up to 0.2.
///     let (swing, apart) = ((i % 7) as f32 - 3.0, 0.1 * ((i % 5) as f32 - 2.0));
///     shape.learn(&[swing + apart, swing - apart])?;
/// }
/// assert!(shape.score(&[3.0, 3.0])? < 2.0);
/// // This sample is as far from zero as the last one, but no learned sample was near it.
/// assert!(shape.score(&[3.0, -3.0])? > 20.0);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
///
/// `DIM` = 0 does not compile:
/// ```compile_fail,E0080
/// use eigenstream::pca::{Mahalanobis, MahalanobisSettings};
/// let shape = Mahalanobis::<f32, 0>::new(MahalanobisSettings::DEFAULT);
/// ```
#[derive(Clone, Debug)]
pub struct Mahalanobis<T, const DIM: usize> {
    settings: MahalanobisSettings<T>,
    /// C on and above the diagonal, L below the diagonal.
    matrix: SMatrix<T, DIM, DIM>,
    /// 1/Lᵢᵢ for each channel i.
    pivots: [T; DIM],
    /// 1/Pᵢᵢ: the variance of channel i if all other channels are known.
    alone: [T; DIM],
    /// t: two for the identity plus the samples of `learn` (not of `refine`); at most the memory.
    weight: u32,
    /// The number of samples learned since L was last computed.
    stale: u32,
}

impl<T: Scalar, const DIM: usize> Mahalanobis<T, DIM> {
    /// A learner that has seen no sample: the covariance is the identity.
    #[must_use]
    pub const fn new(settings: MahalanobisSettings<T>) -> Self {
        const { assert!(DIM > 0, "a distance needs at least one channel") };
        Self {
            settings,
            matrix: SMatrix::from_array_storage(ArrayStorage(identity())),
            pivots: [T::ONE; DIM],
            alone: [T::ONE; DIM],
            weight: PRIOR,
            stale: 0,
        }
    }

    /// The distance d² = xᵀS⁻¹x / DIM of a sample.
    ///
    /// The newest samples, at most 31, are not in S.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let whitened = self.whiten(sample)?;
        Ok(dot(&whitened, &whitened) / T::from_usize(DIM))
    }

    /// The standardized part of each channel that the channels before it do not predict, divided by √`DIM`; the squares
    /// sum to the score.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let mut whitened = self.whiten(sample)?;
        scale(&mut whitened, T::from_usize(DIM).inverse_sqrt());
        Ok(whitened)
    }

    /// The part of each channel in the score.
    ///
    /// It is proportional to the decrease of the score if this channel alone moves to the value that the others
    /// predict. The parts sum to the score, unless all underflow to zero.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::pca::{Mahalanobis, MahalanobisSettings};
    /// let shape = Mahalanobis::<f32, 2>::new(MahalanobisSettings::DEFAULT);
    /// let parts = shape.parts(&[0.0, 2.0])?;
    /// assert!(parts[0] == 0.0 && (parts[1] - 2.0).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn parts(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let mut parts = self.whiten(sample)?;
        let distance = dot(&parts, &parts) / T::from_usize(DIM);
        // Computes g = L⁻ᵀz in place, last channel first.
        for i in (0..DIM).rev() {
            if let Some((upper, lower)) = parts.split_at_mut_checked(i + 1)
                && let (Some(value), Some(factor), Some(&pivot)) = (upper.last_mut(), self.below(i), self.pivots.get(i))
            {
                *value = (*value - dot(factor, lower)) * pivot;
            }
        }
        let mut total = T::ZERO;
        for (part, &alone) in parts.iter_mut().zip(&self.alone) {
            *part = *part * *part * alone;
            total += *part;
        }
        let unit = distance / total;
        if total == T::ZERO {
            Ok([T::ZERO; DIM])
        } else if total.is_finite() && unit.is_finite() {
            scale(&mut parts, unit);
            Ok(parts)
        } else {
            // The sample is far from zero along a direction of tiny variance, or `unit` overflows.
            Err(refusal(sample))
        }
    }

    /// Learns a sample x: C becomes C + (x xᵀ − C)/t, with t the number of samples.
    ///
    /// The identity at the start counts as two; samples of [`refine`](Self::refine) do not count. t is at most the
    /// memory.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        energy_of(sample)?;
        self.weight = self.weight.saturating_add(1).min(self.settings.memory.max(PRIOR));
        self.update(sample, self.weight);
        Ok(())
    }

    /// Learns a sample x with the weight 1/`memory`: C becomes C + (x xᵀ − C)/memory.
    ///
    /// A `memory` of 0 counts as 1.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::pca::{Mahalanobis, MahalanobisSettings};
    /// let mut shape = Mahalanobis::<f32, 1>::new(MahalanobisSettings::DEFAULT);
    /// shape.refine(&[3.0], 8)?;
    /// assert_eq!(shape.covariance()[0], 2.0);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn refine(&mut self, sample: &[T; DIM], memory: u32) -> Result<(), SampleError> {
        energy_of(sample)?;
        self.update(sample, memory.max(1));
        Ok(())
    }

    /// The covariance C, the weighted mean of x xᵀ; the identity at the start.
    #[must_use]
    pub fn covariance(&self) -> SMatrix<T, DIM, DIM> {
        let mut whole = self.matrix;
        mirror(&mut whole);
        whole
    }

    /// The fraction of each channel's variance that the other channels explain, from 0 to 1.
    ///
    /// It is 1 − u/v, where v is the variance of the channel after shrinkage, and u its variance if all other channels
    /// are known. The newest samples, at most 31, are not in u.
    ///
    /// ```
    /// use eigenstream::pca::{Mahalanobis, MahalanobisSettings};
    /// let mut shape = Mahalanobis::<f32, 3>::new(MahalanobisSettings::DEFAULT);
    /// for i in 0..320 {
    ///     let swing = (i % 7) as f32 - 3.0;
    ///     shape.learn(&[swing, swing, (i % 4) as f32 - 1.5])?;
    /// }
    /// let explained = shape.explained();
    /// assert!(explained[0] > 0.9 && explained[1] > 0.9 && explained[2] < 0.1);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn explained(&self) -> [T; DIM] {
        let mut explained = [T::ZERO; DIM];
        let (ball, rest) = self.shrunk();
        for i in 0..DIM {
            let variance = rest * self.matrix.data.0[i][i] + ball;
            explained[i] = (T::ONE - self.alone[i] / variance).max(T::ZERO);
        }
        explained
    }

    /// Forgets everything but the settings.
    pub fn reset(&mut self) {
        // This works in place: a new learner would need its whole size on the stack.
        set_identity(&mut self.matrix);
        self.pivots = [T::ONE; DIM];
        self.alone = [T::ONE; DIM];
        self.weight = PRIOR;
        self.stale = 0;
    }

    /// Returns z = L⁻¹x.
    fn whiten(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        energy_of(sample)?;
        let mut whitened = *sample;
        for i in 0..DIM {
            if let Some((upper, lower)) = whitened.split_at_mut_checked(i + 1)
                && let (Some(value), Some(factor)) = (upper.last_mut(), self.below(i))
            {
                *value *= self.pivots[i];
                add_scaled(lower, -*value, factor);
            }
        }
        // A large sample, divided by a small standard deviation, can overflow.
        if dot(&whitened, &whitened).is_finite() {
            Ok(whitened)
        } else {
            Err(refusal(sample))
        }
    }

    /// Column i of L, below the diagonal.
    fn below(&self, i: usize) -> Option<&[T]> {
        self.matrix.data.0.get(i).and_then(|column| column.get(i + 1..))
    }

    fn update(&mut self, sample: &[T; DIM], weight: u32) {
        let step = T::ONE / T::from_usize(weight as usize);
        for (i, (column, &value)) in self.matrix.data.0.iter_mut().zip(sample).enumerate() {
            for (entry, &other) in column.iter_mut().zip(sample).take(i + 1) {
                *entry += step * (value * other - *entry);
            }
        }
        self.stale += 1;
        if self.stale >= REFRESH.min(self.weight / 2) {
            self.refresh();
        }
    }

    /// Returns α·μ and 1 − α.
    fn shrunk(&self) -> (T, T) {
        let shrinkage = self.settings.shrinkage();
        // Rounding or a decoded C can make the trace overflow. The lower limit makes S positive definite even if C is
        // zero.
        let mean = (trace(&self.matrix).min(T::MAX) / T::from_usize(DIM)).max(T::MIN_POSITIVE / T::EPSILON);
        (shrinkage * mean, T::ONE - shrinkage)
    }

    /// Computes L and 1/Pᵢᵢ from C.
    fn refresh(&mut self) {
        self.stale = 0;
        self.factor();
        if !self.isolate() {
            self.separate();
        }
    }

    /// Computes L, and 1/Lⱼⱼ in `pivots`.
    fn factor(&mut self) {
        let (ball, rest) = self.shrunk();
        let columns = &mut self.matrix.data.0;
        for j in 0..DIM {
            let mut square = rest * columns[j][j] + ball;
            for column in columns.iter().take(j) {
                square -= column[j] * column[j];
            }
            // Lⱼⱼ² is at least `ball` = α·μ, except by rounding or with a decoded C.
            let pivot = square.max(T::HALF * ball).inverse_sqrt();
            self.pivots[j] = pivot;
            for i in j + 1..DIM {
                let mut entry = rest * columns[i][j];
                for column in columns.iter().take(j) {
                    entry -= column[i] * column[j];
                }
                columns[j][i] = entry * pivot;
            }
        }
    }

    /// Computes 1/Pᵢᵢ for each channel i; returns false if one Pᵢᵢ is not positive and finite.
    fn isolate(&mut self) -> bool {
        let mut valid = true;
        for i in 0..DIM {
            // Column i of L⁻¹ is computed in `alone[i..]`, which holds no results yet.
            for (k, place) in self.alone.iter_mut().enumerate().skip(i) {
                *place = if k == i { T::ONE } else { T::ZERO };
            }
            let mut precision = T::ZERO;
            for k in i..DIM {
                let column = self.matrix.data.0.get(k).and_then(|column| column.get(k + 1..));
                if let Some((upper, lower)) = self.alone.split_at_mut_checked(k + 1)
                    && let (Some(value), Some(factor)) = (upper.last_mut(), column)
                {
                    *value *= self.pivots[k];
                    precision += *value * *value;
                    add_scaled(lower, -*value, factor);
                }
            }
            self.alone[i] = T::ONE / precision;
            valid &= precision > T::ZERO && precision.is_finite();
        }
        valid
    }

    /// Computes L and 1/Pᵢᵢ as if S were diagonal. This is needed only for a decoded C that no samples produce.
    #[cold]
    fn separate(&mut self) {
        let (ball, rest) = self.shrunk();
        for i in 0..DIM {
            let column = &mut self.matrix.data.0[i];
            let variance = (rest * column[i] + ball).min(T::MAX);
            self.pivots[i] = variance.inverse_sqrt();
            self.alone[i] = variance;
            for entry in column.iter_mut().skip(i).skip(1) {
                *entry = T::ZERO;
            }
        }
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&self.pivots)?;
        validate::not_negative(&self.alone)?;
        for i in 0..DIM {
            validate::not_negative(&[self.matrix.data.0[i][i]])?;
            // |xᵢxⱼ| ≤ ‖x‖²/2 ≤ MAX/2 for i ≠ j, so with Cᵢⱼ outside ±MAX/2 the update could overflow.
            validate::within(T::HALF * T::MAX, self.matrix.data.0[i].iter().take(i))?;
        }
        let counted = self.weight >= PRIOR && self.weight <= self.settings.memory.max(PRIOR);
        validate::accept(counted && self.stale < REFRESH, CodecError::Count)
    }
}

stored!(
    [T: Scalar, const DIM: usize] Mahalanobis<T, DIM>: Mahalanobis [DIM] of T {
        settings, matrix, pivots, alone, weight, stale
    }
    if validate
);

impl<T: Scalar, const DIM: usize> Learner<T, DIM> for Mahalanobis<T, DIM> {
    own_verbs!();

    fn parts(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        self.parts(sample)
    }

    fn refine(&mut self, sample: &[T; DIM], memory: u32) -> Result<(), SampleError> {
        self.refine(sample, memory)
    }

    fn explained(&self) -> Option<[T; DIM]> {
        Some(self.explained())
    }
}

#[cfg(test)]
mod tests;
