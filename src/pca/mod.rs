//! Online PCA of [WK08] and the batch methods beside it.
mod average;
mod batch;
mod centered;
mod centered_settings;
mod forgetting;
mod moments;
mod projection;
mod scale;
mod trial;
mod variance;

pub use average::AverageDensity;
pub use batch::{BatchPca, Centering};
pub use centered::CenteredPca;
pub use centered_settings::{CenteredPcaSettings, ReadOut};
pub use forgetting::Forgetting;
pub use moments::Center;
pub use scale::{EnergyScale, ScaleSettings};
pub use trial::{Draw, Trial};
pub use variance::{VarianceMinimizer, VarianceSettings, VarianceTrial};
