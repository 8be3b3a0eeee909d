//! Measures the loss of a learner and computes the bound on this loss.
//! In: every sample that the learner learns. Out: the total expected loss, the bound on this loss, and the excess: the part E
//! of the bound that is due to the rank limit, merged directions and the upper limit of the evidence.
//! Method: the scatter of all samples gives the loss of the best subspace in hindsight. A chip does not store this scatter.
//! Losses are in units of the learner's own scale, the mean energy so far.

use eigenstream::bounds::Bounds;
use eigenstream::{EnergyScale, Learner, SampleError, ScaleSettings};

use crate::held::{Boxed, Held};
use crate::{Certificate, Refusal};

/// A learner with the sums of its losses.
#[derive(Clone)]
pub(crate) struct Metered<const DIM: usize> {
    learner: Boxed<DIM>,
    rate: f32,
    scale: EnergyScale<f32>,
    /// Symmetric, row by row.
    scatter: Vec<f64>,
    loss: f64,
    largest: f64,
}

impl<const DIM: usize> Metered<DIM> {
    /// Wraps a new learner with this learning rate.
    pub(crate) fn new(learner: Boxed<DIM>, rate: f32) -> Self {
        Self {
            learner,
            rate,
            scale: EnergyScale::new(ScaleSettings::DEFAULT),
            scatter: vec![0.0; DIM * DIM],
            loss: 0.0,
            largest: 0.0,
        }
    }

    /// Lets the learner learn from a sample by `method`, then adds the loss of the sample to the sums.
    fn teach(
        &mut self,
        sample: &[f32; DIM],
        method: impl FnOnce(&mut Boxed<DIM>, &[f32; DIM]) -> Result<(), SampleError>,
    ) -> Result<(), SampleError> {
        let (loss, energy) = (self.learner.score(sample)?, self.learner.energy(sample)?);
        method(&mut self.learner, sample)?;
        self.scale.observe(energy);
        let factor = f64::from(self.scale.factor());
        self.loss += factor * f64::from(loss);
        self.largest = self.largest.max(factor * f64::from(energy));
        for (row, &left) in self.scatter.chunks_exact_mut(DIM).zip(sample) {
            for (entry, &right) in row.iter_mut().zip(sample) {
                *entry += f64::from(left) * f64::from(right) * factor;
            }
        }
        Ok(())
    }
}

impl<const DIM: usize> Learner<f32, DIM> for Metered<DIM> {
    fn score(&self, sample: &[f32; DIM]) -> Result<f32, SampleError> {
        self.learner.score(sample)
    }

    fn residual(&self, sample: &[f32; DIM]) -> Result<[f32; DIM], SampleError> {
        self.learner.residual(sample)
    }

    fn energy(&self, sample: &[f32; DIM]) -> Result<f32, SampleError> {
        self.learner.energy(sample)
    }

    fn leverage(&self, sample: &[f32; DIM]) -> Result<Option<[f32; DIM]>, SampleError> {
        self.learner.leverage(sample)
    }

    fn parts(&self, sample: &[f32; DIM]) -> Result<[f32; DIM], SampleError> {
        self.learner.parts(sample)
    }

    fn explained(&self) -> Option<[f32; DIM]> {
        self.learner.explained()
    }

    fn learn(&mut self, sample: &[f32; DIM]) -> Result<(), SampleError> {
        self.teach(sample, Learner::learn)
    }

    fn refine(&mut self, sample: &[f32; DIM], memory: u32) -> Result<(), SampleError> {
        self.teach(sample, |learner, sample| learner.refine(sample, memory))
    }

    fn pass(&mut self, sample: &[f32; DIM]) -> Result<(), SampleError> {
        self.learner.pass(sample)
    }

    fn is_ready(&self) -> bool {
        self.learner.is_ready()
    }

    fn interrupt(&mut self) {
        self.learner.interrupt();
    }
}

impl<const DIM: usize> Held<DIM> for Metered<DIM> {
    fn twin(&self) -> Box<dyn Held<DIM>> {
        Box::new(self.clone())
    }

    fn image(&self) -> Vec<u8> {
        self.learner.0.image()
    }

    fn restore(&mut self, image: &[u8]) -> Result<(), Refusal> {
        self.learner.0.restore(image)
    }

    fn merge(&mut self, image: &[u8]) -> Result<(), Refusal> {
        self.learner.0.merge(image)
    }

