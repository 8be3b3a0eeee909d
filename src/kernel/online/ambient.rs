//! The keep probabilities of a kernel learner, for directions inside and outside the span of the points (the stored samples).
//! In: the eigenvalues λᵢ of a Gram matrix, descending, a learning rate η and the number of directions to keep. Out: the keep
//! probability pᵢ = 1 − exp(−max(0, ηλᵢ − τ)) of each direction, and the keep probability of each direction outside the span of
//! the points.
//! Method: [KW07] Algorithms 5 and 6 by the rule of `weights::keeping`, which computes the threshold τ. [`Ambient::Points`] is
//! the choice of [KW07].
//! Cost: about two exponentials per direction that can be kept, and one logarithm.

use crate::Scalar;
use crate::codec::stored_choice;
use crate::weights::{Bulk, Keeping};

/// The assumption about the directions of feature space that the stored points do not span.
///
/// Up to rounding, all choices give equal results while Σ(1 − exp(−ηλᵢ)) ≥ `KEEP`, with the learning rate η and the eigenvalues
/// λᵢ of the Gram matrix (of its centred form if centered). While this sum is smaller, for example at the start of a stream, the
/// results of the choices can differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Ambient {
    /// Infinitely many directions. Only directions in the span of the points can be kept. If fewer than `KEEP` directions are
    /// drawn, the remaining entries of the code are zero. The total expected loss has a bound that does not depend on the
    /// dimension; [`excess`](crate::kernel::OnlineKernelPca::excess) lists its conditions. The default.
    #[default]
    Infinite,
    /// Feature space has this number N of dimensions. The keep probabilities of all N directions sum to `KEEP`, or to N if
    /// N < `KEEP`. Directions outside the span of the points have equal keep probabilities. If N is below the numerical rank (see
    /// [`Span`](Self::Span)), this rank is used in place of N. While neither N nor this rank is above `KEEP`, every direction is
    /// kept, so every score is zero up to rounding: choose N above `KEEP`.
    Finite(usize),
    /// As many directions as points, as printed in \[KW07\]: a duplicate point counts as a further direction. A direction beyond
    /// the numerical rank (see [`Span`](Self::Span)) has the eigenvalue zero, and is never drawn. While the number of points is
    /// at most `KEEP`, every direction up to the numerical rank is kept.
    Points,
    /// As many directions as the numerical rank of the Gram matrix K of the points (of its centred form if centered): like
    /// `Points`, but duplicates do not count.
    ///
    /// The numerical rank is the number of eigenvalues λᵢ of K that are above 10⁻⁶·λ₁ in `f32` and above 10⁻¹¹·λ₁ in `f64`. λ₁ is
    /// the largest eigenvalue. A smaller eigenvalue can consist of rounding error alone. An eigenvalue must also be above the
    /// smallest normal number, so a single sample of length 10⁻²⁰ has rank 0 in `f32` with the linear kernel. Otherwise only the
    /// ratio λᵢ/λ₁ matters: with the linear kernel, the unit of the samples has no influence. A window of two points at distance
    /// δ has rank 2 with the default [`Gaussian`](crate::kernel::Gaussian) kernel, uncentered, if δ is above about 1.4·10⁻³ in
    /// `f32`, or above about 4.5·10⁻⁶ in `f64`.
    ///
    /// Centring subtracts means from the entries of K, but their rounding errors stay. So if centered, and if the entries of K
    /// are larger than λ₁, an eigenvalue above the limit can consist of rounding error alone, and it counts. In `f32`, eight
    /// random samples of two channels of size 0.1, with the kernel x·y + 0.5, had the numerical rank 4 in place of 2.
    Span,
}

/// The keep probabilities of all directions, inside and outside the span of the points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outlook<T> {
    /// Computes the keep probability of a direction from its eigenvalue.
    pub(super) keeping: Keeping<T>,
    /// The keep probability of each direction outside the span of the points.
    pub(super) outside: T,
}

impl Ambient {
    /// Computes the [`Outlook`] from the leading eigenvalues alone. Also returns τ/η (τ: threshold, η: learning rate): a
    /// direction whose eigenvalue is not above τ/η has the keep probability zero. Returns `None` if τ ≤ 0. If `values` contains
    /// all eigenvalues above τ/η, the outlook is correct for every `Ambient`.
    pub(super) fn leading<T: Scalar>(values: &[T], rate: T, keep: usize) -> Option<(Outlook<T>, T)> {
        let keeping = Keeping::of(values, Bulk::NONE, rate, keep);
        let outside = T::ZERO;
        (keeping.excess(T::ZERO) < T::ZERO).then(|| (Outlook { keeping, outside }, keeping.least_score()))
    }

    /// Computes the keep probabilities for a window of `points` points. `values` are the eigenvalues larger than rounding error
    /// (`in_range`), descending.
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
            // The threshold is τ ≤ 0: Σ(1 − exp(−ηλᵢ)) is at most `keep`. So τ is set to zero. The form pᵢ = 1 − exp(−ηλᵢ) is
            // accurate for tiny pᵢ too.
            keeping = Keeping::with_zero_threshold(rate);
        }
        let outside = match self {
            Self::Finite(_) => keeping.probability(T::ZERO),
            _ => T::ZERO,
        };
        Outlook { keeping, outside }
    }
}

// The encoded bytes contain the number of the variant, and the dimension of `Finite`.
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
            // A third direction of the points counts, however small N is.
            pca.learn(&[0.0, 0.0, 1.0])?;
            assert!(pca.score(&[0.0, 0.0, 3.0])? > 1.0);
        }
        Ok(())
    }
}
