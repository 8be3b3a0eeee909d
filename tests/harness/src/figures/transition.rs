//! Figure 5: the change of Algorithm 5 from one subspace to the next.
//! In: the streams of figure 4. Out: for each trial around the first shift the overlap tr(P·U)/k of the most likely
//! projection P with the projection U onto the new subspace, both of rank k, for three settings, and the projection as
//! an ellipse.
//! [WK08] reports a change within about 60 trials. The exact algorithm needs more than 250; with a ceiling of 36, which
//! acts like rounding in `f64`, the algorithm needs 55 to 80.

use std::f64::consts::TAU;

use anyhow::{Result, bail};
use eigenstream::Centering;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{BatchPca, TrackingPca, TrackingSettings};
use eigenstream::spectrum::Convergence;

use super::shift::{ACCIDENTAL_CEILING, SEEDS, stream};
use super::stream::{DIM, Stream};
use super::{Claim, Figure};
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};

const KEEP: usize = 2;
const RATE: f64 = 1.0;
/// Number of trials drawn before the shift.
const LEAD: usize = 50;
/// An overlap above this number means that the learner has found the subspace.
const FOUND: f64 = 0.9;
/// Trials after the shift at which the projection is drawn, each with its colour; [`SHOWN`] has the two dimensions
/// drawn.
const ELLIPSES: [(usize, Colour); 5] = [
    (0, Colour::Orange),
    (200, Colour::Purple),
    (300, Colour::Black),
    (400, Colour::Green),
    (499, Colour::Blue),
];
const SHOWN: (usize, usize) = (0, 2);
const CORNERS: usize = 72;

/// The allowed numbers of trials of the transition with a ceiling of 36; [WK08] reports about 60.
const WITH_CEILING: std::ops::RangeInclusive<usize> = 55..=80;
/// The transition without a ceiling takes more trials than this.
const EXACT: usize = 250;
/// About the number of trials of the transition in [WK08].
const PRINTED: usize = 60;

/// The components before one trial, and their overlaps with the old and the new subspace.
struct State<const N: usize> {
    old: f64,
    new: f64,
    components: SMatrix<f64, N, KEEP>,
}

/// The states of one learner in the first two segments of a stream.
struct Transition<const N: usize> {
    states: Vec<State<N>>,
    /// Number of trials before the shift.
    shift: usize,
}

impl<const N: usize> Transition<N> {
    /// Trials after the shift until the overlap with the new subspace is above 0.5 and above the overlap with the old
    /// one.
    fn trials(&self) -> Option<usize> {
        let after = self.states.iter().skip(self.shift);
        after
            .into_iter()
            .position(|state| state.new > state.old && state.new > 0.5)
    }

    fn told(&self) -> String {
        self.trials()
            .map_or_else(|| "none".to_owned(), |trials| trials.to_string())
    }
}

/// Three learners on one stream: without a ceiling, with a ceiling of 36, and with the default settings.
fn learners<const N: usize>(stream: &Stream<N>) -> Result<[Transition<N>; 3]> {
    let exact = TrackingSettings::unscaled(RATE)?;
    Ok([
        follow(stream, exact.without_ceiling())?,
        follow(stream, exact.with_ceiling(ACCIDENTAL_CEILING)?)?,
        follow(stream, TrackingSettings::DEFAULT)?,
    ])
}

/// Runs the learners on every seed and draws the results of the first.
pub(super) fn figure() -> Result<Figure> {
    let mut report = vec!["seed  trials until mostly new: exact  ceiling 36  default".to_owned()];
    let mut claims = Vec::new();
    let mut drawn = None;
    for seed in SEEDS {
        let found = learners::<DIM>(&stream(seed))?;
        let [exact, ceiling, default] = &found;
        report.push(format!(
            "{seed:>4}  {:>29}  {:>10}  {:>7}",
            exact.told(),
            ceiling.told(),
            default.told()
        ));
        claims.extend(claims_of(seed, exact, ceiling, default));
        drawn.get_or_insert(found);
    }
    let Some([exact, ceiling, default]) = drawn else {
        bail!("there is no seed to draw figure 5 for");
    };
    Ok(Figure {
        name: "figure5",
        chart: chart(&exact, &ceiling, &default),
        report,
        claims,
    })
}

fn claims_of<const N: usize>(
    seed: u64,
    exact: &Transition<N>,
    ceiling: &Transition<N>,
    default: &Transition<N>,
) -> Vec<Claim> {
    let claim = |text: String, holds| Claim {
        text: format!("seed {seed}: {text}"),
        holds,
    };
    let before = exact.states.get(exact.shift - 1).map_or(0.0, |state| state.old);
    let after = default.states.last().map_or(0.0, |state| state.new);
    vec![
        claim(
            format!("the exact projection is the old subspace before the shift, overlap {before:.3}"),
            before > FOUND,
        ),
        claim(
            format!("the exact algorithm needs more than {EXACT} trials for the new one"),
            exact.trials().is_none_or(|trials| trials > EXACT),
        ),
        claim(
            format!(
                "with a ceiling of {ACCIDENTAL_CEILING} it takes {} trials, within {} to {}; [WK08] says about {PRINTED}",
                ceiling.told(),
                WITH_CEILING.start(),
                WITH_CEILING.end()
            ),
            ceiling.trials().is_some_and(|trials| WITH_CEILING.contains(&trials)),
        ),
        claim(
            format!("the default is faster still, and ends in the new subspace, overlap {after:.3}"),
            default.trials() < ceiling.trials() && default.trials().is_some() && after > FOUND,
        ),
    ]
}

