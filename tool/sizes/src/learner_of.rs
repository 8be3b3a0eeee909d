//! A learner of `DIM` channels; the type hides its other sizes.
//! In: a learner of the crate. Out: a box that a `Monitor` of `DIM` channels can use as its learner. The monitor is
//! compiled once for each number of channels and calls the learner by `dyn`: the results are bit-identical.

use eigenstream::hebbian::Gha;
use eigenstream::kernel::{Gaussian, OnlineKernelPca};
use eigenstream::monitor::Lagged;
use eigenstream::pca::{BatchPca, CenteredPca, DensityPca, Mahalanobis, MahalanobisSettings, TrackingPca};
use eigenstream::{Codec, Learner, SampleError};

use crate::losses::{Certificate, Losses};
use crate::refusal::Refusal;
use crate::splice::{self, FRAME};

/// The operations of a learner of the table, without its sizes in the type.
pub(crate) trait LearnerOf<const DIM: usize>: Learner<f32, DIM> + Send + Sync {
    /// A copy in the same state.
    fn twin(&self) -> Box<dyn LearnerOf<DIM>>;

    /// The image of the learner.
    fn image(&self) -> Vec<u8>;

    /// If the image is refused, the learner is unchanged.
    fn restore(&mut self, image: &[u8]) -> Result<(), Refusal>;

    /// If the image is refused, the learner is unchanged.
    fn merge(&mut self, image: &[u8]) -> Result<(), Refusal> {
        let _ = image;
        Err(Refusal::Verb)
    }

    fn keep(&self) -> usize;

    /// The code of a sample.
    fn transform(&self, sample: &[f32; DIM], code: &mut [f32]) -> Result<(), Refusal>;

    /// The sample that a code represents.
    fn inverse_transform(&self, code: &[f32], sample: &mut [f32; DIM]) -> Result<(), Refusal> {
        let _ = (code, sample);
        Err(Refusal::Verb)
    }

    /// The directions one after the other, `DIM` numbers each; `None` if they are not in the space of the samples.
    fn components(&self) -> Option<Vec<f32>> {
        None
    }

    /// Only batch PCA needs this call.
    fn fit(&mut self) {}

    fn samples_seen(&self) -> u64;

    /// E, as in [`Certificate::excess`]; `None` if the learner does not compute it.
    fn excess(&self) -> Option<f32> {
        None
    }

    /// For a learner inside this one.
    fn sum_losses(&mut self, rate: f32) {
        let _ = rate;
    }

    /// Of a learner inside this one.
    fn certificate(&self) -> Option<Certificate> {
        None
    }
}

/// A learner in a box, and the sums of its losses if they were asked for.
pub(crate) struct BoxedLearner<const DIM: usize> {
    pub(crate) learner: Box<dyn LearnerOf<DIM>>,
    losses: Option<Losses<DIM>>,
}

impl<const DIM: usize> BoxedLearner<DIM> {
    pub(crate) fn new(learner: impl LearnerOf<DIM> + 'static) -> Self {
        Self {
            learner: Box::new(learner),
            losses: None,
        }
    }

    /// `rate` is the learning rate.
    pub(crate) fn sum_losses(&mut self, rate: f32) {
        match self.learner.excess() {
            Some(_) => self.losses = Some(Losses::new(rate)),
            None => self.learner.sum_losses(rate),
        }
    }

    pub(crate) fn certificate(&self) -> Option<Certificate> {
        match &self.losses {
            Some(losses) => losses.certificate(self.learner.keep(), self.learner.excess()?),
            None => self.learner.certificate(),
        }
    }

    /// Learns by `method`, then adds the loss of the sample to the sums.
    fn teach(
        &mut self,
        sample: &[f32; DIM],
        method: impl FnOnce(&mut dyn LearnerOf<DIM>, &[f32; DIM]) -> Result<(), SampleError>,
    ) -> Result<(), SampleError> {
        let Some(losses) = &mut self.losses else {
            return method(&mut *self.learner, sample);
        };
        let (loss, energy) = (self.learner.score(sample)?, self.learner.energy(sample)?);
        method(&mut *self.learner, sample)?;
        losses.add(sample, loss, energy);
        Ok(())
    }
}

