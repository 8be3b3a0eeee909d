//! The points of two windows in one.
//! In: two windows with one kernel, and room for the points of both. Out: a window of all points, those of the other last.
//! Method: the points are stored one after the other. Whatever is a sum over points follows: the kernel mean of the merged
//! window is μ = (a·μ_a + b·μ_b)/(a + b) for a and b points.
//! Cost: `WINDOW` kernel calls for each point of the other window.

use super::GramWindow;
use crate::kernel::Kernel;
use crate::kernel::points::checked_norm;
use crate::{MergeError, Scalar};

impl<T: Scalar, K: Kernel<T, DIM> + PartialEq, const DIM: usize, const WINDOW: usize> GramWindow<T, K, DIM, WINDOW> {
    /// Takes in the points of another window, oldest first, without giving up any of its own.
    ///
    /// The [`KernelMean`](crate::kernel::KernelMean) of the merged window is then the mean of all points. Only the order of the
    /// points depends on the order of merging.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the kernels differ, [`MergeError::Room`] if there are more points than slots. The window is then
    /// as it was. So it is with [`MergeError::Overflow`], for a point that the other window can hold and this one cannot: a kernel
    /// that answers differently the second time.
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
        let needed = self.len + other.len;
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
