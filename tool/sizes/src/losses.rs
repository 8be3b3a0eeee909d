//! Sums the losses of a learner and computes the bound on the sum.
//! In: each learned sample with its loss and its energy. Out: a [`Certificate`]. The scatter of all samples, which a chip
//! does not store, gives the loss of the best subspace in hindsight.

use eigenstream::bounds::Bounds;
use eigenstream::{EnergyScale, ScaleSettings};

/// The losses and the bound on the loss of a learner, in units of the mean energy ‖x‖² so far.
///
/// The bound is valid only for a learner with the default scale, `ScaleSettings::DEFAULT`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// Total expected loss of all learned samples.
    pub loss: f64,
    /// Total loss of the best fixed subspace in hindsight.
    pub best: f64,
    /// The upper limit of `loss` for every stream with this `best`, this `excess` and this largest energy of a sample.
    pub bound: f64,
    /// E: the number that rank limit, merged directions and the upper limit of the evidence add to the divergence D in `bound`.
    pub excess: f64,
}

/// The sums over all learned samples.
#[derive(Clone)]
pub(crate) struct Losses<const DIM: usize> {
    rate: f32,
    scale: EnergyScale<f32>,
    /// Symmetric, row by row.
    scatter: Vec<f64>,
    loss: f64,
    largest: f64,
}

impl<const DIM: usize> Losses<DIM> {
    pub(crate) fn new(rate: f32) -> Self {
        Self {
            rate,
            scale: EnergyScale::new(ScaleSettings::DEFAULT),
            scatter: vec![0.0; DIM * DIM],
            loss: 0.0,
            largest: 0.0,
        }
    }

    /// Adds a sample with the loss and the energy that it had before it was learned.
    pub(crate) fn add(&mut self, sample: &[f32; DIM], loss: f32, energy: f32) {
        self.scale.observe(energy);
        let factor = f64::from(self.scale.factor());
        self.loss += factor * f64::from(loss);
        self.largest = self.largest.max(factor * f64::from(energy));
        for (row, &left) in self.scatter.chunks_exact_mut(DIM).zip(sample) {
            for (entry, &right) in row.iter_mut().zip(sample) {
                *entry += f64::from(left) * f64::from(right) * factor;
            }
        }
    }

    /// `None` before the first sample.
    pub(crate) fn certificate(&self, keep: usize, excess: f32) -> Option<Certificate> {
        let values = eigenvalues(self.scatter.clone(), DIM);
        let best = values.iter().skip(keep).map(|value| value.max(0.0)).sum();
        let excess = f64::from(excess);
        let bounds = Bounds::<f64>::new(DIM, keep).with_largest_energy(self.largest).ok()?;
        Some(Certificate {
            loss: self.loss,
            best,
            bound: bounds.with_excess(excess).loss(best, f64::from(self.rate)),
            excess,
        })
    }
}

/// Any scatter is diagonal after far fewer sweeps.
const SWEEPS: usize = 60;

/// The eigenvalues of a symmetric matrix, the largest first, by Jacobi rotations. `order` is an argument, because a
/// function for each size would take long to build.
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
}
