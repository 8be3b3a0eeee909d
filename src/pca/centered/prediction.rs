//! Which directions a scatter matrix speaks for, and how strongly.
//! In: the scatter C and a learning rate η. Out: its leading eigenvectors with the probability that each is kept.
//! Method: [WK08] Algorithm 6, pᵢ = 1 − exp(−max(0, ηλᵢ − τ)) over all eigenvalues, zeros included, τ such that Σ pᵢ = `KEEP`;
//! or Follow the Leader, the first `KEEP` for certain. Vectors are computed for p > ε only; below that Σ pᵢ is the same
//! without them. Most trials turn the directions a little: they are found from the last ones (`spectrum::warm::after_sample`), and all
//! other eigenvalues are shown to lie at or below τ/η by a bound. Where that fails the whole matrix is decomposed.
//! Cost: some DIM² + 10·DIM multiply-adds to follow a direction and for each of one to eight steps; (2/3)·DIM³ to decompose and
//! about DIM² + 45·DIM for each vector. Kept: 2·DIM² + 6·DIM + 1 numbers, a count and two choices. Scratch: 17·DIM + 120 numbers.

use crate::codec::{stored, validate};
use crate::learner::Progress;
use crate::pca::ReadOut;
use crate::rand_core::Rng;
use crate::spectrum::symmetric::{identity, set_identity};
use crate::spectrum::{Change, MOST, PartialEigen, RankOneTracker, check_orthonormal, every_position};
use crate::weights::{Bulk, Draw, Keeping, Subset};
use crate::{CodecError, Scalar};
use heapless::Vec;
use nalgebra::{ArrayStorage, SMatrix};

