//! The excess E of a learner: the sum of the charges (additions to the divergence D of the bounds) for the evidence that three
//! steps remove: rank cap (at most `RANK` directions are stored), ceiling (upper limit of the evidence g) and merging (a
//! direction with little more than the least evidence gets the least evidence). [WK08] has none of these steps.
//! In: the charge of one change. Out: E, at least the sum of all charges.
//! Method: d is the number of dropped directions. A change replaces the evidence matrix G (eigenvalues g; a direction is dropped
//! with probability e^(−g), so Σe^(−g) = d) by G′ (eigenvalues g′) with 0 ⪯ G′ ⪯ G. With Z = Σe^(−g′)/d, the relative entropy
//! from any fixed subspace to the density matrix grows by at most ln Z. So the numerator of the bound of [WK08] Theorem 6 grows
//! by at most d·ln Z ≤ Σ(e^(−g′) − e^(−g)), the rise of Σe^(−g). If the learner computes the next loss without dividing by Z,
//! this loss grows too, and the charge is the rise times a factor above one. The sum is Kahan's: in `f32` a plain sum of charges
//! of 10⁻⁶ stops growing at 32.
//! Cost: two numbers are kept; four additions and at most two multiplications for each charge.

use crate::codec::{stored, validate};
use crate::scalar::sum::CompensatedSum;
use crate::{CodecError, Scalar};

/// The excess E of a learner (an addition to the divergence of the bounds), as a sum and its rounding error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Excess<T> {
    charges: CompensatedSum<T>,
}

impl<T: Scalar> Excess<T> {
    /// The excess before the first charge: zero.
    pub(crate) const fn new() -> Self {
        Self {
            charges: CompensatedSum::ZERO,
        }
    }

    /// Adds `charge`·`factor`; both are finite and not negative. The product is multiplied by 1 + 16ε (ε: machine epsilon), so
    /// that rounding cannot make the charge too small.
    #[inline(always)]
    pub(crate) fn add(&mut self, charge: T, factor: T) {
        // If `factor` is a constant, the product in parentheses is computed at compile time.
        self.charges
            .add(charge * (factor * (T::ONE + T::from_f64(16.0) * T::EPSILON)));
    }

    /// The excess E, rounded up.
    pub(crate) fn value(&self) -> T {
        (self.charges.sum + self.charges.rounding) * (T::ONE + T::TWO * T::EPSILON)
    }
}

stored!([T: Scalar] Excess<T> as wrapper { charges } if validate);

impl<T: Scalar> Excess<T> {
    fn validate(&self) -> Result<(), CodecError> {
        // A charge is at most a small multiple of the number of channels. So adding charges to a total of at most `largest` does
        // not overflow.
        let largest = T::MAX * T::from_f64(0.125);
        let total = self.charges.sum;
        let valid = total >= T::ZERO && total <= largest && self.charges.rounding.abs() <= total;
        validate::accept(valid, CodecError::Range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_million_small_charges_all_count() {
        let mut excess = Excess::<f32>::new();
        let mut plain = 0.0_f32;
        for _ in 0..10_000_000 {
            excess.add(1e-6, 1.0);
            plain += 1e-6;
        }
        let exact = 1e7 * f64::from(1e-6_f32);
        let value = f64::from(excess.value());
        assert!(value >= exact && value < exact * (1.0 + 1e-5), "{value}, not {exact}");
        // A charge of 10⁻⁶ does not change a plain sum of 64 in `f32`.
        let mut excess = Excess::<f32>::new();
        excess.add(32.0, 2.0);
        let mut stuck = 64.0_f32;
        for _ in 0..10_000_000 {
            excess.add(1e-6, 1.0);
            stuck += 1e-6;
        }
        let value = f64::from(excess.value());
        assert!(
            value >= 64.0 + exact && value < (64.0 + exact) * (1.0 + 1e-5),
            "{value}"
        );
        assert!(stuck == 64.0 && plain != 10.0);
    }

    #[test]
    fn nothing_charged_is_nothing() {
        let mut excess = Excess::<f64>::new();
        excess.add(0.0, 1.0);
        assert_eq!(excess.value(), 0.0);
    }

    #[test]
    fn an_impossible_excess_is_refused() {
        let mut excess = Excess::<f32>::new();
        excess.add(1.0, 1.0);
        assert_eq!(excess.validate(), Ok(()));
        for (sum, rounding) in [(-1.0, 0.0), (f32::MAX, 0.0), (1.0, 2.0), (1.0, -2.0)] {
            let charges = CompensatedSum { sum, rounding };
            assert_eq!(Excess { charges }.validate(), Err(CodecError::Range));
        }
    }
}
