//! The models of `fit`, at every size.
//! In: samples, first for the scale, then for the model. Out: images.

use anyhow::{Result, bail};
use eigenstream::kernel::{Gaussian, GramEigen, GramWindow, KernelPca};
use eigenstream::monitor::{Standardizer, StandardizerSettings};
use eigenstream::pca::BatchPca;
use eigenstream::{Centering, Codec};

/// The largest number of points of kernel PCA.
const WINDOW: usize = 32;

/// The largest number of channels.
pub(super) const LARGEST: usize = 16;

/// The model to fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Kind {
    /// `BatchPca`, centered.
    #[default]
    Batch,
    /// `KernelPca`, centered, Gaussian kernel, of up to 32 samples spread over the recording.
    Kernel,
}

/// A model that is being fitted.
pub(super) trait Fit {
    /// False if the sample is left out.
    fn settle(&mut self, sample: &[f32]) -> bool;
    /// False if the sample is left out.
    fn learn(&mut self, sample: &[f32]) -> bool;
    fn finish(&mut self) -> Fitted;
}

/// A model that was fitted.
pub(super) struct Fitted {
    /// Image of the standardizer.
    pub(super) scale: Vec<u8>,
    /// Image of the model.
    pub(super) model: Vec<u8>,
    pub(super) explained: Vec<f32>,
    /// `None` for a model of all samples.
    pub(super) points: Option<usize>,
    /// The model's type.
    pub(super) kind: String,
    /// The imports of the lines of firmware.
    pub(super) uses: &'static str,
}

/// Of samples that are already standardised.
trait Model<const DIM: usize> {
    type Learner: Codec;
    /// The imports of the lines of firmware.
    const USES: &'static str;

    fn learn(&mut self, sample: &[f32; DIM]) -> bool;
    /// The learner, the part of the variance that each direction explains, and the type.
    fn finish(&mut self) -> (&Self::Learner, Vec<f32>, String);

    /// `None` if all samples are in it.
    fn points(&self) -> Option<usize> {
        None
    }
}

struct Scaled<M, const DIM: usize> {
    scale: Standardizer<f32, DIM>,
    model: M,
}

impl<const DIM: usize, M: Model<DIM>> Fit for Scaled<M, DIM> {
    fn settle(&mut self, sample: &[f32]) -> bool {
        sample.try_into().is_ok_and(|sample| self.scale.learn(sample).is_ok())
    }

    fn learn(&mut self, sample: &[f32]) -> bool {
        let Ok(sample) = sample.try_into() else { return false };
        (self.scale.standardize(sample)).is_ok_and(|sample| self.model.learn(&sample))
    }

    fn finish(&mut self) -> Fitted {
        let (scale, points) = (image(&self.scale), self.model.points());
        let (learner, explained, kind) = self.model.finish();
        Fitted {
            scale,
            model: image(learner),
            explained,
            points,
            kind,
            uses: M::USES,
        }
    }
}

fn image<L: Codec>(learner: &L) -> Vec<u8> {
    let mut bytes = vec![0; L::ENCODED_LEN];
    // The buffer is long enough.
    let _ = learner.encode(&mut bytes);
    bytes
}

impl<const DIM: usize, const KEEP: usize> Model<DIM> for BatchPca<f32, DIM, KEEP> {
    type Learner = Self;
    const USES: &'static str = "pca::BatchPca";

    fn learn(&mut self, sample: &[f32; DIM]) -> bool {
        Self::learn(self, sample).is_ok()
    }

    fn finish(&mut self) -> (&Self, Vec<f32>, String) {
        let _ = self.fit();
        let explained = self.explained_variance_ratio().to_vec();
        (self, explained, format!("BatchPca::<f32, {DIM}, {KEEP}>"))
    }
}

/// Samples in equal steps over a recording of unknown length: with more than `WINDOW` points every second goes and the step
/// doubles.
struct Points<const DIM: usize, const KEEP: usize> {
    pca: KernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW>,
    points: Vec<[f32; DIM]>,
    seen: usize,
    step: usize,
}

impl<const DIM: usize, const KEEP: usize> Points<DIM, KEEP> {
    fn new(kernel: Gaussian<f32>) -> Self {
        Self {
            pca: KernelPca::new(kernel, Centering::Centered),
            points: Vec::new(),
            seen: 0,
            step: 1,
        }
    }
}

impl<const DIM: usize, const KEEP: usize> Model<DIM> for Points<DIM, KEEP> {
    type Learner = KernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW>;
    const USES: &'static str = "kernel::{Gaussian, KernelPca}";

    fn learn(&mut self, sample: &[f32; DIM]) -> bool {
        if self.seen.is_multiple_of(self.step) && self.points.len() == WINDOW {
            let mut even = false;
            self.points.retain(|_| {
                even = !even;
                even
            });
            self.step *= 2;
        }
        if self.seen.is_multiple_of(self.step) {
            self.points.push(*sample);
        }
        self.seen += 1;
        true
    }

    fn finish(&mut self) -> (&Self::Learner, Vec<f32>, String) {
        let mut window = GramWindow::new(*self.pca.kernel());
        for point in &self.points {
            let _ = window.push(point);
        }
        let _ = self.pca.fit(&window, &mut GramEigen::new());
        let explained = self.pca.explained_variance_ratio().to_vec();
        let kind = format!("KernelPca::<f32, Gaussian<f32>, {DIM}, {KEEP}, {WINDOW}>");
        (&self.pca, explained, kind)
    }

    fn points(&self) -> Option<usize> {
        Some(self.points.len())
    }
}

pub(super) fn of(kind: Kind, channels: usize, keep: usize, gamma: f32) -> Result<Box<dyn Fit>> {
    let Ok(kernel) = Gaussian::new(gamma) else {
        bail!("a kernel of width {gamma} is none: ask for one above zero with --gamma")
    };
    macro_rules! by_size {
        ($($dim:literal => $($keep:literal)+;)+) => {
            match (channels, keep, kind) {
                $($(
                    ($dim, $keep, Kind::Batch) => scaled::<_, $dim>(BatchPca::<f32, $dim, $keep>::new(Centering::Centered)),
                    ($dim, $keep, Kind::Kernel) => scaled::<_, $dim>(Points::<$dim, $keep>::new(kernel)),
                )+)+
                _ => bail!(refusal(channels, keep)),
            }
        };
    }
    Ok(by_size! {
        1 => 1; 2 => 1 2; 3 => 1 2; 4 => 1 2 4; 5 => 1 2 4; 6 => 1 2 4; 7 => 1 2 4; 8 => 1 2 4; 9 => 1 2 4; 10 => 1 2 4;
        11 => 1 2 4; 12 => 1 2 4; 13 => 1 2 4; 14 => 1 2 4; 15 => 1 2 4; 16 => 1 2 4;
    })
}

fn scaled<M: Model<DIM> + 'static, const DIM: usize>(model: M) -> Box<dyn Fit> {
    Box::new(Scaled {
        scale: Standardizer::new(StandardizerSettings::DEFAULT),
        model,
    })
}

fn refusal(channels: usize, keep: usize) -> String {
    if channels > LARGEST {
        format!("there is no model of {channels} channels: name up to {LARGEST} with --columns")
    } else if ![1, 2, 4].contains(&keep) {
        format!("{keep} directions were not built: ask for 1, 2 or 4 with --keep")
    } else {
        format!("{channels} channels have no more directions than channels: ask for less than {keep} with --keep")
    }
}
