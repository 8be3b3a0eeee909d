//! Sensors that stopped: how long each channel has not changed, against the longest that it did while it was learned.
//! In: samples as the sensors give them. Out: which channels are stuck, and the smallest change that each one ever showed.
//! Method: a channel that never stood for more than 20 samples while it was learned is stuck once it has not changed for
//! 40 samples more than twice its longest run. A channel that often stands is never called stuck.
//! Cost: one comparison a channel. Kept: 2·DIM numbers and 2·DIM counts.

use crate::Scalar;
use crate::codec::stored;

/// The longest run of a channel that can be called stuck.
const RESTLESS: u16 = 20;

/// Samples beyond twice the longest run.
const PATIENCE: u16 = 40;

/// How long each channel has stood still.
///
/// ```
/// use eigenstream::monitor::Stillness;
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
    /// The smallest change that was not zero; zero before one.
    step: [T; DIM],
    /// Samples in a row with one value, and the most of them while it was learned.
    run: [u16; DIM],
    longest: [u16; DIM],
}

impl<T: Scalar, const DIM: usize> Stillness<T, DIM> {
    /// Nothing seen.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            last: [T::ZERO; DIM],
            step: [T::ZERO; DIM],
            run: [0; DIM],
            longest: [0; DIM],
        }
    }

    /// Takes in a sample and learns how long the channels may stand.
    pub fn learn(&mut self, sample: &[T; DIM]) {
        for (step, (&last, &value)) in self.step.iter_mut().zip(self.last.iter().zip(sample)) {
            let change = (value - last).abs();
            if change > T::ZERO && change.is_finite() && (*step == T::ZERO || change < *step) {
                *step = change;
            }
        }
        self.push(sample);
        for (longest, &run) in self.longest.iter_mut().zip(&self.run) {
            *longest = run.max(*longest);
        }
    }

    /// Takes in a sample.
    pub fn push(&mut self, sample: &[T; DIM]) {
        for ((last, run), &value) in self.last.iter_mut().zip(&mut self.run).zip(sample) {
            // Where values are missing nothing is known to stand.
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
            (Some(&run), Some(&longest)) => (1..=RESTLESS).contains(&longest) && run > 2 * longest + PATIENCE,
            _ => false,
        }
    }

    /// Whether a channel has no value now, or never had one.
    #[must_use]
    pub fn is_missing(&self, channel: usize) -> bool {
        self.run.get(channel) == Some(&0)
    }

    /// The first channel that is stuck.
    #[must_use]
    pub fn stuck(&self) -> Option<usize> {
        (0..DIM).find(|&channel| self.is_stuck(channel))
    }

    /// The smallest change of each channel that was not zero; zero before one.
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
