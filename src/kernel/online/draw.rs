//! The chance in a trial of online kernel PCA.
//! In: a sample as seen from the directions, one uniform number. Out: its code in the directions drawn, and what that loses.
//! Method: systematic sampling; places that no direction has earned yet stay empty.
//! Cost: one `floor` a direction.

use super::OnlineKernelPca;
use super::directions::Coordinates;
use crate::Scalar;
use crate::kernel::Kernel;
use crate::learner::trial::Trial;
use crate::rand_core::Rng;
use crate::spectrum::vector::dot;
use crate::weights::{Subset, select};

/// What rounding may take from the sum of probabilities.
const ROUNDING: f64 = 1e-5;

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Draws the directions to keep and reports what the sample loses in them.
    pub(super) fn draw<R: Rng + ?Sized>(&self, coordinates: &Coordinates<T, RANK>, rng: &mut R) -> Trial<T, KEEP> {
        let kept = self.kept(T::uniform(rng));
        let mut code = [T::ZERO; KEEP];
        for (entry, position) in code.iter_mut().zip(kept.iter()) {
            *entry = coordinates.values.get(position).copied().unwrap_or(T::ZERO);
        }
        Trial {
            code,
            loss: T::ZERO.max(coordinates.energy - dot(&code, &code)),
            expected_loss: self.directions.expected_loss(coordinates, self.outside_probability()),
        }
    }

    /// The directions kept in one trial, each with its probability: those that the points have shown, as a code can hold no other.
    fn kept(&self, uniform: T) -> Subset<RANK> {
        let probabilities = self.directions.probabilities();
        let mut sum = T::ZERO;
        for &probability in probabilities {
            sum += probability;
        }
        let all = T::from_usize(KEEP) - sum <= T::from_f64(ROUNDING) && probabilities.len() >= KEEP;
        if all {
            return select(probabilities, KEEP, uniform);
        }
        // Systematic sampling, where the places that no listed direction fills stay empty.
        let mut kept = Subset::EMPTY;
        let mut cumulative = T::ZERO;
        let mut passed = (-uniform).floor();
        for (position, &probability) in probabilities.iter().enumerate() {
            cumulative += probability;
            let passes = (cumulative - uniform).floor();
            if passes > passed && kept.len() < KEEP {
                kept.insert(position);
            }
            passed = passes;
        }
        kept
    }
}
