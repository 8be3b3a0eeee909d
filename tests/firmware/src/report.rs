//! Shared by the benchmarks of the learners: a run over the standard stream, and the row that the harness reads.

use core::hint::black_box;

use crate::measure::{Cost, Meter};
use crate::print_row;
use crate::workload::Shift;

/// Number of steps of the naive version; few are enough, because no step costs 20 % more than the mean.
#[cfg(feature = "naive")]
const NAIVE_STEPS: u32 = 50;

/// Measures `step` on the whole standard stream.
pub fn run<const DIM: usize>(meter: &mut Meter, mut step: impl FnMut(&[f32; DIM])) -> Cost {
    let mut cost = Cost::default();
    let mut stream = Shift::<DIM>::new(1);
    for _ in 0..Shift::<DIM>::LENGTH {
        let sample = stream.next_sample();
        cost.add(meter.measure(|| step(black_box(&sample))));
    }
    cost
}

/// Measures the naive version of a step on the first samples of the standard stream.
#[cfg(feature = "naive")]
pub fn run_naive<const DIM: usize>(meter: &mut Meter, mut step: impl FnMut(&[f32; DIM])) -> Cost {
    let mut cost = Cost::default();
    let mut stream = Shift::<DIM>::new(1);
    for _ in 0..NAIVE_STEPS {
        let sample = stream.next_sample();
        cost.add(meter.measure_aside(|| step(black_box(&sample))));
    }
    cost
}

/// Sorts eigenvalues, largest first, because nalgebra returns them unsorted.
#[cfg(feature = "naive")]
pub fn sort_descending(values: &mut [f32]) {
    for sorted in 1..values.len() {
        for low in (0..sorted).rev() {
            if values[low] >= values[low + 1] {
                break;
            }
            values.swap(low, low + 1);
        }
    }
}

/// The columns of the naive version; in a program without a naive version there are none.
pub struct Naive(pub Option<Cost>);

impl core::fmt::Display for Naive {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Some(cost) = &self.0 else { return Ok(()) };
        write!(
            formatter,
            " naive_mean={} naive_max={} naive_stack_bytes={}",
            cost.mean(),
            cost.worst,
            cost.stack
        )
    }
}

/// Prints one row; `head` names workload, variant and sizes, and the rate if it is not the default.
pub fn print(head: core::fmt::Arguments<'_>, ours: &Cost, theirs: &Naive, state_bytes: usize, total_loss: f32) {
    print_row!(
        "{head} instructions_mean={} instructions_max={}{theirs} state_bytes={state_bytes} stack_bytes={} total_loss={total_loss}",
        ours.mean(),
        ours.worst,
        ours.stack,
    );
}
