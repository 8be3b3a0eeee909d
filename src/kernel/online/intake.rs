//! Which samples enter the window of an online kernel PCA.
//! In: a sample and how it compares with the points. Out: whether it entered; the oldest point has left for it, if the window was full.
//! Method: every so many samples one (stride), unless it is next to a point that is there (novelty, approximate linear dependence
//! on one point).
//! Cost: two roots and a division a point where a least novelty is asked for.

use super::OnlineKernelPca;
use crate::Scalar;
use crate::kernel::{Kernel, Refresh};

/// Whether a sample entered the window.
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
    /// It did; the directions are to be refreshed.
    Stored,
    /// The stride or the least novelty said no.
    Skipped,
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Counts a sample, and says whether it enters the window.
    pub(super) fn update_intake(&mut self, norm: T, row: &[T; WINDOW]) -> bool {
        self.samples_seen = self.samples_seen.saturating_add(1);
        if self.waiting > 0 {
            self.waiting -= 1;
            return false;
        }
        let novelty = self.settings.novelty;
        if novelty > T::ZERO {
            // The part of φ(x) outside one point, ‖φ(x)‖²(1 − cosine²), for the nearest point. Two roots are taken because
            // the product of two energies can overflow.
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
        self.waiting = self.settings.stride - 1;
        true
    }

    /// Puts a sample into its slot.
    pub(super) fn store(&mut self, sample: &[T; DIM], norm: T, row: &[T; WINDOW]) {
        if self.settings.choices.refresh == Refresh::Fast && self.window.is_full() {
            let slot = self.window.next_slot();
            let before = self.window.gram_row(slot);
            let mut change = *row;
            if let Some(entry) = change.get_mut(slot) {
                *entry = norm;
            }
            for (entry, before) in change.iter_mut().zip(before) {
                *entry -= before;
            }
            self.directions.shift_images(slot, &change);
        }
        self.window.store(sample, norm, row);
        self.since_refresh = self.since_refresh.saturating_add(1);
        self.since_exact = self.since_exact.saturating_add(1);
    }
}
