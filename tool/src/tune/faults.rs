//! Makes artificial faults, on which settings are tried: a wrong level of one channel, two to four times its spread. Every
//! setting finds larger faults. On recordings with known faults, level faults ranked the settings as the true faults did;
//! louder, stuck and late channels did not.

use std::ops::Range;

/// In multiples of the channel's spread.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// From the first row on.
    Step(f32),
    /// Linear, up to this amount in the last row.
    Creep(f32),
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Step(2.0),
        Self::Step(-2.0),
        Self::Step(4.0),
        Self::Step(-4.0),
        Self::Creep(3.0),
        Self::Creep(-3.0),
    ];

    fn amount(self, time: usize, rows: usize) -> f32 {
        match self {
            Self::Step(amount) => amount,
            Self::Creep(amount) => amount * (time + 1) as f32 / rows as f32,
        }
    }
}

/// A fault in one channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fault {
    channel: usize,
    kind: Kind,
}

impl Fault {
    /// Every kind of fault in every channel.
    pub(super) fn all(channels: usize) -> impl Iterator<Item = Self> {
        (0..channels).flat_map(|channel| Kind::ALL.map(|kind| Self { channel, kind }))
    }

    /// `judged` with the fault; the spread comes from the rows before.
    pub(super) fn in_rows(self, rows: &[Vec<f32>], judged: Range<usize>) -> Vec<Vec<f32>> {
        let spread = spread(rows[..judged.start].iter().map(|row| row[self.channel]));
        let count = judged.len();
        let mut faulty = rows[judged].to_vec();
        for (time, row) in faulty.iter_mut().enumerate() {
            row[self.channel] += spread * self.kind.amount(time, count);
        }
        faulty
    }
}

/// The standard deviation of the finite values.
fn spread(values: impl Iterator<Item = f32> + Clone) -> f32 {
    let measured = values.filter(|value| value.is_finite()).map(f64::from);
    let count = measured.clone().count().max(1) as f64;
    let mean = measured.clone().sum::<f64>() / count;
    let variance = measured.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    variance.sqrt() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_channel_goes_wrong_and_the_others_stay() {
        let rows: Vec<Vec<f32>> = [1.0, -1.0, 1.0, -1.0, 3.0, 5.0].map(|value| vec![value, 7.0]).to_vec();
        let wrong = |kind| -> Vec<f32> {
            let faulty = Fault { channel: 0, kind }.in_rows(&rows, 4..6);
            assert!(faulty.iter().all(|row| row[1] == 7.0));
            faulty.iter().map(|row| row[0]).collect()
        };
        assert_eq!(wrong(Kind::Step(-2.0)), [1.0, 3.0]);
        assert_eq!(wrong(Kind::Creep(3.0)), [4.5, 8.0]);
        assert_eq!(Fault::all(2).count(), 12);
    }
}
