//! Streams that are likely to break a bound: random, cyclic, orthogonal, and climbing.

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::Eigen;

use super::subject::Certified;
use super::{Class, Dice, axis, unit};

/// Number of samples between two computations of the best subspace, for `Class::Climbing`.
const LOOK_EVERY: usize = 4;

/// Generator of one stream.
pub(super) struct Source<const DIM: usize> {
    class: Class,
    /// Lengths of the samples.
    lengths: Lengths,
    /// Directions to choose from.
    basis: [[f64; DIM]; DIM],
    /// Number of vectors of `basis` that are in use.
    count: usize,
    /// Number of samples in a row with one direction.
    hold: usize,
    /// Number of samples between two changes of the directions.
    segment: usize,
    /// Size of the noise that is added to the direction.
    noise: f64,
    /// Weight of the loss of the best subspace, for `Class::Climbing`.
    restraint: f64,
    /// Directions of the best subspace so far, for `Class::Climbing`.
    best: Vec<[f64; DIM]>,
    made: usize,
}

/// Lengths of the samples.
enum Lengths {
    /// All samples have this length.
    Equal(f64),
    /// The lengths are uniform up to this one.
    Any(f64),
    /// On average one sample in five has this length, the others a twentieth of it.
    Bursts(f64),
}

impl<const DIM: usize> Source<DIM> {
    pub(super) fn new(class: Class, dice: &mut Dice) -> Self {
        let length = [1.0, 1.0, 0.3, 2.0][dice.below(4)];
        let mut source = Self {
            class,
            lengths: match dice.below(4) {
                0 => Lengths::Any(length),
                1 => Lengths::Bursts(length),
                _ => Lengths::Equal(length),
            },
            basis: core::array::from_fn(axis),
            count: 2 + dice.below(DIM - 1),
            hold: 1 + dice.below(4) * dice.below(20),
            segment: 10 + dice.below(300),
            noise: [0.0, 0.0, 1e-3, 0.1][dice.below(4)],
            restraint: [0.0, 0.5, 1.0, 1.0][dice.below(4)],
            best: Vec::new(),
            made: 0,
        };
        if matches!(class, Class::Orthogonal) {
            source.turn(dice);
        }
        source
    }

    /// The next sample; `Class::Climbing` reads the learner.
    pub(super) fn next_sample<T: Scalar, L: Certified<T, DIM>>(
        &mut self,
        learner: &L,
        rate: f64,
        scatter: &SMatrix<f64, DIM, DIM>,
        dice: &mut Dice,
    ) -> [f64; DIM] {
        if self.made > 0 && self.made.is_multiple_of(self.segment) {
            self.count = 2 + dice.below(DIM - 1);
            match self.class {
                Class::Cycling => self.basis.rotate_left(1 + dice.below(DIM)),
                Class::Orthogonal => self.turn(dice),
                Class::Random | Class::Climbing => (),
            }
        }
        let mut direction = match self.class {
            Class::Random => dice.direction(),
            Class::Cycling | Class::Orthogonal => self.basis[self.made / self.hold % self.count],
            Class::Climbing => self.climb(learner, rate, scatter, dice),
        };
        self.made += 1;
        if self.noise > 0.0 && self.class != Class::Climbing {
            let beside = dice.direction::<DIM>();
            direction = unit(core::array::from_fn(|i| direction[i] + self.noise * beside[i]));
        }
        let length = match self.lengths {
            Lengths::Equal(length) => length,
            Lengths::Any(length) => length * dice.uniform(),
            Lengths::Bursts(length) if dice.below(5) > 0 => 0.05 * length,
            Lengths::Bursts(length) => length,
        };
        direction.map(|entry| entry * length)
    }

    /// Draws a random orthonormal basis by Gram–Schmidt.
    fn turn(&mut self, dice: &mut Dice) {
        for place in 0..DIM {
            let mut vector = dice.direction::<DIM>();
            for _ in 0..2 {
                for before in &self.basis[..place] {
                    let overlap: f64 = vector.iter().zip(before).map(|(a, b)| a * b).sum();
                    vector = core::array::from_fn(|i| vector[i] - overlap * before[i]);
                }
                vector = unit(vector);
            }
            self.basis[place] = vector;
        }
    }

    /// A direction, found by random search, with a large loss; if `restraint` is above zero, it also adds little to the
    /// loss of the best subspace and to the excess.
    fn climb<T: Scalar, L: Certified<T, DIM>>(
        &mut self,
        learner: &L,
        rate: f64,
        scatter: &SMatrix<f64, DIM, DIM>,
        dice: &mut Dice,
    ) -> [f64; DIM] {
        if self.made.is_multiple_of(LOOK_EVERY) {
            let mut eigen = Eigen::<f64, DIM>::new();
            let _ = eigen.decompose(scatter);
            self.best.clear();
            for vector in eigen.vectors().column_iter().take(L::KEEP) {
                self.best.push(core::array::from_fn(|i| vector[i]));
            }
        }
        let gain = 1.0 - (-rate).exp();
        let worth = |direction: &[f64; DIM]| {
            let own = direction.map(T::from_f64);
            let score = learner.score(&own).map_or(0.0, Scalar::to_f64);
            let kept: f64 = self
                .best
                .iter()
                .map(|best| best.iter().zip(direction).map(|(a, b)| a * b).sum::<f64>().powi(2))
                .sum();
            let mut worth = gain * score - self.restraint * rate * (1.0 - kept);
            if self.restraint > 0.0 {
                let mut after = learner.clone();
                let _ = after.learn(&own);
                worth -= (after.excess() - learner.excess()).to_f64();
            }
            worth
        };
        // Starts at the best of a random direction, some axes and the directions of `best`; then tries three random steps.
        let mut top = dice.direction::<DIM>();
        let mut height = worth(&top);
        let first = dice.below(DIM);
        let starts = (0..DIM.min(6))
            .map(|i| axis((first + i) % DIM))
            .chain(self.best.clone());
        for start in starts {
            let found = worth(&start);
            if found > height {
                (top, height) = (start, found);
            }
        }
        for step in [0.5, 0.2, 0.05] {
            let beside = dice.direction::<DIM>();
            let near = unit(core::array::from_fn(|i| top[i] + step * beside[i]));
            let found = worth(&near);
            if found > height {
                (top, height) = (near, found);
            }
        }
        top
    }
}
