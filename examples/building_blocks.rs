//! The building blocks of the learners. The graph is weights → cap → corners → draw, and separately matrix → eigenvalues and
//! eigenvectors.
//!
//! The program prints equal bits on a computer (`cargo run --example building_blocks`) and on a chip (in QEMU: `cargo run
//! --release --target thumbv7em-none-eabihf --example building_blocks`). All other examples run in both places too.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use core::fmt::{self, Display};

use eigenstream::Scalar;
use eigenstream::nalgebra::Matrix4;
use eigenstream::rand_core::SeedableRng;
use eigenstream::spectrum::Eigen;
use eigenstream::weights::{Corners, Subset, cap};
use rand_xoshiro::Xoshiro128PlusPlus;
use support::{Exact, Outcome, say};

support::entry!(building_blocks);

fn building_blocks() -> Outcome {
    choose_experts()?;
    find_directions()
}

/// Draws two of five experts by their capped weights.
fn choose_experts() -> Outcome {
    const SET_SIZE: usize = 2;

    // In a set of two, an expert of weight w is drawn with probability 2·w, so no weight may exceed 1/2.
    let mut weights = [0.7_f32, 0.1, 0.1, 0.06, 0.04];
    let capped = cap(&mut weights, SET_SIZE)?;
    say!("weights of five experts, {capped} of them capped:");
    for (expert, &weight) in weights.iter().enumerate() {
        say!("  expert {expert}  {}", Exact(weight));
    }

    let corners = Corners::<f32, 5>::new(&weights, SET_SIZE)?;
    say!("the same weights as a mixture of sets of two:");
    for corner in corners.clone() {
        say!("  {}  {}", Members(corner.members()), Exact(corner.probability()));
    }

    let mut rng = Xoshiro128PlusPlus::seed_from_u64(2008);
    say!("four sets drawn from it:");
    for _ in 0..4 {
        let uniform = f32::uniform(&mut rng);
        say!("  {}", Members(&corners.clone().draw(uniform)));
    }
    Ok(())
}

fn find_directions() -> Outcome {
    let covariance = Matrix4::new(
        4.0, 1.0, 0.5, 0.0, //
        1.0, 3.0, 0.0, 0.25, //
        0.5, 0.0, 2.0, 1.0, //
        0.0, 0.25, 1.0, 1.0,
    );
    let mut eigen = Eigen::<f32, 4>::new();
    let convergence = eigen.decompose(&covariance)?;
    say!("variances along the principal directions of four sensors, accuracy {convergence:?}:");
    for &variance in eigen.values() {
        say!("  {}", Exact(variance));
    }
    say!("the first of these directions:");
    for &entry in &eigen.vectors().column(0) {
        say!("  {}", Exact(entry));
    }
    Ok(())
}

/// The members of a set, like `{0, 2}`.
struct Members<'set, const N: usize>(&'set Subset<N>);

impl<const N: usize> Display for Members<'_, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.iter()).finish()
    }
}
