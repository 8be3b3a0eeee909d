//! The learners of `budget`: their exact bytes of state on a 32-bit chip, and the terms of their cost.
//! The list gets no new entries: new learners are measured at the requested size instead of modelled.

use super::measured::Row;
use crate::watching::{Model, kernel_numbers};

/// The sizes of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Channels, n.
    pub(super) dim: usize,
    /// Directions kept, k.
    pub(super) keep: usize,
    /// Points in the window of the kernel learners, M. `None`: no kernel learner is asked for. All learners of a call share one
    /// `Size`, so a learner without a window can get `Some`.
    pub(super) window: Option<usize>,
}

impl Size {
    /// The size of a measurement.
    pub(super) fn of(row: &Row) -> Self {
        let whole = |key: &str| row[key].as_u64().map(|number| number as usize);
        Self {
            dim: whole("dim").unwrap_or(0),
            keep: whole("keep").unwrap_or(0),
            window: whole("window"),
        }
    }

    /// M; zero without a window.
    fn points(self) -> usize {
        self.window.unwrap_or(0)
    }

    /// Number of directions stored: 2k + 2, but at most `available`.
    fn rank(self, available: usize) -> usize {
        available.min(2 * self.keep + 2)
    }
}

/// The largest number of channels or points of a learner.
pub(super) const LARGEST: usize = 256;

/// The largest number of channels or points that the model covers. Larger learners are measured, or not shown.
pub(super) const MODELLED: usize = 64;

/// The largest number of directions of a measurement that the model is fitted to.
pub(super) const MODELLED_KEEP: usize = 4;

/// Terms of the model.
pub(super) const TERMS: usize = 8;

/// The quantities that the cost of a learner depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Channels and directions. Above `turn` channels the learner uses another method.
    Channels {
        /// The largest number of channels with the first method.
        turn: usize,
    },
    /// Channels and directions. One and two directions have a closed form.
    ClosedForm,
    /// Channels, directions and the window.
    Window,
}

impl Family {
    /// The workload that contains the measurements of the family.
    pub(super) const fn workload(self) -> &'static str {
        match self {
            Self::Channels { .. } | Self::ClosedForm => "sizes",
            Self::Window => "windows",
        }
    }

    /// The allowed relative error of an estimate of the mean instructions. It is larger for kernel learners, because these have
    /// several methods. With few directions a kernel learner updates the directions; with many directions it decomposes the
    /// window.
    pub(super) const fn mean_error(self) -> f64 {
        match self {
            Self::Channels { .. } | Self::ClosedForm => 0.30,
            Self::Window => 0.50,
        }
    }

    /// Whether a learner of this size exists.
    pub(super) fn has(self, size: Size) -> bool {
        let known = (2..=LARGEST).contains(&size.dim) && size.keep >= 1;
        match (self, size.window) {
            (Self::Channels { .. } | Self::ClosedForm, _) => known && size.keep < size.dim,
            (Self::Window, Some(window)) => known && size.keep < window && (4..=LARGEST).contains(&window),
            (Self::Window, None) => false,
        }
    }

    /// Whether the size is within the range of the fit.
    pub(super) fn models(self, size: Size) -> bool {
        size.dim <= MODELLED && size.window.is_none_or(|window| window <= MODELLED)
    }

    /// The terms: a constant, passes over the sample, passes over the directions, passes over a matrix, and decompositions. The
    /// last term of `Channels` is a constant above `turn` channels. The last term of `ClosedForm` is a constant from two
    /// directions on.
    fn terms(self, size: Size) -> [f64; TERMS] {
        let (n, k) = (size.dim as f64, size.keep as f64);
        match self {
            Self::Channels { turn } => {
                let beyond = if size.dim > turn { 1.0 } else { 0.0 };
                [1.0, n, n * k, k * k * k, n * n, n * n * k, n * n * n, beyond]
            }
            Self::ClosedForm => {
                // From four directions on the cost contains k³. Three directions have a closed form too, which takes longer than
                // that of two. From two directions on the cost contains a rotation.
                let (iterated, rotated) = ((k * k * k - 18.0).max(0.0), f64::from(u8::from(size.keep > 1)));
                [1.0, n, n * k, iterated, n * n, n * n * k, n * n * n, rotated]
            }
            Self::Window => {
                let (m, r) = (size.points() as f64, size.rank(size.points()) as f64);
                [1.0, m, m * n, m * k, m * m, m * r * r, m * m * r, m * m * m]
            }
        }
    }
}

