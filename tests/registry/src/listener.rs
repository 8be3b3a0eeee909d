//! Listeners: a test notes the bits of every answer, a measurement only keeps the answers from being optimised away.

use core::hint::black_box;

use eigenstream::hebbian::Response;
use eigenstream::monitor::Verdict;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::VarianceTrial;
use eigenstream::{Scalar, Trial};

/// Takes answers of a learner.
pub trait Listener<T> {
    /// Takes one answer.
    fn hear(&mut self, said: impl Spoken<T>);
}

/// An answer that consists of numbers.
pub trait Spoken<T> {
    /// Passes on its numbers one by one.
    fn tell(&self, hear: &mut impl FnMut(T));

    /// The loss and the expected loss, if the answer has them.
    fn losses(&self) -> Option<[T; 2]> {
        None
    }
}

/// Notes nothing, but keeps the optimiser from removing an answer.
pub struct Discard;

impl<T> Listener<T> for Discard {
    #[inline(always)]
    fn hear(&mut self, said: impl Spoken<T>) {
        black_box(said);
    }
}

impl<T: Scalar> Spoken<T> for T {
    fn tell(&self, hear: &mut impl FnMut(T)) {
        hear(*self);
    }
}

impl<T: Scalar, const N: usize> Spoken<T> for [T; N] {
    fn tell(&self, hear: &mut impl FnMut(T)) {
        self.iter().for_each(|&number| hear(number));
    }
}

impl<T: Scalar, const ROWS: usize, const COLUMNS: usize> Spoken<T> for SMatrix<T, ROWS, COLUMNS> {
    fn tell(&self, hear: &mut impl FnMut(T)) {
        self.iter().for_each(|&number| hear(number));
    }
}

impl<T: Scalar, const KEEP: usize> Spoken<T> for Trial<T, KEEP> {
    fn tell(&self, hear: &mut impl FnMut(T)) {
        self.code.tell(hear);
        [self.loss, self.expected_loss].tell(hear);
    }

    fn losses(&self) -> Option<[T; 2]> {
        Some([self.loss, self.expected_loss])
    }
}

/// A number that stands for both the loss and the expected loss.
pub struct Loss<T>(pub T);

impl<T: Scalar> Spoken<T> for Loss<T> {
    fn tell(&self, hear: &mut impl FnMut(T)) {
        self.0.tell(hear);
    }

    fn losses(&self) -> Option<[T; 2]> {
        Some([self.0; 2])
    }
}

impl<T: Scalar, const KEEP: usize> Spoken<T> for Response<T, KEEP> {
    fn tell(&self, hear: &mut impl FnMut(T)) {
        self.code.tell(hear);
        self.loss.tell(hear);
    }

    /// Loss and expected loss are equal, because a Hebbian learner draws nothing.
    fn losses(&self) -> Option<[T; 2]> {
        Some([self.loss; 2])
    }
}

impl<T: Scalar, const DIM: usize> Spoken<T> for VarianceTrial<T, DIM> {
    fn tell(&self, hear: &mut impl FnMut(T)) {
        self.direction.tell(hear);
        [self.variance, self.expected_variance].tell(hear);
    }

    fn losses(&self) -> Option<[T; 2]> {
        Some([self.variance, self.expected_variance])
    }
}

impl<T: Scalar, const DIM: usize> Spoken<T> for Verdict<T, DIM> {
    fn tell(&self, hear: &mut impl FnMut(T)) {
        self.contribution.tell(hear);
        [self.score, self.threshold, self.moved].tell(hear);
        let stuck = self.stuck.map_or(0, |channel| channel + 1);
        [usize::from(self.alarm), self.state as usize, stuck]
            .map(T::from_usize)
            .tell(hear);
    }

    /// The score in place of the loss, and the sum of the contributions in place of the expected loss.
    fn losses(&self) -> Option<[T; 2]> {
        let parts = self.contribution.iter().fold(T::ZERO, |sum, &part| sum + part);
        Some([self.score, parts])
    }
}
