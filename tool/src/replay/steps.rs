//! Finds gaps in time. The usual step is the median of the first [`LEARNED`] steps, or of the next ones if it is not above
//! zero. A step back, or one longer than [`LARGE`] usual steps, is a gap.

const LEARNED: usize = 15;

const LARGE: f64 = 3.5;

/// The steps of a recording.
#[derive(Default)]
pub(super) struct Steps {
    last: Option<f64>,
    first: Vec<f64>,
    usual: Option<f64>,
}

impl Steps {
    /// False if the time or the usual step is not known.
    pub(super) fn breaks_at(&mut self, seconds: Option<f64>) -> bool {
        let Some(now) = seconds else { return false };
        let Some(last) = self.last.replace(now) else {
            return false;
        };
        let step = now - last;
        match self.usual {
            Some(usual) => step < 0.0 || step > LARGE * usual,
            None => {
                self.first.push(step);
                if self.first.len() == LEARNED {
                    self.first.sort_by(f64::total_cmp);
                    self.usual = Some(self.first[LEARNED / 2]).filter(|&usual| usual > 0.0);
                    self.first.clear();
                }
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_a_step_that_is_much_longer_or_back() {
        let mut steps = Steps::default();
        let times = (0..30).map(f64::from).chain([30.5, 31.0, 45.0, 46.0, 3.0, 4.0]);
        let gaps: Vec<f64> = times.filter(|&time| steps.breaks_at(Some(time))).collect();
        assert_eq!(gaps, [45.0, 3.0]);
        assert!(!steps.breaks_at(None));
    }
}
