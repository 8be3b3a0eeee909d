//! Finds sensors that stopped.
//! In: samples as the sensors give them. Out: which channels are stuck, and the smallest change of each channel in training.
//! Method: n is the longest run of equal values of a channel in training. If n is from 1 to 20, the channel is stuck while its
//! current run is longer than 2·n + 40. With any other n the channel is never stuck.
//! Cost: a few comparisons per channel. Kept: 2·DIM numbers and 2·DIM counts.

use crate::Scalar;
use crate::codec::stored;

/// The largest n with which a channel can be stuck.
const RESTLESS: u16 = 20;

/// A channel is stuck while its run is longer than 2·n + this number.
const PATIENCE: u16 = 40;

/// Counts for each channel how long its value has not changed.
///
/// ```
/// use eigenstream::monitor::stages::Stillness;
///
/// let mut stillness = Stillness::<f32, 1>::new();
/// for i in 0..100 {
///     stillness.learn(&[(i % 10) as f32]);
/// }
/// for _ in 0..50 {
///     stillness.push(&[3.0]);
/// }
/// assert_eq!(stillness.stuck(), Some(0));
/// stillness.push(&[4.0]);
/// assert_eq!(stillness.stuck(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Stillness<T, const DIM: usize> {
    last: [T; DIM],
    step: [T; DIM],
    /// The length of the current run of equal values; 0 if the last value is missing.
    run: [u16; DIM],
    longest: [u16; DIM],
}

impl<T: Scalar, const DIM: usize> Stillness<T, DIM> {
    /// Starts without samples.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            last: [T::ZERO; DIM],
            step: [T::ZERO; DIM],
            run: [0; DIM],
            longest: [0; DIM],
        }
    }

    /// Adds a sample of the training.
    pub fn learn(&mut self, sample: &[T; DIM]) {
        let changes = self.last.iter().zip(sample).zip(&self.run);
        for (step, ((&last, &value), &run)) in self.step.iter_mut().zip(changes) {
            let change = (value - last).abs();
            if run > 0 && change > T::ZERO && change.is_finite() && (*step == T::ZERO || change < *step) {
                *step = change;
            }
        }
        self.push(sample);
        for (longest, &run) in self.longest.iter_mut().zip(&self.run) {
            *longest = run.max(*longest);
        }
    }

    /// Adds a sample from which nothing is learned, for example after the training.
    pub fn push(&mut self, sample: &[T; DIM]) {
        for ((last, run), &value) in self.last.iter_mut().zip(&mut self.run).zip(sample) {
            if value.is_finite() {
                *run = if value == *last { run.saturating_add(1) } else { 1 };
                *last = value;
            } else {
                *run = 0;
            }
        }
    }

    /// Whether a channel is stuck.
    #[must_use]
    pub fn is_stuck(&self, channel: usize) -> bool {
        let runs = self.run.get(channel).zip(self.longest.get(channel));
        runs.is_some_and(|(&run, &longest)| {
            (1..=RESTLESS).contains(&longest) && run > longest.saturating_mul(2).saturating_add(PATIENCE)
        })
    }

    /// Whether the last sample has no value for this channel, or there was no sample yet.
    #[must_use]
    pub fn is_missing(&self, channel: usize) -> bool {
        self.run.get(channel) == Some(&0)
    }

    /// The first stuck channel.
    #[must_use]
    pub fn stuck(&self) -> Option<usize> {
        (0..DIM).find(|&channel| self.is_stuck(channel))
    }

    /// The smallest change of each channel in training, zero before the first change.
    #[must_use]
    pub const fn step(&self) -> &[T; DIM] {
        &self.step
    }
}

impl<T: Scalar, const DIM: usize> Default for Stillness<T, DIM> {
    fn default() -> Self {
        Self::new()
    }
}

stored!([T: Scalar, const DIM: usize] Stillness<T, DIM> { last, step, run, longest });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_at_a_missing_value_and_at_the_largest_count() {
        let mut stillness = Stillness::<f32, 1>::new();
        (0..9).for_each(|i| stillness.learn(&[(i % 2) as f32]));
        (0..70_000).for_each(|_| stillness.push(&[5.0]));
        assert!(stillness.is_stuck(0) && stillness.run == [u16::MAX]);
        stillness.push(&[f32::NAN]);
        assert!(!stillness.is_stuck(0) && stillness.is_missing(0));
        stillness.push(&[5.0]);
        assert!(!stillness.is_stuck(0) && !stillness.is_missing(0));
    }
}
