//! The best partition of a stream, known only after the stream: the comparator that may change its subspace a few
//! times.
//! In: places where a segment may end, the loss of the best fixed comparator between any two of them, and the number of
//! segments. Out: for each number of segments the least total loss, and for the largest number the ends of the
//! segments.
//! Method: dynamic programming. The least loss up to place j in s segments is B_s(j) = min over i < j of B_{s−1}(i) +
//! loss(i, j).
//! Cost: P²/2 losses and S·P²/2 additions for P places and S segments.

/// The best partitions of a stream into 1, 2, … segments.
pub(crate) struct Partition {
    /// Entry s of the list is the least total loss with s + 1 segments.
    losses: Vec<f64>,
    /// Ends of the segments of the partition with the most segments.
    ends: Vec<usize>,
}

impl Partition {
    /// `places` ascend from the start to the end of the stream; `loss(from, to)` is the loss of the best fixed
    /// comparator of the samples `from..to`.
    pub(crate) fn new<E>(
        places: &[usize],
        segments: usize,
        mut loss: impl FnMut(usize, usize) -> Result<f64, E>,
    ) -> Result<Self, E> {
        let mut costs = Vec::with_capacity(places.len());
        for (first, &from) in places.iter().enumerate().take(places.len().saturating_sub(1)) {
            let row: Result<Vec<f64>, E> = places[first + 1..].iter().map(|&to| loss(from, to)).collect();
            costs.push(row?);
        }
        Ok(Self::of(places, segments, &costs))
    }

    /// `costs[i][j − i − 1]` is the loss between the places i and j.
    pub(crate) fn of(places: &[usize], segments: usize, costs: &[Vec<f64>]) -> Self {
        let pieces = costs.len();
        let segments = segments.min(pieces);
        // The entry `least[s][j]` is the least loss up to the place j with s + 1 segments, and the start of the last
        // segment.
        let mut least: Vec<Vec<(f64, usize)>> = Vec::with_capacity(segments);
        for count in 0..segments {
            let best_up_to = |place: usize| {
                if count == 0 {
                    return costs[0].get(place.wrapping_sub(1)).map_or((0.0, 0), |&cost| (cost, 0));
                }
                let before = &least[count - 1];
                // Each of the `count` earlier segments has at least one piece, so the last of them ends at place
                // `count` or later.
                (count..place).fold((f64::INFINITY, 0), |best, cut| {
                    let total = before[cut].0 + costs[cut][place - cut - 1];
                    if total < best.0 { (total, cut) } else { best }
                })
            };
            least.push((0..=pieces).map(best_up_to).collect());
        }
        let mut ends = Vec::new();
        let mut place = pieces;
        for row in least.iter().rev() {
            ends.push(places[place]);
            place = row[place].1;
        }
        ends.reverse();
        Self {
            losses: least.iter().map(|row| row[pieces].0).collect(),
            ends,
        }
    }

    /// The least total losses with 1, 2, … segments.
    pub(crate) fn losses(&self) -> &[f64] {
        &self.losses
    }

    /// Ends of the segments, for the largest number of segments.
    pub(crate) fn ends(&self) -> &[usize] {
        &self.ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loss of a segment: the sum of the squared deviations of its numbers from their mean.
    fn spread(values: &[f64]) -> impl Fn(usize, usize) -> Result<f64, ()> + '_ {
        |from, to| {
            let part = &values[from..to];
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            Ok(part.iter().map(|value| (value - mean).powi(2)).sum())
        }
    }

    #[test]
    fn segments_end_where_the_numbers_change() -> Result<(), ()> {
        let values = [1.0, 1.0, 1.0, 5.0, 5.0, 2.0, 2.0, 2.0];
        let places: Vec<usize> = (0..=values.len()).collect();
        let best = Partition::new(&places, 3, spread(&values))?;
        assert_eq!((best.losses()[2], best.ends()), (0.0, [3, 5, 8].as_slice()));
        assert!(best.losses()[0] > best.losses()[1] && best.losses()[1] > 0.0);
        Ok(())
    }

    #[test]
    fn the_loss_is_the_least_of_all_partitions() -> Result<(), ()> {
        let values = [0.3, 2.0, -1.0, 0.7, 0.9, -0.4, 3.0];
        let places: Vec<usize> = (0..=values.len()).collect();
        let loss = spread(&values);
        let best = Partition::new(&places, 3, &loss)?;
        let mut least = f64::INFINITY;
        for first in 1..6 {
            for second in first + 1..7 {
                least = least.min(loss(0, first)? + loss(first, second)? + loss(second, 7)?);
            }
        }
        assert!((best.losses()[2] - least).abs() < 1e-12);
        Ok(())
    }

    #[test]
    fn more_segments_than_samples_and_an_empty_stream_are_accepted() -> Result<(), ()> {
        let values = [1.0, 2.0];
        assert_eq!(Partition::new(&[0, 1, 2], 5, spread(&values))?.losses(), [0.5, 0.0]);
        assert!(Partition::new(&[], 2, spread(&values))?.losses().is_empty());
        Ok(())
    }
}
