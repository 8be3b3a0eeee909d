//! How much the directions weigh that no stored point has shown.
//! In: the eigenvalues λ of a Gram matrix, descending, a learning rate η and how many directions to keep, k. Out: the
//! probability of each direction to be kept, pᵢ = 1 − exp(−max(0, ηλᵢ − τ)), and that of all directions outside the points.
//! Method: [KW07] Algorithms 5 and 6 in the log domain; the printed algorithm is [`Ambient::Points`].
//! Cost: two exponentials per direction that can be kept.

use crate::codec::{Reader, Stored, Writer};
use crate::weights::{Bulk, keep_probability, threshold};
use crate::{CodecError, Scalar};

/// What is assumed about the directions of feature space that the stored points do not span.
///
/// All choices agree once the points have shown more than is kept, Σ(1 − exp(−ηλᵢ)) ≥ `KEEP`; they differ in how a learner starts.
///
/// ```
/// use eigenstream::kernel::Ambient;
/// assert_eq!(Ambient::default(), Ambient::Infinite);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Ambient {
    /// There is no end of them: none is kept before it was seen, and places that no direction has earned stay empty. A
    /// bound on the loss holds that knows no dimension.
    #[default]
    Infinite,
    /// Feature space has this many dimensions, of which those not yet seen share what is left evenly.
    Finite(usize),
    /// As many directions as points, the algorithm as printed: duplicates count as directions of their own. While there
    /// are no more points than are kept, all of them are.
    Points,
    /// The same with as many directions as the points span: duplicates do not count.
    Span,
}

/// How probable the directions are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outlook<T> {
    /// Evidence is measured from this eigenvalue, so that differences that decide do not drown in its rounding,
    reference: T,
    /// and this is τ, measured alike.
    threshold: T,
    rate: T,
    /// The probability of each direction that no point has shown.
    pub(super) outside: T,
}

impl<T: Scalar> Outlook<T> {
    /// p of a direction with this eigenvalue.
    pub(super) fn probability(&self, value: T) -> T {
        keep_probability(evidence(self.rate, value, self.reference), self.threshold)
    }
}

impl Ambient {
    /// The outlook from the leading eigenvalues alone, if they have shown more than is kept, with the eigenvalue that a
    /// direction has to be above in order to be kept at all: where the leading ones are all that are, no other eigenvalue
    /// matters, whatever the ambient.
    pub(super) fn leading<T: Scalar>(values: &[T], rate: T, keep: usize, scratch: &mut [T]) -> Option<(Outlook<T>, T)> {
        let outlook = Self::Infinite.outlook(values, values.len(), rate, keep, scratch);
        let saturated = outlook.threshold > evidence(rate, T::ZERO, outlook.reference);
        saturated.then(|| (outlook, outlook.reference + outlook.threshold / rate))
    }

    /// The outlook from `points` points with these eigenvalues, those of the numerical range, descending.
    /// `scratch` is room for at least as many.
    pub(super) fn outlook<T: Scalar>(
        self,
        values: &[T],
        points: usize,
        rate: T,
        keep: usize,
        scratch: &mut [T],
    ) -> Outlook<T> {
        let reference = values.get(keep).copied().unwrap_or(T::ZERO);
        for (slot, &value) in scratch.iter_mut().zip(values) {
            *slot = evidence(rate, value, reference);
        }
        let listed = scratch.get(..values.len()).unwrap_or_default();
        let nothing = evidence(rate, T::ZERO, reference);
        let unseen = match self {
            Self::Infinite | Self::Span => 0,
            Self::Finite(dimensions) => dimensions.saturating_sub(values.len()),
            Self::Points => points.saturating_sub(values.len()),
        };
        let bulk = Bulk {
            value: nothing,
            multiplicity: unseen,
        };
        let threshold = threshold(listed, bulk, keep);
        if self == Self::Infinite && threshold <= nothing {
            // Nothing to give up: pᵢ = 1 − exp(−ηλᵢ), exact also where it is tiny.
            return Outlook {
                reference: T::ZERO,
                threshold: T::ZERO,
                rate,
                outside: T::ZERO,
            };
        }
        let outside = match self {
            Self::Finite(_) => keep_probability(nothing, threshold),
            _ => T::ZERO,
        };
        Outlook {
            reference,
            threshold,
            rate,
            outside,
        }
    }
}

/// η(λ − reference), within the numbers.
fn evidence<T: Scalar>(rate: T, value: T, reference: T) -> T {
    (rate * (value - reference)).min(T::MAX).max(-T::MAX)
}

// The choice, and the dimension of the one that has it.
impl Stored for Ambient {
    const LENGTH: usize = <(u8, usize)>::LENGTH;

    fn store(&self, image: &mut Writer<'_>) {
        match *self {
            Self::Infinite => (0_u8, 0_usize),
            Self::Finite(dimension) => (1, dimension),
            Self::Points => (2, 0),
            Self::Span => (3, 0),
        }
        .store(image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        match <(u8, usize)>::load(image)? {
            (0, 0) => Ok(Self::Infinite),
            (1, dimension) => Ok(Self::Finite(dimension)),
            (2, 0) => Ok(Self::Points),
            (3, 0) => Ok(Self::Span),
            _ => Err(CodecError::Choice),
        }
    }
}
