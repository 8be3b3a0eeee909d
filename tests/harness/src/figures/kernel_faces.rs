//! Online kernel PCA on faces that return, with the Gaussian kernel, [KW07] section 5.
//! In: at most 200 faces of figure 6, equally spaced. Out: total losses of the learner and of the best fixed subspace,
//! and the claims: the loss is within the bound without dimension, and each later segment of a person costs less than
//! the first segment of this person.

use anyhow::Result;
use eigenstream::bounds::Bounds;
use eigenstream_soak::faces::{KEEP, PIXELS, POINTS, kernel};

use super::losses::running_total;
use super::returning::in_order;
use super::stream::Stream;
use super::{Claim, Figure};
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Series};

/// The parameter γ of the kernel: two images with ‖x − y‖² = 1/2 have the kernel value 1/e. Images have length 1.
const GAMMA: f64 = 2.0;
const RATE: f64 = 1.0;

/// Computes the figure and its claims.
pub(super) fn figure(stream: &Stream<PIXELS>) -> Result<Figure> {
    in_order(stream)?;
    let every = stream.samples.len().div_ceil(POINTS).max(1);
    let thinned = Stream {
        samples: stream.samples.iter().step_by(every).copied().collect(),
        sources: stream.sources.iter().step_by(every).copied().collect(),
    };
    let run = kernel(&thinned.samples, GAMMA, RATE)?;
    let segment = |losses: &[f64]| -> Vec<f64> {
        let segments = thinned.segments().into_iter();
        segments.map(|(from, to)| losses[from..to].iter().sum()).collect()
    };
    let visits = segment(&run.losses);
    let (online, best) = (running_total(&run.losses), running_total(&run.hindsight));
    let [total, least] = [&online, &best].map(|totals| totals.last().copied().unwrap_or_default());
    let bound = Bounds::<f64>::dimension_free(KEEP).loss(least, RATE);
    let row = |name: &str, total: f64, visits: &[f64]| {
        let visits: Vec<String> = visits.iter().map(|loss| format!("{loss:5.2}")).collect();
        format!("{name:<22}  {total:>6.2}  {}", visits.join("  "))
    };
    let returns = [(0, 2), (1, 4), (0, 5)];
    Ok(Figure {
        name: "kernel_faces",
        report: vec![
            "                         total   A      B      A      C      B      A".to_owned(),
            row("online, Gaussian", total, &visits),
            row("best fixed subspace", least, &segment(&run.hindsight)),
        ],
        claims: vec![
            Claim {
                text: format!("{total:.2} is within the bound that knows no dimension, {bound:.2}"),
                holds: total <= bound,
            },
            Claim {
                text: "each return costs less than the first visit".into(),
                holds: returns.iter().all(|&(first, again)| visits[again] < visits[first]),
            },
        ],
        chart: chart(&thinned, &online, &best),
    })
}

fn chart(stream: &Stream<PIXELS>, online: &[f64], best: &[f64]) -> Chart {
    let largest = online.last().copied().unwrap_or_default();
    Chart {
        title: "Online kernel PCA on faces that return".into(),
        panels: vec![Panel {
            horizontal: Axis::between("trial", 0.0, stream.samples.len() as f64),
            vertical: Axis::up_to("total loss", largest),
            series: vec![
                Series::over_trials("online, Gaussian kernel", Colour::Blue, Look::Line, 1, online),
                Series::over_trials(
                    "best fixed subspace of the features",
                    Colour::Black,
                    Look::Dashed,
                    1,
                    best,
                ),
            ],
            marks: stream.shifts().iter().map(|&trial| trial as f64).collect(),
            notes: Vec::new(),
            legend: Legend::UpperLeft,
        }],
        layout: Layout::Beside,
        caption: vec![
            format!("[KW07] section 5: Yale faces, 15 × 10 pixels, kernel exp(−γ‖x − y‖²) with γ = {GAMMA}."),
            format!("η = {RATE}, k = {KEEP}, all images kept as points; shifts at the dashed lines."),
        ],
    }
}
