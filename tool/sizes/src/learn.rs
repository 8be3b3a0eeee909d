//! A learner whose sizes are chosen at run time.

use eigenstream::Codec;
use eigenstream::monitor::{Lagged, Monitor, MonitorSettings};
use eigenstream::pca::{Mahalanobis, MahalanobisSettings};

use crate::held::{Boxed, Held, image_of};
use crate::splice::{self, FRAME};
use crate::watch::Around;
use crate::{Certificate, Refusal, Watch};

/// A learner of the table. A slice of a sample has one number for each channel; slices of another length are refused.
pub trait Learn: Send + Sync {
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
    fn twin(&self) -> Box<dyn Learn>;

    /// Total loss and bound, if the learner is metered.
    fn certificate(&self) -> Option<Certificate>;

    /// Wraps the learner so that it sums the losses of its trials, for [`certificate`](Self::certificate). A learner that does
    /// not compute its excess gets no wrapper. `rate` is the learning rate of the learner. The wrapper does not change the
    /// images of the learner.
    fn metered(self: Box<Self>, rate: f32) -> Box<dyn Learn>;

    /// A new monitor around the learner.
    fn monitored(self: Box<Self>, settings: MonitorSettings<f32>) -> Box<dyn Watch>;
}

/// Converts a slice to the array of a sample.
fn channels_of<const DIM: usize>(sample: &[f32]) -> Result<&[f32; DIM], Refusal> {
    sample.try_into().map_err(|_| Refusal::Length {
        needed: DIM,
        found: sample.len(),
    })
}

impl<const DIM: usize> Learn for Boxed<DIM> {
    fn channels(&self) -> usize {
        DIM
    }

    fn keep(&self) -> usize {
        self.0.keep()
    }

    fn score(&self, sample: &[f32]) -> Result<f32, Refusal> {
        Ok(self.0.score(channels_of(sample)?)?)
    }

    fn learn(&mut self, sample: &[f32]) -> Result<(), Refusal> {
        Ok(self.0.learn(channels_of(sample)?)?)
    }

    fn residual(&self, sample: &[f32]) -> Result<Vec<f32>, Refusal> {
        Ok(self.0.residual(channels_of(sample)?)?.to_vec())
    }

    fn transform(&self, sample: &[f32], code: &mut [f32]) -> Result<(), Refusal> {
        self.0.transform(channels_of(sample)?, code)
    }

    fn inverse_transform(&self, code: &[f32], sample: &mut [f32]) -> Result<(), Refusal> {
        let found = sample.len();
        let sample: &mut [f32; DIM] = sample.try_into().map_err(|_| Refusal::Length { needed: DIM, found })?;
        self.0.inverse_transform(code, sample)
    }

    fn components(&self) -> Option<Vec<f32>> {
        self.0.components()
    }

    fn fit(&mut self) {
        self.0.fit();
    }

    fn samples_seen(&self) -> u64 {
        self.0.samples_seen()
    }

    fn encode(&self) -> Vec<u8> {
        self.0.image()
    }

    fn decode(&mut self, image: &[u8]) -> Result<(), Refusal> {
        self.0.restore(image)
    }

    fn merge(&mut self, image: &[u8]) -> Result<(), Refusal> {
        self.0.merge(image)
    }

    fn twin(&self) -> Box<dyn Learn> {
        Box::new(self.clone())
    }

    fn certificate(&self) -> Option<Certificate> {
        self.0.certificate()
    }

    fn metered(self: Box<Self>, rate: f32) -> Box<dyn Learn> {
        Box::new(Self(self.0.metered(rate)))
    }

    fn monitored(self: Box<Self>, settings: MonitorSettings<f32>) -> Box<dyn Watch> {
        Box::new(Around(Monitor::new(settings, *self)))
    }
}

/// A small learner that replaces the boxed one while the fields around it are encoded or decoded.
type StandIn<const DIM: usize> = Mahalanobis<f32, DIM>;

