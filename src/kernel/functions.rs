//! The functions that compare two samples.
//! In: two samples. Out: the inner product of their features.
//! Method: \[C15\]; names as in scikit-learn, except `Gaussian` (`rbf`).
//! Cost: O(DIM) operations, with one exponential (Gaussian, Laplacian), two square roots (Cosine) or at most 63
//! multiplications (Polynomial). Kept: at most two parameters.

use crate::codec::stored;
use crate::learner::{default_is_constant, energy_of, refusal};
use crate::scalar::constant::{number, of_number, tried};
use crate::spectrum::{orthogonality::normalize, vector::dot};
use crate::{SampleError, Scalar, SettingsError, logging};

/// An inner product of features, k(x, y) = φ(x)·φ(y).
///
/// Any function or closure of two samples implements `Kernel`. It must be symmetric and positive semi-definite: no Gram
/// matrix has a negative eigenvalue.
///
/// ```
/// use eigenstream::kernel::{Kernel, Linear};
///
/// // Compares only the first channel.
/// let first = |left: &[f32; 2], right: &[f32; 2]| left[0] * right[0];
/// assert_eq!(first.value(&[2.0, 5.0], &[3.0, 7.0]), 6.0);
/// assert_eq!(Linear.value(&[2.0_f32, 5.0], &[3.0, 7.0]), 41.0);
/// ```
pub trait Kernel<T: Scalar, const DIM: usize> {
    /// k(x, y) for x = `left` and y = `right`.
    fn value(&self, left: &[T; DIM], right: &[T; DIM]) -> T;

    /// k(x, x) = ‖φ(x)‖².
    fn norm_squared(&self, sample: &[T; DIM]) -> T {
        self.value(sample, sample)
    }

    /// A number Q with k(x, x) ≤ Q² for every x, or `None` if none is known.
    ///
    /// The loss bounds of \[KW07\] hold for Q = 1; for another Q divide the learning rate by Q².
    /// [`Bounds::with_norm_bound`](crate::bounds::Bounds::with_norm_bound) takes Q, and its learning rate is divided
    /// already.
    fn norm_bound(&self) -> Option<T> {
        None
    }
}

impl<T: Scalar, const DIM: usize, F: Fn(&[T; DIM], &[T; DIM]) -> T> Kernel<T, DIM> for F {
    fn value(&self, left: &[T; DIM], right: &[T; DIM]) -> T {
        self(left, right)
    }
}

/// The inner product x·y: the features are the channels themselves.
///
/// ```
/// use eigenstream::kernel::{Kernel, Linear};
/// assert_eq!(Linear.norm_squared(&[3.0_f32, 4.0]), 25.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Linear;

impl<T: Scalar, const DIM: usize> Kernel<T, DIM> for Linear {
    fn value(&self, left: &[T; DIM], right: &[T; DIM]) -> T {
        dot(left, right)
    }
}

/// (x·y + coef0)^degree: the features are all products of at most `degree` channels, times constant factors.
///
/// If coef0 = 0, they are the products of exactly `degree` channels. A channel can occur several times in a product.
///
/// ```
/// use eigenstream::kernel::{Kernel, Polynomial};
/// let quadratic = Polynomial::new(1.0_f32, 2)?;
/// assert_eq!(quadratic.value(&[1.0, 2.0], &[3.0, -0.5]), 9.0);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Polynomial<T> {
    pub(super) coef0: T,
    pub(super) degree: u32,
}

impl<T: Scalar> Polynomial<T> {
    /// The kernel (x·y + 1)³.
    pub const DEFAULT: Self = Self {
        coef0: T::ONE,
        degree: 3,
    };

    /// (x·y + coef0)^degree.
    ///
    /// # Errors
    /// [`SettingsError::Coef0`] if `coef0` is negative or not finite, [`SettingsError::Degree`] if the degree is zero.
    pub const fn new(coef0: T, degree: u32) -> Result<Self, SettingsError> {
        if !of_number!(coef0 => coef0 >= 0.0 && coef0.is_finite()) {
            return Err(SettingsError::Coef0);
        }
        if degree == 0 {
            return Err(SettingsError::Degree);
        }
        Ok(Self { coef0, degree })
    }

    /// The constant term.
    #[must_use]
    pub const fn coef0(&self) -> T {
        self.coef0
    }

    /// The exponent.
    #[must_use]
    pub const fn degree(&self) -> u32 {
        self.degree
    }
}

impl<T: Scalar, const DIM: usize> Kernel<T, DIM> for Polynomial<T> {
    fn value(&self, left: &[T; DIM], right: &[T; DIM]) -> T {
        power(dot(left, right) + self.coef0, self.degree)
    }
}

/// exp(−γ‖x − y‖²), the radial basis function: 1 for equal samples, and near 0 for distant ones.
///
/// ```
/// use eigenstream::kernel::{Gaussian, Kernel};
/// let kernel = Gaussian::new(0.5_f32)?;
/// assert_eq!(kernel.value(&[1.0, 2.0], &[1.0, 2.0]), 1.0);
/// assert!((kernel.value(&[0.0, 0.0], &[1.0, 1.0]) - 0.367_879).abs() < 1e-6);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Gaussian<T> {
    gamma: T,
}

