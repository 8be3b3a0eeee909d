//! Evidence that is given and not learned.
//! In: directions with their keep probabilities, or a matrix by its eigenvalues λ and eigenvectors. Out: the evidence G of either.
//! Method: g = −ln(1 − p); or rate·λ for all `DIM` directions, threshold, rank cap and ceiling as after a sample. No share.
//! Cost: DIM·KEEP² multiply-adds from directions, DIM² more for each direction that is not named where one of the named is less
//! likely; from a matrix RANK eigenvectors.

use super::{Evidence, Update};
use crate::bounds::Excess;
use crate::scalar::sort::insertion_sort;
use crate::spectrum::{PartialEigen, complement::Complement, every_position};
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// Whether there is a W: a first sample or a start.
    pub(in crate::pca::tracking) fn has_begun(&self) -> bool {
        // Σp = k < n leaves the bulk some probability to be dropped.
        self.bulk_drop > T::ZERO
    }

    /// Starts from directions that were checked, each with its probability; every other direction has the probability `others`.
    pub(in crate::pca::tracking) fn start_from<const KEEP: usize>(
        &mut self,
        directions: &SMatrix<T, DIM, KEEP>,
        probabilities: &[T; KEEP],
        others: T,
        update: &Update<T>,
    ) -> Result<(), MatrixError> {
        let mut order = every_position::<KEEP>();
        let probability = |&place: &usize| probabilities.get(place).copied().unwrap_or(T::ZERO);
        insertion_sort(&mut order, |left, right| probability(left) >= probability(right));
        let above = order.iter().take_while(|place| probability(place) >= others).count();
        let (likely, unlikely) = order.split_at_checked(above).unwrap_or((&order, &[]));
        // A bulk above a stored direction cannot be held: then every direction is stored, and there is no bulk.
        if let Some(&index) = unlikely.first()
            && RANK < DIM
        {
            return Err(MatrixError::Probability { index });
        }
        *self = Self::new();
        let columns = &directions.data.0;
        let named = |place: &usize| columns.get(*place).zip(probabilities.get(*place));
        for (direction, &probability) in likely.iter().filter_map(named) {
            self.append(*direction, probability, update);
        }
        if unlikely.is_empty() {
            (self.bulk, self.bulk_drop) = update.evidence_of(others);
        } else {
            let mut complement = Complement::<T, DIM, KEEP>::new();
            complement.prepare(columns);
            for index in 0..DIM.saturating_sub(KEEP) {
                self.append(complement.direction(index), others, update);
            }
            for (direction, &probability) in unlikely.iter().filter_map(named) {
                self.append(*direction, probability, update);
            }
            (self.bulk, self.bulk_drop) = (T::ZERO, T::ONE);
        }
        self.tidy();
        Ok(())
    }

    /// Stores one more direction, no likelier than those before.
    fn append(&mut self, direction: [T; DIM], probability: T, update: &Update<T>) {
        let place = self.rank();
        if let (Some(column), Some(value), Some(drop)) = (
            self.directions.data.0.get_mut(place),
            self.values.get_mut(place),
            self.drops.get_mut(place),
        ) {
            *column = direction;
            (*value, *drop) = update.evidence_of(probability);
            self.rank += 1;
        }
    }

    /// G ← rate·A of a decomposed matrix A, then threshold, rank cap and ceiling.
    pub(in crate::pca::tracking) fn replace(
        &mut self,
        eigen: &PartialEigen<T, DIM>,
        rate: T,
        keep: usize,
        update: &Update<T>,
    ) {
        *self = Self::new();
        let scores = eigen.values();
        // The threshold takes any multiple of I away: begin at the least score, which leaves the others most digits.
        let least = scores.iter().last().copied().unwrap_or(T::ZERO);
        for (value, &score) in self.values.iter_mut().zip(scores.iter()) {
            *value = (rate * (score - least)).min(Update::largest());
        }
        let _ = eigen.vectors(&const { every_position::<RANK>() }, &mut self.directions);
        // Scores behind the first RANK stand at the bulk, zero. Either they are below the threshold and mean nothing, or the rank
        // cap would take away what they have above it.
        let rank = self.settle(RANK, keep, update, Update::<T>::largest());
        self.rank = rank as u32;
        self.forget_excess();
    }

    /// The bound counts from here on: the price of earlier changes is in the divergence of the start.
    pub(in crate::pca::tracking) fn forget_excess(&mut self) {
        self.excess = Excess::new();
    }
}

impl<T: Scalar> Update<T> {
    /// g = −ln(1 − p) and 1 − p, no further than the ceiling.
    fn evidence_of(&self, probability: T) -> (T, T) {
        let drop = T::ONE - probability;
        let value = T::ZERO.max(-drop.ln());
        if value > self.ceiling {
            (self.ceiling, self.ceiling_drop)
        } else {
            (value, drop)
        }
    }
}
