//! The keep probabilities of a kernel learner, for directions inside and outside the span of its points.
//! In: the eigenvalues λᵢ of a Gram matrix, descending, a learning rate η and the number k of directions to keep. Out: the keep
//! probability pᵢ = 1 − exp(−max(0, ηλᵢ − τ)) of each direction, and that of each direction outside the span of the points.
//! Method: [KW07] Algorithms 5 and 6 by the rule of `weights::keeping`, which computes the threshold τ. The algorithm as printed
//! is [`Ambient::Points`].
//! Cost: two exponentials per direction that can be kept.

use crate::Scalar;
use crate::codec::stored_choice;
use crate::weights::{Bulk, Keeping};

/// The assumption about the directions of feature space that the stored points do not span.
///
/// All choices give equal results as soon as Σ(1 − exp(−ηλᵢ)) ≥ `KEEP`. They differ at the start of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Ambient {
    /// Infinitely many directions. No direction is kept before a point shows it; places without a direction stay empty. A bound
    /// on the loss holds that does not depend on the dimension, while no point has left the window, every sample is stored, and
    /// the features are not centered. For `RANK` = `WINDOW` the bound holds alone, otherwise plus
    /// [`excess`](crate::kernel::OnlineKernelPca::excess). The default.
    #[default]
    Infinite,
    /// Feature space has this number of dimensions. The directions not yet seen share the remaining probability evenly.
    Finite(usize),
    /// As many directions as points, the algorithm as printed: a duplicate point counts as a direction too. While the number of
    /// points is at most `KEEP`, every direction is kept.
    Points,
    /// As many directions as the dimension of the span of the points: like `Points`, but duplicates do not count.
    Span,
}

/// The probabilities of all directions, inside and outside the span of the points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outlook<T> {
    /// Computes the probability of a direction from its eigenvalue.
    pub(super) keeping: Keeping<T>,
    /// The probability of each direction outside the span of the points.
    pub(super) outside: T,
}

impl Ambient {
    /// Computes the outlook from the leading eigenvalues alone. Also returns τ/η: a smaller eigenvalue has the probability p = 0.
    /// Returns `None` if τ ≤ 0. If `values` contains all eigenvalues above τ/η, the outlook is correct for every `Ambient`.
    pub(super) fn leading<T: Scalar>(values: &[T], rate: T, keep: usize) -> Option<(Outlook<T>, T)> {
        let keeping = Keeping::of(values, Bulk::NONE, rate, keep);
        let outside = T::ZERO;
        (keeping.excess(T::ZERO) < T::ZERO).then(|| (Outlook { keeping, outside }, keeping.least_score()))
    }

    /// Computes the outlook of `points` points. `values` are the eigenvalues inside the numerical range, descending.
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
            // τ ≤ 0: Σ(1 − exp(−ηλᵢ)) is at most `keep`. The form pᵢ = 1 − exp(−ηλᵢ) is accurate for tiny pᵢ too.
            keeping = Keeping::with_zero_threshold(rate);
        }
        let outside = match self {
            Self::Finite(_) => keeping.probability(T::ZERO),
            _ => T::ZERO,
        };
        Outlook { keeping, outside }
    }
}

// The image contains the choice, and the dimension of `Finite`.
stored_choice!([] Ambient: [dimension: usize = 0] { 0 = Infinite, 1 = Finite(dimension), 2 = Points, 3 = Span });