/// In fewer channels, finding all directions costs less than following some.
const WORTH_FOLLOWING: usize = 6;

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
    /// The eigenvalues of the scatter, descending; zero where it was not computed.
    eigenvalues: [T; DIM],
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Prediction<T, DIM, KEEP> {
    /// Of no scatter: the axes, with equal probabilities.
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

    /// As new.
    pub(super) fn reset(&mut self) {
        set_identity(&mut self.directions);
        self.progress = Progress::Fresh;
        self.probabilities = [T::ZERO; DIM];
        self.active = DIM;
        self.eigenvalues = [T::ZERO; DIM];
    }

    /// Of this scatter, which is finite, and of which `change` tells how it came from the one before.
    pub(super) fn refresh(&mut self, scatter: &SMatrix<T, DIM, DIM>, change: Change<'_, T, DIM>, learning_rate: T) {
        let few = DIM >= WORTH_FOLLOWING && self.active <= MOST.min(DIM / 2);
        if !(few && self.follow(scatter, change, learning_rate)) {
            self.find(scatter, learning_rate);
        }
    }

    /// The leading directions, from those before: a sample turns them a little. False, and nothing changed, if they are not
    /// found in a few steps, or if what is not found could count.
    #[inline(never)] // keeps its scratch off the stack of the other way
    fn follow(&mut self, scatter: &SMatrix<T, DIM, DIM>, change: Change<'_, T, DIM>, learning_rate: T) -> bool {
        let before = self.directions.data.0.get(..self.active).unwrap_or_default();
        let mut tracker = RankOneTracker::new(scatter, before);
        tracker.begin(&self.eigenvalues, change);
        let mut vectors = Vec::<[T; DIM], MOST>::new();
        loop {
            let grown = tracker.grow();
            if let Some(mut values) = tracker.values() {
                // All that is not found stands behind the active values as one, at its upper bound.
                let mut weighed = [T::ZERO; MOST + 1];
                for (target, &value) in weighed.iter_mut().zip(&values).take(self.active) {
                    *target = value;
                }
                if let Some(target) = weighed.get_mut(self.active) {
                    *target = tracker.bound();
                }
                let (probabilities, active) = self.weigh(&weighed, learning_rate);
                let mut neighbours = weighed.iter().zip(weighed.iter().skip(1));
                let told_apart = neighbours.all(|(above, below)| above >= below);
                if told_apart && active <= self.active && tracker.vectors(&mut vectors, &mut values) {
                    for (target, vector) in self.directions.data.0.iter_mut().zip(&vectors) {
                        *target = *vector;
                    }
                    self.replace(&probabilities, active, values.get(..active).unwrap_or_default());
                    return true;
                }
            }
            if !grown {
                return false;
            }
        }
    }

    /// The leading directions, from the scatter alone.
    #[inline(never)]
    pub(super) fn find(&mut self, scatter: &SMatrix<T, DIM, DIM>, learning_rate: T) {
        // A finite matrix is never refused, and whatever the solver answers is orthonormal.
        if self.eigen.decompose(scatter).is_err() {
            return;
        }
        let values = self.eigen.values().data.0.first().copied().unwrap_or([T::ZERO; DIM]);
        let (probabilities, active) = self.weigh(&values, learning_rate);
        let positions = const { every_position::<DIM>() };
        let chosen = positions.get(..active).unwrap_or_default();
        let _ = self.eigen.vectors(chosen, &mut self.directions);
        self.replace(&probabilities, active, &values);
    }

    /// Takes over the results for the first `active` directions, whose vectors are in place.
    fn replace(&mut self, probabilities: &[T], active: usize, eigenvalues: &[T]) {
        self.probabilities = [T::ZERO; DIM];
        for (target, &probability) in self.probabilities.iter_mut().zip(probabilities).take(active) {
            *target = probability;
        }
        self.eigenvalues = [T::ZERO; DIM];
        for (target, &value) in self.eigenvalues.iter_mut().zip(eigenvalues) {
            *target = value;
        }
        self.active = active;
        self.progress = Progress::Learned;
    }

    /// The probability that each of the eigenvalues' directions is kept, and how many count: those of p > 0, and `KEEP` at
    /// least.
    fn weigh<const N: usize>(&self, values: &[T; N], learning_rate: T) -> ([T; N], usize) {
        let probabilities = match self.read_out {
            ReadOut::Randomized => hedged::<T, N, KEEP>(values, learning_rate),
            ReadOut::Leader => leaders::<T, N, KEEP>(values, DIM),
        };
        let kept = probabilities.iter().take_while(|&&probability| probability > T::ZERO);
        (probabilities, kept.count().max(KEEP))
    }

    /// The `KEEP` largest eigenvalues of the scatter, descending.
    pub(super) fn eigenvalues(&self) -> &[T] {
        self.eigenvalues.get(..KEEP).unwrap_or_default()
    }

    /// The probability that each direction is kept, descending.
    pub(super) fn probabilities(&self) -> [T; DIM] {
        self.alike()
            .map_or(self.probabilities, |probability| [probability; DIM])
    }

    /// The probability that all directions have before there is evidence for any.
    fn alike(&self) -> Option<T> {
        let fresh = (self.progress, self.read_out) == (Progress::Fresh, ReadOut::Randomized);
        fresh.then(|| T::from_usize(KEEP) / T::from_usize(DIM))
    }

    /// The directions that count, the most likely first, each with its probability.
    pub(super) fn directions(&self) -> impl Iterator<Item = (T, &[T; DIM])> + Clone {
        let alike = self.alike();
        let probabilities = self.probabilities.iter();
        let probabilities = probabilities.map(move |&probability| alike.unwrap_or(probability));
        probabilities.zip(&self.directions.data.0).take(self.active)
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
}

/// pᵢ = 1 − exp(−max(0, ηλᵢ − τ)), and zero where it would be ε or less.
fn hedged<T: Scalar, const N: usize, const KEEP: usize>(values: &[T; N], learning_rate: T) -> [T; N] {
    let keeping = Keeping::of(values, Bulk::NONE, learning_rate, KEEP);
    // Σ p = `KEEP` ≥ 1, so a probability of ε or less is within the rounding of the sum. For g ≤ ε, p = g.
    values.map(|value| {
        if keeping.excess(value) > T::EPSILON {
            keeping.probability(value)
        } else {
            T::ZERO
        }
    })
}

/// One for each of the first `KEEP` directions that the data have, zero for all others.
fn leaders<T: Scalar, const N: usize, const KEEP: usize>(values: &[T; N], dimensions: usize) -> [T; N] {
    // Eigenvalues are accurate to a few ε of the largest; what is smaller is no direction of the data.
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
        // The others are rest of older trials, orthonormal then: no entry of theirs is above one.
        validate::within(T::TWO, self.directions.iter())?;
        validate::within(T::MAX, &self.eigenvalues)?;
        validate::probabilities(&self.probabilities)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::symmetric::{add_outer, scale_upper};
    use crate::spectrum::vector::dot;

    /// A change that a prediction without directions does not read.
    fn from_nothing<const DIM: usize>() -> Change<'static, f32, DIM> {
        Change {
            retention: 1.0,
            weight: 0.0,
            sample: &[0.0; DIM],
            energy: 0.0,
        }
    }

    #[test]
    fn evidence_far_beyond_its_own_rounding_still_sums_to_keep() {
        // ηλ = 7·10⁶ comes in steps of one half; four equal directions share two places all the same.
        let mut prediction = Prediction::<f32, 4, 2>::new(ReadOut::Randomized);
        prediction.refresh(&(SMatrix::identity() * 7.0), from_nothing(), 1e6);
        for probability in prediction.probabilities() {
            assert!((probability - 0.5).abs() < 1e-6);
        }
    }

    #[test]
    fn a_reset_prediction_is_a_new_one() {
        for read_out in [ReadOut::Randomized, ReadOut::Leader] {
            let mut prediction = Prediction::<f32, 3, 1>::new(read_out);
            prediction.refresh(&SMatrix::repeat(1.0), from_nothing(), 1.0);
            prediction.reset();
            let fresh = Prediction::<f32, 3, 1>::new(read_out);
            assert_eq!(prediction.directions().count(), 3);
            assert!(prediction.directions().eq(fresh.directions()));
            assert_eq!(prediction.eigenvalues(), fresh.eigenvalues());
        }
    }

    /// A scatter that grows sample by sample, with two strong directions that change half way.
    fn followed_and_found_agree<T: Scalar>(read_out: ReadOut, retention: f64, tolerance: f64) {
        const DIM: usize = 16;
        let mut scatter = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM]));
        let mut followed = Prediction::<T, DIM, 2>::new(read_out);
        let mut found = Prediction::<T, DIM, 2>::new(read_out);
        let mut ways = 0;
        for trial in 0..300_u32 {
            // Any numbers that do not repeat: k²·φ modulo one.
            let mut noise = (0..DIM as u32).map(|i| {
                let k = f64::from(trial * DIM as u32 + i);
                (k * k * 0.618_033_988_749_895).fract() - 0.5
            });
            let strong = usize::from(trial >= 150) * 4;
            let sample: [T; DIM] = core::array::from_fn(|i| {
                let size = if i == strong || i == strong + 1 { 2.0 } else { 0.1 };
                T::from_f64(size * noise.next().unwrap_or_default())
            });
            let retention = T::from_f64(retention);
            scale_upper(&mut scatter, retention);
            add_outer(&mut scatter, T::ONE, &sample);
            let change = Change {
                retention,
                weight: T::ONE,
                sample: &sample,
                energy: dot(&sample, &sample),
            };
            if followed.active <= MOST && followed.follow(&scatter, change, T::ONE) {
                ways += 1;
            } else {
                followed.find(&scatter, T::ONE);
            }
            found.find(&scatter, T::ONE);
            for ((p, v), (q, w)) in followed.directions().zip(found.directions()) {
                let off = (p - q).abs().to_f64();
                assert!(off < tolerance, "probability, trial {trial}: {off:e}");
                // A direction that hardly counts is as open as its probability is small.
                let turned = q.to_f64() * (T::ONE - dot(v, w).abs()).abs().to_f64();
                assert!(turned < tolerance, "direction, trial {trial}: {turned:e}");
            }
            for (value, exact) in followed.eigenvalues().iter().zip(found.eigenvalues) {
                assert!((*value - exact).abs().to_f64() < tolerance * exact.to_f64());
            }
        }
        // Otherwise nothing was compared.
        assert!(ways > 100, "followed {ways} times");
    }

    #[test]
    fn directions_that_are_followed_are_those_of_the_whole_matrix() {
        for read_out in [ReadOut::Randomized, ReadOut::Leader] {
            for retention in [1.0, 0.97] {
                followed_and_found_agree::<f32>(read_out, retention, 1e-4);
                followed_and_found_agree::<f64>(read_out, retention, 1e-11);
            }
        }
    }
}
