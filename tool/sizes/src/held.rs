//! A learner of `DIM` channels whose other sizes are hidden.
//! In: a learner of the crate. Out: a box that a `Monitor` of `DIM` channels can be put around.
//! Method: the monitor is compiled once for each count of channels, and each learner once for each of its sizes; the calls between
//! them go through a table of functions. The operations and their order are those of the learner itself, and so are the bits.

use eigenstream::hebbian::Gha;
use eigenstream::kernel::{Gaussian, OnlineKernelPca};
use eigenstream::pca::{BatchPca, CenteredPca, DensityPca, Mahalanobis, TrackingPca};
use eigenstream::{Codec, Learner, SampleError};

use crate::metered::Metered;
use crate::{Certificate, Refusal};

/// The verbs of a learner of the table, without its sizes.
pub(crate) trait Held<const DIM: usize>: Learner<f32, DIM> + Send + Sync {
    /// Another one in the same state.
    fn twin(&self) -> Box<dyn Held<DIM>>;

    /// Its image.
    fn image(&self) -> Vec<u8>;

    /// Becomes the learner of an image; as before if that is refused.
    fn restore(&mut self, image: &[u8]) -> Result<(), Refusal>;

    /// Takes in the learner of an image; as before if that is refused.
    fn merge(&mut self, image: &[u8]) -> Result<(), Refusal> {
        let _ = image;
        Err(Refusal::Verb)
    }

    /// Numbers of a code; zero if it has none.
    fn keep(&self) -> usize;

    /// The code of a sample.
    fn transform(&self, sample: &[f32; DIM], code: &mut [f32]) -> Result<(), Refusal>;

    /// The sample of a code.
    fn inverse_transform(&self, code: &[f32], sample: &mut [f32; DIM]) -> Result<(), Refusal> {
        let _ = (code, sample);
        Err(Refusal::Verb)
    }

    /// The directions, one after the other, `DIM` numbers each; none if it has no such directions.
    fn components(&self) -> Option<Vec<f32>> {
        None
    }

    /// Finds the directions of all samples; only batch PCA has to be told.
    fn fit(&mut self) {}

    /// Samples learned.
    fn samples_seen(&self) -> u64;

    /// The part of rank cap, merging and ceiling in the bound.
    fn excess(&self) -> Option<f32> {
        None
    }

    /// The learner with the totals of its trials; as it is if it does not count its excess.
    fn metered(&self, rate: f32) -> Box<dyn Held<DIM>> {
        let learner = self.twin();
        match learner.excess() {
            Some(_) => Box::new(Metered::new(Boxed(learner), rate)),
            None => learner,
        }
    }

    /// Loss beside bound, if it was metered.
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

    fn interrupt(&mut self) {
        self.0.interrupt();
    }
}

/// The image of anything that has one.
pub(crate) fn image_of<L: Codec>(learner: &L) -> Vec<u8> {
    let mut image = vec![0; L::ENCODED_LEN];
    // There is as much room as it asks for.
    let _ = learner.encode(&mut image);
    image
}

/// A code of the length that was asked for.
fn copy_code<const KEEP: usize>(made: [f32; KEEP], code: &mut [f32]) -> Result<(), Refusal> {
    let found = code.len();
    let place: &mut [f32; KEEP] = code.try_into().map_err(|_| Refusal::Length { needed: KEEP, found })?;
    *place = made;
    Ok(())
}

/// The verbs that are spelled alike everywhere.
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
