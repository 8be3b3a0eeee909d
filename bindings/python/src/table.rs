//! The table of sizes, compiled row by row.
//! In: the name of a learner, its sizes, and settings or an image. Out: `dyn Model`.

use eigenstream::codec::{Header, Kind};
use eigenstream::hebbian::{Gha, GhaSettings};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::monitor::{Monitor, MonitorSettings};
use eigenstream::pca::{
    BatchPca, CenteredPca, CenteredSettings, DensityPca, DensitySettings, Mahalanobis, MahalanobisSettings, PairedPca,
    PairedSettings, TrackingPca, TrackingSettings,
};
use eigenstream::{Centering, Codec, CodecError, Scalar};

use crate::learners::BatchKernel;
use crate::lists::{
    channel_counts, double_counts, double_kernel_sizes, double_sizes, each, each_pair, each_with_points, groups,
    kernel_sizes, many_sizes, small_sizes, some_sizes,
};
use crate::model::Model;
use crate::options::Options;
use crate::refusal::Refusal;

/// The source of a learner.
pub(crate) enum Origin<'image> {
    Settings(Options),
    Image(&'image [u8]),
}

pub(crate) type Made<T> = Result<Box<dyn Model<T>>, Refusal>;

/// The four sizes of a header.
pub(crate) type Sizes = [usize; 4];

/// Settings of one learner, or an image.
enum Source<'image, S> {
    Settings(S),
    Image(&'image [u8]),
}

impl<'image> Origin<'image> {
    /// Refuses names that were not read.
    fn source<S>(self, read: impl FnOnce(&mut Options) -> Result<S, Refusal>) -> Result<Source<'image, S>, Refusal> {
        match self {
            Self::Image(image) => Ok(Source::Image(image)),
            Self::Settings(mut options) => {
                let given = options.clone();
                let settings = read(&mut options).map_err(|refusal| given.with_values(refusal))?;
                options.finish()?;
                Ok(Source::Settings(settings))
            }
        }
    }
}

/// Number of directions that a `TrackingPca` stores.
const fn rank(dim: usize, keep: usize) -> usize {
    let room = 2 * keep + 2;
    if room < dim { room } else { dim }
}

/// Number of directions that an `OnlineKernelPca` stores.
const fn kernel_rank(window: usize) -> usize {
    if window < 16 { window } else { 16 }
}

/// A function, and so a stack frame, for each type.
macro_rules! made_of {
    ($($name:ident [$($size:ident),+] $settings:ty, $learner:ty, $given:ident => $new:expr;)+) => { $(
        #[inline(never)]
        fn $name<T: Scalar, $(const $size: usize),+>(source: &Source<$settings>) -> Made<T> {
            Ok(match source {
                Source::Settings($given) => Box::new($new),
                Source::Image(image) => Box::new(<$learner>::decode(image)?),
            })
        }
    )+ };
}