/// A learner.
pub(super) struct Learner {
    /// Name of the variant in the rows of measurements.
    pub(super) variant: &'static str,
    /// The type of the learner.
    pub(super) name: &'static str,
    /// The quantities on which the cost depends.
    pub(super) family: Family,
    /// Whether the learner keeps as many directions as are asked for. If not, its cost does not depend on this number.
    pub(super) keeps: bool,
    /// Bytes of state on a 32-bit chip.
    pub(super) state_bytes: fn(Size) -> usize,
}

impl Learner {
    /// The terms of the cost.
    pub(super) fn terms(&self, size: Size) -> [f64; TERMS] {
        let keep = if self.keeps { size.keep } else { 1 };
        self.family.terms(Size { keep, ..size })
    }
}

const CHANNELS: Family = Family::Channels { turn: usize::MAX };

/// All learners with measurements.
pub(super) const LEARNERS: [Learner; 13] = [
    Learner {
        variant: "tracking",
        name: "TrackingPca",
        family: Family::ClosedForm,
        keeps: true,
        state_bytes: tracking_bytes,
    },
    Learner {
        variant: "centered",
        name: "CenteredPca",
        family: Family::Channels { turn: 5 },
        keeps: true,
        state_bytes: centered_bytes,
    },
    Learner {
        variant: "density",
        name: "DensityPca",
        family: CHANNELS,
        keeps: true,
        state_bytes: density_bytes,
    },
    Learner {
        variant: "batch",
        name: "BatchPca",
        family: CHANNELS,
        keeps: true,
        state_bytes: batch_bytes,
    },
    Learner {
        variant: "variance",
        name: "VarianceMinimizer",
        family: CHANNELS,
        keeps: false,
        state_bytes: variance_bytes,
    },
    Learner {
        variant: "oja",
        name: "Oja",
        family: CHANNELS,
        keeps: false,
        state_bytes: |size| hebbian_bytes(size.dim),
    },
    Learner {
        variant: "gha",
        name: "Gha",
        family: CHANNELS,
        keeps: true,
        state_bytes: |size| hebbian_bytes(size.dim * size.keep),
    },
    Learner {
        variant: "apex",
        name: "Apex",
        family: CHANNELS,
        keeps: true,
        state_bytes: apex_bytes,
    },
    Learner {
        variant: "monitor",
        name: "SensorMonitor",
        family: CHANNELS,
        keeps: false,
        state_bytes: |size| mahalanobis_bytes(size) + around_bytes(size),
    },
    Learner {
        variant: "kernel_exact",
        name: "OnlineKernelPca",
        family: Family::Window,
        keeps: true,
        state_bytes: online_kernel_bytes,
    },
    Learner {
        variant: "kernel_batch",
        name: "KernelPca",
        family: Family::Window,
        keeps: true,
        state_bytes: kernel_batch_bytes,
    },
    Learner {
        variant: "kernel_oja",
        name: "KernelOja",
        family: Family::Window,
        keeps: false,
        state_bytes: |size| kernel_gha_bytes(size, 1),
    },
    Learner {
        variant: "kernel_gha",
        name: "KernelGha",
        family: Family::Window,
        keeps: true,
        state_bytes: |size| kernel_gha_bytes(size, size.keep),
    },
];

/// Rounds up to a multiple of eight, the alignment of the sample count (`u64`).
fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(8)
}

/// The covariance C and the factor L in one matrix, the pivots, the variance of each channel given all others; two settings and
/// two counts.
fn mahalanobis_bytes(size: Size) -> usize {
    4 * (size.dim * size.dim + 2 * size.dim + 4)
}

