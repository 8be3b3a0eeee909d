//! The monitor at sizes that are known only when the program runs.
//! In: how many channels there are, and the settings. Out: something that observes samples of that many channels.
//! It is `eigenstream::monitor::Monitor` and nothing else: the chip runs the same code.
//! The default monitor has 64 sizes and evaluates long recordings, so this package is built for speed.

mod certificate;
mod condition;
mod sight;

pub use certificate::Certificate;
pub use condition::Condition;
pub use sight::Sight;

use eigenstream::monitor::{Monitor, MonitorSettings, SensorMonitor};
use eigenstream::{Learner, SampleError};

/// The most channels that the default monitor was built for.
pub const MOST_CHANNELS: usize = 64;

/// A monitor whose sizes are known when the program runs.
pub trait Watch {
    /// Observes a sample and writes the part of each channel in its score.
    /// Both slices have as many channels as the monitor.
    ///
    /// # Errors
    /// A sample that the monitor refuses; it has not seen it then.
    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<Sight, SampleError>;

    /// How far its verdicts can be trusted.
    fn condition(&self) -> Condition;

    /// Another one in the same state.
    fn twin(&self) -> Box<dyn Watch>;

    /// What the learner has lost beside its bound, if it has one and was metered.
    fn certificate(&self) -> Option<Certificate> {
        None
    }
}

impl<L: Learner<f32, DIM> + Clone + 'static, const DIM: usize> Watch for Monitor<f32, L, DIM> {
    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<Sight, SampleError> {
        let mut channels = [0.0; DIM];
        channels.copy_from_slice(sample);
        let verdict = Self::observe(self, &channels)?;
        contribution.copy_from_slice(&verdict.contribution);
        Ok(Sight::of(&verdict))
    }

    fn condition(&self) -> Condition {
        Condition::of(&self.health())
    }

    fn twin(&self) -> Box<dyn Watch> {
        Box::new(self.clone())
    }
}

/// The default monitor of 1 to 64 channels; nothing for other counts.
#[must_use]
pub fn standard(channels: usize, settings: MonitorSettings<f32>) -> Option<Box<dyn Watch>> {
    macro_rules! by_channels {
        ($($count:literal)+) => {
            match channels {
                $($count => Some(boxed::<$count>(settings)),)+
                _ => None,
            }
        };
    }
    by_channels!(
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
    )
}

/// One frame for each size: in one frame for all of them the monitors would not fit on the stack.
#[inline(never)]
fn boxed<const CHANNELS: usize>(settings: MonitorSettings<f32>) -> Box<dyn Watch> {
    Box::new(SensorMonitor::<f32, CHANNELS>::standard(settings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eigenstream::monitor::{ChannelHealth, Phase, State};

    #[test]
    fn every_size_observes_as_many_channels_as_it_says() {
        for channels in 1..=MOST_CHANNELS {
            let mut contribution = vec![f32::NAN; channels];
            let monitor = standard(channels, MonitorSettings::DEFAULT);
            let sight = monitor.map(|mut monitor| monitor.observe(&vec![1.0; channels], &mut contribution));
            assert!(sight.is_some_and(|sight| sight.is_ok()), "{channels}");
            assert_eq!(contribution, vec![0.0; channels]);
        }
        assert!(standard(0, MonitorSettings::DEFAULT).is_none());
        assert!(standard(MOST_CHANNELS + 1, MonitorSettings::DEFAULT).is_none());
    }

    #[test]
    fn what_is_seen_is_what_the_monitor_says() {
        let settings = MonitorSettings::DEFAULT.with_training(100);
        let mut plain = SensorMonitor::<f32, 3>::standard(settings);
        let Some(mut watch) = standard(3, settings) else {
            unreachable!("three channels were built")
        };
        let mut contribution = [0.0; 3];
        for time in 0..400_u32 {
            let noise = |prime: u32| (time * time * prime % 1_009) as f32 / 1_009.0;
            // The last channel is stuck after a while, and the second one stands still from the beginning.
            let last = if time < 200 { noise(53) } else { 0.5 };
            let sample = [noise(37), 5.0, last];
            let (Ok(verdict), Ok(sight)) = (plain.observe(&sample), watch.observe(&sample, &mut contribution)) else {
                unreachable!("a sample was refused")
            };
            assert_eq!((sight.score, sight.alarm), (verdict.score, verdict.alarm));
            assert_eq!(contribution, verdict.contribution);
        }
        let sight = watch.twin().observe(&[0.5, 5.0, 0.5], &mut contribution);
        assert!(sight.is_ok_and(|sight| {
            sight.state == State::Stuck && sight.stuck == Some(2) && sight.guilty == 2 && sight.phase == Phase::Watching
        }));
        let condition = watch.condition();
        let expected = [ChannelHealth::Good, ChannelHealth::Unknown, ChannelHealth::Stuck];
        assert_eq!(condition.channels, expected);
        assert_eq!(condition.watched, 300);
    }
}
