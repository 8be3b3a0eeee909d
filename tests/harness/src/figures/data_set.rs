//! Figure 3: the data of figures 4 and 5, in the first three dimensions.

use super::Figure;
use super::stream::Stream;
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};

const COLOURS: [Colour; 3] = [Colour::Blue, Colour::Orange, Colour::Green];

/// Draws the samples; each source has its colour.
pub(super) fn figure<const N: usize>(stream: &Stream<N>) -> Figure {
    let panels = [("dimension 1", "dimension 2", 1), ("dimension 1", "dimension 3", 2)];
    let shown = stream.samples.iter().flat_map(|sample| &sample[..3]);
    let reach = 1.35 * shown.fold(0.0, |reach: f64, value| reach.max(value.abs()));
    let panel = |(horizontal, vertical, dimension): (&'static str, &'static str, usize)| Panel {
        horizontal: Axis::between(horizontal, -reach, reach),
        vertical: Axis::between(vertical, -reach, reach),
        series: COLOURS
            .iter()
            .enumerate()
            .map(|(source, &colour)| scatter(stream, source, colour, dimension))
            .collect(),
        marks: Vec::new(),
        notes: Vec::new(),
        legend: Legend::UpperRight,
    };
    let chart = Chart {
        title: "The data set: three Gaussians of rank 2, one after the other".into(),
        panels: panels.map(panel).into(),
        layout: Layout::Beside,
        caption: vec![
            format!("[WK08] figure 3: 3 × 500 samples in {N} dimensions, of which the first three are shown."),
            "No sample is longer than one. Figures 4 and 5 learn from this stream.".into(),
        ],
    };
    Figure::without_claims("figure3", chart)
}

fn scatter<const N: usize>(stream: &Stream<N>, source: usize, colour: Colour, dimension: usize) -> Series {
    let samples = stream.samples.iter().zip(&stream.sources);
    let own = samples.filter(|&(_, &other)| other == source);
    Series {
        name: format!("Gaussian {}", source + 1),
        colour,
        look: Look::Dots,
        points: own
            .map(|(sample, _)| Point::new(sample[0], sample[dimension]))
            .collect(),
    }
}
