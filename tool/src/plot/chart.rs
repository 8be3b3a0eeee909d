//! The description of a figure, in numbers and words; `draw` and `files` show it.

use crate::recording::Clock;

/// A title, panels, and a caption that says which quantities are shown.
pub struct Chart {
    pub title: String,
    pub panels: Vec<Panel>,
    pub layout: Layout,
    /// One entry for each line.
    pub caption: Vec<String>,
}

/// The arrangement of the panels of a chart.
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
    /// Vertical lines that mark a change.
    pub marks: Vec<f64>,
    /// Texts along the upper edge, each with its place.
    pub notes: Vec<(f64, String)>,
    pub legend: Legend,
}

/// The position of the legend of a panel.
#[derive(Clone, Copy)]
pub enum Legend {
    /// No legend: the lanes have names.
    Hidden,
    /// In a separate line above the plane, outside of the data.
    Above,
    UpperLeft,
    UpperRight,
    MiddleLeft,
    /// On the right, below the texts of the upper edge.
    BelowNotes,
    LowerRight,
}

/// The quantity and the range of an axis.
pub struct Axis {
    pub label: &'static str,
    pub from: f64,
    pub to: f64,
    /// Texts at 0, −1, −2, …; empty for numbers.
    pub names: Vec<String>,
    /// Pairs of a row and its time; empty for numbers.
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

    /// An axis over rows that shows times, if two are known.
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

    /// Interpolated between the known rows.
    pub fn time_at(&self, place: f64) -> Option<f64> {
        let after = self
            .times
            .partition_point(|&(row, _)| row <= place)
            .clamp(1, self.times.len().max(2) - 1);
        let (&(from, begin), &(to, end)) = (self.times.get(after - 1)?, self.times.get(after)?);
        Some(begin + (end - begin) * (place - from) / (to - from).max(1.0))
    }

    /// One lane for each name, the first at the top: lane i is centred at −i.
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

    /// From zero to a little above the largest value; to 1 if none is above zero.
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
    /// Each pair of points is a start and an end of an alarm.
    pub fn alarms(ends: Vec<Point>) -> Self {
        Self {
            name: "alarm".into(),
            colour: Colour::Orange,
            look: Look::Bands,
            points: ends,
        }
    }

    /// The first value belongs to the trial `first`.
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
    /// Half the height of the error bar.
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
    /// Each pair of points is a start and an end.
    Bands,
}

/// Distinct for colour-blind people (Okabe and Ito).
#[derive(Clone, Copy)]
pub enum Colour {
    Black,
    Blue,
    Green,
    Orange,
    Purple,
}

/// The mean of every `width` neighbouring values.
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
