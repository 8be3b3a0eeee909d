//! The keep probabilities of a kernel learner inside and outside the span of the points.
//! In: the eigenvalues of K and the learning rate η. Out: the threshold τ and pᵢ = 1 − exp(−max(0, ηλᵢ − τ)).
//! Method: [KW07] Algorithms 5 and 6 by `weights::keeping`. Cost: about two exponentials for each direction that can be
//! kept.

use crate::Scalar;
use crate::codec::stored_choice;
use crate::weights::{Bulk, Keeping};

/// The assumption about the directions of feature space that the points do not span.
///
/// Up to rounding, all choices give equal results while Σ(1 − exp(−ηλᵢ)) ≥ `KEEP`, with the learning rate η. They can
/// differ while this sum is smaller, for example at the start of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Ambient {
    /// Infinitely many directions: only those in the span of the points can be kept. The default.
    ///
    /// If fewer than `KEEP` are drawn, the other entries of the code are zero. The total expected loss has a bound that
    /// does not depend on the dimension: see [`excess`](crate::kernel::OnlineKernelPca::excess).
    #[default]
    Infinite,
    /// Feature space has this number N of dimensions; the N keep probabilities sum to `KEEP`, or to N if N is smaller.
    ///
    /// If N is below the numerical rank (see [`Span`](Self::Span)), this rank is used in place of N. While neither is
    /// above `KEEP`, every score is zero up to rounding: choose N above `KEEP`.
    Finite(usize),
    /// As many directions as points, as printed in \[KW07\]: a duplicate counts as a further direction.
    ///
    /// A direction beyond the numerical rank (see [`Span`](Self::Span)) counts with the eigenvalue zero, and is never
    /// drawn.
    /// While there are at most `KEEP` points, every direction within the numerical rank is kept.
    Points,
    /// As many directions as the numerical rank of K: like `Points`, but duplicates do not count.
    ///
    /// The rank is the number of eigenvalues in the [numerical range](crate::kernel). Two points at distance δ have
    /// rank 2 with the default [`Gaussian`](crate::kernel::Gaussian), uncentered, if δ is above about 1.4·10⁻³ in `f32`
    /// or 4.5·10⁻⁶ in `f64`. If centered, rounding errors can count if the entries of K before centring are much
    /// larger than λ₁.
    Span,
}

/// The keep probabilities of all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outlook<T> {
    /// The rule that gives the keep probability for an eigenvalue.
    pub(super) keeping: Keeping<T>,
    /// The keep probability of each direction outside the span of the points.
    pub(super) outside: T,
}

impl Ambient {
    /// The keep probabilities from the leading eigenvalues alone, and the eigenvalue τ/η above which a direction can be
    /// kept. Returns `None` if τ ≤ 0. The result is correct for every `Ambient` if `values` has all eigenvalues above
    /// τ/η.
    pub(super) fn leading<T: Scalar>(values: &[T], rate: T, keep: usize) -> Option<(Outlook<T>, T)> {
        let keeping = Keeping::of(values, Bulk::NONE, rate, keep);
        let outside = T::ZERO;
        (keeping.excess(T::ZERO) < T::ZERO).then(|| (Outlook { keeping, outside }, keeping.least_score()))
    }

    /// The keep probabilities for `points` points with the eigenvalues `values` in the numerical range, descending.
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
            // Here Σ(1 − exp(−ηλᵢ)) is at most `keep`, so τ is zero. `with_zero_threshold` is accurate for tiny
            // probabilities too.
            keeping = Keeping::with_zero_threshold(rate);
        }
        let outside = match self {
            Self::Finite(_) => keeping.probability(T::ZERO),
            _ => T::ZERO,
        };
        Outlook { keeping, outside }
    }
}

stored_choice!([] Ambient: [dimension: usize = 0] { 0 = Infinite, 1 = Finite(dimension), 2 = Points, 3 = Span });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SampleError;
    use crate::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};

    #[test]
    fn a_space_of_no_more_dimensions_than_are_kept_loses_nothing() -> Result<(), SampleError> {
        for (dimensions, lost) in [(0, false), (2, false), (3, true)] {
            let settings = OnlineKernelSettings::DEFAULT.with_ambient(Ambient::Finite(dimensions));
            let mut pca = OnlineKernelPca::<f32, _, 3, 2, 4, 4>::new(Linear, settings);
            for sample in [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]] {
                assert_eq!(pca.score(&[0.0, 0.0, 3.0])? > 1e-5, lost);
                pca.learn(&sample)?;
            }
            // The third direction of the points counts, however small the given number of dimensions is.
            pca.learn(&[0.0, 0.0, 1.0])?;
            assert!(pca.score(&[0.0, 0.0, 3.0])? > 1.0);
        }
        Ok(())
    }
}
