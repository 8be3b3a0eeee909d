//! The description of a figure, before anything is drawn.
//! In: numbers and words. Out: a description. `draw` makes a picture of it, and `files` a table.

use crate::recording::Clock;

/// One figure: a title, one or more panels, and a caption that says which quantities are shown.
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
    /// Places of vertical lines that mark a change.
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
    /// The texts at 0, −1, −2, … instead of these numbers; empty for an axis of numbers.
    pub names: Vec<String>,
    /// Pairs of a row and its time of recording; empty for an axis of numbers.
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

    /// An axis over rows that shows their times of recording. Returns the axis unchanged if fewer than two times are known.
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

    /// The time at which the row at a place was recorded, interpolated between the known rows.
    pub fn time_at(&self, place: f64) -> Option<f64> {
        let after = self
            .times
            .partition_point(|&(row, _)| row <= place)
            .clamp(1, self.times.len().max(2) - 1);
        let (&(from, begin), &(to, end)) = (self.times.get(after - 1)?, self.times.get(after)?);
        Some(begin + (end - begin) * (place - from) / (to - from).max(1.0))
    }

    /// One lane for each name, the first lane at the top: lane i is centred at −i.
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

    /// From zero to a little above the largest value; to 1 if no value is above zero.
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
    /// Intervals of alarm: each pair of points is a start and an end.
    pub fn alarms(ends: Vec<Point>) -> Self {
        Self {
            name: "alarm".into(),
            colour: Colour::Orange,
            look: Look::Bands,
            points: ends,
        }
    }

    /// One value for each trial; the first value belongs to the trial `first`.
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
    /// Half the height of the error bar; only [`Look::ErrorBars`] shows it.
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
    /// Coloured intervals of the horizontal axis: each pair of points is a start and an end.
    Bands,
}

/// Colours that colour-blind people can distinguish (Okabe and Ito).
#[derive(Clone, Copy)]
pub enum Colour {
    Black,
    Blue,
    Green,
    Orange,
    Purple,
}

/// The mean of every `width` neighbouring values, to smooth a noisy curve.
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
