//! The directions of a scatter matrix with their keep probabilities, [WK08] Algorithm 6.
//! Method: `follow` computes the new directions from the last ones and proves by a bound that no other direction is
//! kept. `find` decomposes C if DIM < 6, if more than 6 or more than DIM/2 directions are in use, after a start or
//! merge, and where `follow` fails or is likely to.
//! Cost: `follow` about (r + s)·(DIM² + 2·(r + s + 3)·DIM) multiply-adds for r directions and s ≤ 8 steps; `find` about
//! (2/3)·DIM³, and DIM² for each vector.

use crate::codec::{stored, validate};
use crate::learner::Progress;
use crate::pca::ReadOut;
use crate::rand_core::Rng;
use crate::spectrum::symmetric::{identity, set_identity};
use crate::spectrum::{Change, MOST, PartialEigen, RankOneTracker, check_orthonormal, every_position};
use crate::weights::{Bulk, Draw, Keeping, Subset};
use crate::{CodecError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// With fewer channels `find` costs less than `follow`.
const WORTH_FOLLOWING: usize = 6;

/// Directions and their keep probabilities.
#[derive(Clone, Debug)]
pub(super) struct Prediction<T, const DIM: usize, const KEEP: usize> {
    read_out: ReadOut,
    /// While this is `Fresh`, `alike` computes the keep probability `KEEP`/`DIM`, because a const constructor cannot.
    progress: Progress,
    eigen: PartialEigen<T, DIM>,
    /// Eigenvectors by descending eigenvalue; the first `active` columns are in use.
    directions: SMatrix<T, DIM, DIM>,
    /// The keep probabilities of the directions; zero before the first scatter.
    probabilities: [T; DIM],
    /// How many directions have p > 0, at least `KEEP`; `DIM` before the first scatter.
    active: usize,
    /// The eigenvalues of the scatter, descending; entries that were not computed are zero.
    eigenvalues: [T; DIM],
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Prediction<T, DIM, KEEP> {
    /// The axes, with equal probabilities (zero with `ReadOut::Leader`).
    pub(super) const fn new(read_out: ReadOut) -> Self {
        Self {
            read_out,
            progress: Progress::Fresh,
            eigen: PartialEigen::new(),
            directions: SMatrix::from_array_storage(ArrayStorage(identity())),
            probabilities: [T::ZERO; DIM],
            active: DIM,
            eigenvalues: [T::ZERO; DIM],
        }
    }

    /// Restores the state of `new`; only the scratch of `eigen` stays.
    pub(super) fn reset(&mut self) {
        set_identity(&mut self.directions);
        self.progress = Progress::Fresh;
        self.probabilities = [T::ZERO; DIM];
        self.active = DIM;
        self.eigenvalues = [T::ZERO; DIM];
    }

    /// Computes directions and probabilities of a finite `scatter`, whose last change is `change`.
    pub(super) fn refresh(&mut self, scatter: &SMatrix<T, DIM, DIM>, change: Change<'_, T, DIM>, learning_rate: T) {
        let few = DIM >= WORTH_FOLLOWING && self.active <= MOST.min(DIM / 2);
        let worth_trying = few && !RankOneTracker::would_stay_too_small(&self.eigenvalues, self.active);
        if !(worth_trying && self.follow(scatter, change, learning_rate)) {
            self.find(scatter, learning_rate);
        }
    }

    /// Computes the directions from the last ones. Returns false if this fails or is likely to fail, or if a direction
    /// that was not computed could be kept. Then only scratch and unused columns have changed.
    // Not inlined: if `follow` and `find` stay apart, the stack is 544 bytes smaller at opt-level 3, with 20 channels
    // and KEEP 3.
    #[inline(never)]
    fn follow(&mut self, scatter: &SMatrix<T, DIM, DIM>, change: Change<'_, T, DIM>, learning_rate: T) -> bool {
        // Unused columns take the new vectors until these are accepted.
        let Some((before, vectors)) = self.directions.data.0.split_at_mut_checked(self.active) else {
            return false;
        };
        let mut tracker = RankOneTracker::new(scatter, before, self.eigen.scratch());
        tracker.begin(&self.eigenvalues, change);
        loop {
            let grown = tracker.grow();
            if let Some(mut values) = tracker.values() {
                // The entry after the first `active` values bounds all eigenvalues that were not computed.
                let mut weighed = [T::ZERO; MOST + 1];
                for (target, &value) in weighed.iter_mut().zip(&values) {
                    *target = value;
                }
                if let Some(target) = weighed.get_mut(self.active) {
                    *target = tracker.bound();
                }
                let (probabilities, active) = weigh::<T, _, DIM, KEEP>(self.read_out, &weighed, learning_rate);
                let mut neighbours = weighed.iter().zip(weighed.iter().skip(1));
                let told_apart = neighbours.all(|(above, below)| above >= below);
                if told_apart && active <= self.active && tracker.vectors(vectors, &mut values) {
                    for (target, vector) in before.iter_mut().zip(vectors) {
                        core::mem::swap(target, vector);
                    }
                    self.replace(&probabilities, active, values.get(..active).unwrap_or_default());
                    return true;
                }
            }
            if !grown || tracker.stays_too_small() {
                // A refused vector can contain NaN, and the encoded columns must be finite.
                for column in vectors.iter_mut().take(MOST) {
                    column.fill(T::ZERO);
                }
                return false;
            }
        }
    }

    /// Computes the directions from the scatter alone.
    // Not inlined, see `follow`.
    #[inline(never)]
    pub(super) fn find(&mut self, scatter: &SMatrix<T, DIM, DIM>, learning_rate: T) {
        // A finite matrix gives no error; the vectors are orthonormal even if the iteration stops at its limit.
        if self.eigen.decompose(scatter).is_err() {
            return;
        }
        let values = self.eigen.values().data.0.first().copied().unwrap_or([T::ZERO; DIM]);
        let (probabilities, active) = weigh::<T, _, DIM, KEEP>(self.read_out, &values, learning_rate);
        let positions = const { every_position::<DIM>() };
        let chosen = positions.get(..active).unwrap_or_default();
        let _ = self.eigen.vectors(chosen, &mut self.directions);
        self.replace(&probabilities, active, &values);
    }

    /// Stores `eigenvalues` and the probabilities of the first `active` directions, whose vectors are stored already.
    fn replace(&mut self, probabilities: &[T], active: usize, eigenvalues: &[T]) {
        let in_use = probabilities.get(..active).unwrap_or(probabilities);
        overwrite(&mut self.probabilities, in_use);
        overwrite(&mut self.eigenvalues, eigenvalues);
        self.active = active;
        self.progress = Progress::Learned;
    }

    pub(super) fn eigenvalues(&self) -> &[T] {
        self.eigenvalues.get(..KEEP).unwrap_or_default()
    }

    pub(super) fn probabilities(&self) -> [T; DIM] {
        self.alike()
            .map_or(self.probabilities, |probability| [probability; DIM])
    }

    /// `KEEP`/`DIM`, the keep probability of all directions before the first scatter; `None` later, and with
    /// `ReadOut::Leader`.
    fn alike(&self) -> Option<T> {
        let fresh = (self.progress, self.read_out) == (Progress::Fresh, ReadOut::Randomized);
        fresh.then(|| T::from_usize(KEEP) / T::from_usize(DIM))
    }

    /// The first `active` directions by descending probability.
    pub(super) fn directions(&self) -> impl Iterator<Item = (T, &[T; DIM])> + Clone {
        let alike = self.alike();
        let probabilities = self.probabilities.iter();
        let probabilities = probabilities.map(move |&probability| alike.unwrap_or(probability));
        probabilities.zip(&self.directions.data.0).take(self.active)
    }

    pub(super) fn chosen<'a>(&'a self, positions: &'a Subset<DIM>) -> impl Iterator<Item = &'a [T; DIM]> + Clone {
        let directions = self.directions.data.0.iter().enumerate().take(self.active);
        directions.filter_map(|(position, direction)| positions.contains(position).then_some(direction))
    }

    /// The positions of the kept directions of one trial.
    pub(super) fn draw<D: Draw, R: Rng + ?Sized>(&self, rng: &mut R) -> Subset<DIM> {
        match self.read_out {
            ReadOut::Randomized => {
                let probabilities = self.probabilities();
                D::keep(probabilities.get(..self.active).unwrap_or_default(), KEEP, rng)
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

    fn validate(&self) -> Result<(), CodecError> {
        check_orthonormal(&self.directions, self.active)?;
        // Each column has a length of at most one; ±2 allows rounding.
        validate::within(T::TWO, self.directions.iter())?;
        validate::within(T::MAX, &self.eigenvalues)?;
        validate::probabilities(&self.probabilities)
    }
}

/// Copies `values` to `target`, and fills the rest of `target` with zeros.
fn overwrite<T: Scalar, const N: usize>(target: &mut [T; N], values: &[T]) {
    for (place, entry) in target.iter_mut().enumerate() {
        *entry = values.get(place).copied().unwrap_or(T::ZERO);
    }
}

/// Returns the keep probabilities and the number of directions in use.
fn weigh<T: Scalar, const N: usize, const DIM: usize, const KEEP: usize>(
    read_out: ReadOut,
    values: &[T; N],
    learning_rate: T,
) -> ([T; N], usize) {
    let probabilities = match read_out {
        ReadOut::Randomized => hedged::<T, N, KEEP>(values, learning_rate),
        ReadOut::Leader => leaders::<T, N, KEEP>(values, DIM),
    };
    let kept = probabilities.iter().take_while(|&&probability| probability > T::ZERO);
    (probabilities, kept.count().max(KEEP))
}

/// Returns pᵢ = 1 − exp(−max(0, ηλᵢ − τ)) for the eigenvalues λᵢ = `values`.
fn hedged<T: Scalar, const N: usize, const KEEP: usize>(values: &[T; N], learning_rate: T) -> [T; N] {
    let keeping = Keeping::of(values, Bulk::NONE, learning_rate, KEEP);
    // A p of at most ε counts as zero: it is at most the rounding error of Σ p, because Σ p ≥ 1. If the evidence is at
    // most ε, p equals the evidence up to rounding.
    values.map(|value| {
        if keeping.excess(value) > T::EPSILON {
            keeping.probability(value)
        } else {
            T::ZERO
        }
    })
}

/// Returns the keep probability one for the first `KEEP` eigenvalues if they are above rounding error, and zero for all
/// others.
fn leaders<T: Scalar, const N: usize, const KEEP: usize>(values: &[T; N], dimensions: usize) -> [T; N] {
    // An eigenvalue up to this floor can be rounding error alone.
    let largest = values.first().copied().unwrap_or(T::ZERO);
    let floor = T::from_usize(4 * dimensions) * T::EPSILON * largest;
    let mut probabilities = [T::ZERO; N];
    for (probability, &value) in probabilities.iter_mut().zip(values).take(KEEP) {
        if value > floor {
            *probability = T::ONE;
        }
    }
    probabilities
}

stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize] Prediction<T, DIM, KEEP> {
        read_out, progress, eigenvalues, directions, probabilities, active
    }
    renewed { eigen }
    if validate
);

#[cfg(test)]
mod tests;
