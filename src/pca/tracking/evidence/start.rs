//! Evidence that is given and not learned. The evidence g of a direction is its eigenvalue in the evidence matrix G. The bulk is
//! all directions that are not stored.
//! In: directions with their keep probabilities p, or the eigenvalues λ and eigenvectors of a matrix. Out: the evidence matrix G.
//! Method: g = −ln(1 − p) for given directions, at most the ceiling (the upper limit of g). For a matrix g = rate·(λ − smallest
//! λ) for the RANK largest λ and zero for all other directions, then threshold, merging, rank cap and ceiling as after a sample
//! (see `evidence`). No share.
//! Cost: DIM·KEEP·(KEEP + 1) multiply-adds from directions; O(DIM³) if a given direction is less likely than the directions that
//! are not given. From a matrix: the computation of RANK eigenvectors.

use super::{Evidence, Update};
use crate::bounds::Excess;
use crate::scalar::sort::insertion_sort;
use crate::spectrum::{PartialEigen, complement::Complement, every_position};
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// Returns true if there is a density matrix W: after the first sample, after a start, or after a merge with a learner that
    /// has a density matrix.
    pub(in crate::pca::tracking) fn has_begun(&self) -> bool {
        // With a density matrix the keep probabilities p sum to at most KEEP < DIM, so the smallest p is below one. This is the p
        // of the bulk, if the bulk is not empty: `bulk_drop` = 1 − p is above zero. If the bulk is empty, a start or an update
        // sets `bulk_drop` to a number above zero. Without a density matrix `bulk_drop` is zero.
        self.bulk_drop > T::ZERO
    }

    /// Starts from directions that were checked, with the probability that each is kept. Every other direction is kept with
    /// probability `others`. The ceiling limits all evidence. Returns an error, and changes nothing, if a given probability is
    /// below `others` and RANK < DIM.
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
        // The evidence of the bulk must not exceed the evidence of a stored direction. So if a given direction is less likely
        // than the other directions, every direction is stored and the bulk is empty. This needs RANK = DIM.
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

    /// Appends one direction with its keep probability, which must not exceed the keep probabilities of the stored directions.
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

    /// Sets G to rate·A up to a multiple of I, where `eigen` is the decomposition of A, then applies threshold, merging, rank cap
    /// and ceiling. Only the RANK largest eigenvalues and the smallest eigenvalue of A are used. The excess becomes zero.
    pub(in crate::pca::tracking) fn replace(
        &mut self,
        eigen: &PartialEigen<T, DIM>,
        rate: T,
        keep: usize,
        update: &Update<T>,
    ) {
        *self = Self::new();
        let scores = eigen.values();
        // A multiple of I in A only shifts the threshold. So the smallest eigenvalue of A is subtracted first: smaller numbers
        // have smaller rounding errors.
        let least = scores.iter().last().copied().unwrap_or(T::ZERO);
        for (value, &score) in self.values.iter_mut().zip(scores.iter()) {
            *value = (rate * (score - least)).min(Update::largest());
        }
        let _ = eigen.vectors(&const { every_position::<RANK>() }, &mut self.directions);
        // All directions but the first RANK get the evidence of the bulk, zero, and not their score (eigenvalue of A). Either
        // their scores are below the threshold and have no effect, or the rank cap would remove their evidence.
        let rank = self.settle(RANK, keep, update, Update::<T>::largest());
        self.rank = rank as u32;
        self.forget_excess();
    }

    /// Sets the excess to zero. From this start on, the regret bound counts only the losses and the excess of later samples.
    /// Earlier changes of the evidence are part of the start: the bound contains them in the divergence of the best subspace from
    /// the start.
    pub(in crate::pca::tracking) fn forget_excess(&mut self) {
        self.excess = Excess::new();
    }
}

impl<T: Scalar> Update<T> {
    /// Returns g = −ln(1 − p) and 1 − p for p = `probability`, limited by the ceiling.
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
