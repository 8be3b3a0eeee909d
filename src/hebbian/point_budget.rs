//! Which point an expansion removes when its list is full.
//! In: a choice. Out: this choice as a value for a kernel learner.
//! Method: [K01] proposes to keep the latest points. This fails: with M points of energy λ along the component and ηλM < 1,
//! a component loses more by removed points than it learns, and w = 0 never changes again. So the default removes the point
//! of least contribution and preserves the length of w.

use crate::codec::{stored, stored_choice};

/// Which point a kernel learner removes when its list of points is full, and how the components that lose a point are rescaled.
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

/// Which point is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Eviction {
    /// The oldest point.
    Fifo,
    /// The point with the smallest maxₚ |Aₚᵢ|·√k(zᵢ, zᵢ); of equal points the oldest. The new point can be removed too.
    LeastContribution,
}

/// Whether a component keeps its length when a point is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Norm {
    /// Each component is scaled back to its length before the removal.
    Preserved,
    /// The component loses the contribution of the point.
    Reduced,
}

impl PointBudget {
    /// Removes the point of least contribution and preserves lengths.
    pub const DEFAULT: Self = Self::new(Eviction::LeastContribution, Norm::Preserved);

    /// A budget with these two choices.
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
