//! Removes one point from a full list.
//! In: a new point, and the learning step of the components (gain and decay, see `stability`). Out: as many points as before.
//! With `Norm::Preserved` each component is scaled back to its length before the removal, unless almost nothing is left of it: at
//! most 1e-12 of its squared length, or only rounding error.
//! Method: the setting `PointBudget` chooses the point. The inner products of the components are updated by subtraction, which
//! leaves rounding errors. Scaling a shortened component back to its length makes these errors larger. So with `Norm::Preserved`
//! the inner products are computed again from the points if the errors have grown by a factor above 1.5, or after 64 removals.
//! Cost: POINTS + 1 kernel values, none if the new point is removed; POINTS·(POINTS + 1)/2 when the inner products are computed
//! from the points.

use super::inner_products::InnerProducts;
use super::{FeatureVectors, Newcomer, contribution, largest_product};
use crate::Scalar;
use crate::hebbian::stability::Nudge;
use crate::hebbian::{Eviction, Norm};
use crate::kernel::Kernel;
use crate::spectrum::vector::add_scaled;

/// With `Norm::Preserved`, the inner products are computed again from the points at the latest after this number of removals,
/// because each removal adds rounding errors.
pub(super) const REFRESH_EVERY: u32 = 64;

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const POINTS: usize>
    FeatureVectors<T, K, DIM, KEEP, POINTS>
{
    /// Removes one point of a full list and stores the new point. If the new point is the one to remove, the list stays as it is.
    pub(super) fn replace(&mut self, newcomer: &Newcomer<'_, T, DIM, KEEP>, nudges: &[Nudge<T>; KEEP]) {
        let norms = self.products.norms_squared();
        let victim = self.victim(newcomer);
        if let (Some(point), Some(&length)) = (self.points.get(victim), self.lengths.get(victim)) {
            let mut features = self.features(point);
            add_scaled(&mut features, self.kernel.value(point, newcomer.point), &newcomer.gains);
            // `features` are the outputs of the components at the point to remove. With a valid kernel they are finite if the
            // points were learned: each point was checked when it was stored. A user's own kernel can return NaN or infinity.
            // In a decoded learner, k(z, z) of a point z can overflow.
            let features = features.map(|value| if value.is_finite() { value } else { T::ZERO });
            self.products.remove(&self.column(victim), &features, length);
            self.close_gap(victim);
            self.store(newcomer, POINTS - 1);
        } else {
            self.products
                .remove(&newcomer.gains, &newcomer.features, newcomer.length);
        }
        match self.budget.norm {
            Norm::Preserved => self.restore(&norms, nudges),
            Norm::Reduced if self.products.are_within(largest_product()) => (),
            Norm::Reduced => {
                // A large deflation factor can multiply the rounding errors of the inner products until they overflow. Before
                // the inner products are computed again, `bound` limits each term, so that these products are finite.
                self.products = InnerProducts::new();
                self.bound();
                self.refresh();
            }
        }
    }

    /// Returns the index of the point to remove; `POINTS` means the new point.
    fn victim(&self, newcomer: &Newcomer<'_, T, DIM, KEEP>) -> usize {
        if self.budget.eviction == Eviction::Fifo {
            return 0;
        }
        let mut place = POINTS;
        let mut least = contribution(&newcomer.gains, newcomer.length);
        // From the newest to the oldest: of points with equal contributions the oldest is removed.
        for (i, &length) in self.lengths.iter().enumerate().rev() {
            let contribution = contribution(&self.column(i), length);
            if contribution <= least {
                (place, least) = (i, contribution);
            }
        }
        place
    }

    /// Moves every point after index `gap` to the index before.
    fn close_gap(&mut self, gap: usize) {
        for i in 1..POINTS {
            if i > gap {
                self.points[i - 1] = self.points[i];
                self.lengths[i - 1] = self.lengths[i];
                for row in &mut self.coefficients {
                    row[i - 1] = row[i];
                }
            }
        }
    }

    /// Scales every component back to the length that it had before the removal, unless this length was only rounding error (a
    /// component that is scaled to zero never learns again) or almost nothing is left of the component. Before that, computes the
    /// inner products from the points if their rounding errors have grown too much, or after 64 removals.
    fn restore(&mut self, norms: &[T; KEEP], nudges: &[Nudge<T>; KEEP]) {
        // `growth` is the largest factor by which the rounding errors of the inner products grow: decay² from the step, times
        // `norms` / `left` (squared lengths before and after the removal) from scaling back. If the new point is removed, the
        // factor is usually at most a little above 1. If a point with large coefficients is removed, the factor can be large.
        let left = self.products.norms_squared();
        let mut growth = T::ZERO;
        for p in 0..KEEP {
            if left[p] > roundings::<T>() * norms[p] {
                growth = growth.max(nudges[p].decay * nudges[p].decay * (norms[p] / left[p]));
            } else if norms[p] > T::ZERO {
                // The remaining squared length is only rounding error, so the true length is unknown.
                growth = T::MAX;
            }
        }
        self.amplification = T::ONE.max(self.amplification * growth);
        self.since_refresh = self.since_refresh.wrapping_add(1);
        if self.since_refresh >= REFRESH_EVERY || self.amplification > T::ONE + T::HALF {
            self.refresh();
        }
        let left = self.products.norms_squared();
        for p in 0..KEEP {
            let noise = self.noise(p);
            if norms[p] > noise && left[p] > noise && left[p] > T::from_f64(1e-12) * norms[p] {
                self.scale(p, (norms[p] / left[p]).sqrt());
            }
        }
    }

    /// 64ε·L², with ε the machine epsilon and L the sum of the lengths of all terms of a component. A squared length up to this
    /// value counts as rounding error: terms that cancel each other can leave such a value although the exact length is zero.
    fn noise(&self, component: usize) -> T {
        let mut sum = T::ZERO;
        for (coefficient, &length) in self.coefficients(component).iter().zip(&self.lengths) {
            sum += coefficient.abs() * length;
        }
        roundings::<T>() * (sum * sum)
    }

    /// Computes the inner products of the components from the points. If a result is not finite, the old inner products stay.
    // Not inlined, because it is rarely called.
    #[inline(never)]
    pub(super) fn refresh(&mut self) {
        let mut table = [[T::ZERO; KEEP]; KEEP];
        for (i, point) in self.points.iter().enumerate().take(self.count) {
            let own = self.column(i);
            for (l, earlier) in self.points.get(..=i).unwrap_or_default().iter().enumerate() {
                let value = self.kernel.value(point, earlier);
                let others = self.column(l);
                for p in 0..KEEP {
                    for q in 0..KEEP {
                        let pair = own[p] * others[q];
                        table[p][q] += pair * value;
                        if l < i {
                            table[q][p] += pair * value;
                        }
                    }
                }
            }
        }
        if table.iter().flatten().all(|entry| entry.is_finite()) {
            self.products = InnerProducts::from_table(table);
        }
        self.since_refresh = 0;
        self.amplification = T::ONE;
    }
}

/// 64 times the machine epsilon: a smaller fraction of a number counts as rounding error.
fn roundings<T: Scalar>() -> T {
    T::EPSILON * T::from_f64(64.0)
}
