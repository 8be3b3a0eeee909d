//! The layout of an image: type, order and name of each field, as constants, so that a program can read an image
//! without the type of the learner.
//! Cost: no flash for a program that does not use these constants.

/// The number of bytes of a tag.
pub(super) const TAG: usize = 3 + 4 * 2;

/// The enum `Kind` and the list of its variants.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal,)+) => {
        /// The learner that an image holds; the number of a learner never changes.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $kind = $number,)+
        }

        impl Kind {
            /// All kinds.
            const ALL: &[Self] = &[$(Self::$kind),+];
        }
    };
}

kinds! {
    /// [`TrackingPca`](crate::pca::TrackingPca); sizes DIM, KEEP, RANK.
    Tracking = 1,
    /// [`DensityPca`](crate::pca::DensityPca); sizes DIM, KEEP.
    Density = 2,
    /// [`CenteredPca`](crate::pca::CenteredPca); sizes DIM, KEEP.
    Centered = 3,
    /// [`BatchPca`](crate::pca::BatchPca); sizes DIM, KEEP.
    Batch = 4,
    /// [`VarianceMinimizer`](crate::pca::VarianceMinimizer); size DIM.
    Variance = 5,
    /// [`AverageDensity`](crate::pca::AverageDensity); sizes DIM, KEEP.
    Average = 6,
    /// [`EnergyScale`](crate::EnergyScale).
    Scale = 7,
    /// [`Hedge`](crate::weights::Hedge); size N.
    Hedge = 8,
    /// [`FollowTheLeader`](crate::weights::FollowTheLeader); size N.
    Leader = 9,
    /// [`RegretMeter`](crate::bounds::RegretMeter).
    Regret = 10,
    /// [`Monitor`](crate::monitor::Monitor), with a learner inside; sizes DIM, MEDIAN.
    Monitor = 11,
    /// [`Lagged`](crate::monitor::Lagged), with a learner inside; sizes DIM, LAGS, WIDE.
    Lagged = 12,
    /// [`Standardizer`](crate::monitor::Standardizer); size DIM.
    Standardizer = 13,
    /// [`GramWindow`](crate::kernel::GramWindow); sizes DIM, WINDOW.
    Gram = 14,
    /// [`Gha`](crate::hebbian::Gha) and its variant with a kernel; sizes DIM, KEEP, POINTS (0 without kernel).
    Parallel = 15,
    /// [`Apex`](crate::hebbian::Apex) and its variant with a kernel; sizes DIM, KEEP, POINTS (0 without kernel).
    Chain = 16,
    /// [`KernelPca`](crate::kernel::KernelPca); sizes DIM, WINDOW, KEEP (the type has the order DIM, KEEP, WINDOW).
    Kernel = 17,
    /// [`KernelRidge`](crate::kernel::KernelRidge); sizes DIM, WINDOW.
    Ridge = 18,
    /// [`OnlineKernelPca`](crate::kernel::OnlineKernelPca); sizes DIM, KEEP, WINDOW, RANK.
    OnlineKernel = 19,
    /// [`Mahalanobis`](crate::pca::Mahalanobis); size DIM.
    Mahalanobis = 20,
    /// [`PairedPca`](crate::pca::PairedPca); sizes LEFT, RIGHT, KEEP.
    Paired = 21,
    /// [`SetExperts`](crate::weights::SetExperts); size N.
    SetExperts = 22,
    /// [`PerturbedLeader`](crate::weights::PerturbedLeader); size N.
    PerturbedLeader = 23,
    /// [`AdditivePca`](crate::pca::AdditivePca); sizes DIM, KEEP, RANK.
    Additive = 24,
    /// [`RandomStop`](crate::pca::RandomStop), with a learner inside.
    RandomStop = 25,
    /// [`RecursiveLeastSquares`](crate::regression::RecursiveLeastSquares); size FEATURES.
    LeastSquares = 26,
    /// [`Clipped`](crate::pca::Clipped), with a learner inside.
    Clipped = 27,
}

impl Kind {
    /// The kind with this number, if there is one.
    #[must_use]
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|&kind| kind as u8 == number)
    }
}

