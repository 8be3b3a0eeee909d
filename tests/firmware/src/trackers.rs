//! The comparison of trackers: total loss on W1, the part of the energy lost on a stream, and the cost of a step.
//! In: a tracker and the head of its rows. Out: a row. The loss of a sample is taken before the sample is learned.

use core::fmt::Arguments;
use core::hint::black_box;

use crate::measure::{Cost, Meter};
use crate::peers::Peer;
use crate::print_row;
use crate::streams::{Observed, Stream};
use crate::workload::Shift;

/// Number of directions that every tracker keeps.
pub const KEEP: usize = 2;
const SEEDS: [u64; 3] = [1, 2, 3];

/// Measures a tracker on three streams of W1.
pub fn on_shifts<P: Peer<DIM>, const DIM: usize>(
    meter: &mut Meter,
    head: Arguments<'_>,
    state: usize,
    new: impl Fn() -> P,
) {
    let mut cost = Cost::default();
    let mut losses = [0.0_f32; 3];
    for (loss, seed) in losses.iter_mut().zip(SEEDS) {
        let mut peer = new();
        let mut stream = Shift::<DIM>::new(seed);
        for _ in 0..Shift::<DIM>::LENGTH {
            let sample = stream.next_sample();
            cost.add(meter.measure(|| *loss += black_box(&mut peer).step(black_box(&sample))));
        }
    }
    let [first, second, third] = losses;
    print_row!(
        "{head} dim={DIM} keep={KEEP} instructions_mean={} instructions_max={} state_bytes={state} stack_bytes={} total_loss={first:.0}/{second:.0}/{third:.0}",
        cost.mean(),
        cost.worst,
        cost.stack,
    );
}

/// Measures a tracker on one stream.
pub fn on_stream<P: Peer<20>>(meter: &mut Meter, head: Arguments<'_>, stream: Stream, mut peer: P) {
    let mut cost = Cost::default();
    let (mut lost, mut energy) = (0.0_f32, 0.0_f32);
    let mut samples = stream.samples::<20>(1);
    for _ in 0..stream.length() {
        let observed = samples.next_sample();
        let (Observed::Counted(sample) | Observed::Uncounted(sample)) = observed;
        let mut loss = 0.0;
        cost.add(meter.measure(|| loss = black_box(&mut peer).step(black_box(&sample))));
        if let Observed::Counted(sample) = observed {
            lost += loss;
            energy += sample.iter().map(|entry| entry * entry).sum::<f32>();
        }
    }
    print_row!(
        "{head} stream={} dim=20 keep={KEEP} instructions_mean={} instructions_max={} stack_bytes={} lost_percent={:.2}",
        stream.name(),
        cost.mean(),
        cost.worst,
        cost.stack,
        100.0 * lost / energy,
    );
}
