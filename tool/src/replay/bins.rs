//! The numbers of a picture from a stream of any length, in fixed memory.
//! In: rows of numbers. Out: at most `BINS` bins with equal numbers of rows; each has the smallest and the largest value of
//! every column, so a single outlier stays visible. When all are full, neighbours are joined.

use std::ops::Range;

/// More than the pixel columns of a picture, and even, so that every bin has a neighbour.
const BINS: usize = 1600;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub(super) least: f32,
    pub(super) largest: f32,
}

impl Extent {
    /// The extent of no values.
    pub(super) const NONE: Self = Self {
        least: f32::INFINITY,
        largest: f32::NEG_INFINITY,
    };

    /// NaN changes nothing.
    pub(super) fn add(&mut self, value: f32) {
        // `min` and `max` ignore NaN.
        self.least = self.least.min(value);
        self.largest = self.largest.max(value);
    }

    pub(super) fn join(&mut self, other: Self) {
        self.least = self.least.min(other.least);
        self.largest = self.largest.max(other.largest);
    }

    /// Whether a value was added.
    pub(super) fn is_some(self) -> bool {
        self.least <= self.largest
    }
}

/// Rows of `columns` numbers, reduced to bins.
pub(super) struct Bins {
    columns: usize,
    /// Rows in a full bin.
    width: u64,
    rows: u64,
    extents: Vec<Extent>,
    /// NaN if it is not known.
    times: Vec<f64>,
}

impl Bins {
    pub(super) fn new(columns: usize) -> Self {
        Self {
            columns,
            width: 1,
            rows: 0,
            extents: Vec::with_capacity(BINS * columns),
            times: Vec::with_capacity(BINS),
        }
    }

    /// In three pieces; NaN is a gap.
    pub(super) fn add(&mut self, seconds: f64, row: [&[f32]; 3]) {
        if self.rows == self.width * BINS as u64 {
            self.join_neighbours();
        }
        if self.rows.is_multiple_of(self.width) {
            self.extents.extend(std::iter::repeat_n(Extent::NONE, self.columns));
            self.times.push(seconds);
        }
        self.rows += 1;
        let bin = self.extents.len() - self.columns;
        let mut left = &mut self.extents[bin..];
        for piece in row {
            let (extents, rest) = left.split_at_mut(piece.len().min(left.len()));
            for (extent, &value) in extents.iter_mut().zip(piece) {
                extent.add(value);
            }
            left = rest;
        }
    }

    fn join_neighbours(&mut self) {
        let columns = self.columns;
        for bin in 0..BINS / 2 {
            for column in 0..columns {
                let mut joined = self.extents[2 * bin * columns + column];
                joined.join(self.extents[(2 * bin + 1) * columns + column]);
                self.extents[bin * columns + column] = joined;
            }
        }
        self.extents.truncate(BINS / 2 * columns);
        for bin in 0..BINS / 2 {
            self.times[bin] = self.times[2 * bin];
        }
        self.times.truncate(BINS / 2);
        self.width *= 2;
    }

    /// Number of rows added.
    pub(super) const fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn times(&self) -> Vec<(f64, f64)> {
        let rows = (0..).map(|bin| (bin * self.width) as f64);
        rows.zip(self.times.iter().copied())
            .filter(|(_, time)| time.is_finite())
            .collect()
    }

    pub(super) fn column(&self, column: usize) -> impl Iterator<Item = (Range<u64>, Extent)> {
        let bins = self.extents.chunks_exact(self.columns.max(1)).zip(0..);
        bins.map(move |(bin, index)| {
            let from = index * self.width;
            (from..(from + self.width).min(self.rows), bin[column])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_stream_is_kept_as_it_is() {
        let mut bins = Bins::new(2);
        bins.add(f64::NAN, [&[1.0], &[f32::NAN], &[]]);
        bins.add(f64::NAN, [&[-2.0, 5.0], &[], &[]]);
        let first: Vec<_> = bins
            .column(0)
            .map(|(rows, extent)| (rows, extent.least, extent.largest))
            .collect();
        assert_eq!(first, [(0..1, 1.0, 1.0), (1..2, -2.0, -2.0)]);
        let measured: Vec<bool> = bins.column(1).map(|(_, extent)| extent.is_some()).collect();
        assert_eq!(measured, [false, true]);
    }

    #[test]
    fn a_long_stream_keeps_its_extremes_in_their_place() {
        let rows = 5 * BINS as u64 + 7;
        let outlier = 3 * BINS as u64 + 1;
        let mut bins = Bins::new(1);
        for row in 0..rows {
            let value = if row == outlier { 9.0 } else { (row % 2) as f32 };
            bins.add(f64::NAN, [&[value], &[], &[]]);
        }
        assert_eq!(bins.rows(), rows);
        assert!(bins.extents.len() <= BINS && bins.extents.capacity() == BINS);
        let holding: Vec<_> = bins.column(0).filter(|(_, extent)| extent.largest == 9.0).collect();
        assert_eq!(holding.len(), 1);
        assert!(holding[0].0.contains(&outlier));
        // Every row is in exactly one bin.
        let covered: u64 = bins.column(0).map(|(rows, _)| rows.end - rows.start).sum();
        assert_eq!(covered, rows);
        assert!(
            bins.column(0)
                .take(BINS / 2)
                .all(|(_, extent)| extent.least == 0.0 && extent.largest >= 1.0)
        );
    }
}
