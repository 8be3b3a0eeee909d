//! Evidence that is given and not learned.
//! Method: −ln(1 − p) for given directions, at most the ceiling. From a matrix with eigenvalues λ: rate·(λ − smallest
//! λ) for the RANK largest λ, zero for all others; then `settle` as after a sample, without a share.
//! Cost: DIM·KEEP·(KEEP + 1) multiply-adds from directions, O(DIM³) if one is less likely than the others; RANK
//! eigenvectors from a matrix.

use super::{Evidence, Update};
use crate::bounds::Excess;
use crate::scalar::sort::insertion_sort;
use crate::spectrum::{PartialEigen, complement::Complement, every_position};
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// Whether there is a density matrix: after the first sample, a start, or a merge.
    pub(in crate::pca::tracking) fn has_begun(&self) -> bool {
        // If so, the keep probability of the bulk is the smallest and below one. For an empty bulk, starts and updates
        // set `bulk_drop` above zero.
        self.bulk_drop > T::ZERO
    }

    /// Starts from checked directions; an error, and no change, if one is less likely than `others` and RANK < DIM.
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
        // A stored direction must not have less evidence than the bulk. So with an unlikely direction every direction
        // is stored, and the bulk is empty.
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

    /// Appends one direction, at most as likely as the stored ones.
    fn append(&mut self, direction: [T; DIM], probability: T, update: &Update<T>) {
        let place = self.rank();
        if let (Some(column), Some(value), Some(drop)) = (
            self.directions.data.0.get_mut(place),
            self.values.get_mut(place),
            self.drops.get_mut(place),
        ) {
            *column = direction;
            (*value, *drop) = update.evidence_of(probability);
            self.rank = self.rank.wrapping_add(1);
        }
    }

    /// Sets G to rate·A up to a multiple of I, where `eigen` is the decomposition of A, and calls `settle`; the excess
    /// becomes zero.
    pub(in crate::pca::tracking) fn replace(
        &mut self,
        eigen: &PartialEigen<T, DIM>,
        rate: T,
        keep: usize,
        update: &Update<T>,
    ) {
        *self = Self::new();
        let scores = eigen.values();
        // A multiple of I only shifts the threshold, and smaller numbers have smaller rounding errors.
        let least = scores.iter().last().copied().unwrap_or(T::ZERO);
        for (value, &score) in self.values.iter_mut().zip(scores.iter()) {
            *value = (rate * (score - least)).min(Update::largest());
        }
        let _ = eigen.vectors(&const { every_position::<RANK>() }, &mut self.directions);
        // All other directions get the evidence zero: their eigenvalues are below the threshold, or the rank cap would
        // remove them.
        let rank = self.settle(RANK, keep, update, Update::<T>::largest());
        self.rank = rank as u32;
        self.forget_excess();
    }

    /// Sets the excess to zero: the divergence of this start, a term of the bound, contains the earlier changes.
    pub(in crate::pca::tracking) fn forget_excess(&mut self) {
        self.excess = Excess::new();
    }
}

impl<T: Scalar> Update<T> {
    /// Returns g = −ln(1 − p) and 1 − p, limited by the ceiling.
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
