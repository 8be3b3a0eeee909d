//! Constructs the learners that a C program can choose, from `eig_settings`.

use crate::{Settings, Status};
use eigenstream::hebbian::{Gha, GhaSettings};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::pca::{
    CenteredPca, CenteredSettings, Mahalanobis, MahalanobisSettings, TrackingPca, TrackingSettings,
};

/// A learner that can be constructed from the settings of C, in two steps: the check of the settings and the construction, which
/// cannot fail. A learner in a `Result` would be copied.
pub trait Configured: Sized {
    /// Checked settings of the learner.
    type Chosen;

    /// Checks the settings.
    ///
    /// # Errors
    /// [`Status::BadSetting`] if a setting is out of its range.
    fn chosen(settings: &Settings) -> Result<Self::Chosen, Status>;

    /// A new learner.
    fn configured(chosen: Self::Chosen) -> Self;
}

impl<const DIM: usize> Configured for Mahalanobis<f32, DIM> {
    type Chosen = ();

    fn chosen(_: &Settings) -> Result<(), Status> {
        Ok(())
    }

    fn configured((): ()) -> Self {
        Self::new(MahalanobisSettings::DEFAULT)
    }
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize> Configured for TrackingPca<f32, DIM, KEEP, RANK> {
    type Chosen = TrackingSettings<f32>;

    fn chosen(settings: &Settings) -> Result<Self::Chosen, Status> {
        Ok(match settings.learning_rate {
            0.0 => TrackingSettings::DEFAULT,
            rate => TrackingSettings::new(rate)?,
        })
    }

    fn configured(chosen: Self::Chosen) -> Self {
        Self::new(chosen)
    }
}

impl<const DIM: usize, const KEEP: usize> Configured for CenteredPca<f32, DIM, KEEP> {
    type Chosen = CenteredSettings<f32>;

    fn chosen(settings: &Settings) -> Result<Self::Chosen, Status> {
        Ok(match settings.learning_rate {
            0.0 => CenteredSettings::DEFAULT,
            rate => CenteredSettings::new(rate)?,
        })
    }

    fn configured(chosen: Self::Chosen) -> Self {
        Self::new(chosen)
    }
}

impl<const DIM: usize, const KEEP: usize> Configured for Gha<f32, DIM, KEEP> {
    type Chosen = GhaSettings<f32>;

    fn chosen(settings: &Settings) -> Result<Self::Chosen, Status> {
        Ok(match settings.learning_rate {
            0.0 => GhaSettings::DEFAULT,
            rate => GhaSettings::new(rate)?,
        })
    }

    fn configured(chosen: Self::Chosen) -> Self {
        Self::new(chosen)
    }
}

impl<const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize> Configured
    for OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW, RANK>
{
    type Chosen = (Gaussian<f32>, OnlineKernelSettings<f32>);

    fn chosen(settings: &Settings) -> Result<Self::Chosen, Status> {
        let kernel = match settings.gamma {
            0.0 => Gaussian::DEFAULT,
            gamma => Gaussian::new(gamma)?,
        };
        let settings = match settings.learning_rate {
            0.0 => OnlineKernelSettings::DEFAULT,
            rate => OnlineKernelSettings::new(rate)?,
        };
        Ok((kernel, settings))
    }

    fn configured((kernel, settings): Self::Chosen) -> Self {
        Self::new(kernel, settings)
    }
}
