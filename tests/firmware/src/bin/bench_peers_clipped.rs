//! `TrackingPca` and OPAST with a clip, on the streams of `bench_peers`.
//! This is a program of its own, so that the clipped learner cannot change the code that the compiler makes of the
//! unclipped `TrackingPca`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use eigenstream::pca::{ClipSettings, Clipped, TrackingPca, TrackingSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::peers::{Opast, Peer};
    use eigenstream_firmware::streams::Stream;
    use eigenstream_firmware::trackers::{KEEP, on_shifts, on_stream};
    use rand_xoshiro::Xoshiro128PlusPlus;

    type Pca<const DIM: usize> = Clipped<f32, TrackingPca<f32, DIM, KEEP, 6>>;

    struct Ours<const DIM: usize> {
        pca: Pca<DIM>,
        rng: Xoshiro128PlusPlus,
    }

    impl<const DIM: usize> Ours<DIM> {
        fn new() -> Self {
            Self {
                pca: Clipped::new(ClipSettings::DEFAULT, TrackingPca::new(TrackingSettings::DEFAULT)),
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

    /// OPAST with a clip; the loss is that of the sample before clipping, as for [`Ours`].
    struct WithClip<const DIM: usize>(Clipped<f32, Opast<DIM, KEEP>>);

    impl<const DIM: usize> WithClip<DIM> {
        fn new() -> Self {
            Self(Clipped::new(ClipSettings::DEFAULT, Opast::new(6.0)))
        }
    }

    impl<const DIM: usize> Peer<DIM> for WithClip<DIM> {
        fn step(&mut self, sample: &[f32; DIM]) -> f32 {
            let limit = self.0.limit();
            let energy: f32 = sample.iter().map(|entry| entry * entry).sum();
            let loss = self.0.learn_by(sample, |opast, clipped| Ok(opast.step(clipped)));
            let loss = loss.unwrap_or(0.0);
            if energy > limit { loss / limit * energy } else { loss }
        }
    }

    // Paints 4 KiB of stack, more than any of these trackers uses.
    eigenstream_firmware::measuring_program!(4 * 1024, |meter| {
        macro_rules! on_all {
            ($name:literal, $tracker:ident, $state:ident) => {
                let head = format_args!("bench workload=compare variant={}", $name);
                on_shifts(&mut meter, head, size_of::<$state<20>>(), $tracker::<20>::new);
                on_shifts(&mut meter, head, size_of::<$state<6>>(), $tracker::<6>::new);
                on_shifts(&mut meter, head, size_of::<$state<64>>(), $tracker::<64>::new);
                for stream in Stream::ALL {
                    on_stream(&mut meter, head, stream, $tracker::new());
                }
            };
        }
        on_all!("tracking_clipped", Ours, Pca);
        on_all!("opast_clipped", WithClip, WithClip);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
