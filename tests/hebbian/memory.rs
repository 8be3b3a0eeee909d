//! What becomes of a component whose points are fewer than its samples.

use crate::{Stationary, cosine, direction};
use eigenstream::hebbian::{Eviction, GhaSettings, KernelOja, Memory, Norm};
use eigenstream::kernel::Linear;

const SPREAD: [f64; 4] = [1.0, 0.4, 0.2, 0.1];
const POINTS: usize = 16;

/// |cos| with the first direction, and ‖w‖².
fn outcome(seed: u64, memory: Memory) -> (f64, f64) {
    let mut stream = Stationary::new(seed, SPREAD);
    // η·λ₁·M = 0.02 · 1 · 16 < 1.
    let mut oja = KernelOja::<f32, _, 4, POINTS>::new(Linear, GhaSettings::new(0.02).unwrap(), memory);
    for sample in stream.samples(5_000) {
        oja.learn(&sample.map(|value| value as f32)).unwrap();
    }
    let components = oja.components();
    let mut w = [0.0; 4];
    for (point, &coefficient) in components.points().iter().zip(components.coefficients(0)) {
        for i in 0..4 {
            w[i] += f64::from(coefficient) * f64::from(point[i]);
        }
    }
    (cosine(&w, &direction::<4>(0)), f64::from(components.norms_squared()[0]))
}

#[test]
fn the_default_memory_keeps_the_component_where_fifo_loses_it() {
    for seed in 0..10 {
        let (cosine, norm) = outcome(seed, Memory::DEFAULT);
        assert!(cosine >= 0.98 && norm > 0.9, "seed {seed}: |cos| {cosine}, ‖w‖² {norm}");
        let (_, norm) = outcome(seed, Memory::new(Eviction::Fifo, Norm::Reduced));
        assert!(norm < 1e-6, "seed {seed}: fifo should have died, ‖w‖² {norm}");
    }
}
