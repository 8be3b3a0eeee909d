//! The step that all Hebbian learners take, and its limits.
//! In: the wanted rate, the drive y of a component, and the larger of ‖x‖² and ‖d‖². Out: gain and decay. Proof:
//! `guide::mathematics`, "No rate is too large".
//! Cost: four multiplications and three comparisons; a division if the rate is limited.

use crate::Scalar;
use crate::spectrum::vector::{dot, scale};

/// A step w ← decay·w + gain·d.
#[derive(Clone, Copy)]
pub(super) struct Nudge<T> {
    pub(super) gain: T,
    pub(super) decay: T,
}

impl<T: Scalar> Nudge<T> {
    pub(super) const NONE: Self = Self {
        gain: T::ZERO,
        decay: T::ONE,
    };

    /// The step with the rate min(`rate`, 2/max(`energy`, `output`²)), for a finite `output`. The step is
    /// [`NONE`](Self::NONE) if `energy` is NaN or if the maximum is infinite.
    pub(super) fn new(rate: T, output: T, energy: T) -> Self {
        let rate = limited(rate, energy.max(output * output));
        let gain = rate * output;
        Self {
            gain,
            decay: T::ONE - gain * output,
        }
    }

    /// Whether the gain is zero. The caller then skips the step, because the input can be NaN.
    pub(super) fn is_none(&self) -> bool {
        self.gain == T::ZERO
    }
}

/// min(rate, 2/energy); zero if the energy is NaN or infinite.
pub(super) fn limited<T: Scalar>(rate: T, energy: T) -> T {
    if !energy.is_finite() {
        T::ZERO
    } else if rate * energy > T::TWO {
        T::TWO / energy
    } else {
        rate
    }
}

/// The square of the largest allowed length of a component.
pub(super) fn longest<T: Scalar>() -> T {
    T::from_f64(16.0)
}

/// Shortens a vector that is longer than allowed to the largest allowed length.
pub(super) fn shorten<T: Scalar>(vector: &mut [T]) {
    let energy = dot(vector, vector);
    if energy > longest() {
        scale(vector, (longest::<T>() / energy).sqrt());
    }
}

/// Whether `left`, the unexplained part of `energy`, is more than rounding error, so that a component can start.
pub(super) fn is_new<T: Scalar>(left: T, energy: T) -> bool {
    // A subnormal `left` has too few correct digits.
    left >= T::MIN_POSITIVE && left > energy * T::EPSILON * T::from_f64(256.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rate_makes_a_component_longer_than_the_square_root_of_two() {
        // The test checks s′ ≤ 2 − (2 − s)·decay² for several lengths, angles and rates. s and s′ are the squared
        // lengths before and after a step.
        for (length, cosine) in [
            (0.1, 1.0),
            (1.0, 0.5),
            (1.0, -1.0),
            (1.2, 0.9),
            (1.414, 0.3),
            (1.414, 1.0),
        ] {
            for rate in [1e-3_f64, 0.5, 2.0, 1e9] {
                let energy = 4.0_f64;
                let output = length * energy.sqrt() * cosine;
                let Nudge { gain, decay } = Nudge::new(rate, output, energy);
                let square = decay * decay * length * length + 2.0 * decay * gain * output + gain * gain * energy;
                let bound = 2.0 - (2.0 - length * length) * decay * decay;
                assert!(square <= bound + 1e-12, "{length} {cosine} {rate}: {square} > {bound}");
            }
        }
    }

    #[test]
    fn a_safe_rate_is_left_alone() {
        assert_eq!(limited(0.5_f32, 4.0), 0.5);
        assert_eq!(limited(0.5_f32, 8.0), 0.25);
        assert_eq!(limited(f32::MAX, f32::MAX), 2.0 / f32::MAX);
        assert_eq!(limited(1.0_f32, f32::INFINITY), 0.0);
        assert_eq!(limited(1.0_f32, f32::NAN), 0.0);
        assert_eq!(limited(f32::MAX, 0.0), f32::MAX);
    }

    #[test]
    fn a_step_is_finite_at_every_scale() {
        for output in [0.0, 1e-38, 1.0, 1e19, f32::MAX] {
            for energy in [0.0, 1e-45, 1.0, f32::MAX] {
                let nudge = Nudge::new(f32::MAX, output, energy);
                assert!(nudge.gain.is_finite() && nudge.decay.is_finite(), "{output} {energy}");
                assert!(nudge.decay.abs() <= 1.001, "{output} {energy}: {}", nudge.decay);
            }
        }
    }
}