made_of! {
    monitor_of [DIM, MEDIAN] MonitorSettings<T>, Monitor<T, Mahalanobis<T, DIM>, DIM, MEDIAN>,
        settings => Monitor::<T, _, DIM, MEDIAN>::new(*settings, Mahalanobis::<T, DIM>::new(MahalanobisSettings::DEFAULT));
    tracking_of [DIM, KEEP, RANK] TrackingSettings<T>, TrackingPca<T, DIM, KEEP, RANK>,
        settings => TrackingPca::<T, DIM, KEEP, RANK>::new(*settings);
    centered_of [DIM, KEEP] CenteredSettings<T>, CenteredPca<T, DIM, KEEP>,
        settings => CenteredPca::<T, DIM, KEEP>::new(*settings);
    density_of [DIM, KEEP] DensitySettings<T>, DensityPca<T, DIM, KEEP>,
        settings => DensityPca::<T, DIM, KEEP>::new(*settings);
    batch_of [DIM, KEEP] Centering, BatchPca<T, DIM, KEEP>,
        centering => BatchPca::<T, DIM, KEEP>::new(*centering);
    gha_of [DIM, KEEP] GhaSettings<T>, Gha<T, DIM, KEEP>,
        settings => Gha::<T, DIM, KEEP>::new(*settings);
    paired_of [LEFT, RIGHT, KEEP] PairedSettings<T>, PairedPca<T, LEFT, RIGHT, KEEP>,
        settings => PairedPca::<T, LEFT, RIGHT, KEEP>::new(*settings);
    online_kernel_of [DIM, KEEP, WINDOW, RANK] (Gaussian<T>, OnlineKernelSettings<T>),
        OnlineKernelPca<T, Gaussian<T>, DIM, KEEP, WINDOW, RANK>,
        given => OnlineKernelPca::<T, _, DIM, KEEP, WINDOW, RANK>::new(given.0, given.1);
    kernel_of [DIM, KEEP, WINDOW] (Gaussian<T>, Centering), BatchKernel<T, DIM, KEEP, WINDOW>,
        given => BatchKernel::<T, DIM, KEEP, WINDOW>::new(given.0, given.1);
}

/// A number type of the table.
pub(crate) trait Precision: Scalar {
    /// The learner `name` of these sizes.
    fn make(name: &'static str, sizes: Sizes, origin: Origin<'_>) -> Made<Self>;

