//! Which directions a scatter matrix speaks for, and how strongly.
//! In: the scatter C and a learning rate η. Out: its leading eigenvectors with the probability that each is kept.
//! Method: [WK08] Algorithm 6, pᵢ = 1 − exp(−max(0, ηλᵢ − τ)) over all eigenvalues, zeros included, τ such that Σ pᵢ = `KEEP`;
//! or Follow the Leader, the first `KEEP` for certain. Vectors are computed for p > 0 only.
//! Cost: (2/3)·DIM³ multiply-adds for the eigenvalues and about DIM² + 45·DIM for each vector.
//! Kept: 2·DIM² + 5·DIM + 1 numbers, a count and a choice. Scratch: 11·DIM numbers.

use super::{Draw, ReadOut};
use crate::codec::{sound, stored, stored_choice};
use crate::rand_core::Rng;
use crate::spectrum::eigen::every_position;
use crate::spectrum::{PartialEigen, check_orthonormal};
use crate::weights::{Bulk, Subset, keep_probability, threshold};
use crate::{CodecError, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// Directions and their keep probabilities.
#[derive(Clone, Debug)]
pub(super) struct Prediction<T, const DIM: usize, const KEEP: usize> {
    read_out: ReadOut,
    /// Whether the probabilities have been filled; a const constructor cannot compute k/n.
    progress: Progress,
    eigen: PartialEigen<T, DIM>,
    /// Eigenvectors by falling eigenvalue, as many as count.
    directions: SMatrix<T, DIM, DIM>,
    /// The probability that each is kept, p.
    probabilities: [T; DIM],
    /// How many directions count: those of p > 0, and `KEEP` at least.
    active: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Fresh,
    Learned,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Prediction<T, DIM, KEEP> {
    /// Of no scatter: the axes, all alike.
    pub(super) const fn new(read_out: ReadOut) -> Self {
        Self {
            read_out,
            progress: Progress::Fresh,
            eigen: PartialEigen::new(),
            directions: SMatrix::from_array_storage(ArrayStorage(axes())),
            probabilities: [T::ZERO; DIM],
            active: DIM,
        }
    }

    /// As new, given a scatter of zeros.
    pub(super) fn reset(&mut self, zeros: &SMatrix<T, DIM, DIM>) {
        // Zeros are never refused.
        let _ = self.eigen.decompose(zeros);
        for (axis, direction) in self.directions.data.0.iter_mut().enumerate() {
            for (index, entry) in direction.iter_mut().enumerate() {
                *entry = if index == axis { T::ONE } else { T::ZERO };
            }
        }
        self.progress = Progress::Fresh;
        self.probabilities = [T::ZERO; DIM];
        self.active = DIM;
    }

    /// Of this scatter, which is finite.
    pub(super) fn refresh(&mut self, scatter: &SMatrix<T, DIM, DIM>, learning_rate: T) {
        // A finite matrix is never refused, and whatever the solver answers is orthonormal.
        if self.eigen.decompose(scatter).is_err() {
            return;
        }
        self.probabilities = match self.read_out {
            ReadOut::Randomized => self.hedged(learning_rate),
            ReadOut::Leader => self.leaders(),
        };
        let kept = self
            .probabilities
            .iter()
            .take_while(|&&probability| probability > T::ZERO);
        self.active = kept.count().max(KEEP);
        let positions = const { every_position::<DIM>() };
        let chosen = positions.get(..self.active).unwrap_or_default();
        let _ = self.eigen.vectors(chosen, &mut self.directions);
        self.progress = Progress::Learned;
    }

    /// All eigenvalues of the scatter, descending.
    pub(super) fn eigenvalues(&self) -> &SVector<T, DIM> {
        self.eigen.values()
    }

    /// The probability that each direction is kept, descending.
    pub(super) fn probabilities(&self) -> [T; DIM] {
        match (self.progress, self.read_out) {
            (Progress::Fresh, ReadOut::Randomized) => [T::from_usize(KEEP) / T::from_usize(DIM); DIM],
            _ => self.probabilities,
        }
    }

    /// The directions that count, the most likely first, each with its probability.
    pub(super) fn directions(&self) -> impl Iterator<Item = (T, &[T; DIM])> {
        self.probabilities()
            .into_iter()
            .zip(&self.directions.data.0)
            .take(self.active)
    }

    /// The directions at these positions.
    pub(super) fn chosen<'a>(&'a self, positions: &'a Subset<DIM>) -> impl Iterator<Item = &'a [T; DIM]> + Clone {
        let directions = self.directions.data.0.iter().enumerate();
        directions.filter_map(|(position, direction)| positions.contains(position).then_some(direction))
    }

    /// The positions kept in one trial. Leaders are not drawn, and leave the generator alone.
    pub(super) fn draw<R: Rng + ?Sized>(&self, draw: Draw, rng: &mut R) -> Subset<DIM> {
        match self.read_out {
            ReadOut::Randomized => {
                let probabilities = self.probabilities();
                draw.keep(probabilities.get(..self.active).unwrap_or_default(), KEEP, rng)
            }
            ReadOut::Leader => {
                let mut leaders = Subset::EMPTY;
                for (position, &probability) in self.probabilities.iter().enumerate() {
                    if probability > T::ZERO {
                        leaders.insert(position);
                    }
                }
                leaders
            }
        }
    }

    /// pᵢ = 1 − exp(−max(0, ηλᵢ − τ)).
    fn hedged(&self, learning_rate: T) -> [T; DIM] {
        // Only differences count. Measured from the first direction that may have to go, those that decide are exact, where
        // ηλ itself would drown them in its rounding.
        let reference = self.eigen.values().iter().nth(KEEP).copied().unwrap_or(T::ZERO);
        let mut evidence = [T::ZERO; DIM];
        for (evidence, &value) in evidence.iter_mut().zip(self.eigen.values().iter()) {
            *evidence = (learning_rate * (value - reference)).min(T::MAX).max(-T::MAX);
        }
        let threshold = threshold(&evidence, Bulk::NONE, KEEP);
        evidence.map(|evidence| keep_probability(evidence, threshold))
    }

    /// One for each of the first `KEEP` directions that the data have, zero for all others.
    fn leaders(&self) -> [T; DIM] {
        // Eigenvalues are accurate to a few ε of the largest; what is smaller is no direction of the data.
        let largest = self.eigen.values().iter().next().copied().unwrap_or(T::ZERO);
        let floor = T::from_usize(4 * DIM) * T::EPSILON * largest;
        let mut probabilities = [T::ZERO; DIM];
        for (probability, &value) in probabilities.iter_mut().zip(self.eigen.values().iter()).take(KEEP) {
            if value > floor {
                *probability = T::ONE;
            }
        }
        probabilities
    }
}

stored_choice!(Progress { 0 = Fresh, 1 = Learned });
stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize] Prediction<T, DIM, KEEP> {
        read_out, progress, eigen, directions, probabilities, active
    }
    if sound
);

