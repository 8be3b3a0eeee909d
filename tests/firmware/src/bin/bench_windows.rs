//! Cost of a step of the learners `timed_by_window` of `tests/registry`, at many windows.
//! The mean is over the steps after the window is full; the worst step is over all steps, also on eight hostile
//! streams.
//! `cargo harness budget` fits its model to these rows, except some sizes that measure the error of the model.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use eigenstream_firmware::hostile::Hostile;
    use eigenstream_firmware::measure::Meter;
    use eigenstream_firmware::trials::{self, Filling, Lengths, Step};
    use eigenstream_registry::types::*;
    use eigenstream_registry::{Discard, Steps, timed_by_window};

    /// Numbers of samples of the standard stream and of each hostile stream after the window is full; a hostile stream
    /// ends after [`Hostile::LENGTH`] samples.
    const fn few() -> (u32, u32) {
        (40, 6)
    }

    const fn many() -> (u32, u32) {
        (200, Hostile::LENGTH)
    }

    fn measure<L: Steps<DIM, Number = f32>, const DIM: usize, const KEEP: usize, const WINDOW: usize>(
        meter: &mut Meter,
        variant: &str,
        (standard, hostile): (u32, u32),
        start: fn() -> L,
    ) {
        let head =
            format_args!("bench workload=windows variant={variant} dim={DIM} keep={KEEP} window={WINDOW} kernel=gauss");
        let lengths = Lengths {
            filling: Filling::OfEachStream(WINDOW as u32),
            standard,
            hostile,
        };
        let step: Step<L, DIM> = |learner, sample, rng| {
            let _ = learner.trial(sample, rng, &mut Discard);
        };
        trials::measure::<L, DIM, KEEP>(meter, head, lengths, start, step);
    }

    /// Measures every learner at each size; `$rank` is 2·KEEP + 2.
    macro_rules! at_sizes {
        ($meter:expr, $($dim:literal / $keep:literal / $rank:literal / $window:literal),* $(,)?) => { $( {
            macro_rules! timed {
                ($name:ident, $learner:ty, $choice:literal, $trials:ident) => {
                    measure::<$learner, $dim, $keep, $window>($meter, stringify!($name), $trials(), || {
                        <$learner>::fresh($choice)
                    });
                };
            }
            timed_by_window!(timed, DIM = $dim, KEEP = $keep, RANK = $rank, WINDOW = $window);
        } )* };
    }

    // Paints 16 KiB of stack, more than any learner of these sizes uses.
    eigenstream_firmware::measuring_program!(16 * 1024, |meter| {
        at_sizes!(
            &mut meter,
            3 / 1 / 4 / 8,
            6 / 2 / 6 / 8,
            6 / 2 / 6 / 16,
            20 / 4 / 10 / 16,
            12 / 2 / 6 / 20,
            6 / 2 / 6 / 24,
            6 / 4 / 10 / 32,
            20 / 2 / 6 / 32,
            12 / 4 / 10 / 40,
            20 / 4 / 10 / 48,
            6 / 2 / 6 / 64,
            20 / 4 / 10 / 64,
        );
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
