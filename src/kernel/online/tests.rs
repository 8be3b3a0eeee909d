use super::*;
use crate::kernel::{Gaussian, Linear, OnlineKernelSettings};

#[test]
fn memory_is_the_sum_of_its_parts() {
    const DIM: usize = 6;
    const KEEP: usize = 4;
    const WINDOW: usize = 32;
    const RANK: usize = 8;
    let numbers = WINDOW * (WINDOW + DIM + 1) // Gram matrix and scratch, points, norms
        + 2 * WINDOW * RANK // eigenvectors of the Gram matrix, and room for the Lanczos basis
        + 3 * RANK // eigenvalues, their inverse roots, probabilities
        + 1 // probability outside
        + 2 // excess
        + WINDOW + 1 // shifts and mean of the Gram matrix
        + 1 // gamma
        + 2; // learning rate and novelty
    let counts = 2 + 2 + 1; // window: length and next slot; directions: count, points; replaced slots
    let flags = WINDOW; // replaced slots
    let counters = 2 * 4 + 8; // waiting, since refresh; samples seen
    let choices = 16 + 8; // ambient, and centering, stride with padding
    let bytes = 4 * numbers + counts * size_of::<usize>() + flags + counters + choices;
    let size = size_of::<OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW, RANK>>();
    assert!(
        size.abs_diff(bytes) <= 24,
        "{size} where {bytes} were counted, but for padding"
    );
    assert!(size <= 8 * 1024);
}

type Pca = OnlineKernelPca<f32, Linear, 2, 1, 4, 3>;

/// Fuzzing found such an image: it gave an infinite code.
#[test]
fn shifts_of_directions_about_zero_are_refused() {
    let mut pca = Pca::new(Linear, OnlineKernelSettings::DEFAULT);
    assert_eq!(pca.learn(&[3.0, 4.0]), Ok(()));
    assert_eq!(pca.validate(), Ok(()));
    pca.directions.shifts[0] = 1.0;
    assert_eq!(pca.validate(), Err(CodecError::Range));
}

#[test]
fn huge_shifts_are_refused_before_a_refresh() {
    let settings = OnlineKernelSettings::DEFAULT.with_centering(Centering::Centered);
    let mut pca = Pca::new(Linear, settings);
    for sample in [[3.0, 4.0], [1.0, -2.0], [0.0, 1.0], [2.0, 2.0], [1.0, 0.5]] {
        assert_eq!(pca.learn(&sample), Ok(()));
    }
    assert!(pca.push(&[0.5, 0.5]).is_ok());
    assert_eq!(pca.validate(), Ok(()));
    pca.directions.shifts = [f32::MAX, -f32::MAX, f32::MAX, -f32::MAX];
    assert_eq!(pca.validate(), Err(CodecError::Range));
}

/// Fuzzing found that, while a refresh is pending, the directions of an image need not be those of its window.
#[test]
fn a_code_beyond_the_largest_number_is_the_largest_number() {
    let mut pca = Pca::new(Linear, OnlineKernelSettings::DEFAULT);
    assert_eq!(pca.learn(&[3.0, 4.0]), Ok(()));
    pca.directions.inverse_roots[0] = f32::MAX;
    assert_eq!(pca.transform(&[3.0, 4.0]).map(|[code]| code.abs()), Ok(f32::MAX));
}
