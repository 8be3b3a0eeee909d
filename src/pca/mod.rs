//! Online PCA of [WK08] and the batch methods beside it.
mod forgetting;
mod scale;
mod trial;

pub use forgetting::Forgetting;
pub use scale::{EnergyScale, ScaleSettings};
pub use trial::{Draw, Trial};