impl<const DIM: usize> Clone for BoxedLearner<DIM> {
    fn clone(&self) -> Self {
        Self {
            learner: self.learner.twin(),
            losses: self.losses.clone(),
        }
    }
}

impl<const DIM: usize> Learner<f32, DIM> for BoxedLearner<DIM> {
    fn score(&self, sample: &[f32; DIM]) -> Result<f32, SampleError> {
        self.learner.score(sample)
    }

    fn residual(&self, sample: &[f32; DIM]) -> Result<[f32; DIM], SampleError> {
        self.learner.residual(sample)
    }

    fn learn(&mut self, sample: &[f32; DIM]) -> Result<(), SampleError> {
        self.teach(sample, |learner, sample| learner.learn(sample))
    }

    fn energy(&self, sample: &[f32; DIM]) -> Result<f32, SampleError> {
        self.learner.energy(sample)
    }

    fn leverage(&self, sample: &[f32; DIM]) -> Result<Option<[f32; DIM]>, SampleError> {
        self.learner.leverage(sample)
    }

    fn parts(&self, sample: &[f32; DIM]) -> Result<[f32; DIM], SampleError> {
        self.learner.parts(sample)
    }

    fn refine(&mut self, sample: &[f32; DIM], memory: u32) -> Result<(), SampleError> {
        self.teach(sample, |learner, sample| learner.refine(sample, memory))
    }

    fn explained(&self) -> Option<[f32; DIM]> {
        self.learner.explained()
    }

    fn pass(&mut self, sample: &[f32; DIM]) -> Result<(), SampleError> {
        self.learner.pass(sample)
    }

    fn is_ready(&self) -> bool {
        self.learner.is_ready()
    }

    fn interrupt(&mut self) {
        self.learner.interrupt();
    }
}

pub(crate) fn image_of<L: Codec>(learner: &L) -> Vec<u8> {
    let mut image = vec![0; L::ENCODED_LEN];
    // The buffer has the required length.
    let _ = learner.encode(&mut image);
    image
}

fn copy_code<const KEEP: usize>(made: [f32; KEEP], code: &mut [f32]) -> Result<(), Refusal> {
    let found = code.len();
    let place: &mut [f32; KEEP] = code.try_into().map_err(|_| Refusal::Length { needed: KEEP, found })?;
    *place = made;
    Ok(())
}

