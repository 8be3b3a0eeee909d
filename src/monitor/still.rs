//! Finds sensors that stopped: compares how long a channel has not changed with its longest constant run during
//! training (warm-up and calibration).
//! In: samples as the sensors give them. Out: which channels are stuck, and the smallest non-zero change of each channel during
//! training.
//! Method: `longest` is the longest run of equal values of a channel during training. If `longest` is from 1 to 20, the channel
//! is stuck while its current run of equal values is longer than 2·`longest` + 40. If `longest` is above 20, or zero (no value
//! during training), the channel is never called stuck.
//! Cost: a few comparisons per channel. Kept: 2·DIM numbers and 2·DIM counts.

use crate::Scalar;
use crate::codec::stored;

/// A channel is never called stuck if in training it had no value, or had a run of equal values longer than this number.
const RESTLESS: u16 = 20;

/// n is the length of the longest run of equal values of a channel in training. If n is from 1 to `RESTLESS`, the channel is
/// stuck while its current run is longer than 2·n + this number.
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
    /// The smallest non-zero change of each channel during training; zero before the first change.
    step: [T; DIM],
    /// The length of the current run of equal values.
    run: [u16; DIM],
    /// The length of the longest run in training.
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

    /// Adds a sample of the training, and updates the smallest change and the longest run.
    pub fn learn(&mut self, sample: &[T; DIM]) {
        let changes = self.last.iter().zip(sample).zip(&self.run);
        for (step, ((&last, &value), &run)) in self.step.iter_mut().zip(changes) {
            let change = (value - last).abs();
            // If `run` is zero, this channel has no value in the sample before, or there is no sample before.
            if run > 0 && change > T::ZERO && change.is_finite() && (*step == T::ZERO || change < *step) {
                *step = change;
            }
        }
        self.push(sample);
        for (longest, &run) in self.longest.iter_mut().zip(&self.run) {
            *longest = run.max(*longest);
        }
    }

    /// Adds a sample; the smallest change and the longest run stay.
    pub fn push(&mut self, sample: &[T; DIM]) {
        for ((last, run), &value) in self.last.iter_mut().zip(&mut self.run).zip(sample) {
            // A missing value ends the run of equal values.
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
        match (self.run.get(channel), self.longest.get(channel)) {
            (Some(&run), Some(&longest)) => {
                (1..=RESTLESS).contains(&longest) && run > longest.wrapping_mul(2).wrapping_add(PATIENCE)
            }
            _ => false,
        }
    }

    /// Whether the last sample has no value for this channel, or there was no sample yet.
    #[must_use]
    pub fn is_missing(&self, channel: usize) -> bool {
        self.run.get(channel) == Some(&0)
    }

    /// The stuck channel of the smallest index; `None` if no channel is stuck.
    #[must_use]
    pub fn stuck(&self) -> Option<usize> {
        (0..DIM).find(|&channel| self.is_stuck(channel))
    }

    /// The smallest non-zero change of each channel during training; zero before the first change.
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
