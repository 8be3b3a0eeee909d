//! Trackers of a k-dimensional subspace from the literature, written from the equations of the papers.
//! In: samples with mean zero. Out: the loss ‖x − UUᵀx‖² of each sample before it is learned, or the expectation of
//! this loss.
//! The trackers do not check samples, draw nothing at random and do not measure the scale of the samples.
//! Symbols: n = DIM channels, k = KEEP directions, x a sample, U the matrix whose columns are the directions (rows of
//! `basis`), c = Uᵀx, ρ = ‖x − Uc‖, η the rate, β the forgetting factor.

mod capped_msg;
mod grouse;
mod incremental_svd;
mod low_rank;
mod opast;

pub use capped_msg::CappedMsg;
pub use grouse::Grouse;
pub use incremental_svd::IncrementalSvd;
pub use opast::Opast;

/// A tracker.
pub trait Peer<const DIM: usize> {
    /// Learns a sample, and returns its loss before learning.
    fn step(&mut self, sample: &[f32; DIM]) -> f32;
}

/// The first KEEP unit vectors, as rows.
const fn first_units<const DIM: usize, const KEEP: usize>() -> [[f32; DIM]; KEEP] {
    let mut basis = [[0.0; DIM]; KEEP];
    let mut row = 0;
    while row < KEEP {
        basis[row][row % DIM] = 1.0;
        row += 1;
    }
    basis
}

fn dot<const DIM: usize>(one: &[f32; DIM], other: &[f32; DIM]) -> f32 {
    let mut sum = 0.0;
    for channel in 0..DIM {
        sum += one[channel] * other[channel];
    }
    sum
}

/// The coordinates c = Uᵀx, and the energy ‖x‖² − ‖c‖² outside of the directions.
fn split<const DIM: usize, const KEEP: usize>(basis: &[[f32; DIM]; KEEP], sample: &[f32; DIM]) -> ([f32; KEEP], f32) {
    let mut coordinates = [0.0; KEEP];
    let mut outside = 0.0;
    for channel in 0..DIM {
        outside += sample[channel] * sample[channel];
        for row in 0..KEEP {
            coordinates[row] += basis[row][channel] * sample[channel];
        }
    }
    for coordinate in coordinates {
        outside -= coordinate * coordinate;
    }
    (coordinates, outside.max(0.0))
}

/// Orthonormalises the rows by Gram–Schmidt, because the rounding errors of the steps add up.
fn tidy<const DIM: usize, const KEEP: usize>(basis: &mut [[f32; DIM]; KEEP]) {
    for row in 0..KEEP {
        for earlier in 0..row {
            let along = dot(&basis[earlier], &basis[row]);
            for channel in 0..DIM {
                basis[row][channel] -= along * basis[earlier][channel];
            }
        }
        let energy = dot(&basis[row], &basis[row]);
        if energy > 0.0 {
            let scale = 1.0 / eigenstream::Scalar::sqrt(energy);
            for entry in &mut basis[row] {
                *entry *= scale;
            }
        }
    }
}

/// Samples between two calls of [`tidy`].
const TIDY_EVERY: u32 = 64;

#[cfg(test)]
mod tests;
