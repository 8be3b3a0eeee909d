//! Cost of a step of the learners `timed_by_channels` of `tests/registry`, at many sizes.
//! The mean is over a stream of KEEP directions that change once; for a monitor, over the samples between its training
//! and this change. The worst step is over this stream and eight hostile streams.
//! `cargo harness budget` fits its model to these rows, except some sizes that measure the error of the model.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use eigenstream_firmware::hostile::Hostile;
    use eigenstream_firmware::measure::Meter;
    use eigenstream_firmware::trials::{self, Filling, Lengths, Step, TRAINING, watching_soon};
    use eigenstream_firmware::workload::Shift;
    use eigenstream_registry::types::*;
    use eigenstream_registry::{Discard, Steps, timed_by_channels};

    const LENGTHS: Lengths = Lengths {
        filling: Filling::OfEachStream(0),
        standard: Shift::<2>::SEGMENT + 60,
        hostile: Hostile::LENGTH,
    };

    /// The lengths for a monitor, which is trained first; the directions do not change.
    const TRAINED: Lengths = Lengths {
        filling: Filling::OfStandard(TRAINING),
        standard: Shift::<2>::SEGMENT - TRAINING,
        ..LENGTHS
    };

    fn measure<L: Steps<DIM, Number = f32>, const DIM: usize, const KEEP: usize>(
        meter: &mut Meter,
        variant: &str,
        lengths: Lengths,
        start: fn() -> L,
    ) {
        let head = format_args!("bench workload=sizes variant={variant} dim={DIM} keep={KEEP}");
        let step: Step<L, DIM> = |learner, sample, rng| {
            let _ = learner.trial(sample, rng, &mut Discard);
        };
        trials::measure::<L, DIM, KEEP>(meter, head, lengths, start, step);
    }

    /// Measures every learner at each size; `$rank` is 2·KEEP + 2, or DIM if that is smaller.
    macro_rules! at_sizes {
        ($meter:expr, $($dim:literal / $keep:literal / $rank:literal),* $(,)?) => { $( {
            macro_rules! timed {
                (monitor, $learner:ty, $choice:literal) => {
                    measure::<$learner, $dim, $keep>($meter, "monitor", TRAINED, watching_soon);
                };
                ($name:ident, $learner:ty, $choice:literal) => {
                    measure::<$learner, $dim, $keep>($meter, stringify!($name), LENGTHS, || <$learner>::fresh($choice));
                };
            }
            timed_by_channels!(timed, DIM = $dim, KEEP = $keep, RANK = $rank);
        } )* };
    }

    // Paints 16 KiB of stack, more than any learner of these sizes uses.
    eigenstream_firmware::measuring_program!(16 * 1024, |meter| {
        at_sizes!(
            &mut meter,
            3 / 1 / 3,
            4 / 1 / 4,
            6 / 2 / 6,
            8 / 2 / 6,
            12 / 2 / 6,
            12 / 4 / 10,
            16 / 3 / 8,
            20 / 2 / 6,
            24 / 4 / 10,
            32 / 2 / 6,
            32 / 4 / 10,
        );
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
