//! The learners whose images are read, and their layouts: each type at sizes that are distinct primes.
//! A length in a layout that is one of these primes is a size of the type, and its value stands in the header of the image; every
//! other length is a constant of the format. The types are not constructed: only their constants are read.

use eigenstream::Codec;
use eigenstream::bounds::RegretMeter;
use eigenstream::codec::{Field, ImageLayout, Kind, Layout};
use eigenstream::hebbian::{Apex, Gha, KernelApex, KernelGha};
use eigenstream::kernel::{
    Cosine, Gaussian, GramWindow, KernelPca, KernelRidge, Laplacian, Linear, OnlineKernelPca, Polynomial,
};
use eigenstream::monitor::{Lagged, Monitor, Standardizer};
use eigenstream::pca::{
    AverageDensity, BatchPca, CenteredPca, DensityPca, EnergyScale, TrackingPca, VarianceMinimizer,
};
use eigenstream::weights::{FollowTheLeader, Hedge};

/// One line for each learner, at sizes A, B, C and D; a learner with a kernel has a line of its own. The learner inside another
/// stands for any, and so does a kernel: the image says which one it is.
macro_rules! learners {
    ($($learner:ty,)+) => {
        /// The layout of every learner.
        const LEARNERS: &[ImageLayout] = &[$(<$learner>::LAYOUT),+];
    };
}

const A: usize = 101;
const B: usize = 103;
const C: usize = 107;
const D: usize = 109;

learners! {
    TrackingPca<f32, A, B, C>,
    DensityPca<f32, A, B>,
    CenteredPca<f32, A, B>,
    BatchPca<f32, A, B>,
    VarianceMinimizer<f32, A>,
    AverageDensity<f32, A, B>,
    EnergyScale<f32>,
    Hedge<f32, A>,
    FollowTheLeader<f32, A>,
    RegretMeter<f32>,
    Monitor<f32, RegretMeter<f32>, A, B>,
    Lagged<f32, RegretMeter<f32>, A, B, C>,
    Standardizer<f32, A>,
    Gha<f32, A, B>,
    KernelGha<f32, Linear, A, B, C>,
    Apex<f32, A, B>,
    KernelApex<f32, Linear, A, B, C>,
    KernelPca<f32, Linear, A, B, C>,
    KernelRidge<f32, Linear, A, B>,
    OnlineKernelPca<f32, Linear, A, B, C, D>,
    GramWindow<f32, Linear, A, B>,
    GramWindow<f32, Polynomial<f32>, A, B>,
    GramWindow<f32, Gaussian<f32>, A, B>,
    GramWindow<f32, Laplacian<f32>, A, B>,
    GramWindow<f32, Cosine, A, B>,
}

/// The layout of a learner, with a kernel or without; none for one that is not known here.
pub(super) fn of(kind: Kind, kernel: u8) -> Option<&'static ImageLayout> {
    let wanted = |learner: &&ImageLayout| learner.kind == kind && (learner.kernel == 0) == (kernel == 0);
    LEARNERS.iter().find(wanted)
}

/// The name of a kernel and its parameters.
pub(super) fn kernel(number: u8) -> Option<(&'static str, &'static [Field])> {
    let of_window = |learner: &ImageLayout| match learner.content {
        Layout::Group([first, ..]) => Some(first.layout),
        _ => None,
    };
    LEARNERS.iter().filter_map(of_window).find_map(|layout| match layout {
        Layout::Kernel {
            number: found,
            name,
            parameters,
        } if found == number => Some((name, parameters)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_layout() {
        for kind in (0..=u8::MAX).filter_map(Kind::of) {
            assert!(of(kind, 0).or(of(kind, 1)).is_some(), "{kind:?}");
        }
        assert!((1..=5).all(|number| kernel(number).is_some()) && kernel(6).is_none());
    }

    #[test]
    fn a_prime_stands_for_one_size() {
        for learner in LEARNERS {
            let mut sizes: Vec<usize> = learner.sizes.iter().map(|&(_, size)| size).collect();
            sizes.sort_unstable();
            sizes.dedup();
            assert_eq!(sizes.len(), learner.sizes.len(), "{}", learner.name);
        }
    }
}