impl<T: Scalar> Gaussian<T> {
    /// The kernel with γ = 1: its value at distance 1 is 1/e.
    pub const DEFAULT: Self = Self { gamma: T::ONE };

    /// exp(−γ‖x − y‖²).
    ///
    /// # Errors
    /// [`SettingsError::Gamma`] unless γ is positive and finite.
    pub const fn new(gamma: T) -> Result<Self, SettingsError> {
        let gamma = tried!(checked_gamma(gamma));
        Ok(Self { gamma })
    }

    /// The kernel of width σ: γ = 1/(2σ²).
    ///
    /// # Errors
    /// [`SettingsError::Gamma`] unless σ and γ are positive and γ is finite.
    pub const fn from_sigma(sigma: T) -> Result<Self, SettingsError> {
        if of_number!(sigma => sigma > 0.0) {
            Self::new(number!(sigma => 0.5 / (sigma * sigma)))
        } else {
            Err(SettingsError::Gamma)
        }
    }

    /// The parameter γ.
    #[must_use]
    pub const fn gamma(&self) -> T {
        self.gamma
    }
}

impl<T: Scalar, const DIM: usize> Kernel<T, DIM> for Gaussian<T> {
    fn value(&self, left: &[T; DIM], right: &[T; DIM]) -> T {
        let mut distance = T::ZERO;
        for (&left, &right) in left.iter().zip(right) {
            let difference = left - right;
            distance += difference * difference;
        }
        (-self.gamma * distance).exp()
    }

    fn norm_squared(&self, _: &[T; DIM]) -> T {
        T::ONE
    }

    fn norm_bound(&self) -> Option<T> {
        Some(T::ONE)
    }
}

/// exp(−γ Σ|xᵢ − yᵢ|): a channel difference above 1 counts less than in the Gaussian kernel of equal γ, a smaller one
/// more.
///
/// ```
/// use eigenstream::kernel::{Kernel, Laplacian};
/// let kernel = Laplacian::new(0.5_f32)?;
/// assert!((kernel.value(&[0.0, 0.0], &[1.0, -1.0]) - 0.367_879).abs() < 1e-6);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Laplacian<T> {
    gamma: T,
}

impl<T: Scalar> Laplacian<T> {
    /// The kernel with γ = 1.
    pub const DEFAULT: Self = Self { gamma: T::ONE };

    /// exp(−γ Σ|xᵢ − yᵢ|).
    ///
    /// # Errors
    /// [`SettingsError::Gamma`] unless γ is positive and finite.
    pub const fn new(gamma: T) -> Result<Self, SettingsError> {
        let gamma = tried!(checked_gamma(gamma));
        Ok(Self { gamma })
    }

    /// The parameter γ.
    #[must_use]
    pub const fn gamma(&self) -> T {
        self.gamma
    }
}

impl<T: Scalar, const DIM: usize> Kernel<T, DIM> for Laplacian<T> {
    fn value(&self, left: &[T; DIM], right: &[T; DIM]) -> T {
        let mut distance = T::ZERO;
        for (&left, &right) in left.iter().zip(right) {
            distance += (left - right).abs();
        }
        (-self.gamma * distance).exp()
    }

    fn norm_squared(&self, _: &[T; DIM]) -> T {
        T::ONE
    }

    fn norm_bound(&self) -> Option<T> {
        Some(T::ONE)
    }
}

/// x·y / (‖x‖·‖y‖), the cosine of the angle between two samples; 0 if one is zero or not finite.
///
/// Therefore k(x, x) of a zero sample is 0, not 1.
///
/// ```
/// use eigenstream::kernel::{Cosine, Kernel};
/// assert!((Cosine.value(&[1.0_f32, 0.0], &[5.0, 5.0]) - 0.707_107).abs() < 1e-6);
/// assert_eq!(Cosine.norm_squared(&[0.0_f32, 0.0]), 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Cosine;

impl<T: Scalar, const DIM: usize> Kernel<T, DIM> for Cosine {
    fn value(&self, left: &[T; DIM], right: &[T; DIM]) -> T {
        // Each sample is normalised, because the product ‖x‖·‖y‖ could overflow although the cosine cannot.
        let (mut left, mut right) = (*left, *right);
        if normalize(&mut left) && normalize(&mut right) {
            dot(&left, &right)
        } else {
            T::ZERO
        }
    }

    fn norm_squared(&self, sample: &[T; DIM]) -> T {
        if normalize(&mut sample.clone()) {
            T::ONE
        } else {
            T::ZERO
        }
    }

    fn norm_bound(&self) -> Option<T> {
        Some(T::ONE)
    }
}

