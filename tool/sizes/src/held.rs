//! A learner of `DIM` channels; the type hides all other sizes.
//! In: a learner of the crate. Out: a box that a `Monitor` of `DIM` channels can use as its learner.
//! Method: the monitor is compiled once for each number of channels, and each learner once for each of its sizes. The monitor
//! calls the learner through a table of functions (`dyn`). Operations and their order are those of the learner itself, so the
//! results are bit-identical.

use eigenstream::hebbian::Gha;
use eigenstream::kernel::{Gaussian, OnlineKernelPca};
use eigenstream::pca::{BatchPca, CenteredPca, DensityPca, Mahalanobis, TrackingPca};
use eigenstream::{Codec, Learner, SampleError};

use crate::metered::Metered;
use crate::{Certificate, Refusal};

/// The operations of a learner of the table; the trait does not contain the learner's sizes.
pub(crate) trait Held<const DIM: usize>: Learner<f32, DIM> + Send + Sync {
    /// A copy in the same state.
    fn twin(&self) -> Box<dyn Held<DIM>>;

    /// The image of the learner.
    fn image(&self) -> Vec<u8>;

    /// Replaces the learner by the learner of an image. If the image is refused, the learner is unchanged.
    fn restore(&mut self, image: &[u8]) -> Result<(), Refusal>;

    /// Merges the learner of an image into this learner. If the image is refused, this learner is unchanged.
    fn merge(&mut self, image: &[u8]) -> Result<(), Refusal> {
        let _ = image;
        Err(Refusal::Verb)
    }

    /// Number of entries of a code; zero if the learner has no codes.
    fn keep(&self) -> usize;

    /// The code of a sample.
    fn transform(&self, sample: &[f32; DIM], code: &mut [f32]) -> Result<(), Refusal>;

    /// The sample that a code represents.
    fn inverse_transform(&self, code: &[f32], sample: &mut [f32; DIM]) -> Result<(), Refusal> {
        let _ = (code, sample);
        Err(Refusal::Verb)
    }

    /// The directions one after the other, `DIM` numbers each; `None` if the learner has no directions in the space of the
    /// samples.
    fn components(&self) -> Option<Vec<f32>> {
        None
    }

    /// Computes the directions from all samples. Only batch PCA needs this call.
    fn fit(&mut self) {}

    /// Samples learned.
    fn samples_seen(&self) -> u64;

    /// E: the part of the bound that is due to the rank limit, to merged directions and to the upper limit of the evidence.
    fn excess(&self) -> Option<f32> {
        None
    }

    /// The learner, wrapped so that it sums the losses of its trials. A learner that does not compute its excess is returned
    /// without the wrapper.
    fn metered(&self, rate: f32) -> Box<dyn Held<DIM>> {
        let learner = self.twin();
        match learner.excess() {
            Some(_) => Box::new(Metered::new(Boxed(learner), rate)),
            None => learner,
        }
    }

    /// Total loss and bound, if the learner is metered.
    fn certificate(&self) -> Option<Certificate> {
        None
    }
}

/// A learner in a box.
pub(crate) struct Boxed<const DIM: usize>(pub(crate) Box<dyn Held<DIM>>);

impl<const DIM: usize> Clone for Boxed<DIM> {
    fn clone(&self) -> Self {
        Self(self.0.twin())
    }
}

impl<const DIM: usize> Learner<f32, DIM> for Boxed<DIM> {
    fn score(&self, sample: &[f32; DIM]) -> Result<f32, SampleError> {
        self.0.score(sample)
    }

    fn residual(&self, sample: &[f32; DIM]) -> Result<[f32; DIM], SampleError> {
        self.0.residual(sample)
    }

    fn learn(&mut self, sample: &[f32; DIM]) -> Result<(), SampleError> {
        self.0.learn(sample)
    }

    fn energy(&self, sample: &[f32; DIM]) -> Result<f32, SampleError> {
        self.0.energy(sample)
    }

    fn leverage(&self, sample: &[f32; DIM]) -> Result<Option<[f32; DIM]>, SampleError> {
        self.0.leverage(sample)
    }

    fn parts(&self, sample: &[f32; DIM]) -> Result<[f32; DIM], SampleError> {
        self.0.parts(sample)
    }

    fn refine(&mut self, sample: &[f32; DIM], memory: u32) -> Result<(), SampleError> {
        self.0.refine(sample, memory)
    }

    fn explained(&self) -> Option<[f32; DIM]> {
        self.0.explained()
    }

    fn pass(&mut self, sample: &[f32; DIM]) -> Result<(), SampleError> {
        self.0.pass(sample)
    }

    fn is_ready(&self) -> bool {
        self.0.is_ready()
    }

    fn interrupt(&mut self) {
        self.0.interrupt();
    }
}

/// The image of any type that implements `Codec`.
pub(crate) fn image_of<L: Codec>(learner: &L) -> Vec<u8> {
    let mut image = vec![0; L::ENCODED_LEN];
    // `encode` cannot fail: the buffer has the required length.
    let _ = learner.encode(&mut image);
    image
}

/// Copies a code to a slice; an error if the slice has another length.
fn copy_code<const KEEP: usize>(made: [f32; KEEP], code: &mut [f32]) -> Result<(), Refusal> {
    let found = code.len();
    let place: &mut [f32; KEEP] = code.try_into().map_err(|_| Refusal::Length { needed: KEEP, found })?;
    *place = made;
    Ok(())
}

/// The functions whose text is equal for many learners: for all learners, for learners with codes (`coded`), for learners with
/// directions in the space of the samples (`linear`), and for learners that can be merged (`merged`).
macro_rules! common {
    () => {
        fn twin(&self) -> Box<dyn Held<DIM>> {
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

impl<const DIM: usize, const KEEP: usize, const RANK: usize> Held<DIM> for TrackingPca<f32, DIM, KEEP, RANK> {
    common!(linear);
    common!(merged);

    fn excess(&self) -> Option<f32> {
        Some(self.excess())
    }
}

impl<const DIM: usize, const KEEP: usize> Held<DIM> for CenteredPca<f32, DIM, KEEP> {
    common!(linear);
    common!(merged);
}

impl<const DIM: usize, const KEEP: usize> Held<DIM> for BatchPca<f32, DIM, KEEP> {
    common!(linear);
    common!(merged);

    fn fit(&mut self) {
        let _ = self.fit();
    }
}

impl<const DIM: usize, const KEEP: usize> Held<DIM> for DensityPca<f32, DIM, KEEP> {
    common!(linear);
}

impl<const DIM: usize, const KEEP: usize> Held<DIM> for Gha<f32, DIM, KEEP> {
    common!(linear);
}

impl<const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize> Held<DIM>
    for OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW, RANK>
{
    common!(coded);
}

impl<const DIM: usize> Held<DIM> for Mahalanobis<f32, DIM> {
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
