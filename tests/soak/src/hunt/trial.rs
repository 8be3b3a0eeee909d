//! Runs one stream through one learner and computes the bound.

use eigenstream::bounds::Bounds;
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::Eigen;
use eigenstream::{EnergyScale, Scalar, ScaleSettings};

use super::adversary::Source;
use super::subject::Certified;
use super::{Class, Dice, Setting};

/// Number of segments of the stream, for the bound against a subspace that changes.
const SEGMENTS: usize = 3;

/// Total loss, and the bound; with a share the smaller of the bounds for one and for three segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) total: f64,
    pub(super) bound: f64,
    /// Allowed rounding error, relative to the bound.
    rounding: f64,
}

impl Outcome {
    /// True if the total is at most the bound, up to rounding.
    pub(super) fn holds(&self) -> bool {
        self.total <= self.bound * (1.0 + self.rounding)
    }
}

/// Runs a stream of the class through the learner.
pub(super) fn follow<T: Scalar, const DIM: usize, L: Certified<T, DIM>>(
    mut learner: L,
    class: Class,
    setting: &Setting,
    scale: ScaleSettings<T>,
    dice: &mut Dice,
) -> Outcome {
    let length = 30 + dice.below(if class == Class::Climbing { 300 } else { 600 });
    let mut source = Source::<DIM>::new(class, dice);
    let mut scale = EnergyScale::new(scale);
    // The sum of `factor`·x·xᵀ over the samples x of each segment.
    let mut scatters = [SMatrix::<f64, DIM, DIM>::zeros(); SEGMENTS];
    let (mut total, mut largest) = (0.0, 0.0_f64);
    for trial in 0..length {
        let scatter = scatters.iter().sum();
        let sample = source.next_sample(&learner, setting.rate, &scatter, dice);
        let own = sample.map(T::from_f64);
        // The samples are finite and short, so none is refused.
        let loss = learner.score(&own).map_or(f64::INFINITY, Scalar::to_f64);
        let _ = learner.learn(&own);
        let sample = own.map(Scalar::to_f64);
        let energy: f64 = sample.iter().map(|entry| entry * entry).sum();
        scale.observe(T::from_f64(energy));
        let factor = scale.factor().to_f64();
        total += factor * loss;
        largest = largest.max(factor * energy);
        let vector = SMatrix::<f64, DIM, 1>::from(sample);
        scatters[trial * SEGMENTS / length] += vector * vector.transpose() * factor;
    }
    let plain = Bounds::<f64>::new(DIM, L::KEEP)
        .with_largest_energy(largest)
        .unwrap_or(Bounds::new(DIM, L::KEEP))
        .with_excess(learner.excess().to_f64());
    let priced = |segments| {
        let bounds = plain.with_share(setting.share, length, segments);
        bounds.unwrap_or(plain)
    };
    let rate = T::from_f64(setting.rate).to_f64();
    let mut bound = priced(1).loss(best_loss::<DIM>(&scatters.iter().sum(), L::KEEP), rate);
    if setting.share > 0.0 {
        let best = scatters.iter().map(|scatter| best_loss::<DIM>(scatter, L::KEEP)).sum();
        bound = bound.min(priced(SEGMENTS).loss(best, rate));
    }
    Outcome {
        total,
        bound,
        rounding: 64.0 * T::EPSILON.to_f64(),
    }
}

/// The least loss with `keep` fixed directions: the sum of all but the `keep` largest eigenvalues.
fn best_loss<const DIM: usize>(scatter: &SMatrix<f64, DIM, DIM>, keep: usize) -> f64 {
    let mut eigen = Eigen::<f64, DIM>::new();
    let _ = eigen.decompose(scatter);
    eigen.values().iter().skip(keep).map(|value| value.max(0.0)).sum()
}
