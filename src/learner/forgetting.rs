//! How fast past samples lose weight.
//! In: the factor f by which each sample multiplies the weights of all past samples, or the memory 1/(1 − f), the limit
//! of the sum of the weights. Out: f.
//! Method: exponential forgetting, an addition to [WK08], which has f = 1.

use crate::codec::stored;
use crate::error::SettingsError;
use crate::scalar::Scalar;
use crate::scalar::constant::{number, of_number};

/// The forgetting factor f in (0, 1]: each sample multiplies the weights of all past samples by f.
///
/// ```
/// use eigenstream::Forgetting;
/// assert_eq!(Forgetting::<f32>::memory(4.0)?, Forgetting::factor(0.75)?);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Forgetting<T> {
    pub(super) factor: T,
}

impl<T: Scalar> Forgetting<T> {
    /// Nothing is forgotten: f = 1, as in \[WK08\].
    ///
    /// After 2²¹ samples in `f32` (2⁵⁰ in `f64`) f is 1 − 4ε, because otherwise rounding would hide new samples.
    pub const NONE: Self = Self { factor: T::ONE };

    /// Forgets with the factor f = `factor`.
    ///
    /// # Errors
    /// [`SettingsError::Forgetting`] unless 0 < f ≤ 1.
    pub const fn factor(factor: T) -> Result<Self, SettingsError> {
        if of_number!(factor => factor > 0.0 && factor <= 1.0) {
            Ok(Self { factor })
        } else {
            Err(SettingsError::Forgetting)
        }
    }

    /// Remembers about `length` samples: f = 1 − 1/`length`.
    ///
    /// No memory is longer than that of [`NONE`](Self::NONE). In `f32` a memory of 10⁵ samples or more is inexact:
    /// rounding stops the sum of the weights 0.4 % below its limit for 10⁵ and 3 % for 10⁶; use `f64`.
    ///
    /// # Errors
    /// [`SettingsError::Forgetting`] unless the length is finite and above one sample.
    pub const fn memory(length: T) -> Result<Self, SettingsError> {
        // For a large negative length, 1 − 1/length rounds to 1, which `factor` would accept.
        if of_number!(length => length.is_finite() && length > 1.0) {
            Self::factor(number!(length => 1.0 - 1.0 / length))
        } else {
            Err(SettingsError::Forgetting)
        }
    }

    /// This forgetting, but with a factor of at least ε, so that past samples have a weight in every mean.
    pub(crate) const fn at_least_epsilon(self) -> Self {
        let factor = self.factor;
        Self {
            factor: number!(factor => factor.max(Real::EPSILON)),
        }
    }

    pub(crate) fn forgets(self) -> bool {
        self.factor < T::ONE
    }

    /// Counts one sample: `weight` ← r·`weight` + 1. Returns r, by which the caller multiplies its sums over past
    /// samples.
    #[inline(always)]
    pub(crate) fn count(self, weight: &mut T) -> T {
        let retention = self.retention(*weight);
        *weight = retention * *weight + T::ONE;
        retention
    }

    /// The factor f, but at most 1 − 4ε once `weight` is 1/(4ε): with a much larger weight, rounding would remove
    /// a new sample from a sum.
    #[cfg_attr(optimize_for_size, inline(never))]
    fn retention(self, weight: T) -> T {
        let longest = T::from_f64(0.25) / T::EPSILON;
        if weight < longest {
            self.factor
        } else {
            self.factor.min(T::ONE - T::ONE / longest)
        }
    }
}

stored!([T: Scalar] Forgetting<T> as wrapper { factor } by factor(factor));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_settles_at_the_memory_length() {
        let forgetting = Forgetting { factor: 0.75_f32 };
        let mut weight = 0.0;
        for _ in 0..100 {
            forgetting.count(&mut weight);
        }
        assert!((weight - 4.0).abs() < 1e-6);
    }

    /// `Forgetting::memory` documents the distance for 10⁵ samples, which this test measures, and for 10⁶, which would
    /// need 16 million samples.
    #[test]
    fn rounding_stops_a_long_count_below_its_limit() {
        for (length, least, most) in [(1e4_f32, 4e-4, 6e-4), (1e5, 0.003, 0.005)] {
            let factor = 1.0 - 1.0 / length;
            let mut weight = 0.0;
            for _ in 0..(16.0 * length) as u32 {
                Forgetting { factor }.count(&mut weight);
            }
            let missing = 1.0 - weight * (1.0 - factor);
            assert!((least..most).contains(&missing), "{length}: {missing}");
        }
    }

    #[test]
    fn a_count_that_forgets_nothing_stops_where_one_more_still_counts() {
        let mut weight = 2_097_000.0_f32;
        for _ in 0..1_000 {
            Forgetting::NONE.count(&mut weight);
        }
        assert!((weight - 2_097_152.0).abs() <= 1.0);
        assert!(weight + 0.25 > weight);
    }

    #[test]
    fn what_is_no_forgetting_is_refused() {
        for factor in [0.0, -0.5, 1.0 + f32::EPSILON, f32::NAN, f32::INFINITY] {
            assert_eq!(Forgetting::factor(factor), Err(SettingsError::Forgetting));
        }
        for length in [1.0, 0.0, -3.0, -1e9, f32::NAN, f32::INFINITY] {
            assert_eq!(Forgetting::memory(length), Err(SettingsError::Forgetting));
        }
    }
}
