//! Sums that keep their rounding error, so that a small term still counts in a large sum.
//! In: terms. Out: the rounded sum and its rounding error.
//! Method: Knuth's sum, `two_sum`. In `f32` a plain sum of terms of 10⁻⁶ stops growing at 32.
//! Cost: two numbers for each sum; seven additions for each term.

use crate::codec::{stored, validate};
use crate::error::CodecError;
use crate::scalar::Scalar;
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// Returns the rounded sum and its exact rounding error, if nothing overflows.
#[inline]
pub(crate) fn two_sum<T: Scalar>(left: T, right: T) -> (T, T) {
    let sum = left + right;
    let right_part = sum - left;
    let left_part = sum - right_part;
    (sum, (left - left_part) + (right - right_part))
}

/// A sum and its rounding error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct CompensatedSum<T> {
    pub(crate) sum: T,
    pub(crate) rounding: T,
}

impl<T: Scalar> CompensatedSum<T> {
    pub(crate) const ZERO: Self = Self::of(T::ZERO);

    /// A sum without rounding error.
    pub(crate) const fn of(sum: T) -> Self {
        Self { sum, rounding: T::ZERO }
    }

    /// Adds a term.
    #[inline]
    pub(crate) fn add(&mut self, term: T) {
        (self.sum, self.rounding) = two_sum(self.sum, self.rounding + term);
    }

    /// `point` minus the sum.
    pub(crate) fn before(&self, point: T) -> T {
        (point - self.sum) - self.rounding
    }
}

stored!([T: Scalar] CompensatedSum<T> { sum, rounding });

/// A [`CompensatedSum`] for each channel, for numbers whose squares are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CompensatedVector<T, const DIM: usize> {
    pub(crate) sum: SVector<T, DIM>,
    pub(crate) rounding: [T; DIM],
}

impl<T: Scalar, const DIM: usize> CompensatedVector<T, DIM> {
    pub(crate) const ZERO: Self = Self::of([T::ZERO; DIM]);

    /// Sums without rounding errors.
    pub(crate) const fn of(sum: [T; DIM]) -> Self {
        Self {
            sum: SMatrix::from_array_storage(ArrayStorage([sum])),
            rounding: [T::ZERO; DIM],
        }
    }

    /// Adds one term to each sum.
    #[inline]
    pub(crate) fn add(&mut self, terms: impl IntoIterator<Item = T>) {
        let [sum] = &mut self.sum.data.0;
        for ((sum, rounding), term) in sum.iter_mut().zip(&mut self.rounding).zip(terms) {
            (*sum, *rounding) = two_sum(*sum, *rounding + term);
        }
    }

    /// `sum` as an array.
    pub(crate) const fn values(&self) -> &[T; DIM] {
        let [sum] = &self.sum.data.0;
        sum
    }

    /// `point` minus the sums. If both are close, `point − sum` is exact, and `rounding` matters.
    #[inline]
    pub(crate) fn before(&self, point: &[T; DIM]) -> [T; DIM] {
        let mut difference = *point;
        let sums = self.values().iter().zip(&self.rounding);
        for (entry, (&sum, &rounding)) in difference.iter_mut().zip(sums) {
            *entry = (*entry - sum) - rounding;
        }
        difference
    }

    /// The sums minus those of `other`.
    pub(crate) fn minus(&self, other: &Self) -> [T; DIM] {
        let mut difference = self.rounding;
        let sums = self.values().iter().zip(other.values()).zip(&other.rounding);
        for (entry, ((&sum, &other), &rounding)) in difference.iter_mut().zip(sums) {
            *entry = (sum - other) + (*entry - rounding);
        }
        difference
    }

    fn validate(&self) -> Result<(), CodecError> {
        // A mean of numbers with finite squares is within ±√MAX. The factor 2 allows for rounding.
        let limit = T::TWO * T::MAX.sqrt();
        validate::slice_within(limit, self.values())?;
        validate::slice_within(limit, &self.rounding)
    }
}

stored!([T: Scalar, const DIM: usize] CompensatedVector<T, DIM> { sum, rounding } if validate);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_and_its_rounding_error_are_exact() {
        // Numbers near 10⁸ have a spacing of 8 in `f32`.
        let mut sum = CompensatedSum::of(1e8_f32);
        sum.add(2.0);
        assert_eq!((sum.sum, sum.rounding, sum.before(1e8)), (1e8, 2.0, -2.0));
        sum.add(4.0);
        assert_eq!((sum.sum, sum.rounding), (1e8 + 8.0, -2.0));
    }

    #[test]
    fn a_sum_whose_square_overflows_is_refused() {
        let mut sums = CompensatedVector::of([1e18_f32, -1e19]);
        assert_eq!(sums.validate(), Ok(()));
        sums.rounding[1] = 1e20;
        assert_eq!(sums.validate(), Err(CodecError::Range));
        assert_eq!(CompensatedVector::of([1e20_f32]).validate(), Err(CodecError::Range));
    }
}
