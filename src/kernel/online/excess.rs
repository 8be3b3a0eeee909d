//! The sum of the bounds on the extra loss of each trial.
//! In: the bound of each trial. Out: the sum of these bounds. Proof: `guide::mathematics`, "The excess of a small
//! rank".
//! Cost: two numbers.

use crate::codec::{stored, validate};
use crate::scalar::sum::CompensatedSum;
use crate::{CodecError, Scalar};

/// A growing sum of non-negative numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExtraLoss<T> {
    sum: CompensatedSum<T>,
}

impl<T: Scalar> ExtraLoss<T> {
    pub(super) const NONE: Self = Self {
        sum: CompensatedSum::ZERO,
    };

    /// Adds `charge`. A sum that would overflow becomes the largest finite number, and stays there.
    pub(super) fn add(&mut self, charge: T) {
        let mut sum = CompensatedSum::of(self.sum.sum);
        sum.add(charge);
        // `add` rounds its term plus the old rounding error, so both are added one after the other.
        sum.add(self.sum.rounding);
        self.sum = if sum.sum < T::MAX {
            sum
        } else {
            CompensatedSum::of(T::MAX)
        };
    }

    /// The sum, rounded up.
    pub(super) fn total(&self) -> T {
        (self.sum.sum + self.sum.sum * T::EPSILON).min(T::MAX)
    }

    fn validate(&self) -> Result<(), CodecError> {
        let (sum, rounding) = (self.sum.sum, self.sum.rounding);
        validate::accept(sum >= T::ZERO && sum <= T::MAX, CodecError::Range)?;
        validate::within(sum * T::EPSILON + T::MIN_POSITIVE, [&rounding])
    }
}

stored!([T: Scalar] ExtraLoss<T> as wrapper { sum } if validate);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_small_numbers_goes_on_growing() {
        let mut excess = ExtraLoss::<f32> {
            sum: CompensatedSum::of(32.0),
        };
        for _ in 0..1_000_000 {
            excess.add(1e-6);
        }
        // A plain `f32` sum would stay at 32.
        assert!(
            (excess.total() - 33.0).abs() < 1e-4 && excess.validate().is_ok(),
            "{excess:?}"
        );
    }

    #[test]
    fn a_sum_beyond_the_largest_number_stays_there() {
        let mut excess = ExtraLoss::<f32>::NONE;
        for charge in [f32::MAX, f32::MAX, 1.0] {
            excess.add(charge);
            assert_eq!((excess.total(), excess.validate()), (f32::MAX, Ok(())));
        }
    }

    #[test]
    fn an_image_with_a_sum_that_no_learner_has_is_refused() {
        let broken = [
            (-1.0_f32, 0.0),
            (f32::NAN, 0.0),
            (1.0, 1.0),
            (f32::INFINITY, 0.0),
            (0.0, f32::NAN),
        ];
        for (sum, rounding) in broken {
            let sum = CompensatedSum { sum, rounding };
            assert!(ExtraLoss { sum }.validate().is_err(), "{sum:?}");
        }
    }
}
