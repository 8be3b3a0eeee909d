//! Constructs the learners that a C program can choose, from `eig_settings`.

use crate::{Field, Settings};
use eigenstream::Centering;
use eigenstream::hebbian::{Gha, GhaSettings};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::pca::{
    CenteredPca, CenteredSettings, Mahalanobis, MahalanobisSettings, TrackingPca, TrackingSettings,
};

/// A learner that can be constructed from the settings of C.
///
/// In two steps, a check and a construction that cannot fail, because a learner in a `Result` would be copied.
pub trait Configured: Sized {
    /// Checked settings of the learner.
    type Chosen;

    /// Checks the settings.
    ///
    /// # Errors
    /// The field that is out of its range.
    fn chosen(settings: &Settings) -> Result<Self::Chosen, Field>;

    /// A new learner.
    fn configured(chosen: Self::Chosen) -> Self;
}

impl<const DIM: usize> Configured for Mahalanobis<f32, DIM> {
    type Chosen = ();

    fn chosen(_: &Settings) -> Result<(), Field> {
        Ok(())
    }

    fn configured((): ()) -> Self {
        Self::new(MahalanobisSettings::DEFAULT)
    }
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize> Configured for TrackingPca<f32, DIM, KEEP, RANK> {
    type Chosen = TrackingSettings<f32>;

    fn chosen(settings: &Settings) -> Result<Self::Chosen, Field> {
        Ok(match settings.learning_rate {
            0.0 => TrackingSettings::DEFAULT,
            rate => TrackingSettings::new(rate).map_err(|_| Field::LearningRate)?,
        })
    }

    fn configured(chosen: Self::Chosen) -> Self {
        Self::new(chosen)
    }
}

impl<const DIM: usize, const KEEP: usize> Configured for CenteredPca<f32, DIM, KEEP> {
    type Chosen = CenteredSettings<f32>;

    fn chosen(settings: &Settings) -> Result<Self::Chosen, Field> {
        Ok(match settings.learning_rate {
            0.0 => CenteredSettings::DEFAULT,
            rate => CenteredSettings::new(rate).map_err(|_| Field::LearningRate)?,
        })
    }

    fn configured(chosen: Self::Chosen) -> Self {
        Self::new(chosen)
    }
}

impl<const DIM: usize, const KEEP: usize> Configured for Gha<f32, DIM, KEEP> {
    type Chosen = GhaSettings<f32>;

    fn chosen(settings: &Settings) -> Result<Self::Chosen, Field> {
        Ok(match settings.learning_rate {
            0.0 => GhaSettings::DEFAULT,
            rate => GhaSettings::new(rate).map_err(|_| Field::LearningRate)?,
        })
    }

    fn configured(chosen: Self::Chosen) -> Self {
        Self::new(chosen)
    }
}

/// As `eigenstream tune --model kernel`: 1/γ divided by the number of channels. With a narrow kernel every score is near
/// one, its maximum, and leaves no place for a threshold.
const WIDTH: f32 = 256.0;
/// Relative to the energy of the samples.
const RATE: f32 = 0.3;
/// One of so many samples can become a point: neighbours are similar.
const STRIDE: u32 = 4;

impl<const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize> Configured
    for OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW, RANK>
{
    type Chosen = (Gaussian<f32>, OnlineKernelSettings<f32>);

    fn chosen(settings: &Settings) -> Result<Self::Chosen, Field> {
        let gamma = match settings.gamma {
            0.0 => 1.0 / (WIDTH * DIM as f32),
            gamma => gamma,
        };
        let kernel = Gaussian::new(gamma).map_err(|_| Field::Gamma)?;
        let (rate, field) = match settings.learning_rate {
            // A wide kernel's centred features have the energy 2γ·DIM, at most one. For a tiny γ the quotient overflows.
            0.0 => (RATE * STRIDE as f32 / (2.0 * gamma * DIM as f32).min(1.0), Field::Gamma),
            rate => (rate, Field::LearningRate),
        };
        let settings = OnlineKernelSettings::new(rate).and_then(|settings| settings.with_stride(STRIDE));
        let settings = settings.map_err(|_| field)?;
        Ok((kernel, settings.with_centering(Centering::Centered)))
    }

    fn configured((kernel, settings): Self::Chosen) -> Self {
        Self::new(kernel, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eigenstream::monitor::Monitor;

    /// The stream of `demo/main.c`: the last channel leaves the others from sample 3,000 on.
    #[test]
    fn the_default_kernel_finds_the_fault_of_the_demo() -> Result<(), Field> {
        let chosen = OnlineKernelPca::<f32, Gaussian<f32>, 4, 2, 32, 6>::chosen(&Settings::DEFAULT)?;
        let learner = OnlineKernelPca::<f32, Gaussian<f32>, 4, 2, 32, 6>::configured(chosen);
        let mut monitor = Monitor::<f32, _, 4>::new(Settings::DEFAULT.monitor()?, learner);
        let mut state = 1_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as f32 / 65_536.0 - 0.5
        };
        let (mut before, mut after) = (0, 0);
        for time in 0..4_000 {
            let load = noise();
            let mut sample = [0.0; 4];
            for (channel, value) in sample.iter_mut().enumerate() {
                *value = (channel + 1) as f32 * 0.5 * load + 0.25 * noise();
            }
            if time >= 3_000 {
                sample[3] += 8.0 * noise();
            }
            let alarm = monitor.observe(&sample).is_ok_and(|verdict| verdict.alarm);
            let count = if time < 3_000 { &mut before } else { &mut after };
            *count += u32::from(alarm);
        }
        assert!(before < 5, "{before} false alarms");
        assert!(after > 500, "{after} samples in alarm");
        Ok(())
    }
}
