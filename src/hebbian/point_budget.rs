//! Which point an expansion gives up when it is full.
//! In: nothing but a choice. Out: the same choice, to be handed to a kernel learner.
//! Method: [K01] proposes to keep the latest points. That collapses: with M points of energy λ along the component and ηλM < 1
//! less is learned than is lost, and w = 0 is absorbing. So the default gives up what matters least and keeps the length of w.

use crate::codec::{stored, stored_choice};

/// What a kernel learner gives up when its list of points is full, and what becomes of the weights that lose a point.
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
///
/// ```
/// use eigenstream::hebbian::Eviction;
/// assert_ne!(Eviction::Fifo, Eviction::LeastContribution);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Eviction {
    /// The oldest.
    Fifo,
    /// The one of least maxₚ |Aₚᵢ|·√k(zᵢ, zᵢ), the oldest of equals; the new one competes too.
    LeastContribution,
}

/// What becomes of the length of the weights.
///
/// ```
/// use eigenstream::hebbian::Norm;
/// assert_ne!(Norm::Preserved, Norm::Reduced);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Norm {
    /// Each component is brought back to the length it had before the point went.
    Preserved,
    /// What the point held is gone.
    Reduced,
}

impl PointBudget {
    /// The point of least contribution goes, lengths are preserved.
    ///
    /// ```
    /// use eigenstream::hebbian::PointBudget;
    /// assert_eq!(PointBudget::default(), PointBudget::DEFAULT);
    /// ```
    pub const DEFAULT: Self = Self::new(Eviction::LeastContribution, Norm::Preserved);

    /// Any choice.
    ///
    /// ```
    /// use eigenstream::hebbian::{Eviction, PointBudget, Norm};
    /// assert_ne!(PointBudget::new(Eviction::Fifo, Norm::Preserved), PointBudget::DEFAULT);
    /// ```
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

stored_choice!(Eviction { 0 = Fifo, 1 = LeastContribution });
stored_choice!(Norm { 0 = Preserved, 1 = Reduced });
stored!([] PointBudget { eviction, norm });
