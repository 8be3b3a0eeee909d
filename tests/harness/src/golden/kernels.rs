//! The kernels in the golden files.

use eigenstream::Scalar;
use eigenstream::kernel::{Gaussian, Kernel, Linear, Polynomial};

use super::check::Refusal;
use super::schema::Fields;

/// A kernel that is known only at run time.
#[derive(Clone, Copy, Debug)]
pub(super) enum NamedKernel<T> {
    Linear,
    Polynomial(Polynomial<T>),
    Gaussian(Gaussian<T>),
}

impl<T: Scalar> NamedKernel<T> {
    pub(super) fn of(input: &Fields<'_>) -> Result<Self, Refusal> {
        let fields = input.fields("kernel")?;
        match fields.text("type")? {
            "linear" => Ok(Self::Linear),
            "poly" => {
                let degree = u32::try_from(fields.count("degree")?).map_err(Refusal::by_crate)?;
                Polynomial::new(T::from_f64(fields.number("c")?), degree)
                    .map(Self::Polynomial)
                    .map_err(Refusal::by_crate)
            }
            "gauss" => Gaussian::new(T::from_f64(fields.number("alpha")?))
                .map(Self::Gaussian)
                .map_err(Refusal::by_crate),
            other => Err(Refusal::Unsupported(format!("kernel `{other}`"))),
        }
    }
}

impl<T: Scalar, const DIM: usize> Kernel<T, DIM> for NamedKernel<T> {
    fn value(&self, left: &[T; DIM], right: &[T; DIM]) -> T {
        match self {
            Self::Linear => Linear.value(left, right),
            Self::Polynomial(kernel) => kernel.value(left, right),
            Self::Gaussian(kernel) => kernel.value(left, right),
        }
    }

    fn norm_squared(&self, sample: &[T; DIM]) -> T {
        match self {
            Self::Linear => Linear.norm_squared(sample),
            Self::Polynomial(kernel) => kernel.norm_squared(sample),
            Self::Gaussian(kernel) => kernel.norm_squared(sample),
        }
    }
}