fn follow<const N: usize>(stream: &Stream<N>, settings: TrackingSettings<f64>) -> Result<Transition<N>> {
    let [(start, shift), (_, end), ..] = stream.segments()[..] else {
        bail!("a transition needs a stream of two segments");
    };
    let old = subspace(&stream.samples[start..shift])?;
    let new = subspace(&stream.samples[shift..end])?;
    let mut pca = TrackingPca::<f64, N, KEEP, N>::new(settings);
    let mut states = Vec::with_capacity(end);
    for sample in &stream.samples[start..end] {
        let components = pca.components();
        states.push(State {
            old: overlap(&components, &old),
            new: overlap(&components, &new),
            components,
        });
        pca.learn(sample)?;
    }
    Ok(Transition { states, shift })
}

fn subspace<const N: usize>(samples: &[[f64; N]]) -> Result<SMatrix<f64, N, KEEP>> {
    let mut pca = BatchPca::<f64, N, KEEP>::new(Centering::Uncentered);
    for sample in samples {
        pca.learn(sample)?;
    }
    if pca.fit() == Convergence::BoundHit {
        bail!("batch PCA found no directions for these samples: use others");
    }
    Ok(pca.components())
}

/// tr(P·U)/k of the projections P and U onto two subspaces of dimension k: 1 if they are equal, 0 if they are
/// orthogonal.
fn overlap<const N: usize>(one: &SMatrix<f64, N, KEEP>, other: &SMatrix<f64, N, KEEP>) -> f64 {
    let pairs = one
        .column_iter()
        .flat_map(|column| other.column_iter().map(move |other| column.dot(&other)));
    pairs.map(|cosine| cosine * cosine).sum::<f64>() / KEEP as f64
}

fn chart<const N: usize>(exact: &Transition<N>, ceiling: &Transition<N>, default: &Transition<N>) -> Chart {
    let (shift, end) = (exact.shift, exact.states.len());
    let first = shift - LEAD.min(shift);
    let line = |name: &str, colour, look, transition: &Transition<N>| {
        let values: Vec<f64> = transition.states[first..].iter().map(|state| state.new).collect();
        Series::over_trials(name, colour, look, first + 1, &values)
    };
    let overlaps = Panel {
        horizontal: Axis::between("trial", first as f64, end as f64),
        vertical: Axis::between("overlap with the new subspace", 0.0, 1.15),
        series: vec![
            line("exact", Colour::Blue, Look::Line, exact),
            line("ceiling 36", Colour::Green, Look::Line, ceiling),
            line("default", Colour::Orange, Look::Line, default),
        ],
        marks: vec![shift as f64, (shift + PRINTED) as f64],
        notes: vec![((shift + 4 * PRINTED) as f64, format!("[WK08]: about {PRINTED} trials"))],
        legend: Legend::LowerRight,
    };
    let ellipses = Panel {
        horizontal: Axis::between("dimension 1", -0.6, 0.6),
        vertical: Axis::between("dimension 3", -0.6, 0.6),
        series: ELLIPSES
            .iter()
            .filter_map(|&(trials, colour)| Some(ellipse(exact.states.get(shift + trials)?, trials, colour)))
            .collect(),
        marks: Vec::new(),
        notes: Vec::new(),
        legend: Legend::LowerRight,
    };
    Chart {
        title: "The most likely projection moves from the old subspace to the new one".into(),
        panels: vec![overlaps, ellipses],
        layout: Layout::Beside,
        caption: vec![
            format!(
                "[WK08] figure 5: Algorithm 5 around the first shift of figure 4 (first dashed line), η = {RATE}, k = {KEEP}."
            ),
            "Left: overlap tr(P·U)/k of the k likeliest directions. Right: their unit circle in the exact run, trials after the shift."
                .into(),
        ],
    }
}

/// The unit circle of the kept plane, projected onto two dimensions.
fn ellipse<const N: usize>(state: &State<N>, trials: usize, colour: Colour) -> Series {
    let corner = |corner: usize| {
        let (sine, cosine) = (TAU * corner as f64 / CORNERS as f64).sin_cos();
        let along = |dimension| cosine * state.components[(dimension, 0)] + sine * state.components[(dimension, 1)];
        Point::new(along(SHOWN.0), along(SHOWN.1))
    };
    Series {
        name: format!("+{trials}"),
        colour,
        look: Look::Line,
        points: (0..=CORNERS).map(corner).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::assert_all_hold;
    use super::*;

    #[test]
    fn the_claims_of_figure_5_hold_on_every_seed() -> Result<()> {
        assert_all_hold(&figure()?.claims);
        Ok(())
    }

    #[test]
    fn overlap_is_one_with_itself_and_zero_at_right_angles() {
        let identity = SMatrix::<f64, 4, 4>::identity();
        let (first, last) = (
            identity.fixed_columns::<2>(0).into_owned(),
            identity.fixed_columns::<2>(2).into_owned(),
        );
        assert_eq!((overlap(&first, &first), overlap(&first, &last)), (1.0, 0.0));
    }
}
