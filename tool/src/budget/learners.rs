//! The learners that a budget knows: their bytes of state on a 32-bit chip, exact, and what their costs consist of.
//! The list is closed: the model that it serves gives way to measuring the asked size.

use super::measured::Row;

/// The sizes of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Channels, n.
    pub(super) dim: usize,
    /// Directions kept, k.
    pub(super) keep: usize,
    /// Samples kept, M; none for a learner without a window.
    pub(super) window: Option<usize>,
}

impl Size {
    /// That of a measurement.
    pub(super) fn of(row: &Row) -> Self {
        let whole = |key: &str| row[key].as_u64().map(|number| number as usize);
        Self {
            dim: whole("dim").unwrap_or(0),
            keep: whole("keep").unwrap_or(0),
            window: whole("window"),
        }
    }

    /// M, where there is a window.
    fn points(self) -> usize {
        self.window.unwrap_or(0)
    }

    /// Room for directions, 2k + 2, or all that `available` ones have.
    fn rank(self, available: usize) -> usize {
        available.min(2 * self.keep + 2)
    }
}

/// The most channels and points of a learner.
pub(super) const LARGEST: usize = 256;

/// The most channels and points that the model speaks of; larger learners are measured or not shown.
pub(super) const MODELLED: usize = 64;

/// Terms of the model.
pub(super) const TERMS: usize = 8;

/// The quantities that the cost of a learner depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// On channels and directions; beyond so many channels it goes about it in another way.
    Channels {
        /// The most channels before that.
        turn: usize,
    },
    /// On channels and directions; one and two directions have a closed form.
    ClosedForm,
    /// On the window too.
    Window,
}

