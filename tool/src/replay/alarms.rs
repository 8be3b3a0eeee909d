//! The alarms of a recording, each with its first row and its length.

/// Memory must not grow with the recording.
const KEPT: usize = 2_000;

/// One alarm.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alarm {
    /// The first row, counted from zero.
    pub(super) row: u64,
    /// The line of the first row in the file.
    pub(super) line: u64,
    /// If the recording has times.
    pub(super) seconds: Option<f64>,
    /// Number of rows of the alarm.
    pub(super) rows: u64,
    /// In the row with the largest score.
    pub(super) guilty: usize,
    /// The largest score divided by the threshold.
    pub(super) height: f32,
}

/// All alarms so far.
#[derive(Default)]
pub(super) struct Alarms {
    pub(super) list: Vec<Alarm>,
    /// Including those that are not stored.
    pub(super) count: u64,
    lasting: bool,
}

impl Alarms {
    /// Adds a row in alarm.
    pub(super) fn add(&mut self, mut alarm: Alarm) {
        if !std::mem::replace(&mut self.lasting, true) {
            self.count += 1;
            alarm.rows = 1;
            if self.list.len() < KEPT {
                self.list.push(alarm);
            }
            return;
        }
        if self.count > self.list.len() as u64 {
            return;
        }
        if let Some(last) = self.list.last_mut() {
            last.rows += 1;
            if alarm.height > last.height {
                (last.height, last.guilty) = (alarm.height, alarm.guilty);
            }
        }
    }

    pub(super) fn end(&mut self) {
        self.lasting = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_a_row_are_one_alarm() {
        let mut alarms = Alarms::default();
        for (row, height) in [(4, 1.5), (5, 9.0), (7, 2.0)] {
            if row == 7 {
                alarms.end();
            }
            alarms.add(Alarm {
                row,
                line: row + 2,
                seconds: None,
                rows: 0,
                guilty: row as usize,
                height,
            });
        }
        let seen: Vec<_> = alarms
            .list
            .iter()
            .map(|alarm| (alarm.row, alarm.rows, alarm.guilty, alarm.height))
            .collect();
        assert_eq!(seen, [(4, 2, 5, 9.0), (7, 1, 7, 2.0)]);
        assert_eq!(alarms.count, 2);
    }
}
