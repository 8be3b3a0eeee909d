//! The directions of a scatter matrix, with the probability that each direction is kept.
//! In: the scatter C and a learning rate η. Out: the leading eigenvectors of C, each with the probability p that it is kept.
//! Method: [WK08] Algorithm 6, pᵢ = 1 − exp(−max(0, ηλᵢ − τ)) for all eigenvalues λᵢ of C, zeros included. The threshold τ makes
//! Σ pᵢ = `KEEP`. With Follow the Leader, p = 1 for the first `KEEP` directions of the data. Eigenvectors are computed only for
//! p > ε, because a smaller p is not above the rounding error of Σ pᵢ. At least `KEEP` eigenvectors are computed. Most trials
//! turn the directions only a little. `follow` computes the new directions from the last directions
//! (`spectrum::warm::after_sample`); a bound on all other eigenvalues proves that their directions are not kept. `find`
//! decomposes C instead if DIM < 6, if more than 6 or more than DIM/2 directions are in use, after a start or a merge, and if
//! `follow` fails or, by the eigenvalues of the last `find`, is likely to fail.
//! Cost: `follow` needs about (r + s)·(DIM² + 10·DIM) multiply-adds for r directions and s steps, at most eight; for every second
//! sample often less. `find` needs (2/3)·DIM³ to decompose C and about DIM² + 45·DIM for each vector. Kept: 2·DIM² + 6·DIM + 1
//! numbers, a count and two choices. `follow` computes in memory that is kept anyway: the new basis in the scratch of `eigen`,
//! the new vectors in the columns of `directions` that are not in use. Scratch: about 8·DIM numbers for `find`, DIM + 170 for
//! `follow`.

