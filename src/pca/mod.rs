//! Online PCA of [WK08] and the batch methods beside it.
mod trial;

pub use trial::{Draw, Trial};
