//! Merges the points of two windows into one window.
//! In: two windows with equal kernels; the first window has free slots for all points of the second. Out: a window of all points,
//! with the points of the second window last.
//! Method: the points of the second window are pushed one after the other. A fit or a mean of the merged window uses the points
//! of both windows. For example, the kernel mean of the merged window is μ = (a·μ_a + b·μ_b)/(a + b) for windows of a and b
//! points with the means μ_a and μ_b.
//! Cost: at most `WINDOW` + 1 kernel calls for each point of the second window.

use super::GramWindow;
use crate::kernel::Kernel;
use crate::kernel::points::checked_norm;
use crate::{MergeError, Scalar};

impl<T: Scalar, K: Kernel<T, DIM> + PartialEq, const DIM: usize, const WINDOW: usize> GramWindow<T, K, DIM, WINDOW> {
    /// Adds the points of `other`, oldest first. All points of this window stay.
    ///
    /// The [`KernelMean`](crate::kernel::KernelMean) of the merged window is the mean over the points of both windows. If several
    /// windows are merged, their order changes only the order of the points, and by this the rounding of later results.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the kernels differ, [`MergeError::Room`] if both windows together have more than `WINDOW`
    /// points, [`MergeError::Overflow`] if this window would refuse a point of `other`. A point can be refused only if the kernel
    /// returns different values for equal points. After an error the window is unchanged.
    ///
    /// ```
    /// use eigenstream::kernel::{GramWindow, KernelMean, Linear};
    /// use eigenstream::MergeError;
    /// let mut window = GramWindow::<f32, _, 1, 4>::new(Linear);
    /// let mut other = window.clone();
    /// window.push(&[1.0])?;
    /// (0..2).try_for_each(|_| other.push(&[4.0]).map(drop))?;
    /// window.merge(&other)?;
    /// assert_eq!(KernelMean::of(&window).value(&[1.0])?, 3.0);
    /// assert_eq!(window.merge(&other), Err(MergeError::Room { needed: 5, capacity: 4 }));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.kernel != other.kernel {
            return Err(MergeError::Settings);
        }
        let needed = self.len.wrapping_add(other.len);
        if needed > WINDOW {
            return Err(MergeError::Room {
                needed,
                capacity: WINDOW,
            });
        }
        for point in other.points() {
            checked_norm::<_, _, DIM, WINDOW>(&self.kernel, point).map_err(|_| MergeError::Overflow)?;
        }
        for point in other.oldest_first() {
            let _ = self.push(point);
        }
        Ok(())
    }
}