    /// Every row: name of the learner and sizes.
    fn rows() -> Vec<(&'static str, Sizes)>;
}

macro_rules! all_rows {
    ($watch:ident, $track:ident, $some:ident, $small:ident, $kernel:ident) => {{
        let mut rows = Vec::new();
        macro_rules! monitor {
            ($dim:literal, $median:literal) => {
                rows.push(("Monitor", [$dim, $median, 0, 0]));
            };
        }
        $watch!(monitor);
        macro_rules! tracking {
            ($dim:literal, $keep:literal) => {
                rows.push(("TrackingPca", [$dim, $keep, rank($dim, $keep), 0]));
            };
        }
        $track!(tracking);
        macro_rules! some {
            ($dim:literal, $keep:literal) => {
                rows.extend(["CenteredPca", "Gha"].map(|name| (name, [$dim, $keep, 0, 0])));
            };
        }
        $some!(some);
        macro_rules! small {
            ($dim:literal, $keep:literal) => {
                rows.extend(["DensityPca", "BatchPca"].map(|name| (name, [$dim, $keep, 0, 0])));
            };
        }
        $small!(small);
        macro_rules! paired {
            ($left:literal, $right:literal, $keep:literal) => {
                rows.push(("PairedPca", [$left, $right, $keep, 0]));
            };
        }
        groups!(paired);
        macro_rules! kernel {
            ($dim:literal, $window:literal, $keep:literal) => {
                rows.push(("OnlineKernelPca", [$dim, $keep, $window, kernel_rank($window)]));
                rows.push(("KernelPca", [$dim, $keep, $window, 0]));
            };
        }
        $kernel!(kernel);
        rows
    }};
}

/// The arguments call a macro for each size of a type.
macro_rules! precision {
    ($number:ty, $watch:ident, $track:ident, $some:ident, $small:ident, $kernel:ident) => {
        impl Precision for $number {
            fn make(name: &'static str, sizes: Sizes, origin: Origin<'_>) -> Made<Self> {
                match name {
                    "Monitor" => {
                        let source = origin.source(Options::monitor)?;
                        macro_rules! row {
                            ($dim:literal, $median:literal) => {
                                if sizes == [$dim, $median, 0, 0] {
                                    return monitor_of::<$number, $dim, $median>(&source);
                                }
                            };
                        }
                        $watch!(row);
                    }
                    "TrackingPca" => {
                        let source = origin.source(Options::tracking)?;
                        macro_rules! row {
                            ($dim:literal, $keep:literal) => {
                                if sizes == [$dim, $keep, rank($dim, $keep), 0] {
                                    return tracking_of::<$number, $dim, $keep, { rank($dim, $keep) }>(&source);
                                }
                            };
                        }
                        $track!(row);
                    }
                    "CenteredPca" => {
                        let source = origin.source(Options::centered)?;
                        pair_rows!($number, $some, sizes, centered_of(&source));
                    }
                    "Gha" => {
                        let source = origin.source(Options::gha)?;
                        pair_rows!($number, $some, sizes, gha_of(&source));
                    }
                    "DensityPca" => {
                        let source = origin.source(Options::density)?;
                        pair_rows!($number, $small, sizes, density_of(&source));
                    }
                    "BatchPca" => {
                        let source = origin.source(|options| Ok(options.centering()?.unwrap_or_default()))?;
                        pair_rows!($number, $small, sizes, batch_of(&source));
                    }
                    "PairedPca" => {
                        let source = origin.source(Options::paired)?;
                        macro_rules! row {
                            ($left:literal, $right:literal, $keep:literal) => {
                                if sizes == [$left, $right, $keep, 0] {
                                    return paired_of::<$number, $left, $right, $keep>(&source);
                                }
                            };
                        }
                        groups!(row);
                    }
                    "OnlineKernelPca" => {
                        let source = origin.source(|options| Ok((options.gaussian()?, options.online_kernel()?)))?;
                        macro_rules! row {
                            ($dim:literal, $window:literal, $keep:literal) => {
                                if sizes == [$dim, $keep, $window, kernel_rank($window)] {
                                    return online_kernel_of::<$number, $dim, $keep, $window, { kernel_rank($window) }>(
                                        &source,
                                    );
                                }
                            };
                        }
                        $kernel!(row);
                    }
                    "KernelPca" => {
                        let source = origin
                            .source(|options| Ok((options.gaussian()?, options.centering()?.unwrap_or_default())))?;
                        macro_rules! row {
                            ($dim:literal, $window:literal, $keep:literal) => {
                                if sizes == [$dim, $keep, $window, 0] {
                                    return kernel_of::<$number, $dim, $keep, $window>(&source);
                                }
                            };
                        }
                        $kernel!(row);
                    }
                    _ => return Err(Refusal::Type(format!("there is no learner {name:?}"))),
                }
                Err(unbuilt::<$number>(name, sizes))
            }

            fn rows() -> Vec<(&'static str, Sizes)> {
                all_rows!($watch, $track, $some, $small, $kernel)
            }
        }
    };
}

macro_rules! pair_rows {
    ($number:ty, $pairs:ident, $sizes:ident, $make:ident($source:expr)) => {
        macro_rules! row {
            ($dim:literal, $keep:literal) => {
                if $sizes == [$dim, $keep, 0, 0] {
                    return $make::<$number, $dim, $keep>($source);
                }
            };
        }
        $pairs!(row);
    };
}

macro_rules! watched {
    ($row:ident) => {
        macro_rules! of_count {
            ($dim:literal) => {
                $row!($dim, 1);
            };
        }
        channel_counts!(each!(of_count));
        // The monitor of the conformance program.
        $row!(6, 3);
    };
}

macro_rules! watched_in_double {
    ($row:ident) => {
        macro_rules! of_count {
            ($dim:literal) => {
                $row!($dim, 1);
            };
        }
        double_counts!(each!(of_count));
        $row!(6, 3);
    };
}

macro_rules! tracked {
    ($row:ident) => {
        many_sizes!(each_pair!($row));
    };
}

macro_rules! in_some {
    ($row:ident) => {
        some_sizes!(each_pair!($row));
    };
}

macro_rules! in_small {
    ($row:ident) => {
        small_sizes!(each_pair!($row));
    };
}

macro_rules! in_double {
    ($row:ident) => {
        double_sizes!(each_pair!($row));
    };
}

macro_rules! kernels {
    ($row:ident) => {
        kernel_sizes!(each_with_points!($row));
        // The kernel learners of the conformance program.
        $row!(6, 10, 2);
    };
}

macro_rules! kernels_in_double {
    ($row:ident) => {
        $row!(6, 10, 2);
        double_kernel_sizes!(each_with_points!($row));
    };
}

precision!(f32, watched, tracked, in_some, in_small, kernels);
precision!(
    f64,
    watched_in_double,
    in_double,
    in_double,
    in_double,
    kernels_in_double
);

/// A build with few sizes has them too, without their learners.
mod release {
    use super::{Sizes, kernel_rank, rank};
    use crate::lists::released::{
        channel_counts, double_counts, double_kernel_sizes, double_sizes, groups, kernel_sizes, many_sizes,
        small_sizes, some_sizes,
    };
    use crate::lists::{each, each_pair, each_with_points};

