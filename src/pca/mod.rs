//! Online PCA of [WK08] and the batch methods beside it.
mod evidence;
mod tracking;
mod trial;

pub use tracking::{TrackingPca, TrackingSettings};
pub use trial::{Draw, Trial};