/// Returns the bytes of a monitor without its learner, on a 32-bit chip.
fn around_bytes(size: Size) -> usize {
    let counts = (2 * size.dim).next_multiple_of(4) + size.dim.next_multiple_of(4);
    120 * size.dim + counts + 420
}

/// Bytes of a monitor of this model on a 32-bit chip.
pub(crate) fn monitor_bytes(model: Model, dim: usize, keep: usize) -> usize {
    let (.., points) = kernel_numbers(dim, 1.0);
    let size = Size {
        dim,
        keep,
        window: Some(points),
    };
    let learner = match model {
        Model::Mahalanobis => mahalanobis_bytes(size),
        Model::Tracking => tracking_bytes(size),
        Model::Centered => centered_bytes(size),
        Model::Hebbian => hebbian_bytes(dim * keep),
        Model::Kernel => online_kernel_bytes(size),
    };
    learner + around_bytes(size)
}

/// Directions, their evidence and their probabilities of being kept; settings, scale and counts.
fn tracking_bytes(size: Size) -> usize {
    let rank = size.rank(size.dim);
    aligned(4 * (size.dim * rank + 2 * rank) + 68)
}

/// Scatter, eigensolver and directions; start, centre and the rounding remainder of the centre; the solver's four vectors,
/// probabilities, eigenvalues; settings and counts.
fn centered_bytes(Size { dim, .. }: Size) -> usize {
    aligned(4 * (3 * dim * dim + 9 * dim) + 68)
}

/// Directions, eigensolver, workspace and mean of the past; evidence, probabilities, the solver's four vectors; settings and
/// counts.
fn density_bytes(Size { dim, .. }: Size) -> usize {
    aligned(4 * (4 * dim * dim + 6 * dim) + 48)
}

/// Scatter and eigensolver; components; the mean, its rounding remainder and the mean at the fit; the solver's four vectors;
/// weight, count and the choice.
fn batch_bytes(Size { dim, keep, .. }: Size) -> usize {
    let moments = aligned(4 * (dim * dim + 2 * dim + 1) + 8);
    aligned(moments + 4 * (dim * dim + dim * keep + 5 * dim + 2) + 1)
}

/// The matrix `total` and the two matrices of the eigensolver; the solver's four vectors and the weights; rate and count.
fn variance_bytes(Size { dim, .. }: Size) -> usize {
    aligned(4 * (3 * dim * dim + 5 * dim + 2) + 8)
}

/// Rate, its schedule and running energy; the choice; weights; counts.
fn hebbian_bytes(weights: usize) -> usize {
    aligned(24 + 4 + 4 * weights + 4 + 8)
}

/// Rate, its schedule and running energy; weights and feedback; counts.
fn apex_bytes(Size { dim, keep, .. }: Size) -> usize {
    aligned(4 * (5 + dim * keep + keep * keep) + 4 + 20)
}

/// Gram matrix, points and norms; directions, their images, values, square roots and probabilities; means; free slots; settings
/// and counts.
fn online_kernel_bytes(size: Size) -> usize {
    let (points, rank) = (size.points(), size.rank(size.points()));
    let numbers = points * (points + size.dim + 1) + 2 * points * rank + 3 * rank + points;
    aligned(4 * numbers + points.next_multiple_of(4) + 92)
}

/// The window and the workspace of the solver during the fit; points, coefficients, norms, means and eigenvalues.
fn kernel_batch_bytes(size: Size) -> usize {
    let (points, Size { dim, keep, .. }) = (size.points(), size);
    let window = 4 * (points * (points + dim + 1) + 1) + 8;
    let room = 4 * (2 * points * points + 4 * points + 1);
    window + room + 4 * (points * (dim + keep + 2) + keep + 3) + 8
}

/// Points, their lengths and coefficients, inner products of the components; rate and choices; counts.
fn kernel_gha_bytes(size: Size, keep: usize) -> usize {
    let points = size.points();
    let expansion = 4 * (1 + points * (size.dim + 1 + keep) + keep * keep) + 4 + 8;
    aligned(24 + 4 + expansion + 4 + 4 + 8)
}