    fn inverse_transform(&self, code: &[f32], sample: &mut [f32; DIM]) -> Result<(), Refusal> {
        self.learner.0.inverse_transform(code, sample)
    }

    fn components(&self) -> Option<Vec<f32>> {
        self.learner.0.components()
    }

    fn keep(&self) -> usize {
        self.learner.0.keep()
    }

    fn transform(&self, sample: &[f32; DIM], code: &mut [f32]) -> Result<(), Refusal> {
        self.learner.0.transform(sample, code)
    }

    fn samples_seen(&self) -> u64 {
        self.learner.0.samples_seen()
    }

    fn certificate(&self) -> Option<Certificate> {
        let keep = self.keep();
        let values = eigenvalues(self.scatter.clone(), DIM);
        let best = values.iter().skip(keep).map(|value| value.max(0.0)).sum();
        let excess = f64::from(self.learner.0.excess()?);
        let bounds = Bounds::<f64>::new(DIM, keep).with_largest_energy(self.largest).ok()?;
        Some(Certificate {
            loss: self.loss,
            best,
            bound: bounds.with_excess(excess).loss(best, f64::from(self.rate)),
            excess,
        })
    }
}

/// The largest number of sweeps over all pairs. The scatter of any learner of the table is diagonal after far fewer sweeps.
const SWEEPS: usize = 60;

/// The eigenvalues of a symmetric matrix, the largest first, by Jacobi rotations. The order is an argument, not a const
/// parameter. The function runs once in a recording: a separate function for each size would add more build time than it would
/// save in run time.
fn eigenvalues(mut matrix: Vec<f64>, order: usize) -> Vec<f64> {
    for _ in 0..SWEEPS {
        let mut off = 0.0_f64;
        for row in 0..order {
            for column in row + 1..order {
                let entry = matrix[row * order + column];
                off = off.max(entry.abs());
                if entry == 0.0 {
                    continue;
                }
                let half = (matrix[column * order + column] - matrix[row * order + row]) / (2.0 * entry);
                let tangent = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sine = tangent * cosine;
                for other in 0..order {
                    let (left, right) = (matrix[other * order + row], matrix[other * order + column]);
                    matrix[other * order + row] = cosine * left - sine * right;
                    matrix[other * order + column] = sine * left + cosine * right;
                }
                for other in 0..order {
                    let (left, right) = (matrix[row * order + other], matrix[column * order + other]);
                    matrix[row * order + other] = cosine * left - sine * right;
                    matrix[column * order + other] = sine * left + cosine * right;
                }
            }
        }
        if off == 0.0 {
            break;
        }
    }
    let mut values: Vec<f64> = (0..order).map(|place| matrix[place * order + place]).collect();
    values.sort_by(|one, other| other.total_cmp(one));
    values
}

#[cfg(test)]
mod tests {
    use eigenstream::nalgebra::SMatrix;
    use eigenstream::pca::{Mahalanobis, MahalanobisSettings, TrackingPca, TrackingSettings};
    use eigenstream::spectrum::Eigen;

    use super::*;

    #[test]
    fn the_eigenvalues_are_those_of_the_crate() {
        let entries: Vec<f64> = (0..25).map(|place| f64::from((place % 5) * (place / 5) % 7)).collect();
        let mut eigen = Eigen::<f64, 5>::new();
        assert!(eigen.decompose(&SMatrix::from_row_slice(&entries)).is_ok());
        for (own, value) in eigenvalues(entries, 5).iter().zip(eigen.values()) {
            assert!((own - value).abs() < 1e-12, "{own} {value}");
        }
    }

    #[test]
    fn a_learner_keeps_within_its_certificate() {
        let learner = TrackingPca::<f32, 4, 1, 3>::new(TrackingSettings::DEFAULT);
        let mut metered = Metered::new(Boxed(Box::new(learner)), 1.0);
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

    #[test]
    fn a_metered_learner_refines_as_the_learner_does() {
        let mut learner = Mahalanobis::<f32, 2>::new(MahalanobisSettings::DEFAULT);
        assert_eq!(learner.learn(&[1.0, 2.0]), Ok(()));
        let mut metered = Metered::new(Boxed(Box::new(learner.clone())), 1.0);
        assert_eq!(learner.refine(&[2.0, 1.0], 1_000), Ok(()));
        assert_eq!(metered.refine(&[2.0, 1.0], 1_000), Ok(()));
        assert_eq!(metered.score(&[1.0, 1.0]), learner.score(&[1.0, 1.0]));
        assert!(metered.loss > 0.0);
    }
}
