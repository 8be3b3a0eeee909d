//! Plots how instructions grow with the number of channels and with the window, on logarithmic axes, with the exponent.
//! In: the committed rows. Out: `examples/figures/growth.png`; the picture also as SVG and CSV in
//! `target/harness/bench`.

use std::fs;

use anyhow::{Context, Result};

use super::Row;
use crate::cargo::root;
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};
use crate::plot::files;

/// A curve: name, workload, variant, column, colour and look.
type Curve = (&'static str, &'static str, &'static str, &'static str, Colour, Look);

const CHANNELS: [Curve; 5] = [
    (
        "TrackingPca",
        "W1",
        "tracking",
        "instructions_mean",
        Colour::Blue,
        Look::Line,
    ),
    (
        "OPAST",
        "compare",
        "opast",
        "instructions_mean",
        Colour::Blue,
        Look::Dashed,
    ),
    (
        "CenteredPca",
        "W3",
        "centered",
        "instructions_mean",
        Colour::Green,
        Look::Line,
    ),
    (
        "Eigen",
        "eigen",
        "full",
        "instructions_mean",
        Colour::Orange,
        Look::Line,
    ),
    ("nalgebra", "eigen", "full", "naive_mean", Colour::Orange, Look::Dashed),
];

/// The curves over the number of points in the window.
const WINDOWS: [Curve; 1] = [(
    "OnlineKernelPca",
    "W2",
    "exact",
    "instructions_mean",
    Colour::Blue,
    Look::Line,
)];

pub(super) fn draw(rows: &[Row]) -> Result<()> {
    let chart = Chart {
        title: "How the cost of a trial grows".into(),
        panels: vec![
            panel(rows, "channels n, as log2", ("dim", "n"), &CHANNELS),
            panel(rows, "points M in the window, as log2", ("window", "M"), &WINDOWS),
        ],
        layout: Layout::Beside,
        caption: vec![
            "Retired instructions, Cortex-M4F in QEMU, f32, opt-level 3. Left 2 directions kept, right 4 of 20 channels, Gaussian kernel.".into(),
            "n^x, M^x: fitted to the three largest sizes.".into(),
        ],
    };
    let folder = root().join("target/harness/bench");
    files::write(&chart, &folder, "growth")?;
    fs::copy(folder.join("growth.png"), root().join("examples/figures/growth.png"))
        .context("cannot write growth.png")?;
    Ok(())
}

/// The curves over one size, given by its key in the rows and its symbol.
fn panel(rows: &[Row], axis: &'static str, size: (&str, &str), curves: &[Curve]) -> Panel {
    Panel {
        horizontal: Axis::between(axis, 1.9, 6.1),
        vertical: Axis::between("instructions a trial, as log10", 2.2, 7.2),
        series: curves.iter().filter_map(|curve| series(rows, size, curve)).collect(),
        marks: Vec::new(),
        notes: Vec::new(),
        legend: Legend::UpperLeft,
    }
}

fn series(rows: &[Row], (size, symbol): (&str, &str), curve: &Curve) -> Option<Series> {
    let &(name, workload, variant, key, colour, look) = curve;
    let mut points: Vec<(f64, f64)> = rows
        .iter()
        .filter(|row| row["workload"] == workload && row["variant"] == variant && row["opt"] == "3")
        .filter(|row| workload != "W1" || row["eta"].is_null())
        .filter(|row| workload != "compare" || !row.contains_key("stream"))
        .filter(|row| workload != "W2" || row["kernel"] == "gauss")
        .filter_map(|row| Some((row[size].as_f64()?.log2(), row[key].as_f64()?.log10())))
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let exponent = slope(points.get(points.len().checked_sub(3)?..)?) * 10_f64.log2();
    Some(Series {
        name: format!("{name}, {symbol}^{exponent:.1}"),
        colour,
        look,
        points: points.into_iter().map(|(x, y)| Point::new(x, y)).collect(),
    })
}

fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let along: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    along / points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_has_its_exponent() {
        // Three points of the curve 7·n³ in the units of the axes.
        let points = [8.0_f64, 16.0, 32.0].map(|n| (n.log2(), (7.0 * n.powi(3)).log10()));
        assert!((slope(&points) * 10_f64.log2() - 3.0).abs() < 1e-12);
    }
}