    pub(super) fn single() -> Vec<(&'static str, Sizes)> {
        all_rows!(watched, tracked, in_some, in_small, kernels)
    }

    pub(super) fn double() -> Vec<(&'static str, Sizes)> {
        all_rows!(watched_in_double, in_double, in_double, in_double, kernels_in_double)
    }
}

fn names_of_sizes(name: &str) -> &'static [&'static str] {
    match name {
        "Monitor" => &["channels", "median"],
        "PairedPca" => &["left", "right", "keep"],
        "KernelPca" => &["channels", "keep", "window"],
        "OnlineKernelPca" => &["channels", "keep", "window", "rank"],
        _ => &["channels", "keep", "rank"],
    }
}

/// It says whether a release has the sizes.
fn unbuilt<T>(name: &'static str, sizes: Sizes) -> Refusal {
    let bits = 8 * size_of::<T>();
    let released = if bits == 32 {
        release::single()
    } else {
        release::double()
    };
    let remedy = if released.contains(&(name, sizes)) {
        "`cargo harness python --all` builds it"
    } else {
        "no build has it"
    };
    let named = names_of_sizes(name).iter().zip(sizes).filter(|&(_, size)| size > 0);
    let sizes: Vec<String> = named.map(|(name, size)| format!("{name} {size}")).collect();
    Refusal::Size(format!(
        "{name} with {} in float{bits} is not in the table of this build, eigenstream.sizes(): {remedy}",
        sizes.join(", ")
    ))
}

pub(crate) fn read_header(image: &[u8]) -> Result<(&'static str, Sizes, u8), Refusal> {
    let header = Header::read(image)?;
    // The whole image first, so that a damaged size is not reported as one that was not built.
    header.content(image)?;
    let name = match header.kind() {
        Some(Kind::Monitor) => "Monitor",
        Some(Kind::Tracking) => "TrackingPca",
        Some(Kind::Centered) => "CenteredPca",
        Some(Kind::Density) => "DensityPca",
        Some(Kind::Batch) => "BatchPca",
        // With a kernel, it is a `KernelGha`.
        Some(Kind::Parallel) if header.kernel() == 0 => "Gha",
        Some(Kind::Paired) => "PairedPca",
        Some(Kind::OnlineKernel) => "OnlineKernelPca",
        Some(Kind::Kernel) => "KernelPca",
        Some(kind) => return Err(Refusal::Image(CodecError::Learner { found: kind as u8 })),
        None => return Err(Refusal::Image(CodecError::Magic)),
    };
    let mut sizes = header.sizes().map(usize::from);
    if name == "KernelPca" {
        // The image has WINDOW before KEEP, the type after it.
        sizes.swap(1, 2);
    }
    Ok((name, sizes, header.precision()))
}

pub(crate) fn rows() -> Vec<(&'static str, usize, Sizes)> {
    let single = f32::rows().into_iter().map(|(name, sizes)| (name, 4, sizes));
    let double = f64::rows().into_iter().map(|(name, sizes)| (name, 8, sizes));
    single.chain(double).collect()
}
