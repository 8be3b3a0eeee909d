//! How long a search for a [`Preimage`](super::Preimage) may last.
//! In: a number of passes and a tolerance. Out: settings that were checked.
//! Cost: one number, a flag (is the number given?) and a count, in flash if the program stores them in a constant.

use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::{Scalar, SettingsError};

/// The maximum number of passes of a search for a pre-image, and the tolerance of the search.
///
/// ```
/// use eigenstream::kernel::PreimageSettings;
/// let settings = PreimageSettings::<f32>::DEFAULT.with_iterations(20)?.with_tolerance(1e-3)?;
/// assert_ne!(settings, PreimageSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PreimageSettings<T> {
    pub(super) iterations: usize,
    /// `None`: 16 times the machine epsilon of the number type.
    tolerance: Option<T>,
}

impl<T: Scalar> PreimageSettings<T> {
    /// At most 100 passes, and a tolerance of 16 times the machine epsilon.
    pub const DEFAULT: Self = Self {
        iterations: 100,
        tolerance: None,
    };

    /// Sets the maximum number of passes.
    ///
    /// # Errors
    /// [`SettingsError::Iterations`] if `iterations` is zero.
    pub const fn with_iterations(mut self, iterations: usize) -> Result<Self, SettingsError> {
        if iterations == 0 {
            return Err(SettingsError::Iterations);
        }
        self.iterations = iterations;
        Ok(self)
    }

    /// Sets the tolerance. The search stops after a pass that moves no channel by more than tolerance·(1 + max|x|), with x the
    /// new sample.
    ///
    /// # Errors
    /// [`SettingsError::Tolerance`] if `tolerance` is negative or not finite.
    pub const fn with_tolerance(mut self, tolerance: T) -> Result<Self, SettingsError> {
        if !of_number!(tolerance => tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(SettingsError::Tolerance);
        }
        self.tolerance = Some(tolerance);
        Ok(self)
    }

    pub(super) fn tolerance(&self) -> T {
        // 16 times the machine epsilon: a pass sums over all points, so rounding can prevent a closer agreement of two passes.
        self.tolerance.unwrap_or(T::from_f64(16.0) * T::EPSILON)
    }
}

default_is_constant!(PreimageSettings);