/// The functions with the same text: of all learners, with codes (`coded`), with directions (`linear`), mergeable
/// (`merged`).
macro_rules! common {
    () => {
        fn twin(&self) -> Box<dyn LearnerOf<DIM>> {
            Box::new(self.clone())
        }

        fn image(&self) -> Vec<u8> {
            image_of(self)
        }

        fn restore(&mut self, image: &[u8]) -> Result<(), Refusal> {
            *self = Self::decode(image)?;
            Ok(())
        }
    };
    (coded) => {
        common!();

        fn keep(&self) -> usize {
            KEEP
        }

        fn transform(&self, sample: &[f32; DIM], code: &mut [f32]) -> Result<(), Refusal> {
            copy_code(self.transform(sample)?, code)
        }

        fn samples_seen(&self) -> u64 {
            self.samples_seen()
        }
    };
    (linear) => {
        common!(coded);

        fn inverse_transform(&self, code: &[f32], sample: &mut [f32; DIM]) -> Result<(), Refusal> {
            let length = Refusal::Length {
                needed: KEEP,
                found: code.len(),
            };
            *sample = self.inverse_transform(code.try_into().map_err(|_| length)?)?;
            Ok(())
        }

        fn components(&self) -> Option<Vec<f32>> {
            Some(self.components().as_slice().to_vec())
        }
    };
    (merged) => {
        fn merge(&mut self, image: &[u8]) -> Result<(), Refusal> {
            Ok(self.merge(&Self::decode(image)?)?)
        }
    };
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize> LearnerOf<DIM> for TrackingPca<f32, DIM, KEEP, RANK> {
    common!(linear);
    common!(merged);

    fn excess(&self) -> Option<f32> {
        Some(self.excess())
    }
}

impl<const DIM: usize, const KEEP: usize> LearnerOf<DIM> for CenteredPca<f32, DIM, KEEP> {
    common!(linear);
    common!(merged);
}

impl<const DIM: usize, const KEEP: usize> LearnerOf<DIM> for BatchPca<f32, DIM, KEEP> {
    common!(linear);
    common!(merged);

    fn fit(&mut self) {
        let _ = self.fit();
    }
}

impl<const DIM: usize, const KEEP: usize> LearnerOf<DIM> for DensityPca<f32, DIM, KEEP> {
    common!(linear);
}

impl<const DIM: usize, const KEEP: usize> LearnerOf<DIM> for Gha<f32, DIM, KEEP> {
    common!(linear);
}

impl<const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize> LearnerOf<DIM>
    for OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW, RANK>
{
    common!(coded);
}

impl<const DIM: usize> LearnerOf<DIM> for Mahalanobis<f32, DIM> {
    common!();

    fn keep(&self) -> usize {
        0
    }

    fn transform(&self, _: &[f32; DIM], _: &mut [f32]) -> Result<(), Refusal> {
        Err(Refusal::Verb)
    }

    fn samples_seen(&self) -> u64 {
        0
    }
}

/// Replaces the boxed learner while the fields around it are encoded or decoded.
pub(crate) type StandIn<const DIM: usize> = Mahalanobis<f32, DIM>;

pub(crate) const fn stand_in<const DIM: usize>() -> StandIn<DIM> {
    Mahalanobis::new(MahalanobisSettings::DEFAULT)
}

impl<const DIM: usize, const LAGS: usize, const WIDE: usize> LearnerOf<DIM>
    for Lagged<f32, BoxedLearner<WIDE>, DIM, LAGS, WIDE>
{
    fn twin(&self) -> Box<dyn LearnerOf<DIM>> {
        Box::new(self.clone())
    }

    fn image(&self) -> Vec<u8> {
        let outer = image_of(&self.clone().around(stand_in::<WIDE>()));
        let inside = StandIn::<WIDE>::ENCODED_LEN - FRAME;
        // Both images were made here and are complete.
        splice::around(&outer, inside, &self.learner().learner.image()).unwrap_or_default()
    }

    fn restore(&mut self, image: &[u8]) -> Result<(), Refusal> {
        type Outer<const DIM: usize, const LAGS: usize, const WIDE: usize> =
            Lagged<f32, StandIn<WIDE>, DIM, LAGS, WIDE>;
        let fields = splice::fields(Outer::<DIM, LAGS, WIDE>::ENCODED_LEN, StandIn::<WIDE>::ENCODED_LEN);
        let inner = splice::inside(image, fields)?;
        let mut learner = self.learner().clone();
        learner.learner.restore(&inner)?;
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
        self.learner().learner.samples_seen()
    }

    fn sum_losses(&mut self, rate: f32) {
        let mut learner = self.learner().clone();
        learner.sum_losses(rate);
        *self = self.clone().around(learner);
    }

    fn certificate(&self) -> Option<Certificate> {
        self.learner().certificate()
    }
}

/// Puts lags before a learner: it gets the last `LAGS` samples as one.
pub(crate) fn lagged<const DIM: usize, const LAGS: usize, const WIDE: usize>(
    learner: BoxedLearner<WIDE>,
) -> BoxedLearner<DIM> {
    BoxedLearner::new(Lagged::<f32, BoxedLearner<WIDE>, DIM, LAGS, WIDE>::new(learner))
}
