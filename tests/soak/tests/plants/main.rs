//! The default monitor on many machines, twenty of each kind.
//! These tests have hundreds of thousands of samples, so the package is built with the optimiser.

mod idle;
mod plant;
mod rates;
mod standing;
mod wild;
