//! `TrackingPca` beside other trackers of the literature.
//! Out: total loss on W1 with 6, 20 and 64 channels, the part of the energy lost on the streams of `streams.rs`, and
//! instructions, stack and state of a step.
//! The parameters of the other trackers are chosen for W1; `TrackingPca` has its default settings, or rate 1.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use eigenstream::pca::{TrackingPca, TrackingSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::peers::{CappedMsg, Grouse, IncrementalSvd, Opast, Peer};
    use eigenstream_firmware::streams::Stream;
    use eigenstream_firmware::trackers::{KEEP, on_shifts, on_stream};
    use rand_xoshiro::Xoshiro128PlusPlus;

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

    /// Calls `$run!(name, peer, state)` for each tracker of `$dim` channels. `state` is the size of the tracker in
    /// bytes, for `Ours` without the random generator.
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

    // Paints 4 KiB of stack, more than any of these trackers uses.
    eigenstream_firmware::measuring_program!(4 * 1024, |meter| {
        let Ok(slower) = TrackingSettings::new(1.0) else {
            semihosting::process::exit(1)
        };
        macro_rules! shifts {
            ($name:literal, $peer:expr, $state:expr) => {
                on_shifts(
                    &mut meter,
                    format_args!("bench workload=compare variant={}", $name),
                    $state,
                    || $peer,
                );
            };
        }
        for_each_tracker!(shifts, 20, slower);
        for_each_tracker!(shifts, 6, slower);
        for_each_tracker!(shifts, 64, slower);
        for stream in Stream::ALL {
            macro_rules! one_stream {
                ($name:literal, $peer:expr, $state:expr) => {
                    on_stream(
                        &mut meter,
                        format_args!("bench workload=compare variant={}", $name),
                        stream,
                        $peer,
                    );
                };
            }
            for_each_tracker!(one_stream, 20, slower);
        }
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
