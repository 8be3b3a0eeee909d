//! Whether directions are computed about the mean or about zero: a setting of linear PCA and of kernel PCA.

use crate::codec::stored_choice;

/// Whether directions are computed about the mean of the samples (in kernel PCA, of their features) or about zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Centering {
    /// About the mean, as PCA usually is. The default.
    #[default]
    Centered,
    /// About zero, as in \[WK08\] Algorithm 5.
    Uncentered,
}

stored_choice!([] Centering { 0 = Centered, 1 = Uncentered });
