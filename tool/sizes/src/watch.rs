//! A monitor whose sizes are known when the program runs.

use eigenstream::SampleError;
use eigenstream::monitor::{Monitor, MonitorSettings, Phase};

use crate::held::Boxed;
use crate::learn::{monitor_image, monitor_of};
use crate::{Certificate, Condition, Refusal, Sight};

/// A monitor of the table. Slices of samples have as many numbers as there are channels.
pub trait Watch: Send + Sync {
    /// Channels of a sample.
    fn channels(&self) -> usize;

    /// Observes a sample and writes the part of each channel in its score.
    /// Both slices have as many numbers as there are channels.
    ///
    /// # Errors
    /// A sample that the monitor refuses; it has not seen it then.
    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<Sight, SampleError>;

    /// The score of a sample by itself, not smoothed; changes nothing.
    ///
    /// # Errors
    /// A sample that the monitor refuses.
    fn score(&self, sample: &[f32]) -> Result<f32, SampleError>;

    /// Rows are missing between the last sample and the next.
    fn interrupt(&mut self);

    /// Takes the state of the machine in the alarm that lasts for normal; whether there was such a state.
    fn acknowledge(&mut self) -> bool;

    /// Finds a new threshold for what is normal now.
    fn recalibrate(&mut self);

    /// The threshold of the alarm; the largest number until it is known.
    fn threshold(&self) -> f32;

    /// How it treats samples.
    fn phase(&self) -> Phase;

    /// Its settings.
    fn settings(&self) -> MonitorSettings<f32>;

    /// How far its verdicts can be trusted.
    fn condition(&self) -> Condition;

    /// Level and spread of each channel.
    fn level(&self) -> (Vec<f32>, Vec<f32>);

    /// Its image, which the same monitor on a chip restores.
    fn encode(&self) -> Vec<u8>;

    /// Becomes the monitor of an image of its size.
    ///
    /// # Errors
    /// An image of something else, or one that is damaged. The monitor is as before then.
    fn decode(&mut self, image: &[u8]) -> Result<(), Refusal>;

    /// Another one in the same state.
    fn twin(&self) -> Box<dyn Watch>;

    /// The loss of the learner beside its bound, if it has one and was metered.
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
