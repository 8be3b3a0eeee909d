//! Online PCA of [WK08] and the batch methods beside it.
mod dense_evidence;
mod density;
mod density_instances;
mod density_settings;
mod evidence;
mod exponentiated_gradient;
mod share;
mod tracking;
mod trial;

pub use density::DensityPca;
pub use density_settings::DensitySettings;
pub use exponentiated_gradient::exponentiated_gradient;
pub use share::Share;
pub use tracking::{TrackingPca, TrackingSettings};
pub use trial::{Draw, Trial};
