//! Online PCA: learners that keep a few directions of a stream of samples and change their mind when the stream does.
//!
//! A trial goes one way: check the sample → view it from the stored directions → draw the directions to keep → code and
//! losses → learn. [`TrackingPca`] is \[WK08\] Algorithm 5, the one that follows changes; it holds evidence for the directions
//! that matter and one number for all others, so that a trial costs O(DIM·KEEP) and not O(DIM³). [`DensityPca`] is the same
//! algorithm on the full matrix, for what needs it: general symmetric instances, any start, the past shares.
//!
//! All learners speak the same words: `step` is a whole trial, `score` looks without learning, `learn` learns without
//! looking, `transform` is the read-out without chance. High scores are unusual samples.

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
