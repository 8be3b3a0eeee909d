//! The one step that all Hebbian learners take, and how far it may go.
//! In: the rate asked for, the output y that drives the component, the energy of what it learns from. Out: what is added and
//! what is kept: w ← decay·w + gain·d, gain = ηy, decay = 1 − ηy².
//! Method: η ≤ 2 / max(energy, y²). For Oja, d = x, with s = ‖w‖² and a = ηy²:
//! s′ = (1−a)²s + 2(1−a)a + η‖x‖²·a ≤ 2 − (2 − s)(1 − a)², so s ≤ 2 stays so, at any rate and on any stream. Components that
//! learn from what others leave have no such bound; [`longest`] stops them, far beyond where they ever get by learning.
//! Cost: four multiplications and two comparisons; a division where the limit bites.

use crate::Scalar;
use crate::spectrum::vector::{dot, scale};

/// w ← decay·w + gain·d.
#[derive(Clone, Copy)]
pub(super) struct Nudge<T> {
    /// ηy.
    pub(super) gain: T,
    /// 1 − ηy².
    pub(super) decay: T,
}

impl<T: Scalar> Nudge<T> {
    /// A component that stays as it is.
    pub(super) const NONE: Self = Self {
        gain: T::ZERO,
        decay: T::ONE,
    };

    /// The step at `rate`, or at the largest rate that is safe.
    pub(super) fn new(rate: T, output: T, energy: T) -> Self {
        let rate = limited(rate, energy.max(output * output));
        let gain = rate * output;
        Self {
            gain,
            decay: T::ONE - gain * output,
        }
    }

    /// Whether it changes nothing, even where d is NaN.
    pub(super) fn is_none(&self) -> bool {
        self.gain == T::ZERO
    }
}

/// min(rate, 2/energy); zero where the energy is no finite number.
pub(super) fn limited<T: Scalar>(rate: T, energy: T) -> T {
    if !energy.is_finite() {
        T::ZERO
    } else if rate * energy > T::TWO {
        T::TWO / energy
    } else {
        rate
    }
}

/// Square of the greatest length that a weight vector may have, 4².
pub(super) fn longest<T: Scalar>() -> T {
    T::from_f64(16.0)
}

/// Shortens a vector that is too long.
pub(super) fn shorten<T: Scalar>(vector: &mut [T]) {
    let energy = dot(vector, vector);
    if energy > longest() {
        scale(vector, (longest::<T>() / energy).sqrt());
    }
}

/// A component starts from what others leave of a sample if that is more than rounding.
pub(super) fn is_new<T: Scalar>(left: T, energy: T) -> bool {
    // 256 roundings: a direction found in less would be noise.
    left >= T::MIN_POSITIVE && left > energy * T::EPSILON * T::from_f64(256.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rate_makes_a_component_longer_than_the_square_root_of_two() {
        // s′ ≤ 2 − (2 − s)(1 − a)², over lengths, angles and rates.
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
