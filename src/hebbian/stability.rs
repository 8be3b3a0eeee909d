//! The step that all Hebbian learners take, and the limits of this step.
//! In: the wanted rate, the output y of a component w, and an energy: the larger of ‖x‖² and ‖d‖², with the sample x and the
//! input d of this component. Out: gain and decay of the step w ← decay·w + gain·d, with gain = ηy and decay = 1 − ηy². η is the
//! wanted rate, or the limit 2 / max(energy, y²) if the wanted rate is larger.
//! Method: η ≤ 2 / max(energy, y²). For Oja's rule d = x. Let s be ‖w‖² before the step, s′ be ‖w‖² after it, and a = ηy². Then
//! s′ = (1−a)²s + 2(1−a)a + η‖x‖²·a ≤ 2 − (2 − s)(1 − a)². So s ≤ 2 stays true at any rate and on any stream. A later
//! component has no such bound, because its input is not the sample, or its output is corrected by feedback. [`shorten`] (with
//! kernels `bound`) limits the length of such a component to 4, far above the lengths that learning usually reaches.
//! Cost: four multiplications and three comparisons; a division if the rate is limited.

use crate::Scalar;
use crate::spectrum::vector::{dot, scale};

/// A step w ← decay·w + gain·d of a component w with the input d.
#[derive(Clone, Copy)]
pub(super) struct Nudge<T> {
    /// The factor of d. A learning step has gain = ηy, with the learning rate η and the output y of the component.
    pub(super) gain: T,
    /// The factor of w. A learning step has decay = 1 − ηy², with the learning rate η and the output y of the component.
    pub(super) decay: T,
}

impl<T: Scalar> Nudge<T> {
    /// A step that changes nothing.
    pub(super) const NONE: Self = Self {
        gain: T::ZERO,
        decay: T::ONE,
    };

    /// The step at `rate`, or at the largest safe rate 2 / max(`energy`, `output`²) if `rate` is larger. `output` must be finite.
    /// The step changes nothing if `energy` is NaN or the maximum is infinite.
    pub(super) fn new(rate: T, output: T, energy: T) -> Self {
        let rate = limited(rate, energy.max(output * output));
        let gain = rate * output;
        Self {
            gain,
            decay: T::ONE - gain * output,
        }
    }

    /// Whether a learning step changes nothing. If so, the caller skips the step, because the input d can be NaN.
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

/// Square of the largest allowed length of a weight vector, 4².
pub(super) fn longest<T: Scalar>() -> T {
    T::from_f64(16.0)
}

/// Shortens a vector that is longer than 4 to the length 4; `longest` is 4².
pub(super) fn shorten<T: Scalar>(vector: &mut [T]) {
    let energy = dot(vector, vector);
    if energy > longest() {
        scale(vector, (longest::<T>() / energy).sqrt());
    }
}

/// Whether a component can start. `energy` is the energy of a sample, `left` is the part of this energy that other components do
/// not explain. The component can start if `left` is more than rounding error.
pub(super) fn is_new<T: Scalar>(left: T, energy: T) -> bool {
    // Up to 256·ε·`energy` (ε: machine epsilon), `left` is rounding error. A subnormal `left` has too few correct digits.
    left >= T::MIN_POSITIVE && left > energy * T::EPSILON * T::from_f64(256.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rate_makes_a_component_longer_than_the_square_root_of_two() {
        // s′ ≤ 2 − (2 − s)·decay² for several lengths, angles and rates. s and s′: squared lengths before and after a step.
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
