//! Every learner of `timed_by_channels` and `timed_by_window` for a few trials, for the trace of `cargo harness bench
//! --cycles`.
//! The trace gives cycles per instruction; `budget` needs them to turn instructions into time. The measurement begins
//! when the window is full or the monitor is trained, with the next samples of the standard stream; the first samples
//! of eight hostile streams follow.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::hostile::Hostile;
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::print_row;
    use eigenstream_firmware::trials::{TRAINING, watching_soon};
    use eigenstream_firmware::workload::Sources;
    use eigenstream_registry::types::*;
    use eigenstream_registry::{Discard, Steps, timed_by_channels, timed_by_window};
    use rand_xoshiro::Xoshiro128PlusPlus;

    /// Number of measured samples of the standard stream: few, because the cycles per instruction vary little, and a
    /// trace is long.
    const STANDARD: usize = 12;
    const HOSTILE: usize = 2;

    /// Measures one learner on all streams, one after the other, so that it is filled only once.
    #[inline(never)]
    fn measure<L: Steps<DIM, Number = f32>, const DIM: usize, const KEEP: usize>(
        meter: &mut Meter,
        head: core::fmt::Arguments<'_>,
        filling: usize,
        start: fn() -> L,
    ) {
        let mut learner = start();
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        let mut cost = Cost::default();
        let mut stream = Sources::<DIM, KEEP>::new(1);
        let standard = core::iter::repeat_with(|| stream.next_sample()).take(filling + STANDARD);
        let hostile = Hostile::ALL.into_iter().flat_map(|one| one.samples().take(HOSTILE));
        for (trial, sample) in standard.chain(hostile).enumerate() {
            let work = || {
                let _ = black_box(&mut learner).trial(black_box(&sample), &mut rng, &mut Discard);
            };
            if trial < filling {
                meter.measure_aside(work);
            } else {
                cost.add(meter.measure(work));
            }
        }
        print_row!(
            "{head} instructions_mean={} instructions_max={} state_bytes={}",
            cost.mean(),
            cost.worst,
            size_of::<L>(),
        );
    }

    macro_rules! by_channels {
        ($meter:expr, $dim:literal, $keep:literal, $rank:literal) => {{
            macro_rules! timed {
                (monitor, $learner:ty, $choice:literal) => {
                    timed!(monitor, $learner, TRAINING as usize, watching_soon);
                };
                ($name:ident, $learner:ty, $choice:literal) => {
                    timed!($name, $learner, 0, || <$learner>::fresh($choice));
                };
                ($name:ident, $learner:ty, $filling:expr, $start:expr) => {
                    let head = format_args!(
                        "bench workload=cycles variant={} dim={} keep={}",
                        stringify!($name),
                        $dim,
                        $keep
                    );
                    measure::<$learner, $dim, $keep>($meter, head, $filling, $start);
                };
            }
            timed_by_channels!(timed, DIM = $dim, KEEP = $keep, RANK = $rank);
        }};
    }

    macro_rules! by_window {
        ($meter:expr, $dim:literal, $keep:literal, $rank:literal, $window:literal) => {{
            macro_rules! timed {
                ($name:ident, $learner:ty, $choice:literal, $trials:ident) => {
                    let head = format_args!(
                        "bench workload=cycles variant={} dim={} keep={} window={}",
                        stringify!($name),
                        $dim,
                        $keep,
                        $window
                    );
                    measure::<$learner, $dim, $keep>($meter, head, $window, || <$learner>::fresh($choice));
                };
            }
            timed_by_window!(timed, DIM = $dim, KEEP = $keep, RANK = $rank, WINDOW = $window);
        }};
    }

    // Paints no stack, because these rows do not report it.
    eigenstream_firmware::measuring_program!(0, |meter| {
        by_channels!(&mut meter, 6, 2, 6);
        by_channels!(&mut meter, 20, 2, 6);
        by_window!(&mut meter, 6, 2, 6, 16);
        by_window!(&mut meter, 20, 4, 10, 32);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
