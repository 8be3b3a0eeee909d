//! File 22: paired PCA of two groups of channels.

use eigenstream::Scalar;
use eigenstream::pca::{PairedPca, PairedSettings};
use eigenstream::{Forgetting, SampleError};

use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::triple_not_built_in;
use super::trials::{trials, width};

/// Calls `$function::<T, LEFT, RIGHT, KEEP>(…)` for the sizes in `sizes.json`.
macro_rules! with_groups {
    ($sizes:expr, [$($left:literal $right:literal $keep:literal),*], $function:ident::<$scalar:ty> $arguments:tt) => {
        match $sizes {
            $(($left, $right, $keep) => $function::<$scalar, $left, $right, $keep> $arguments,)*
            sizes => Err(triple_not_built_in(sizes)),
        }
    };
}

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let (left, right) = (case.input.rows("X")?, case.input.rows("Y")?);
    with_groups!(
        (width(&left), width(&right), case.input.count("k")?),
        [2 4 1, 3 2 1, 3 3 1, 4 3 2, 4 6 2, 5 4 2, 5 5 1, 6 1 1, 6 3 2],
        run_sized::<T>(case, &left, &right, check)
    )
}

fn run_sized<T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize>(
    case: &Case,
    left: &[Vec<f64>],
    right: &[Vec<f64>],
    check: &mut Check,
) -> Result<(), Refusal> {
    let retention = T::from_f64(case.input.number("retention")?);
    let settings = PairedSettings::unscaled(T::from_f64(case.input.number("eta")?)).map_err(Refusal::by_crate)?;
    let settings = settings.with_forgetting(Forgetting::factor(retention).map_err(Refusal::by_crate)?);
    let mut learner = PairedPca::<T, LEFT, RIGHT, KEEP>::new(settings);
    let mut expected = Vec::new();
    for (left, right) in trials::<T, LEFT>(left)?.iter().zip(&trials::<T, RIGHT>(right)?) {
        let gain = learner.expected_gain(left, right);
        expected.push(gain.and_then(|gain| learner.learn(left, right).map(|()| gain)));
    }
    let expected: Vec<T> = expected
        .into_iter()
        .collect::<Result<_, SampleError>>()
        .map_err(Refusal::by_crate)?;
    check.vector("expected_gain", &expected, &case.output.vector("expected_gain")?);
    let total = expected.iter().fold(T::ZERO, |sum, &gain| sum + gain);
    check.number("total_gain", total, case.output.number("total_gain")?);
    let rows: Vec<Vec<T>> = learner
        .cross_scatter()
        .row_iter()
        .map(|row| row.iter().copied().collect())
        .collect();
    check.matrix("M", &rows, &case.output.rows("M")?);

    let singular: Vec<T> = learner.pairs().map(|pair| pair.singular_value).collect();
    check.vector("singular", &singular, &case.output.vector("singular")?);
    let mut keep: Vec<T> = learner.pairs().map(|pair| pair.keep_probability).collect();
    keep.extend((0..LEFT.abs_diff(RIGHT)).map(|_| learner.unpaired_probability()));
    keep.extend(
        learner
            .pairs()
            .map(|pair| pair.opposed_probability)
            .collect::<Vec<T>>()
            .iter()
            .rev(),
    );
    check.vector("keep", &keep, &case.output.vector("keep")?);
    if case.output.has("cross") {
        let mut cross = vec![vec![T::ZERO; RIGHT]; LEFT];
        for pair in learner.pairs() {
            let lead = T::HALF * (pair.keep_probability - pair.opposed_probability);
            for (row, &u) in cross.iter_mut().zip(pair.left) {
                for (entry, &v) in row.iter_mut().zip(pair.right) {
                    *entry += lead * u * v;
                }
            }
        }
        check.matrix("cross", &cross, &case.output.rows("cross")?);
    }
    if case.output.has("best_gain") {
        let best = singular
            .iter()
            .take(KEEP)
            .fold(T::ZERO, |sum, &value| sum + T::HALF * value);
        check.number("best_gain", best, case.output.number("best_gain")?);
    }
    Ok(())
}
