//! Kernels as part of an image: the parameters, and a number that says which kernel it is.

use super::{Cosine, Gaussian, Laplacian, Linear, Polynomial, checked_gamma};
use crate::codec::{Reader, Stored, StoredKernel, Writer, stored};
use crate::{CodecError, Scalar};

/// A kernel without parameters takes no bytes.
macro_rules! stored_kernel {
    ($kernel:ident) => {
        impl Stored for $kernel {
            const LENGTH: usize = 0;

            fn store(&self, _: &mut Writer<'_>) {}

            fn load(_: &mut Reader<'_>) -> Result<Self, CodecError> {
                Ok(Self)
            }
        }
    };
}

stored_kernel!(Linear);
stored_kernel!(Cosine);
stored!([T: Scalar] Polynomial<T> { coef0, degree } if validate);
stored!([T: Scalar] Gaussian<T> { gamma } if validate);
stored!([T: Scalar] Laplacian<T> { gamma } if validate);

impl<T: Scalar> Polynomial<T> {
    fn validate(&self) -> Result<(), CodecError> {
        Self::new(self.coef0, self.degree)?;
        Ok(())
    }
}

impl<T: Scalar> Gaussian<T> {
    fn validate(&self) -> Result<(), CodecError> {
        checked_gamma(self.gamma)?;
        Ok(())
    }
}

impl<T: Scalar> Laplacian<T> {
    fn validate(&self) -> Result<(), CodecError> {
        checked_gamma(self.gamma)?;
        Ok(())
    }
}

impl StoredKernel for Linear {
    const NUMBER: u8 = 1;
}

impl<T: Scalar> StoredKernel for Polynomial<T> {
    const NUMBER: u8 = 2;
}

impl<T: Scalar> StoredKernel for Gaussian<T> {
    const NUMBER: u8 = 3;
}

impl<T: Scalar> StoredKernel for Laplacian<T> {
    const NUMBER: u8 = 4;
}

impl StoredKernel for Cosine {
    const NUMBER: u8 = 5;
}
