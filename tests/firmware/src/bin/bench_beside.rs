//! Cost of a step of the learners `timed_beside` of `tests/registry`, at two sizes.
//! The mean is over a stream of KEEP directions that change once; the worst step is over this stream and eight hostile
//! streams. The two groups of `PairedPca` have DIM channels each.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use eigenstream_firmware::hostile::Hostile;
    use eigenstream_firmware::measure::Meter;
    use eigenstream_firmware::trials::{self, Filling, Lengths, Step};
    use eigenstream_firmware::workload::Shift;
    use eigenstream_registry::types::*;
    use eigenstream_registry::{Discard, Steps, timed_beside};

    const LENGTHS: Lengths = Lengths {
        filling: Filling::OfEachStream(0),
        standard: Shift::<2>::SEGMENT + 60,
        hostile: Hostile::LENGTH,
    };

    fn measure<L: Steps<DIM, Number = f32>, const DIM: usize, const KEEP: usize>(
        meter: &mut Meter,
        variant: &str,
        start: fn() -> L,
    ) {
        let head = format_args!("bench workload=beside variant={variant} dim={DIM} keep={KEEP}");
        let step: Step<L, DIM> = |learner, sample, rng| {
            let _ = learner.trial(sample, rng, &mut Discard);
        };
        trials::measure::<L, DIM, KEEP>(meter, head, LENGTHS, start, step);
    }

    macro_rules! at_sizes {
        ($meter:expr, $($dim:literal / $keep:literal / $rank:literal),* $(,)?) => { $( {
            macro_rules! timed {
                ($name:ident, $learner:ty, $choice:literal) => {
                    measure::<$learner, $dim, $keep>($meter, stringify!($name), || <$learner>::fresh($choice));
                };
            }
            timed_beside!(timed, DIM = $dim, KEEP = $keep, RANK = $rank);
        } )* };
    }

    // Paints 64 KiB of stack, more than any of these learners uses.
    eigenstream_firmware::measuring_program!(64 * 1024, |meter| {
        at_sizes!(&mut meter, 6 / 2 / 6, 20 / 2 / 6);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
