//! The choice of the point that a Hebbian learner with a kernel removes when its list of points is full.
//! In: which point is removed, and whether lengths are preserved. Out: a setting of the learner.
//! Method: [K01] proposes to keep the latest points. This can fail: let M be the number of points, λ the mean energy of the
//! points along the component w, and η the learning rate. If ηλM < 1, w loses more by removed points than it learns. Then w
//! shrinks to zero. With w = 0 all outputs are zero, so w does not change any more. So the default removes the point of least
//! contribution and preserves the length of w.

use crate::codec::{stored, stored_choice};

/// Which point a Hebbian learner with a kernel removes when its list of points is full, and whether the components are then
/// scaled back to the lengths that they had before the removal.
///
/// ```
/// use eigenstream::hebbian::{Eviction, PointBudget, Norm};
/// assert_eq!(PointBudget::DEFAULT, PointBudget::new(Eviction::LeastContribution, Norm::Preserved));
/// assert_eq!(PointBudget::DEFAULT, PointBudget::new(Eviction::default(), Norm::default()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PointBudget {
    pub(super) eviction: Eviction,
    pub(super) norm: Norm,
}

/// Which point is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Eviction {
    /// The oldest point.
    Fifo,
    /// The point with the smallest contribution; of several such points the oldest. The contribution of point zᵢ is
    /// maxₚ |Aₚᵢ|·√k(zᵢ, zᵢ), with Aₚᵢ the coefficient of zᵢ in component p and k the kernel. The new point can be removed too.
    #[default]
    LeastContribution,
}

/// Whether a component keeps its length when a point is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Norm {
    /// Each component is scaled back to the length that it had before the removal, unless almost nothing is left of it: at most
    /// 1e-12 of its squared length, or only rounding error.
    #[default]
    Preserved,
    /// Each component loses the term of the point and is not scaled back.
    Reduced,
}

impl PointBudget {
    /// Removes the point of least contribution and preserves lengths.
    pub const DEFAULT: Self = Self::new(Eviction::LeastContribution, Norm::Preserved);

    /// Creates a point budget.
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
