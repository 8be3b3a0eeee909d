//! A kernel in an image (the encoded bytes of a learner): its parameters, and a number that identifies the kernel.

use super::{Cosine, Gaussian, Laplacian, Linear, Polynomial};
use crate::Scalar;
use crate::codec::stored;

stored!([] Linear as kernel 1 {});
stored!([T: Scalar] Polynomial<T> as kernel 2 { coef0, degree } by new(coef0, degree));
stored!([T: Scalar] Gaussian<T> as kernel 3 { gamma } by new(gamma));
stored!([T: Scalar] Laplacian<T> as kernel 4 { gamma } by new(gamma));
stored!([] Cosine as kernel 5 {});