use crate::codec::{stored, validate};
use crate::learner::Progress;
use crate::pca::ReadOut;
use crate::rand_core::Rng;
use crate::spectrum::symmetric::{identity, set_identity};
use crate::spectrum::{Change, MOST, PartialEigen, RankOneTracker, check_orthonormal, every_position};
use crate::weights::{Bulk, Draw, Keeping, Subset};
use crate::{CodecError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// The smallest number of channels for `follow`. With fewer channels `find` costs less.
const WORTH_FOLLOWING: usize = 6;

/// Directions and their keep probabilities.
#[derive(Clone, Debug)]
pub(super) struct Prediction<T, const DIM: usize, const KEEP: usize> {
    read_out: ReadOut,
    /// Whether the probabilities were computed from a scatter. If not, each probability is `KEEP`/`DIM`, or zero with
    /// `ReadOut::Leader`. `alike` computes `KEEP`/`DIM`, because a const constructor cannot.
    progress: Progress,
    eigen: PartialEigen<T, DIM>,
    /// Eigenvectors by descending eigenvalue. The first `active` columns are in use.
    directions: SMatrix<T, DIM, DIM>,
    /// The probability p that each direction is kept, computed from the scatter; the entries are zero before the first scatter.
    probabilities: [T; DIM],
    /// The number of directions in use: those with a keep probability above zero, and at least `KEEP`. `DIM` before the first
    /// scatter.
    active: usize,
    /// The eigenvalues of the scatter, descending. Entries that were not computed are zero.
    eigenvalues: [T; DIM],
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Prediction<T, DIM, KEEP> {
    /// The prediction before the first scatter: the axes, with equal probabilities, which are zero with `ReadOut::Leader`.
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

    /// Resets the prediction to the state after `new`, except for the scratch memory `eigen`.
    pub(super) fn reset(&mut self) {
        set_identity(&mut self.directions);
        self.progress = Progress::Fresh;
        self.probabilities = [T::ZERO; DIM];
        self.active = DIM;
        self.eigenvalues = [T::ZERO; DIM];
    }

    /// Computes directions and probabilities of `scatter`, which is finite. `change` is the last change of the scatter.
    pub(super) fn refresh(&mut self, scatter: &SMatrix<T, DIM, DIM>, change: Change<'_, T, DIM>, learning_rate: T) {
        let few = DIM >= WORTH_FOLLOWING && self.active <= MOST.min(DIM / 2);
        let worth_trying = few && !RankOneTracker::would_stay_too_small(&self.eigenvalues, self.active);
        if !(worth_trying && self.follow(scatter, change, learning_rate)) {
            self.find(scatter, learning_rate);
        }
    }

    /// Computes the leading directions from the previous directions, which a sample turns only a little. Returns false if up to
    /// eight steps do not find these directions, or if a direction that was not computed could have a keep probability above
    /// zero. Returns false after fewer steps if further steps are not likely to help. If `follow` returns false, only the scratch
    /// of `eigen` and columns of `directions` that are not in use can have changed.
    #[inline(never)] // so that `find` does not need stack for the scratch of `follow`
    fn follow(&mut self, scatter: &SMatrix<T, DIM, DIM>, change: Change<'_, T, DIM>, learning_rate: T) -> bool {
        // The new vectors are written to columns that are not in use, so that the previous directions stay unchanged until the
        // new vectors are accepted.
        let Some((before, vectors)) = self.directions.data.0.split_at_mut_checked(self.active) else {
            return false;
        };
        let mut tracker = RankOneTracker::new(scatter, before, self.eigen.scratch());
        tracker.begin(&self.eigenvalues, change);
        loop {
            let grown = tracker.grow();
            if let Some(mut values) = tracker.values() {
                // The entry after the first `active` values is an upper bound on all eigenvalues that were not computed.
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
                // A vector that was not accepted can contain NaN. The encoded bytes contain all columns, and must be finite.
                for column in vectors.iter_mut().take(MOST) {
                    column.fill(T::ZERO);
                }
                return false;
            }
        }
    }

    /// Computes the leading directions from the scatter, without the previous directions.
    #[inline(never)]
    pub(super) fn find(&mut self, scatter: &SMatrix<T, DIM, DIM>, learning_rate: T) {
        // `decompose` returns no error for a finite matrix. The eigenvectors are orthonormal even if an iteration hits its bound.
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

    /// Stores `eigenvalues` and the probabilities of the first `active` directions; all other entries become zero. The caller has
    /// already stored the vectors.
    fn replace(&mut self, probabilities: &[T], active: usize, eigenvalues: &[T]) {
        overwrite(
            &mut self.probabilities,
            probabilities.get(..active).unwrap_or(probabilities),
        );
        overwrite(&mut self.eigenvalues, eigenvalues);
        self.active = active;
        self.progress = Progress::Learned;
    }

    /// Returns the `KEEP` largest eigenvalues of the scatter, descending; zeros before the first scatter.
    pub(super) fn eigenvalues(&self) -> &[T] {
        self.eigenvalues.get(..KEEP).unwrap_or_default()
    }

    /// Returns the probability that each direction is kept, descending.
    pub(super) fn probabilities(&self) -> [T; DIM] {
        self.alike()
            .map_or(self.probabilities, |probability| [probability; DIM])
    }

    /// Returns `KEEP`/`DIM`, the probability of every direction before the first scatter. Returns `None` after the first scatter,
    /// and with `ReadOut::Leader`.
    fn alike(&self) -> Option<T> {
        let fresh = (self.progress, self.read_out) == (Progress::Fresh, ReadOut::Randomized);
        fresh.then(|| T::from_usize(KEEP) / T::from_usize(DIM))
    }

    /// Returns the first `active` directions, each with its probability, by descending probability.
    pub(super) fn directions(&self) -> impl Iterator<Item = (T, &[T; DIM])> + Clone {
        let alike = self.alike();
        let probabilities = self.probabilities.iter();
        let probabilities = probabilities.map(move |&probability| alike.unwrap_or(probability));
        probabilities.zip(&self.directions.data.0).take(self.active)
    }

    /// Returns the directions at these positions.
    pub(super) fn chosen<'a>(&'a self, positions: &'a Subset<DIM>) -> impl Iterator<Item = &'a [T; DIM]> + Clone {
        let directions = self.directions.data.0.iter().enumerate().take(self.active);
        directions.filter_map(|(position, direction)| positions.contains(position).then_some(direction))
    }

    /// Returns the positions of the directions kept in one trial. `ReadOut::Leader` draws nothing and does not use `rng`.
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
}

/// Writes the values to the first entries of `target`, and zeros to all other entries.
fn overwrite<T: Scalar, const N: usize>(target: &mut [T; N], values: &[T]) {
    for (place, entry) in target.iter_mut().enumerate() {
        *entry = values.get(place).copied().unwrap_or(T::ZERO);
    }
}

/// Returns the keep probability p for each eigenvalue in `values`, and the number of directions in use: those of p > 0, and at
/// least `KEEP`.
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

/// Returns the keep probability pᵢ = 1 − exp(−max(0, ηλᵢ − τ)) for each eigenvalue λᵢ in `values`, with the learning rate η and
/// the threshold τ for which Σ pᵢ = `KEEP`. A pᵢ of ε or less is set to zero.
fn hedged<T: Scalar, const N: usize, const KEEP: usize>(values: &[T; N], learning_rate: T) -> [T; N] {
    let keeping = Keeping::of(values, Bulk::NONE, learning_rate, KEEP);
    // Σ p = `KEEP` ≥ 1, so a p of ε or less is not above the rounding error of the sum. If the evidence g = ηλ − τ is positive
    // and at most ε, p equals g up to rounding. So the test compares g with ε.
    values.map(|value| {
        if keeping.excess(value) > T::EPSILON {
            keeping.probability(value)
        } else {
            T::ZERO
        }
    })
}

/// Returns the keep probabilities of Follow the Leader: one for each of the first `KEEP` directions with an eigenvalue above
/// rounding, zero for all others.
fn leaders<T: Scalar, const N: usize, const KEEP: usize>(values: &[T; N], dimensions: usize) -> [T; N] {
    // Eigenvalues have an error of a few ε of the largest eigenvalue. An eigenvalue below this error does not show a direction of
    // the data.
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

impl<T: Scalar, const DIM: usize, const KEEP: usize> Prediction<T, DIM, KEEP> {
    fn validate(&self) -> Result<(), CodecError> {
        check_orthonormal(&self.directions, self.active)?;
        // The columns after `active` are axes, vectors of earlier trials, vectors that `follow` has accepted, or zero. The norm
        // of each is at most one up to rounding. The limits are ±2 to allow rounding.
        validate::within(T::TWO, self.directions.iter())?;
        validate::within(T::MAX, &self.eigenvalues)?;
        validate::probabilities(&self.probabilities)
    }
}

#[cfg(test)]
mod tests;
