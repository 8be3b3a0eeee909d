//! What a figure consists of, before anything is drawn.
//! In: numbers and words. Out: a description that `draw` makes a picture of and `files` a table.

/// One figure: a title, one or more panels, and a caption that says what was computed.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) panels: Vec<Panel>,
    pub(crate) layout: Layout,
    /// One entry a line.
    pub(crate) caption: Vec<String>,
}

/// How the panels of a chart stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// From left to right.
    Beside,
    /// From top to bottom, on one time axis.
    Stacked,
}

/// One pair of axes.
pub(crate) struct Panel {
    pub(crate) horizontal: Axis,
    pub(crate) vertical: Axis,
    pub(crate) series: Vec<Series>,
    /// Vertical lines where something changes.
    pub(crate) marks: Vec<f64>,
    /// Words along the upper edge, each at its place.
    pub(crate) notes: Vec<(f64, String)>,
    pub(crate) legend: Legend,
}

/// Where the legend of a panel stands.
#[derive(Clone, Copy)]
pub(crate) enum Legend {
    /// None: the lanes have names.
    Hidden,
    UpperLeft,
    UpperRight,
    MiddleLeft,
    /// On the right, under the words along the upper edge.
    BelowNotes,
    LowerRight,
}

/// What an axis shows, and from where to where.
pub(crate) struct Axis {
    pub(crate) label: &'static str,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// What stands at 0, −1, −2, … instead of these numbers; empty for numbers.
    pub(crate) names: Vec<String>,
}

impl Axis {
    pub(crate) const fn between(label: &'static str, from: f64, to: f64) -> Self {
        Self {
            label,
            from,
            to,
            names: Vec::new(),
        }
    }

    /// One lane for each name, the first at the top: lane i is around −i.
    pub(crate) fn lanes(label: &'static str, names: Vec<String>) -> Self {
        Self {
            label,
            from: 0.5 - names.len() as f64,
            to: 0.5,
            names,
        }
    }

    /// From nothing to a little above the largest value; where there is nothing to show, to one.
    pub(crate) fn up_to(label: &'static str, largest: f64) -> Self {
        let to = if largest > 0.0 { 1.05 * largest } else { 1.0 };
        Self::between(label, 0.0, to)
    }
}

/// Points that belong together.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) colour: Colour,
    pub(crate) look: Look,
    pub(crate) points: Vec<Point>,
}

impl Series {
    /// Stretches of alarm, from one point to the next.
    pub(crate) fn alarms(ends: Vec<Point>) -> Self {
        Self {
            name: "alarm".into(),
            colour: Colour::Orange,
            look: Look::Bands,
            points: ends,
        }
    }

    /// A value for each trial, the first trial being `first`.
    pub(crate) fn over_trials(name: &str, colour: Colour, look: Look, first: usize, values: &[f64]) -> Self {
        let points = values.iter().enumerate();
        Self {
            name: name.to_owned(),
            colour,
            look,
            points: points
                .map(|(trial, &y)| Point::new((first + trial) as f64, y))
                .collect(),
        }
    }
}

/// One point of a series.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Half the height of its error bar; only [`Look::ErrorBars`] shows it.
    pub(crate) deviation: f64,
}

impl Point {
    pub(crate) const fn new(x: f64, y: f64) -> Self {
        Self { x, y, deviation: 0.0 }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy)]
pub(crate) enum Look {
    Line,
    Dashed,
    Dots,
    ErrorBars,
    /// A thin line, for curves that are dense.
    Thin,
    /// Stretches of the horizontal axis in colour, each from one point to the next.
    Bands,
}

/// Colours that people who see fewer colours can tell apart (Okabe and Ito).
#[derive(Clone, Copy)]
pub(crate) enum Colour {
    Black,
    Blue,
    Green,
    Orange,
    Purple,
}

/// The mean of every stretch of `width` neighbours: what a noisy curve is about.
pub(crate) fn smoothed(values: &[f64], width: usize) -> Vec<f64> {
    let means = values.windows(width.max(1));
    means
        .map(|window| window.iter().sum::<f64>() / window.len() as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoothed_curve_has_the_means_of_its_neighbours() {
        assert_eq!(smoothed(&[1.0, 3.0, 5.0, 1.0], 2), [2.0, 4.0, 3.0]);
        assert_eq!(smoothed(&[1.0, 3.0], 0), [1.0, 3.0]);
    }
}