impl<T: Scalar, const DIM: usize, const KEEP: usize> Prediction<T, DIM, KEEP> {
    fn sound(&self) -> Result<(), CodecError> {
        check_orthonormal(&self.directions, self.active)?;
        sound::probabilities(&self.probabilities)
    }
}

/// The axes themselves: a basis for who knows nothing.
const fn axes<T: Scalar, const DIM: usize>() -> [[T; DIM]; DIM] {
    let mut axes = [[T::ZERO; DIM]; DIM];
    let mut i = 0;
    while i < DIM {
        axes[i][i] = T::ONE;
        i += 1;
    }
    axes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_far_beyond_its_own_rounding_still_sums_to_keep() {
        // ηλ = 7·10⁶ comes in steps of one half; four equal directions share two places all the same.
        let mut prediction = Prediction::<f32, 4, 2>::new(ReadOut::Randomized);
        prediction.refresh(&(SMatrix::identity() * 7.0), 1e6);
        for probability in prediction.probabilities() {
            assert!((probability - 0.5).abs() < 1e-6);
        }
    }

    #[test]
    fn a_reset_prediction_is_a_new_one() {
        for read_out in [ReadOut::Randomized, ReadOut::Leader] {
            let mut prediction = Prediction::<f32, 3, 1>::new(read_out);
            prediction.refresh(&SMatrix::repeat(1.0), 1.0);
            prediction.reset(&SMatrix::zeros());
            let fresh = Prediction::<f32, 3, 1>::new(read_out);
            assert_eq!(prediction.directions().count(), 3);
            assert!(prediction.directions().eq(fresh.directions()));
            assert_eq!(prediction.eigenvalues(), fresh.eigenvalues());
        }
    }
}
