//! TrackingPca beside the trackers that the literature offers: total loss on W1 with 6, 20 and 64 channels and two directions, and part of the
//! energy that is lost on eight streams, with instructions, stack and state of a step. Losses are those before learning.
//! Every peer has the parameter that is best in hindsight on W1; TrackingPca has its default, and rate 1.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::pca::{TrackingPca, TrackingSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::peers::{CappedMsg, Grouse, IncrementalSvd, Opast, Peer};
    use eigenstream_firmware::print_row;
    use eigenstream_firmware::streams::{Observed, Stream};
    use eigenstream_firmware::workload::Shift;
    use rand_xoshiro::Xoshiro128PlusPlus;

    const KEEP: usize = 2;
    const SEEDS: [u64; 3] = [1, 2, 3];

    /// Our learner as a peer.
    struct Ours<const DIM: usize> {
        pca: TrackingPca<f32, DIM, KEEP, 6>,
        rng: Xoshiro128PlusPlus,
    }

    impl<const DIM: usize> Ours<DIM> {
        fn new(settings: TrackingSettings<f32>) -> Self {
            Self {
                pca: TrackingPca::new(settings),
                rng: Xoshiro128PlusPlus::seed_from_u64(2),
            }
        }
    }

    impl<const DIM: usize> Peer<DIM> for Ours<DIM> {
        fn step(&mut self, sample: &[f32; DIM]) -> f32 {
            self.pca
                .step(sample, &mut self.rng)
                .map_or(0.0, |trial| trial.expected_loss)
        }
    }

    /// Three streams of W1.
    fn on_shifts<P: Peer<DIM>, const DIM: usize>(meter: &mut Meter, name: &str, state: usize, new: impl Fn() -> P) {
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
            "bench workload=compare variant={name} dim={DIM} keep={KEEP} instructions_mean={} instructions_max={} state_bytes={state} stack_bytes={} total_loss={first:.0}/{second:.0}/{third:.0}",
            cost.mean(),
            cost.worst,
            cost.stack,
        );
    }

    /// One of the eight streams.
    fn on_stream<P: Peer<20>>(meter: &mut Meter, name: &str, stream: Stream, mut peer: P) {
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
            "bench workload=compare variant={name} stream={} dim=20 keep={KEEP} instructions_mean={} instructions_max={} stack_bytes={} lost_percent={:.2}",
            stream.name(),
            cost.mean(),
            cost.worst,
            cost.stack,
            100.0 * lost / energy,
        );
    }

    /// Calls `$run!(name, peer, state)` for each tracker of `$dim` channels. The state of ours is the learner without the generator of its
    /// draws, which a program shares.
    macro_rules! for_each_tracker {
        ($run:ident, $dim:tt, $slower:expr) => {
            $run!(
                "tracking_default",
                Ours::<$dim>::new(TrackingSettings::DEFAULT),
                size_of::<TrackingPca<f32, $dim, KEEP, 6>>()
            );
            $run!(
                "tracking_rate_1",
                Ours::<$dim>::new($slower),
                size_of::<TrackingPca<f32, $dim, KEEP, 6>>()
            );
            $run!(
                "grouse",
                Grouse::<$dim, KEEP>::new(0.2),
                size_of::<Grouse<$dim, KEEP>>()
            );
            $run!(
                "opast",
                Opast::<$dim, KEEP>::new(6.0),
                size_of::<Opast<$dim, KEEP>>()
            );
            $run!(
                "svd_rank_2",
                IncrementalSvd::<$dim, KEEP, 2, 3>::new(6.0),
                size_of::<IncrementalSvd<$dim, KEEP, 2, 3>>()
            );
            $run!(
                "svd_rank_3",
                IncrementalSvd::<$dim, KEEP, 3, 4>::new(8.0),
                size_of::<IncrementalSvd<$dim, KEEP, 3, 4>>()
            );
            $run!(
                "capped_msg",
                CappedMsg::<$dim, KEEP, 3, 4>::new(0.4),
                size_of::<CappedMsg<$dim, KEEP, 3, 4>>()
            );
        };
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let (Some(peripherals), Ok(slower)) = (cortex_m::Peripherals::take(), TrackingSettings::new(1.0)) else {
            semihosting::process::exit(1)
        };
        // No call of these trackers goes deeper, and painting more takes longer than the calls.
        let mut meter = Meter::new(peripherals.SYST).with_depth(4 * 1024);
        macro_rules! shifts {
            ($name:literal, $peer:expr, $state:expr) => {
                on_shifts(&mut meter, $name, $state, || $peer);
            };
        }
        for_each_tracker!(shifts, 20, slower);
        for_each_tracker!(shifts, 6, slower);
        for_each_tracker!(shifts, 64, slower);
        for stream in Stream::ALL {
            macro_rules! one_stream {
                ($name:literal, $peer:expr, $state:expr) => {
                    on_stream(&mut meter, $name, stream, $peer);
                };
            }
            for_each_tracker!(one_stream, 20, slower);
        }
        semihosting::process::exit(0)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
