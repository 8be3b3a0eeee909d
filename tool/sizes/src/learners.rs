//! Constructors of the learners of the table; `None` if the table does not have the shape.

use eigenstream::Centering;
use eigenstream::hebbian::{Gha, GhaSettings};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::pca::{
    BatchPca, CenteredPca, CenteredSettings, DensityPca, DensitySettings, Mahalanobis, MahalanobisSettings,
    TrackingPca, TrackingSettings,
};

use crate::any_learner::AnyLearner;
use crate::learner_of::{BoxedLearner, LearnerOf, lagged};
use crate::table::{channel_counts, lagged_sizes, pair_sizes, small_sizes, some_sizes, tracking_sizes};

/// Consecutive samples that a learner with lags gets as one.
pub const LAGS: usize = 4;

/// The number of points that kernel PCA stores.
pub const POINTS: usize = 32;

/// The sizes of a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Channels of a sample.
    pub channels: usize,
    /// Consecutive samples that the learner gets as one sample: 1 or [`LAGS`].
    pub lags: usize,
    /// Directions kept.
    pub keep: usize,
}

impl Shape {
    /// A shape without lags.
    #[must_use]
    pub const fn new(channels: usize, keep: usize) -> Self {
        Self {
            channels,
            lags: 1,
            keep,
        }
    }

    /// Numbers in one sample of the learner: channels times lags.
    #[must_use]
    pub const fn wide(self) -> usize {
        self.channels * self.lags
    }
}

/// Directions that `TrackingPca` stores: min(channels, 2·keep + 2).
#[must_use]
pub const fn rank(channels: usize, keep: usize) -> usize {
    let advised = 2 * keep + 2;
    if advised < channels { advised } else { channels }
}

type Built = Option<Box<dyn AnyLearner>>;

/// A stack frame for each size: in one frame the learners of all sizes would not fit on the stack.
#[inline(never)]
fn boxed<const DIM: usize, L: LearnerOf<DIM> + 'static>(make: impl FnOnce() -> L) -> BoxedLearner<DIM> {
    BoxedLearner::new(make())
}

/// Builds `$learner!(channels · lags, keep)`; `None` if (channels, keep) is not in the list.
macro_rules! by_size {
    ($shape:expr, $learner:ident, $sizes:ident) => {{
        let shape: Shape = $shape;
        match shape.lags {
            1 => $sizes!(plain!((shape.channels, shape.keep) $learner)),
            LAGS => lagged_sizes!(narrow!((shape.channels, shape.keep) $learner)),
            _ => None,
        }
    }};
}

macro_rules! plain {
    (($wide:expr, $keep:expr) $learner:ident $($dim:literal => $($kept:literal)+;)+) => {
        match ($wide, $keep) {
            $($(($dim, $kept) => Some(Box::new(boxed::<$dim, _>(|| $learner!($dim, $kept))) as Box<dyn AnyLearner>),)+)+
            _ => None,
        }
    };
}

macro_rules! narrow {
    (($channels:expr, $keep:expr) $learner:ident $($dim:literal => $($kept:literal)+;)+) => {
        match ($channels, $keep) {
            $($(($dim, $kept) => {
                let learner = boxed::<{ $dim * LAGS }, _>(|| $learner!({ $dim * LAGS }, $kept));
                Some(Box::new(lagged::<$dim, LAGS, { $dim * LAGS }>(learner)) as Box<dyn AnyLearner>)
            })+)+
            _ => None,
        }
    };
}

/// [`TrackingPca`] that stores [`rank`] directions.
#[must_use]
pub fn tracking(shape: Shape, settings: TrackingSettings<f32>) -> Built {
    macro_rules! learner {
        ($dim:expr, $keep:literal) => {
            TrackingPca::<f32, { $dim }, $keep, { rank($dim, $keep) }>::new(settings)
        };
    }
    by_size!(shape, learner, tracking_sizes)
}

/// [`CenteredPca`].
#[must_use]
pub fn centered(shape: Shape, settings: CenteredSettings<f32>) -> Built {
    macro_rules! learner {
        ($dim:expr, $keep:literal) => {
            CenteredPca::<f32, { $dim }, $keep>::new(settings)
        };
    }
    by_size!(shape, learner, some_sizes)
}

/// [`Gha`], which is Oja's rule with one direction.
#[must_use]
pub fn hebbian(shape: Shape, settings: GhaSettings<f32>) -> Built {
    macro_rules! learner {
        ($dim:expr, $keep:literal) => {
            Gha::<f32, { $dim }, $keep>::new(settings)
        };
    }
    by_size!(shape, learner, some_sizes)
}

/// [`DensityPca`], without lags.
#[must_use]
pub fn density(shape: Shape, settings: DensitySettings<f32>) -> Built {
    macro_rules! learner {
        ($dim:expr, $keep:literal) => {
            DensityPca::<f32, { $dim }, $keep>::new(settings)
        };
    }
    if shape.lags > 1 {
        return None;
    }
    pair_sizes!(plain!((shape.channels, shape.keep) learner))
}

/// [`BatchPca`], without lags.
#[must_use]
pub fn batch(shape: Shape, centering: Centering) -> Built {
    macro_rules! learner {
        ($dim:expr, $keep:literal) => {
            BatchPca::<f32, { $dim }, $keep>::new(centering)
        };
    }
    if shape.lags > 1 {
        return None;
    }
    small_sizes!(plain!((shape.channels, shape.keep) learner))
}

/// [`OnlineKernelPca`] with a Gaussian kernel, [`POINTS`] points and keep + 4 stored directions.
#[must_use]
pub fn kernel(shape: Shape, points: usize, kernel: Gaussian<f32>, settings: OnlineKernelSettings<f32>) -> Built {
    macro_rules! learner {
        ($dim:expr, $keep:literal) => {
            OnlineKernelPca::<f32, _, { $dim }, $keep, POINTS, { $keep + 4 }>::new(kernel, settings)
        };
    }
    if points != POINTS {
        return None;
    }
    by_size!(shape, learner, small_sizes)
}

/// [`Mahalanobis`], the learner of the default monitor.
#[must_use]
pub fn mahalanobis(channels: usize, settings: MahalanobisSettings<f32>) -> Built {
    macro_rules! by_channels {
        ($($count:literal)+) => {
            match channels {
                $($count => Some(Box::new(
                    boxed::<$count, _>(|| Mahalanobis::<f32, $count>::new(settings))
                ) as Box<dyn AnyLearner>),)+
                _ => None,
            }
        };
    }
    channel_counts!(by_channels!())
}
