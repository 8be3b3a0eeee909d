//! File 26: online PCA in low rank with the cap of Frequent Directions, and its excess.

use eigenstream::Scalar;
use eigenstream::bounds::Bounds;
use eigenstream::pca::{TrackingPca, TrackingSettings};

use super::bounds::check_bound;
use super::check::{Check, Refusal};
use super::online_pca::{check_best, scatter_of};
use super::schema::Case;
use super::trials::{check_losses, scored, trials, width};

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    macro_rules! by_size {
        ($rows:expr, $kept:expr, $rank:expr; $($dim:literal $keep:literal $room:literal),+) => {
            match (width(&$rows), $kept, $rank) {
                $(($dim, $keep, $room) => capped::<T, $dim, $keep, $room>(case, &$rows, check),)+
                (channels, kept, rank) => Err(Refusal::Unsupported(format!(
                    "{kept} directions of {channels} with room for {rank} are not built in"
                ))),
            }
        };
    }
    let rows = case.input.rows("X")?;
    by_size!(
        rows, case.input.count("k")?, case.input.count("rank")?;
        6 1 3, 7 2 4, 8 2 4, 8 2 8, 9 1 3, 10 3 5, 12 2 4, 12 2 6
    )
}

fn capped<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize>(
    case: &Case,
    rows: &[Vec<f64>],
    check: &mut Check,
) -> Result<(), Refusal> {
    let settings = TrackingSettings::unscaled(T::from_f64(case.input.number("eta")?)).map_err(Refusal::by_crate)?;
    let mut learner = TrackingPca::<T, DIM, KEEP, RANK>::new(settings.without_ceiling());
    let samples = trials::<T, DIM>(rows)?;
    let total = check_losses("expected", &scored(&mut learner, &samples)?, case, check)?;
    check.vector("keep", &learner.keep_probabilities(), &case.output.vector("keep")?);
    check.number("excess", learner.excess(), case.output.number("excess")?);
    check_best::<DIM, KEEP>(&scatter_of(&samples), case, check)?;
    check_bound(
        &Bounds::new(DIM, KEEP).with_excess(learner.excess()),
        total,
        case,
        check,
    )
}