/// The layout of a part of an image.
///
/// ```
/// use eigenstream::{Codec, codec::Layout, pca::BatchPca};
///
/// let image = BatchPca::<f32, 4, 2>::LAYOUT;
/// assert_eq!((image.name, image.sizes), ("BatchPca", [("DIM", 4), ("KEEP", 2)].as_slice()));
/// let Layout::Group(fields) = image.content else {
///     unreachable!("the image of a learner is a group of fields")
/// };
/// assert_eq!([fields[0].name, fields[1].name], ["centering", "moments"]);
/// // One byte for the variant of `Centering`.
/// let variants = &[(0, "Centered"), (1, "Uncentered")];
/// assert_eq!(fields[0].layout, Layout::Choice { variants, payload: &[] });
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A floating-point number.
    Number {
        /// The number of bytes, 4 or 8, as in the header.
        bytes: usize,
    },
    /// An unsigned integer.
    Count {
        /// The number of bytes: 2, 4 or 8.
        bytes: usize,
    },
    /// An enum: one byte for the variant, then the fields of all variants.
    Choice {
        /// The byte and the name of each variant.
        variants: &'static [(u8, &'static str)],
        /// The fields of all variants. A field that the stored variant does not have holds a fixed value, which may
        /// differ from zero.
        payload: &'static [Field],
    },
    /// One byte, 1 for a value and 0 for `None`, then the bytes of the value, which are all zero for `None`.
    Optional(&'static Self),
    /// Several values of one layout; an `SMatrix` is stored by columns.
    Repeated {
        /// The number of values.
        times: usize,
        /// The layout of one value.
        each: &'static Self,
    },
    /// The fields of a struct.
    Group(&'static [Field]),
    /// The parameters of a kernel.
    Kernel {
        /// The number of the kernel in the header.
        number: u8,
        /// The name of the kernel's type.
        name: &'static str,
        /// The parameters of the kernel.
        parameters: &'static [Field],
    },
    /// An inner learner: the bytes of its header from kind to sizes, then settings and state.
    Learner(&'static ImageLayout),
}

/// A part of an image and its name; see [`Layout`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the part.
    pub name: &'static str,
    /// The layout of the field.
    pub layout: Layout,
}

/// The layout of a learner's image; see [`Layout`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageLayout {
    /// The kind of learner.
    pub kind: Kind,
    /// The name of the learner: `Gha`, `KernelGha`, `Apex` or `KernelApex`, otherwise the name of the type.
    pub name: &'static str,
    /// The names and values of the learner's sizes, in the order of the header.
    pub sizes: &'static [(&'static str, usize)],
    /// The number of bytes of a floating-point number: 4 or 8.
    pub precision: u8,
    /// The number of the kernel, or 0 for a learner without kernel.
    pub kernel: u8,
    /// The layout of settings and state.
    pub content: Layout,
}

impl Layout {
    pub(super) const fn length(&self) -> usize {
        match *self {
            Self::Number { bytes } | Self::Count { bytes } => bytes,
            Self::Choice { payload, .. } => 1 + Self::Group(payload).length(),
            Self::Optional(value) => 1 + value.length(),
            Self::Repeated { times, each } => times * each.length(),
            Self::Group(fields) | Self::Kernel { parameters: fields, .. } => {
                let (mut length, mut index) = (0, 0);
                while index < fields.len() {
                    length += fields[index].layout.length();
                    index += 1;
                }
                length
            }
            Self::Learner(image) => TAG + image.content.length(),
        }
    }

    /// The first field that is a learner, and the number of bytes before its tag.
    #[cfg(feature = "storage")]
    pub(super) const fn learner_inside(&self) -> Option<(usize, &'static ImageLayout)> {
        let Self::Group(fields) = *self else { return None };
        let (mut before, mut index) = (0, 0);
        while index < fields.len() {
            if let Self::Learner(image) = fields[index].layout {
                return Some((before, image));
            }
            before += fields[index].layout.length();
            index += 1;
        }
        None
    }

    /// Turns the layout of a struct with a single field into the layout of this field.
    pub(crate) const fn wrapper(self) -> Self {
        match self {
            Self::Group([only]) => only.layout,
            other => other,
        }
    }

    /// Turns the layout of a struct into that of a kernel.
    pub(crate) const fn kernel(self, number: u8, name: &'static str) -> Self {
        match self {
            Self::Group(parameters) => Self::Kernel {
                number,
                name,
                parameters,
            },
            other => other,
        }
    }
}

/// The last word of a path without parameters: `Hedge` for `Hedge<T, N>`, `POINTS` for `W::POINTS`.
pub(crate) const fn last_word(path: &'static str) -> &'static str {
    let (mut start, mut end) = (0, 0);
    while end < path.len() && path.as_bytes()[end] != b'<' {
        end += 1;
        if path.as_bytes()[end - 1] == b':' {
            start = end;
        }
    }
    path.split_at(end).0.split_at(start).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_is_without_parameters() {
        assert_eq!(last_word("Hedge<T, N>"), "Hedge");
        assert_eq!(last_word("W::POINTS"), "POINTS");
    }
}
