//! A monitor whose sizes are chosen at run time.

use eigenstream::SampleError;
use eigenstream::monitor::{Monitor, MonitorSettings, Phase};

use crate::held::Boxed;
use crate::learn::{monitor_image, monitor_of};
use crate::{Certificate, Condition, Refusal, Sight};

/// A monitor of the table. A slice of a sample has one number for each channel. [`observe`](Self::observe) and
/// [`score`](Self::score) panic if a slice has another length.
pub trait Watch: Send + Sync {
    /// Channels of a sample.
    fn channels(&self) -> usize;

    /// Observes a sample and writes the part of each channel in its score. Both slices have one number for each channel.
    ///
    /// # Errors
    /// A sample that the monitor refuses. The monitor is unchanged then.
    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<Sight, SampleError>;

    /// Observes consecutive samples, as [`observe`](Self::observe) one after the other. Both slices have one number for each
    /// channel of each sample. `sights` gets one result for each sample; its earlier content is dropped.
    fn observe_all(
        &mut self,
        samples: &[f32],
        contributions: &mut [f32],
        sights: &mut Vec<Result<Sight, SampleError>>,
    ) {
        let channels = self.channels();
        sights.clear();
        let rows = samples
            .chunks_exact(channels)
            .zip(contributions.chunks_exact_mut(channels));
        sights.extend(rows.map(|(sample, contribution)| self.observe(sample, contribution)));
    }

    /// The score of this sample alone, not smoothed; changes nothing.
    ///
    /// # Errors
    /// A sample that the monitor refuses.
    fn score(&self, sample: &[f32]) -> Result<f32, SampleError>;

    /// Tells the monitor that samples are missing between the last sample and the next.
    fn interrupt(&mut self);

    /// Accepts the state of the machine in the current alarm as normal. Returns false if there is no state to accept.
    fn acknowledge(&mut self) -> bool;

    /// Starts a new calibration: the monitor computes a new threshold from the next samples.
    fn recalibrate(&mut self);

    /// The threshold of the alarm; the largest finite number until it is computed.
    fn threshold(&self) -> f32;

    /// The phase of the monitor.
    fn phase(&self) -> Phase;

    /// The settings of the monitor.
    fn settings(&self) -> MonitorSettings<f32>;

    /// How far the verdicts of the monitor can be trusted.
    fn condition(&self) -> Condition;

    /// Level and spread of each channel.
    fn level(&self) -> (Vec<f32>, Vec<f32>);

    /// The image of the monitor. A monitor of the same type restores it on a chip.
    fn encode(&self) -> Vec<u8>;

    /// Replaces the monitor by the monitor of an image of the same size.
    ///
    /// # Errors
    /// A damaged image, or an image of another type or size. The monitor is unchanged then.
    fn decode(&mut self, image: &[u8]) -> Result<(), Refusal>;

    /// A copy in the same state.
    fn twin(&self) -> Box<dyn Watch>;

    /// Total loss of the learner and the bound on it, if the learner has a bound and is metered.
    fn certificate(&self) -> Option<Certificate> {
        None
    }
}

/// A monitor around a learner in a box.
#[derive(Clone)]
pub(crate) struct Around<const DIM: usize>(pub(crate) Monitor<f32, Boxed<DIM>, DIM>);

impl<const DIM: usize> Watch for Around<DIM> {
    fn channels(&self) -> usize {
        DIM
    }

    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<Sight, SampleError> {
        let mut channels = [0.0; DIM];
        channels.copy_from_slice(sample);
        let verdict = self.0.observe(&channels)?;
        contribution.copy_from_slice(&verdict.contribution);
        Ok(Sight::of(&verdict))
    }

    fn score(&self, sample: &[f32]) -> Result<f32, SampleError> {
        let mut channels = [0.0; DIM];
        channels.copy_from_slice(sample);
        self.0.score(&channels)
    }

    fn interrupt(&mut self) {
        self.0.interrupt();
    }

    fn acknowledge(&mut self) -> bool {
        self.0.acknowledge()
    }

    fn recalibrate(&mut self) {
        self.0.recalibrate();
    }

    fn threshold(&self) -> f32 {
        self.0.threshold()
    }

    fn phase(&self) -> Phase {
        self.0.phase()
    }

    fn settings(&self) -> MonitorSettings<f32> {
        *self.0.settings()
    }

    fn condition(&self) -> Condition {
        Condition::of(&self.0.health())
    }

    fn level(&self) -> (Vec<f32>, Vec<f32>) {
        let level = self.0.level();
        (level.center().to_vec(), level.spread().to_vec())
    }

    fn encode(&self) -> Vec<u8> {
        monitor_image(&self.0)
    }

    fn decode(&mut self, image: &[u8]) -> Result<(), Refusal> {
        self.0 = monitor_of(image, self.0.learner())?;
        Ok(())
    }

    fn twin(&self) -> Box<dyn Watch> {
        Box::new(self.clone())
    }

    fn certificate(&self) -> Option<Certificate> {
        self.0.learner().0.certificate()
    }
}
