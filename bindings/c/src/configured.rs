//! Constructs the learners that a C program can choose, from `eig_settings`.

use crate::{Settings, Status};
use eigenstream::hebbian::{Gha, GhaSettings};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::pca::{
    CenteredPca, CenteredSettings, Mahalanobis, MahalanobisSettings, TrackingPca, TrackingSettings,
};

/// A learner that can be constructed from the settings of C.
pub trait Configured: Sized {
    /// A new learner.
    ///
    /// # Errors
    /// [`Status::BadSetting`] if a setting is out of its range.
    fn configured(settings: &Settings) -> Result<Self, Status>;
}

impl<const DIM: usize> Configured for Mahalanobis<f32, DIM> {
    fn configured(_: &Settings) -> Result<Self, Status> {
        Ok(Self::new(MahalanobisSettings::DEFAULT))
    }
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize> Configured for TrackingPca<f32, DIM, KEEP, RANK> {
    fn configured(settings: &Settings) -> Result<Self, Status> {
        Ok(Self::new(match settings.learning_rate {
            0.0 => TrackingSettings::DEFAULT,
            rate => TrackingSettings::new(rate)?,
        }))
    }
}

impl<const DIM: usize, const KEEP: usize> Configured for CenteredPca<f32, DIM, KEEP> {
    fn configured(settings: &Settings) -> Result<Self, Status> {
        Ok(Self::new(match settings.learning_rate {
            0.0 => CenteredSettings::DEFAULT,
            rate => CenteredSettings::new(rate)?,
        }))
    }
}

impl<const DIM: usize, const KEEP: usize> Configured for Gha<f32, DIM, KEEP> {
    fn configured(settings: &Settings) -> Result<Self, Status> {
        Ok(Self::new(match settings.learning_rate {
            0.0 => GhaSettings::DEFAULT,
            rate => GhaSettings::new(rate)?,
        }))
    }
}

impl<const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize> Configured
    for OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW, RANK>
{
    fn configured(settings: &Settings) -> Result<Self, Status> {
        let kernel = match settings.gamma {
            0.0 => Gaussian::DEFAULT,
            gamma => Gaussian::new(gamma)?,
        };
        Ok(Self::new(
            kernel,
            match settings.learning_rate {
                0.0 => OnlineKernelSettings::DEFAULT,
                rate => OnlineKernelSettings::new(rate)?,
            },
        ))
    }
}
