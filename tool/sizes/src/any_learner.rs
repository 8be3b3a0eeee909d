//! A learner whose sizes are chosen at run time.

use eigenstream::Learner;
use eigenstream::monitor::{Monitor, MonitorSettings};

use crate::any_monitor::{AnyMonitor, Around};
use crate::learner_of::BoxedLearner;
use crate::losses::Certificate;
use crate::refusal::Refusal;

/// A learner of the table.
///
/// A slice of a sample has one number for each channel; slices of another length are refused.
pub trait AnyLearner: Send + Sync {
    /// Channels of a sample.
    fn channels(&self) -> usize;

    /// Number of entries of a code; zero if the learner has no codes.
    fn keep(&self) -> usize;

    /// How unusual a sample is; changes nothing.
    ///
    /// # Errors
    /// A sample that the learner refuses, or a slice of another length.
    fn score(&self, sample: &[f32]) -> Result<f32, Refusal>;

    /// Learns from a sample.
    ///
    /// # Errors
    /// A sample that the learner refuses, or a slice of another length.
    fn learn(&mut self, sample: &[f32]) -> Result<(), Refusal>;

    /// The unexpected part of each channel.
    ///
    /// # Errors
    /// A sample that the learner refuses, or a slice of another length.
    fn residual(&self, sample: &[f32]) -> Result<Vec<f32>, Refusal>;

    /// Writes the code of a sample: [`keep`](Self::keep) numbers.
    ///
    /// # Errors
    /// A sample that the learner refuses, a slice of another length, or a learner without codes.
    fn transform(&self, sample: &[f32], code: &mut [f32]) -> Result<(), Refusal>;

    /// Writes the sample that a code represents.
    ///
    /// # Errors
    /// A code that the learner refuses, a slice of another length, or a learner without this operation.
    fn inverse_transform(&self, code: &[f32], sample: &mut [f32]) -> Result<(), Refusal>;

    /// The directions one after the other, one number for each channel; `None` if the learner has no directions in the space of
    /// the samples.
    fn components(&self) -> Option<Vec<f32>>;

    /// Computes the directions from all samples. Only batch PCA needs this call.
    fn fit(&mut self);

    /// Samples learned; zero if the learner does not count them.
    fn samples_seen(&self) -> u64;

    /// The image of the learner.
    fn encode(&self) -> Vec<u8>;

    /// Replaces the learner by the learner of an image of the same size.
    ///
    /// # Errors
    /// A damaged image, or an image of another type or size. The learner is unchanged then.
    fn decode(&mut self, image: &[u8]) -> Result<(), Refusal>;

    /// Merges the learner of an image of the same size into this learner.
    ///
    /// # Errors
    /// An image that is refused, settings that differ, or a learner that cannot be merged. This learner is unchanged then.
    fn merge(&mut self, image: &[u8]) -> Result<(), Refusal>;

    /// A copy in the same state.
    fn twin(&self) -> Box<dyn AnyLearner>;

    /// Total loss and bound, if the losses are summed.
    fn certificate(&self) -> Option<Certificate>;

    /// Sums the losses of the trials from now on, for [`certificate`](Self::certificate); `rate` is the learning rate.
    ///
    /// Without effect on images, and on a learner that does not compute its excess.
    fn sum_losses(&mut self, rate: f32);

    /// A new monitor around the learner.
    fn monitored(self: Box<Self>, settings: MonitorSettings<f32>) -> Box<dyn AnyMonitor>;
}

fn channels_of<const DIM: usize>(sample: &[f32]) -> Result<&[f32; DIM], Refusal> {
    sample.try_into().map_err(|_| Refusal::Length {
        needed: DIM,
        found: sample.len(),
    })
}

impl<const DIM: usize> AnyLearner for BoxedLearner<DIM> {
    fn channels(&self) -> usize {
        DIM
    }

    fn keep(&self) -> usize {
        self.learner.keep()
    }

    fn score(&self, sample: &[f32]) -> Result<f32, Refusal> {
        Ok(self.learner.score(channels_of(sample)?)?)
    }

    fn learn(&mut self, sample: &[f32]) -> Result<(), Refusal> {
        Ok(Learner::learn(self, channels_of(sample)?)?)
    }

    fn residual(&self, sample: &[f32]) -> Result<Vec<f32>, Refusal> {
        Ok(self.learner.residual(channels_of(sample)?)?.to_vec())
    }

    fn transform(&self, sample: &[f32], code: &mut [f32]) -> Result<(), Refusal> {
        self.learner.transform(channels_of(sample)?, code)
    }

    fn inverse_transform(&self, code: &[f32], sample: &mut [f32]) -> Result<(), Refusal> {
        let found = sample.len();
        let sample: &mut [f32; DIM] = sample.try_into().map_err(|_| Refusal::Length { needed: DIM, found })?;
        self.learner.inverse_transform(code, sample)
    }

    fn components(&self) -> Option<Vec<f32>> {
        self.learner.components()
    }

    fn fit(&mut self) {
        self.learner.fit();
    }

    fn samples_seen(&self) -> u64 {
        self.learner.samples_seen()
    }

    fn encode(&self) -> Vec<u8> {
        self.learner.image()
    }

    fn decode(&mut self, image: &[u8]) -> Result<(), Refusal> {
        self.learner.restore(image)
    }

    fn merge(&mut self, image: &[u8]) -> Result<(), Refusal> {
        self.learner.merge(image)
    }

    fn twin(&self) -> Box<dyn AnyLearner> {
        Box::new(self.clone())
    }

    fn certificate(&self) -> Option<Certificate> {
        self.certificate()
    }

    fn sum_losses(&mut self, rate: f32) {
        self.sum_losses(rate);
    }

    fn monitored(self: Box<Self>, settings: MonitorSettings<f32>) -> Box<dyn AnyMonitor> {
        Box::new(Around(Monitor::new(settings, *self)))
    }
}
