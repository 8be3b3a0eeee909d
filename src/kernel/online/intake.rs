//! Decides which samples enter the window of an online kernel PCA.
//! In: a sample x and its kernel values with the points (stored samples). Out: whether the sample was stored. If the window is
//! full, a stored sample replaces the oldest point.
//! Method: after a stored sample, stride − 1 samples are skipped. After these, duplicates are skipped too, and the first sample
//! that is no duplicate is stored. The features of a duplicate are nearly a multiple of the features of one point (`novelty`).
//! Cost: if a novelty above zero is set, one square root for the sample, and at most one square root and one division for each
//! point.

use super::OnlineKernelPca;
use crate::Scalar;
use crate::kernel::Kernel;

/// Whether a sample was stored in the window.
///
/// ```
/// use eigenstream::kernel::{Intake, Linear, OnlineKernelPca, OnlineKernelSettings};
/// let settings = OnlineKernelSettings::DEFAULT.with_stride(2)?;
/// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, settings);
/// assert_eq!(pca.push(&[1.0, 0.0])?, Intake::Stored);
/// assert_eq!(pca.push(&[0.9, 0.1])?, Intake::Skipped);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Intake {
    /// The sample was stored. Until the next refresh, scores use the old directions.
    Stored,
    /// The sample was skipped because of the stride or the novelty.
    Skipped,
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Counts a sample, and returns whether it must be stored in the window.
    pub(super) fn update_intake(&mut self, norm: T, row: &[T; WINDOW]) -> bool {
        self.samples_seen = self.samples_seen.saturating_add(1);
        if self.waiting > 0 {
            self.waiting -= 1;
            return false;
        }
        let novelty = self.settings.novelty;
        if novelty > T::ZERO {
            // 1 − cosine² is the fraction of ‖φ(x)‖² = k(x, x) that is orthogonal to the features of the point. Two roots are
            // computed because the product of two energies can overflow.
            let length = norm.sqrt();
            for (&entry, &point_norm) in row.iter().zip(self.window.norms()).take(self.window.len()) {
                let lengths = length * point_norm.sqrt();
                let duplicate = if lengths > T::ZERO {
                    let cosine = entry / lengths;
                    T::ONE - cosine * cosine <= novelty
                } else {
                    norm == T::ZERO && point_norm == T::ZERO
                };
                if duplicate {
                    return false;
                }
            }
        }
        self.waiting = self.settings.stride.wrapping_sub(1);
        true
    }

    /// Stores a sample in the next slot.
    pub(super) fn store(&mut self, sample: &[T; DIM], norm: T, row: &[T; WINDOW]) {
        self.window.store(sample, norm, row);
        self.since_refresh = self.since_refresh.saturating_add(1);
    }
}