const fn stand_in<const DIM: usize>() -> StandIn<DIM> {
    Mahalanobis::new(MahalanobisSettings::DEFAULT)
}

impl<const DIM: usize, const LAGS: usize, const WIDE: usize> Held<DIM> for Lagged<f32, Boxed<WIDE>, DIM, LAGS, WIDE> {
    fn twin(&self) -> Box<dyn Held<DIM>> {
        Box::new(self.clone())
    }

    fn image(&self) -> Vec<u8> {
        let outer = image_of(&self.clone().around(stand_in::<WIDE>()));
        let inside = StandIn::<WIDE>::ENCODED_LEN - FRAME;
        // `around` cannot fail: both images were made here and are complete.
        splice::around(&outer, inside, &self.learner().0.image()).unwrap_or_default()
    }

    fn restore(&mut self, image: &[u8]) -> Result<(), Refusal> {
        type Outer<const DIM: usize, const LAGS: usize, const WIDE: usize> =
            Lagged<f32, StandIn<WIDE>, DIM, LAGS, WIDE>;
        let fields = splice::fields(Outer::<DIM, LAGS, WIDE>::ENCODED_LEN, StandIn::<WIDE>::ENCODED_LEN);
        let inner = splice::inside(image, fields)?;
        let mut learner = self.learner().clone();
        learner.0.restore(&inner)?;
        let found = inner.len() - FRAME;
        let outer = splice::around(image, found, &image_of(&stand_in::<WIDE>()))?;
        *self = Outer::<DIM, LAGS, WIDE>::decode(&outer)?.around(learner);
        Ok(())
    }

    fn keep(&self) -> usize {
        0
    }

    fn transform(&self, _: &[f32; DIM], _: &mut [f32]) -> Result<(), Refusal> {
        Err(Refusal::Verb)
    }

    fn samples_seen(&self) -> u64 {
        self.learner().0.samples_seen()
    }

    fn metered(&self, rate: f32) -> Box<dyn Held<DIM>> {
        // The metered learner is the one inside the lags: its samples consist of several consecutive samples.
        Box::new(self.clone().around(Boxed(self.learner().0.metered(rate))))
    }

    fn certificate(&self) -> Option<Certificate> {
        self.learner().0.certificate()
    }
}

/// Puts lags before a learner of `WIDE` = `LAGS`·`DIM` channels: the learner gets the last `LAGS` samples as one sample.
pub(crate) fn lagged<const DIM: usize, const LAGS: usize, const WIDE: usize>(learner: Boxed<WIDE>) -> Boxed<DIM> {
    Boxed(Box::new(Lagged::<f32, Boxed<WIDE>, DIM, LAGS, WIDE>::new(learner)))
}

/// The image of a monitor around a learner in a box.
pub(crate) fn monitor_image<const DIM: usize>(monitor: &Monitor<f32, Boxed<DIM>, DIM>) -> Vec<u8> {
    let outer = image_of(&monitor.clone().around(stand_in::<DIM>()));
    let inside = StandIn::<DIM>::ENCODED_LEN - FRAME;
    // `around` cannot fail: both images were made here and are complete.
    splice::around(&outer, inside, &monitor.learner().0.image()).unwrap_or_default()
}

/// Decodes the image of a monitor whose learner has the size of `learner`.
pub(crate) fn monitor_of<const DIM: usize>(
    image: &[u8],
    learner: &Boxed<DIM>,
) -> Result<Monitor<f32, Boxed<DIM>, DIM>, Refusal> {
    type Outer<const DIM: usize> = Monitor<f32, StandIn<DIM>, DIM>;
    let fields = splice::fields(Outer::<DIM>::ENCODED_LEN, StandIn::<DIM>::ENCODED_LEN);
    let inner = splice::inside(image, fields)?;
    let mut learner = learner.clone();
    learner.0.restore(&inner)?;
    let found = inner.len() - FRAME;
    let outer = splice::around(image, found, &image_of(&stand_in::<DIM>()))?;
    Ok(Outer::<DIM>::decode(&outer)?.around(learner))
}
