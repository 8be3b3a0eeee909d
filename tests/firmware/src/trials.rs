//! Cost of a trial: the mean on a stream of KEEP directions that change once, and the worst on this stream and eight
//! hostile ones. In a stream of at most 500 samples the directions do not change.

use core::fmt::Arguments;
use core::hint::black_box;

use crate::hostile::Hostile;
use crate::measure::{Cost, Meter};
use crate::print_row;
use crate::workload::Sources;
use eigenstream::monitor::{MonitorSettings, SensorMonitor};
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// A function that runs one trial.
pub type Step<L, const DIM: usize> = fn(&mut L, &[f32; DIM], &mut Xoshiro128PlusPlus);

/// Number of samples that train the monitor of [`watching_soon`].
pub const TRAINING: u32 = 256;

/// The default monitor with a training of [`TRAINING`] samples.
pub fn watching_soon<const DIM: usize>() -> SensorMonitor<f32, DIM> {
    SensorMonitor::standard(MonitorSettings::DEFAULT.with_training(TRAINING))
}

/// Number of samples that fill the window or train the monitor; they count for the worst trial, not for the mean.
#[derive(Clone, Copy)]
pub enum Filling {
    /// These samples come from each stream itself.
    OfEachStream(u32),
    /// These samples come from the standard stream, also before a hostile stream.
    OfStandard(u32),
}

/// Lengths of the streams.
#[derive(Clone, Copy)]
pub struct Lengths {
    /// Number of samples before those that count for the mean.
    pub filling: Filling,
    /// Number of samples of the standard stream after the filling.
    pub standard: u32,
    /// Number of samples of each hostile stream after the filling; a hostile stream ends after [`Hostile::LENGTH`]
    /// samples.
    pub hostile: u32,
}

/// Runs a fresh learner on every stream and prints a row; `head` names workload, variant and sizes.
#[inline(never)]
pub fn measure<L, const DIM: usize, const KEEP: usize>(
    meter: &mut Meter,
    head: Arguments<'_>,
    lengths: Lengths,
    start: fn() -> L,
    step: Step<L, DIM>,
) {
    let (filling, own) = match lengths.filling {
        Filling::OfEachStream(count) => (count, count),
        Filling::OfStandard(count) => (count, 0),
    };
    // The mean is over the trials after the filling, the worst trial and the stack are over all trials.
    let mut run = |samples: &mut dyn Iterator<Item = [f32; DIM]>| {
        let mut learner = start();
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        let (mut begun, mut full) = (Cost::default(), Cost::default());
        for (sample, trial) in samples.zip(0..) {
            let work = || step(black_box(&mut learner), black_box(&sample), &mut rng);
            if trial < filling {
                begun.add(meter.measure_aside(work));
            } else {
                full.add(meter.measure(work));
            }
        }
        full.worst = full.worst.max(begun.worst);
        full.stack = full.stack.max(begun.stack);
        full
    };
    let mut stream = Sources::<DIM, KEEP>::new(1);
    let standard = run(&mut (0..filling + lengths.standard).map(|_| stream.next_sample()));
    let mut worst = (standard.worst, "shift");
    let (mut mean, mut stack) = (0, standard.stack);
    for hostile in Hostile::ALL {
        let mut stream = Sources::<DIM, KEEP>::new(1);
        let begun = (own..filling).map(|_| stream.next_sample());
        let cost = run(&mut begun.chain(hostile.samples().take((own + lengths.hostile) as usize)));
        mean = mean.max(cost.mean());
        stack = stack.max(cost.stack);
        if cost.worst > worst.0 {
            worst = (cost.worst, hostile.name());
        }
    }
    print_row!(
        "{head} instructions_mean={} instructions_max={} hostile_mean={mean} worst_stream={} state_bytes={} stack_bytes={stack}",
        standard.mean(),
        worst.0,
        worst.1,
        size_of::<L>(),
    );
}
