//! The keep probabilities of a kernel learner, inside and outside the span of its points.
//! In: the eigenvalues λ of a Gram matrix, descending, a learning rate η and how many directions to keep, k. Out: the
//! keep probability of each direction, pᵢ = 1 − exp(−max(0, ηλᵢ − τ)), and of each direction outside the span of the points.
//! Method: [KW07] Algorithms 5 and 6 by the rule of `weights::keeping`; the printed algorithm is [`Ambient::Points`].
//! Cost: two exponentials per direction that can be kept.

use crate::Scalar;
use crate::codec::stored_choice;
use crate::weights::{Bulk, Keeping};

/// The assumption about the directions of feature space that the stored points do not span.
///
/// All choices agree once the points have shown more than is kept, Σ(1 − exp(−ηλᵢ)) ≥ `KEEP`; they differ in how a learner starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Ambient {
    /// There is no end of them: none is kept before it was seen, and places that no direction has earned stay empty. A
    /// bound on the loss holds that knows no dimension, while no point has left the window, every sample is taken in, and nothing is
    /// centered: alone for `RANK` = `WINDOW`, else plus [`excess`](crate::kernel::OnlineKernelPca::excess). The default.
    #[default]
    Infinite,
    /// Feature space has this many dimensions, of which those not yet seen share the remaining probability evenly.
    Finite(usize),
    /// As many directions as points, the algorithm as printed: duplicates count as directions of their own. While there
    /// are no more points than are kept, all of them are.
    Points,
    /// As many directions as the points span: as `Points`, but duplicates do not count.
    Span,
}

/// The probabilities of all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outlook<T> {
    /// From the eigenvalue of a direction to its probability.
    pub(super) keeping: Keeping<T>,
    /// The probability of each direction outside the span of the points.
    pub(super) outside: T,
}

impl Ambient {
    /// The outlook from the leading eigenvalues alone, and τ/η: a direction with a smaller eigenvalue has p = 0. `None` if
    /// τ ≤ 0. If `values` holds all eigenvalues above τ/η, the outlook is right for every `Ambient`.
    pub(super) fn leading<T: Scalar>(values: &[T], rate: T, keep: usize) -> Option<(Outlook<T>, T)> {
        let keeping = Keeping::of(values, Bulk::NONE, rate, keep);
        let outside = T::ZERO;
        (keeping.excess(T::ZERO) < T::ZERO).then(|| (Outlook { keeping, outside }, keeping.least_score()))
    }

    /// The outlook from `points` points with these eigenvalues, those of the numerical range, descending.
    pub(super) fn outlook<T: Scalar>(self, values: &[T], points: usize, rate: T, keep: usize) -> Outlook<T> {
        let unseen = match self {
            Self::Infinite | Self::Span => 0,
            Self::Finite(dimensions) => dimensions.saturating_sub(values.len()),
            Self::Points => points.saturating_sub(values.len()),
        };
        let bulk = Bulk {
            value: T::ZERO,
            multiplicity: unseen,
        };
        let mut keeping = Keeping::of(values, bulk, rate, keep);
        if self == Self::Infinite && keeping.excess(T::ZERO) >= T::ZERO {
            // τ ≤ 0: the points have not shown more than `keep`. pᵢ = 1 − exp(−ηλᵢ) keeps its digits where it is tiny.
            keeping = Keeping::with_zero_threshold(rate);
        }
        let outside = match self {
            Self::Finite(_) => keeping.probability(T::ZERO),
            _ => T::ZERO,
        };
        Outlook { keeping, outside }
    }
}

// The choice, and the dimension of the one that has it.
stored_choice!([] Ambient: [dimension: usize = 0] { 0 = Infinite, 1 = Finite(dimension), 2 = Points, 3 = Span });
