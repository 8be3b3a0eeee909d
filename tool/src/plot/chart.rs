//! The parts of a figure, before anything is drawn.
//! In: numbers and words. Out: a description that `draw` makes a picture of and `files` a table.

use crate::recording::Clock;

/// One figure: a title, one or more panels, and a caption that says what was computed.
pub struct Chart {
    pub title: String,
    pub panels: Vec<Panel>,
    pub layout: Layout,
    /// One entry a line.
    pub caption: Vec<String>,
}

/// How the panels of a chart stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// From left to right.
    Beside,
    /// From top to bottom, on one time axis.
    Stacked,
}

/// One pair of axes.
pub struct Panel {
    pub horizontal: Axis,
    pub vertical: Axis,
    pub series: Vec<Series>,
    /// Vertical lines where something changes.
    pub marks: Vec<f64>,
    /// Words along the upper edge, each at its place.
    pub notes: Vec<(f64, String)>,
    pub legend: Legend,
}

/// Where the legend of a panel stands.
#[derive(Clone, Copy)]
pub enum Legend {
    /// None: the lanes have names.
    Hidden,
    /// In a line of its own above the plane, off the data.
    Above,
    UpperLeft,
    UpperRight,
    MiddleLeft,
    /// On the right, under the words along the upper edge.
    BelowNotes,
    LowerRight,
}

/// The quantity and the range of an axis.
pub struct Axis {
    pub label: &'static str,
    pub from: f64,
    pub to: f64,
    /// The words at 0, −1, −2, … in place of these numbers; empty for numbers.
    pub names: Vec<String>,
    /// When the rows at some places were recorded; empty for numbers.
    pub times: Vec<(f64, f64)>,
    pub clock: Clock,
}

impl Axis {
    pub const fn between(label: &'static str, from: f64, to: f64) -> Self {
        Self {
            label,
            from,
            to,
            names: Vec::new(),
            times: Vec::new(),
            clock: Clock::Count,
        }
    }

    /// An axis over rows that shows when they were recorded; as it is where too few times are known.
    pub fn of_times(self, clock: Clock, times: Vec<(f64, f64)>) -> Self {
        if times.len() < 2 {
            return self;
        }
        Self {
            label: "time",
            times,
            clock,
            ..self
        }
    }

    /// When the row at a place was recorded, between the rows that are known.
    pub fn time_at(&self, place: f64) -> Option<f64> {
        let after = self
            .times
            .partition_point(|&(row, _)| row <= place)
            .clamp(1, self.times.len().max(2) - 1);
        let (&(from, begin), &(to, end)) = (self.times.get(after - 1)?, self.times.get(after)?);
        Some(begin + (end - begin) * (place - from) / (to - from).max(1.0))
    }

    /// One lane for each name, the first at the top: lane i is around −i.
    pub fn lanes(label: &'static str, names: Vec<String>) -> Self {
        Self {
            label,
            from: 0.5 - names.len() as f64,
            to: 0.5,
            names,
            times: Vec::new(),
            clock: Clock::Count,
        }
    }

    /// From nothing to a little above the largest value; where there is nothing to show, to one.
    pub fn up_to(label: &'static str, largest: f64) -> Self {
        let to = if largest > 0.0 { 1.05 * largest } else { 1.0 };
        Self::between(label, 0.0, to)
    }
}

/// Points that belong together.
pub struct Series {
    pub name: String,
    pub colour: Colour,
    pub look: Look,
    pub points: Vec<Point>,
}

impl Series {
    /// Stretches of alarm, from one point to the next.
    pub fn alarms(ends: Vec<Point>) -> Self {
        Self {
            name: "alarm".into(),
            colour: Colour::Orange,
            look: Look::Bands,
            points: ends,
        }
    }

    /// A value for each trial, the first trial being `first`.
    pub fn over_trials(name: &str, colour: Colour, look: Look, first: usize, values: &[f64]) -> Self {
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
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// Half the height of its error bar; only [`Look::ErrorBars`] shows it.
    pub deviation: f64,
}

impl Point {
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y, deviation: 0.0 }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy)]
pub enum Look {
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
pub enum Colour {
    Black,
    Blue,
    Green,
    Orange,
    Purple,
}

/// The mean of every stretch of `width` neighbours: what a noisy curve is about.
pub fn smoothed(values: &[f64], width: usize) -> Vec<f64> {
    let means = values.windows(width.max(1));
    means
        .map(|window| window.iter().sum::<f64>() / window.len() as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_between_two_rows_has_a_time_between_theirs() {
        let axis =
            Axis::between("row", 0.0, 20.0).of_times(Clock::Count, vec![(0.0, 100.0), (10.0, 110.0), (20.0, 200.0)]);
        assert_eq!(
            [0.0, 5.0, 10.0, 15.0, 20.0].map(|place| axis.time_at(place)),
            [100.0, 105.0, 110.0, 155.0, 200.0].map(Some)
        );
        assert_eq!(Axis::between("row", 0.0, 20.0).time_at(3.0), None);
    }

    #[test]
    fn a_smoothed_curve_has_the_means_of_its_neighbours() {
        assert_eq!(smoothed(&[1.0, 3.0, 5.0, 1.0], 2), [2.0, 4.0, 3.0]);
        assert_eq!(smoothed(&[1.0, 3.0], 0), [1.0, 3.0]);
    }
}