/// k(x, x), zero if negative. Refuses a sample unless ‖x‖² and k(x, x) are finite.
pub(crate) fn feature_energy<T: Scalar, const DIM: usize>(
    kernel: &impl Kernel<T, DIM>,
    sample: &[T; DIM],
) -> Result<T, SampleError> {
    energy_of(sample)?;
    let energy = kernel.norm_squared(sample);
    if energy.is_finite() {
        Ok(T::ZERO.max(energy))
    } else {
        Err(logging::refused(refusal(sample)))
    }
}

const fn checked_gamma<T: Scalar>(gamma: T) -> Result<T, SettingsError> {
    if of_number!(gamma => gamma > 0.0 && gamma.is_finite()) {
        Ok(gamma)
    } else {
        Err(SettingsError::Gamma)
    }
}

/// Computes `base` to the power `exponent` by repeated squaring, in at most 32 rounds.
pub(super) fn power<T: Scalar>(base: T, exponent: u32) -> T {
    let (mut result, mut square, mut left) = (T::ONE, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        left >>= 1;
        // A square after the last factor could overflow.
        if left > 0 {
            square *= square;
        }
    }
    result
}

default_is_constant!(Gaussian, Laplacian, Polynomial);

stored!([] Linear as kernel 1 {});
stored!([T: Scalar] Polynomial<T> as kernel 2 { coef0, degree } by new(coef0, degree));
stored!([T: Scalar] Gaussian<T> as kernel 3 { gamma } by new(gamma));
stored!([T: Scalar] Laplacian<T> as kernel 4 { gamma } by new(gamma));
stored!([] Cosine as kernel 5 {});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_repeated_multiplication() {
        for exponent in 1..=12 {
            let slow = (0..exponent).fold(1.0, |product, _| product * -1.5_f64);
            assert_eq!(power(-1.5_f64, exponent), slow);
        }
        assert_eq!(power(1e19_f32, 2), 1e38, "no overflow on the way");
        assert_eq!(power(1.0_f32, u32::MAX), 1.0);
    }

    #[test]
    fn the_norm_is_the_kernel_of_a_sample_with_itself() -> Result<(), SettingsError> {
        fn check(kernel: &impl Kernel<f32, 3>) {
            for sample in [[0.0; 3], [1.0, -2.0, 0.5], [1e9, 0.0, -1e9], [1e-18, 0.0, 1e-20]] {
                let norm = kernel.norm_squared(&sample);
                assert!((kernel.value(&sample, &sample) - norm).abs() <= 1e-6 * norm);
                if let Some(bound) = kernel.norm_bound() {
                    assert!(norm <= bound * bound);
                }
            }
        }
        check(&Linear);
        check(&Polynomial::new(0.5, 2)?);
        check(&Gaussian::DEFAULT);
        check(&Laplacian::DEFAULT);
        check(&Cosine);
        Ok(())
    }

    /// Fuzzing found that, with subnormal squares, k(x, x) was once 1 and once 0.87, and the image of a fit was
    /// refused.
    #[test]
    fn a_cosine_does_not_depend_on_lengths_whose_squares_are_below_the_normal_numbers() {
        let right = [1.0_f32, 1.0];
        let wanted = Cosine.value(&[3.0, 5.0], &right);
        for size in [1e-20, 1e-23, 1e-30, 1e-37] {
            let left = [3.0 * size, 5.0 * size];
            assert!((Cosine.value(&left, &right) - wanted).abs() < 1e-6, "{size}");
            assert!((Cosine.value(&left, &left) - 1.0).abs() < 1e-6, "{size}");
            assert_eq!(Cosine.norm_squared(&left), 1.0, "{size}");
        }
    }

    #[test]
    fn far_apart_samples_of_any_scale_have_nothing_in_common() -> Result<(), SettingsError> {
        let (left, right) = ([1e19_f32, 0.0], [-1e19_f32, 0.0]);
        assert_eq!(Gaussian::new(1e-30_f32)?.value(&left, &right), 0.0);
        assert_eq!(Laplacian::DEFAULT.value(&left, &right), 0.0);
        assert_eq!(Cosine.value(&left, &right), -1.0);
        Ok(())
    }

    #[test]
    fn widths_that_give_no_usable_gamma_are_refused() {
        for sigma in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-30, 1e30] {
            assert_eq!(Gaussian::from_sigma(sigma), Err(SettingsError::Gamma), "{sigma}");
        }
    }

    #[test]
    fn features_that_overflow_name_the_loudest_channel() -> Result<(), SettingsError> {
        let cubic = Polynomial::new(0.0_f32, 3)?;
        assert_eq!(feature_energy(&cubic, &[1.0, -2.0]), Ok(125.0));
        let refused = feature_energy(&cubic, &[1.0, -1e10]);
        assert_eq!(refused, Err(SampleError::TooLarge { channel: 1 }));
        let refused = feature_energy(&Gaussian::DEFAULT, &[1.0, f32::NAN]);
        assert_eq!(refused, Err(SampleError::NotANumber { channel: 1 }));
        Ok(())
    }
}
