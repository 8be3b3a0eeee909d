//! A `TrackingPca` beside the bound that it promises.
//! In: every sample that it learns. Out: its total expected loss, the bound on that, and the excess in the bound.
//! Method: the best subspace in hindsight is found from the scatter of all samples, which a chip does not keep. Losses are in
//! the units of the learner's own scale, the mean energy so far.

use eigenstream::bounds::Bounds;
use eigenstream::monitor::{Lagged, Monitor};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::spectrum::Eigen;
use eigenstream::{EnergyScale, Learner, SampleError, ScaleSettings};
use eigenstream_sizes::{Certificate, Condition, Sight, Watch};

/// A learner with the totals of its trials.
#[derive(Clone)]
pub(super) struct Metered<const DIM: usize, const KEEP: usize, const RANK: usize> {
    learner: TrackingPca<f32, DIM, KEEP, RANK>,
    rate: f32,
    scale: EnergyScale<f32>,
    /// On the heap: all sizes are built in one frame.
    scatter: Box<SMatrix<f64, DIM, DIM>>,
    loss: f64,
    largest: f64,
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize> Metered<DIM, KEEP, RANK> {
    /// One that has seen nothing; none if the rate is no learning rate.
    pub(super) fn new(rate: f32) -> Option<Self> {
        Some(Self {
            // The rate is relative to the energy of the samples.
            learner: TrackingPca::new(TrackingSettings::new(rate).ok()?),
            rate,
            scale: EnergyScale::new(ScaleSettings::DEFAULT),
            scatter: Box::new(SMatrix::zeros()),
            loss: 0.0,
            largest: 0.0,
        })
    }
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize> Learner<f32, DIM> for Metered<DIM, KEEP, RANK> {
    fn score(&self, sample: &[f32; DIM]) -> Result<f32, SampleError> {
        self.learner.score(sample)
    }

    fn residual(&self, sample: &[f32; DIM]) -> Result<[f32; DIM], SampleError> {
        self.learner.residual(sample)
    }

    fn learn(&mut self, sample: &[f32; DIM]) -> Result<(), SampleError> {
        let (loss, energy) = (self.learner.score(sample)?, self.learner.energy(sample)?);
        self.learner.learn(sample)?;
        self.scale.observe(energy);
        let factor = f64::from(self.scale.factor());
        self.loss += factor * f64::from(loss);
        self.largest = self.largest.max(factor * f64::from(energy));
        let sample = SMatrix::<f64, DIM, 1>::from(sample.map(f64::from));
        *self.scatter += sample * sample.transpose() * factor;
        Ok(())
    }
}

/// What can show a certificate.
pub(super) trait Certifies {
    /// Loss, bound and excess; none before the first sample.
    fn certificate(&self) -> Option<Certificate>;
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize> Certifies for Metered<DIM, KEEP, RANK> {
    fn certificate(&self) -> Option<Certificate> {
        let mut eigen = Eigen::<f64, DIM>::new();
        let _ = eigen.decompose(&self.scatter).ok()?;
        let best = eigen.values().iter().skip(KEEP).map(|value| value.max(0.0)).sum();
        let excess = f64::from(self.learner.excess());
        let bounds = Bounds::<f64>::new(DIM, KEEP).with_largest_energy(self.largest).ok()?;
        Some(Certificate {
            loss: self.loss,
            best,
            bound: bounds.with_excess(excess).loss(best, f64::from(self.rate)),
            excess,
        })
    }
}

impl<L: Certifies + Learner<f32, DIM>, const CHANNELS: usize, const LAGS: usize, const DIM: usize> Certifies
    for Lagged<f32, L, CHANNELS, LAGS, DIM>
{
    fn certificate(&self) -> Option<Certificate> {
        self.learner().certificate()
    }
}

/// A monitor that shows the certificate of its learner.
#[derive(Clone)]
pub(super) struct Certified<L, const DIM: usize>(pub(super) Monitor<f32, L, DIM>);

impl<L: Learner<f32, DIM> + Certifies + Clone + 'static, const DIM: usize> Watch for Certified<L, DIM> {
    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<Sight, SampleError> {
        Watch::observe(&mut self.0, sample, contribution)
    }

    fn condition(&self) -> Condition {
        self.0.condition()
    }

    fn twin(&self) -> Box<dyn Watch> {
        Box::new(self.clone())
    }

    fn certificate(&self) -> Option<Certificate> {
        self.0.learner().certificate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learner_keeps_within_its_certificate() {
        let Some(mut metered) = Metered::<4, 1, 3>::new(1.0) else {
            unreachable!("a rate of one is a learning rate")
        };
        assert!(metered.certificate().is_none());
        for trial in 0..300_u16 {
            let strength = f32::from(trial % 7);
            let axis = usize::from(trial % 4).min(usize::from(trial % 3));
            let sample = core::array::from_fn(|i| if i == axis { strength } else { 0.1 });
            assert_eq!(metered.learn(&sample), Ok(()));
        }
        let certificate = metered.certificate();
        assert!(certificate.is_some_and(|it| it.excess > 0.0 && it.best < it.loss && it.loss < it.bound));
    }
}
