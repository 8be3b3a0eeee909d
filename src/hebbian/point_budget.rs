//! Which point an expansion gives up when it is full.
//! In: nothing but a choice. Out: the same choice, to be handed to a kernel learner.
//! Method: [K01] proposes to keep the latest points. That collapses: with M points of energy λ along the component and ηλM < 1
//! less is learned than is lost, and w = 0 is absorbing. So the default gives up what matters least and keeps the length of w.

use crate::codec::{stored, stored_choice};

/// Which point a kernel learner drops when its list of points is full, and how the weights that lose a point are rescaled.
///
/// ```
/// use eigenstream::hebbian::{Eviction, PointBudget, Norm};
/// assert_eq!(PointBudget::DEFAULT, PointBudget::new(Eviction::LeastContribution, Norm::Preserved));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PointBudget {
    pub(super) eviction: Eviction,
    pub(super) norm: Norm,
}

/// Which point goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Eviction {
    /// The oldest.
    Fifo,
    /// The one of least maxₚ |Aₚᵢ|·√k(zᵢ, zᵢ), the oldest of equals; the new one competes too.
    LeastContribution,
}

/// Whether the weights keep their length when a point is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Norm {
    /// Each component is brought back to the length it had before the point went.
    Preserved,
    /// The contribution of the point is lost.
    Reduced,
}

impl PointBudget {
    /// The point of least contribution goes, lengths are preserved.
    pub const DEFAULT: Self = Self::new(Eviction::LeastContribution, Norm::Preserved);

    /// Any choice.
    #[must_use]
    pub const fn new(eviction: Eviction, norm: Norm) -> Self {
        Self { eviction, norm }
    }
}

impl Default for PointBudget {
    fn default() -> Self {
        Self::DEFAULT
    }
}

stored_choice!([] Eviction { 0 = Fifo, 1 = LeastContribution });
stored_choice!([] Norm { 0 = Preserved, 1 = Reduced });
stored!([] PointBudget { eviction, norm });
