//! Figure 5: how Algorithm 5 lets go of one subspace and takes hold of the next.
//! In: the stream of figure 3. Out: for each trial around the first shift, how much of the most likely projection lies in the
//! old and in the new subspace, tr(P·U)/k, and the projection itself as the ellipse that its unit circle casts.

use std::f64::consts::TAU;

use anyhow::{Result, bail};
use eigenstream::Centering;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{BatchPca, TrackingPca, TrackingSettings};
use eigenstream::spectrum::Convergence;

use super::stream::Stream;
use super::{Claim, Figure};
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};

const KEEP: usize = 2;
const RATE: f64 = 1.0;
/// Trials drawn before the shift.
const LEAD: usize = 50;
/// How much of the projection lies in a subspace that the learner has found. Without share the past is never quite forgotten.
const FOUND: f64 = 0.9;
/// Trials after the shift at which the projection is drawn; two dimensions in which it is.
const ELLIPSES: [(usize, Colour); 5] = [
    (0, Colour::Orange),
    (200, Colour::Purple),
    (300, Colour::Black),
    (400, Colour::Green),
    (499, Colour::Blue),
];
const SHOWN: (usize, usize) = (0, 2);
/// Corners of a drawn ellipse.
const CORNERS: usize = 72;

/// What the learner would do in one trial, before it sees the sample.
struct State<const N: usize> {
    old: f64,
    new: f64,
    components: SMatrix<f64, N, KEEP>,
}

/// Follows the learner through the first two segments.
pub(super) fn figure<const N: usize>(stream: &Stream<N>) -> Result<Figure> {
    let segments = stream.segments();
    let [(start, shift), (_, end), ..] = segments[..] else {
        bail!("a transition needs a stream of two segments");
    };
    let states = follow(stream, start, shift, end)?;
    let first = shift - LEAD.min(shift);
    let [before, after] = [states[shift - 1].old, states[end - 1].new];
    let crossing = states.iter().position(|state| state.new > state.old && state.new > 0.5);
    let report = vec![format!(
        "first shift after trial {shift}: overlap with the old subspace before {before:.3}, with the new one at the end {after:.3}, \
         mostly new {} trials after the shift",
        crossing.map_or_else(|| "no".to_owned(), |trial| (trial - shift.min(trial)).to_string())
    )];
    let claim = |text: &str, holds| Claim {
        text: text.into(),
        holds,
    };
    Ok(Figure {
        name: "figure5",
        chart: chart(&states[first..end], first, shift),
        report,
        claims: vec![
            claim(
                "the most likely projection is the old subspace before the shift",
                before > FOUND,
            ),
            claim(
                "the most likely projection is the new subspace at the end",
                after > FOUND,
            ),
        ],
    })
}

fn follow<const N: usize>(stream: &Stream<N>, start: usize, shift: usize, end: usize) -> Result<Vec<State<N>>> {
    let old = subspace(&stream.samples[start..shift])?;
    let new = subspace(&stream.samples[shift..end])?;
    let mut pca = TrackingPca::<f64, N, KEEP, N>::new(TrackingSettings::unscaled(RATE)?.without_ceiling());
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
    Ok(states)
}

/// The plane that the samples lie in.
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

/// tr(P·U)/k of the projections onto two sets of orthonormal columns: one if they are the same, zero if at right angles.
fn overlap<const N: usize>(one: &SMatrix<f64, N, KEEP>, other: &SMatrix<f64, N, KEEP>) -> f64 {
    let pairs = one
        .column_iter()
        .flat_map(|column| other.column_iter().map(move |other| column.dot(&other)));
    pairs.map(|cosine| cosine * cosine).sum::<f64>() / KEEP as f64
}

fn chart<const N: usize>(states: &[State<N>], first: usize, shift: usize) -> Chart {
    let line = |name: &str, colour, value: fn(&State<N>) -> f64| {
        let values: Vec<f64> = states.iter().map(value).collect();
        Series::over_trials(name, colour, Look::Line, first + 1, &values)
    };
    let overlaps = Panel {
        horizontal: Axis::between("trial", first as f64, (first + states.len()) as f64),
        vertical: Axis::between("overlap", 0.0, 1.05),
        series: vec![
            line("with the old subspace", Colour::Orange, |state| state.old),
            line("with the new subspace", Colour::Blue, |state| state.new),
        ],
        marks: vec![shift as f64],
        notes: Vec::new(),
        legend: Legend::MiddleLeft,
    };
    let ellipses = Panel {
        horizontal: Axis::between("dimension 1", -0.6, 0.6),
        vertical: Axis::between("dimension 3", -0.6, 0.6),
        series: ELLIPSES
            .iter()
            .filter_map(|&(trials, colour)| Some(ellipse(states.get(shift + trials - first)?, trials, colour)))
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
                "[WK08] figure 5: Algorithm 5 around the first shift of figure 4 (dashed line), η = {RATE}, k = {KEEP}."
            ),
            "Left: overlap tr(P·U)/k of the k likeliest directions. Right: their unit circle, trials after the shift."
                .into(),
        ],
    }
}

/// The unit circle of the kept plane, as it appears in two of the dimensions.
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
    use super::*;

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