impl Family {
    /// Where its measurements are.
    pub(super) const fn workload(self) -> &'static str {
        match self {
            Self::Channels { .. } | Self::ClosedForm => "sizes",
            Self::Window => "windows",
        }
    }

    /// How far an estimate of the mean instructions may be off: a kernel window follows its directions where they are few, and is
    /// decomposed where they are not. The fast mode decomposes it where its error may be too large, which depends on the data.
    pub(super) const fn mean_error(self) -> f64 {
        match self {
            Self::Channels { .. } | Self::ClosedForm => 0.25,
            Self::Window => 0.50,
        }
    }

    /// Whether there is such a learner.
    pub(super) fn has(self, size: Size) -> bool {
        let known = (2..=LARGEST).contains(&size.dim) && size.keep >= 1;
        match (self, size.window) {
            (Self::Channels { .. } | Self::ClosedForm, _) => known && size.keep < size.dim,
            (Self::Window, Some(window)) => known && size.keep < window && (4..=LARGEST).contains(&window),
            (Self::Window, None) => false,
        }
    }

    /// Whether the size is within those that the model was fitted to.
    pub(super) fn models(self, size: Size) -> bool {
        size.dim <= MODELLED && size.window.is_none_or(|window| window <= MODELLED)
    }

    /// Start, passes over the sample, over the directions, over a matrix, a decomposition; what begins beyond the turn.
    pub(super) fn terms(self, size: Size) -> [f64; TERMS] {
        let (n, k) = (size.dim as f64, size.keep as f64);
        match self {
            Self::Channels { turn } => {
                let beyond = if size.dim > turn { 1.0 } else { 0.0 };
                [1.0, n, n * k, k * k * k, n * n, n * n * k, n * n * n, beyond]
            }
            Self::ClosedForm => {
                // Beyond two directions k³ counts, from two directions on there is a rotation.
                let (iterated, rotated) = ((k * k * k - 8.0).max(0.0), f64::from(u8::from(size.keep > 1)));
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
    /// The variant in the rows.
    pub(super) variant: &'static str,
    /// Its type.
    pub(super) name: &'static str,
    /// The quantities that its cost depends on.
    pub(super) family: Family,
    /// Bytes of state on a 32-bit chip.
    pub(super) state_bytes: fn(Size) -> usize,
}

const CHANNELS: Family = Family::Channels { turn: usize::MAX };

/// Every learner with measurements.
pub(super) const LEARNERS: [Learner; 14] = [
    Learner {
        variant: "tracking",
        name: "TrackingPca",
        family: Family::ClosedForm,
        state_bytes: tracking_bytes,
    },
    Learner {
        variant: "centered",
        name: "CenteredPca",
        family: Family::Channels { turn: 5 },
        state_bytes: centered_bytes,
    },
    Learner {
        variant: "density",
        name: "DensityPca",
        family: CHANNELS,
        state_bytes: density_bytes,
    },
    Learner {
        variant: "batch",
        name: "BatchPca",
        family: CHANNELS,
        state_bytes: batch_bytes,
    },
    Learner {
        variant: "variance",
        name: "VarianceMinimizer",
        family: CHANNELS,
        state_bytes: variance_bytes,
    },
    Learner {
        variant: "oja",
        name: "Oja",
        family: CHANNELS,
        state_bytes: |size| hebbian_bytes(size.dim),
    },
    Learner {
        variant: "gha",
        name: "Gha",
        family: CHANNELS,
        state_bytes: |size| hebbian_bytes(size.dim * size.keep),
    },
    Learner {
        variant: "apex",
        name: "Apex",
        family: CHANNELS,
        state_bytes: apex_bytes,
    },
    Learner {
        variant: "monitor",
        name: "SensorMonitor",
        family: CHANNELS,
        state_bytes: |size| {
            let counts = (2 * size.dim).next_multiple_of(4) + size.dim.next_multiple_of(4);
            mahalanobis_bytes(size) + 140 * size.dim + counts + 400
        },
    },
    Learner {
        variant: "kernel_exact",
        name: "OnlineKernelPca, exact",
        family: Family::Window,
        state_bytes: online_kernel_bytes,
    },
    Learner {
        variant: "kernel_fast",
        name: "OnlineKernelPca, fast",
        family: Family::Window,
        state_bytes: online_kernel_bytes,
    },
    Learner {
        variant: "kernel_batch",
        name: "KernelPca",
        family: Family::Window,
        state_bytes: kernel_batch_bytes,
    },
    Learner {
        variant: "kernel_oja",
        name: "KernelOja",
        family: Family::Window,
        state_bytes: |size| kernel_gha_bytes(size, 1),
    },
    Learner {
        variant: "kernel_gha",
        name: "KernelGha",
        family: Family::Window,
        state_bytes: |size| kernel_gha_bytes(size, size.keep),
    },
];

/// An alignment of eight, that of the sample count.
fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(8)
}

/// C and L, the pivots, the variances of the channels alone, two settings and two counts.
fn mahalanobis_bytes(size: Size) -> usize {
    4 * (size.dim * size.dim + 2 * size.dim + 4)
}

/// Directions, their evidence and how they are kept; settings, scale and counts.
fn tracking_bytes(size: Size) -> usize {
    let rank = size.rank(size.dim);
    aligned(4 * (size.dim * rank + 2 * rank) + 72)
}

/// Scatter, eigensolver and directions; start, centre and its rest, the solver's four vectors, probabilities, eigenvalues; settings and counts.
fn centered_bytes(Size { dim, .. }: Size) -> usize {
    aligned(4 * (3 * dim * dim + 9 * dim) + 68)
}

/// Directions, eigensolver, workspace and mean of the past; evidence, probabilities, the solver's four vectors; settings and counts.
fn density_bytes(Size { dim, .. }: Size) -> usize {
    aligned(4 * (4 * dim * dim + 6 * dim) + 48)
}

/// Scatter and eigensolver; components; mean, its rest and that of the fit, the solver's four vectors; weight, count and the choice.
fn batch_bytes(Size { dim, keep, .. }: Size) -> usize {
    let moments = aligned(4 * (dim * dim + 2 * dim + 1) + 8);
    aligned(moments + 4 * (dim * dim + dim * keep + 5 * dim + 2) + 1)
}

/// Total and eigensolver; the solver's four vectors and the weights; rate and count.
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

/// Gram matrix, points and norms; directions and their images, values, roots and probabilities; means; slots left; settings and counts.
fn online_kernel_bytes(size: Size) -> usize {
    let (points, rank) = (size.points(), size.rank(size.points()));
    let numbers = points * (points + size.dim + 1) + 2 * points * rank + 3 * rank + points;
    aligned(4 * numbers + points.next_multiple_of(4) + 92)
}

/// The window and the solver's room, as it is fitted; points, coefficients, norms, means and eigenvalues.
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
