//! Components as weighted sums over one list of points.
//! In: samples, and the instructions of a learning rule. Out: outputs, losses, updated coefficients.
//! Method: [K01] (17)–(61) as a recursion: a step combines the coefficients and appends the sample with the coefficient
//! ηy. A full list then loses one point; see `guide::mathematics`, "The point that is removed".
//! Cost of a step: k(x, x) and one kernel value for each point, POINTS + 1 more if an older point is removed; about
//! 5·POINTS·KEEP multiply-adds, 8·POINTS·KEEP with a removal, and those of `inner_products`.

mod inner_products;

use super::representation::{Instructions, Outputs, Representation, StoredComponents};
use super::stability::{Nudge, is_new, longest};
use super::{Eviction, Norm, PointBudget};
use crate::codec::{StoredKernel, stored, validate};
use crate::kernel::Kernel;
use crate::kernel::functions::feature_energy;
use crate::learner::{energy_of, refusal};
use crate::spectrum::vector::{add_scaled, scale};
use crate::{CodecError, SampleError, Scalar, logging};
use inner_products::InnerProducts;

/// With `Norm::Preserved`, the inner products are computed from the points after at most this number of removals,
/// because each removal adds rounding errors.
const REFRESH_EVERY: u32 = 64;

/// `KEEP` components, each a weighted sum over the features of one list of at most `POINTS` points.
///
/// ```
/// use eigenstream::hebbian::{FeatureVectors, PointBudget};
/// use eigenstream::kernel::Linear;
///
/// let mut expansion = FeatureVectors::<f32, Linear, 2, 1, 4>::new(Linear, PointBudget::DEFAULT);
/// expansion.push(&[3.0, 4.0], [0.5])?;
/// assert_eq!(expansion.points(), [[3.0, 4.0]]);
/// assert_eq!(expansion.coefficients(0), [0.5]);
/// assert_eq!(expansion.norms_squared(), [6.25]);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FeatureVectors<T, K, const DIM: usize, const KEEP: usize, const POINTS: usize> {
    kernel: K,
    budget: PointBudget,
    points: [[T; DIM]; POINTS],
    /// √k(z, z) of each point.
    lengths: [T; POINTS],
    /// The coefficients A, one row for each component.
    coefficients: [[T; POINTS]; KEEP],
    products: InnerProducts<T, KEEP>,
    count: usize,
    /// Removals with `Norm::Preserved` since the last `refresh`.
    since_refresh: u32,
    /// The estimated factor by which rounding errors of the inner products have grown since the last `refresh`, at
    /// least 1.
    amplification: T,
}

impl<T: Scalar, K, const DIM: usize, const KEEP: usize, const POINTS: usize> FeatureVectors<T, K, DIM, KEEP, POINTS> {
    /// Creates components without points: all components are zero.
    ///
    /// Fewer points than components do not compile, because each component needs a point to start from:
    /// ```compile_fail,E0080
    /// use eigenstream::{hebbian::{FeatureVectors, PointBudget}, kernel::Linear};
    /// let expansion = FeatureVectors::<f32, _, 3, 2, 1>::new(Linear, PointBudget::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(kernel: K, budget: PointBudget) -> Self {
        const {
            assert!(KEEP > 0, "keep at least one component");
            assert!(POINTS >= KEEP, "each component needs a point to start from");
        }
        Self {
            kernel,
            budget,
            points: [[T::ZERO; DIM]; POINTS],
            lengths: [T::ZERO; POINTS],
            coefficients: [[T::ZERO; POINTS]; KEEP],
            products: InnerProducts::new(),
            count: 0,
            since_refresh: 0,
            amplification: T::ONE,
        }
    }

    /// The points, the oldest first.
    #[must_use]
    pub fn points(&self) -> &[[T; DIM]] {
        self.points.get(..self.count).unwrap_or_default()
    }

    /// The coefficients of a component, in the order of the points; empty if it does not exist.
    #[must_use]
    pub fn coefficients(&self, component: usize) -> &[T] {
        let row = self.coefficients.get(component);
        row.and_then(|row| row.get(..self.count)).unwrap_or_default()
    }

    /// ‖wₚ‖² of each component.
    #[must_use]
    pub fn norms_squared(&self) -> [T; KEEP] {
        self.products.norms_squared()
    }

    /// The coefficients of one point.
    fn column(&self, point: usize) -> [T; KEEP] {
        let mut column = [T::ZERO; KEEP];
        for (entry, row) in column.iter_mut().zip(&self.coefficients) {
            *entry = row.get(point).copied().unwrap_or(T::ZERO);
        }
        column
    }

    fn scale(&mut self, component: usize, factor: T) {
        if let Some(row) = self.coefficients.get_mut(component) {
            scale(row, factor);
        }
        self.products.scale(component, factor);
    }

    /// Limits every component to the length 4, and each of its terms to `loudest`: longer terms would have to cancel
    /// each other.
    fn bound(&mut self) {
        let norms = self.products.norms_squared();
        for p in 0..KEEP {
            if norms[p] > longest() {
                self.scale(p, (longest::<T>() / norms[p]).sqrt());
            }
            let mut largest = T::ZERO;
            for (&coefficient, &length) in self.coefficients[p].iter().zip(&self.lengths) {
                largest = largest.max(coefficient.abs() * length);
            }
            if largest > loudest() {
                self.scale(p, loudest::<T>() / largest);
            }
        }
    }
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const POINTS: usize>
    FeatureVectors<T, K, DIM, KEEP, POINTS>
{
    /// wₚ ← wₚ + coefficientₚ·φ(`point`) for each component p.
    ///
    /// A full list then loses a point, which the [`PointBudget`] chooses. A component is scaled down if it is longer
    /// than 4, or if one of its terms |A|·√k(z, z) is longer than 1/√ε.
    ///
    /// # Errors
    /// [`SampleError`]. If `point` is refused, the channel is one of `point`. Otherwise it is the number of a
    /// component: its coefficient is NaN or infinite, its term is longer than 1/√ε, or the sum of the squared
    /// coefficients overflows.
    pub fn push(&mut self, point: &[T; DIM], coefficients: [T; KEEP]) -> Result<(), SampleError> {
        let outputs = self.outputs(point)?;
        energy_of(&coefficients)?;
        let length = outputs.energy.sqrt();
        for (channel, coefficient) in coefficients.iter().enumerate() {
            if coefficient.abs() * length > loudest() {
                return Err(logging::refused(SampleError::TooLarge { channel }));
            }
        }
        let nudges = coefficients.map(|gain| Nudge { gain, decay: T::ONE });
        self.apply(point, &outputs, &nudges, &[T::ZERO; KEEP]);
        Ok(())
    }

    /// The outputs, with one kernel value for each point.
    fn features(&self, sample: &[T; DIM]) -> [T; KEEP] {
        let mut features = [T::ZERO; KEEP];
        for (i, point) in self.points().iter().enumerate() {
            let value = self.kernel.value(point, sample);
            add_scaled(&mut features, value, &self.column(i));
        }
        features
    }

    /// wₚ ← decayₚ·wₚ + gainₚ·(φ(x) − Σ_{j<p} sharesⱼwⱼ) for all components, from the old weights.
    fn apply(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, nudges: &[Nudge<T>; KEEP], shares: &[T; KEEP]) {
        for i in 0..self.count.min(POINTS) {
            let mut rest = T::ZERO;
            for ((row, nudge), &share) in self.coefficients.iter_mut().zip(nudges).zip(shares) {
                if let Some(coefficient) = row.get_mut(i) {
                    let old = *coefficient;
                    *coefficient = nudge.decay * old + nudge.gain * rest;
                    rest -= share * old;
                }
            }
        }
        let mut features = self.products.learn(outputs, nudges, shares);
        // `bound` cannot limit the coefficients of a point with k(z, z) = 0. Such a point adds nothing, so they are set
        // to zero.
        let gains = nudges.map(|nudge| if outputs.energy > T::ZERO { nudge.gain } else { T::ZERO });
        add_scaled(&mut features, outputs.energy, &gains);
        let newcomer = Newcomer {
            point: sample,
            length: outputs.energy.sqrt(),
            gains,
            features,
        };
        if self.count < POINTS {
            self.store(&newcomer, self.count);
            self.count += 1;
        } else {
            self.replace(&newcomer, nudges);
        }
        self.bound();
    }

    fn store(&mut self, newcomer: &Newcomer<'_, T, DIM, KEEP>, place: usize) {
        for i in 0..POINTS {
            if i == place {
                self.points[i] = *newcomer.point;
                self.lengths[i] = newcomer.length;
                for p in 0..KEEP {
                    self.coefficients[p][i] = newcomer.gains[p];
                }
            }
        }
    }

    /// The mean of all points, weighted by contribution: the normal value of each channel.
    fn center(&self) -> [T; DIM] {
        let count = self.count.min(POINTS);
        let mut weights = [T::ZERO; POINTS];
        let mut total = T::ZERO;
        for i in 0..count {
            weights[i] = contribution(&self.column(i), self.lengths[i]);
            total += weights[i];
        }
        let mut center = [T::ZERO; DIM];
        for i in 0..count {
            // The weights are equal if the total is zero or subnormal.
            let weight = if total >= T::MIN_POSITIVE {
                weights[i] / total
            } else {
                T::ONE / T::from_usize(count)
            };
            add_scaled(&mut center, weight, &self.points[i]);
        }
        center
    }

    /// Removes one point of a full list and stores the new one, unless the new point is the one to remove.
    fn replace(&mut self, newcomer: &Newcomer<'_, T, DIM, KEEP>, nudges: &[Nudge<T>; KEEP]) {
        let norms = self.products.norms_squared();
        let victim = self.victim(newcomer);
        if let (Some(point), Some(&length)) = (self.points.get(victim), self.lengths.get(victim)) {
            let mut features = self.features(point);
            add_scaled(&mut features, self.kernel.value(point, newcomer.point), &newcomer.gains);
            // A user's kernel can return NaN or infinity; in a decoded learner k(z, z) can overflow.
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
                // A large deflation factor can multiply rounding errors until they overflow. `bound` first limits each
                // term, so that the new products are finite.
                self.products = InnerProducts::new();
                self.bound();
                self.refresh();
            }
        }
    }

    /// The index of the point to remove; `POINTS` means the new point.
    fn victim(&self, newcomer: &Newcomer<'_, T, DIM, KEEP>) -> usize {
        if self.budget.eviction == Eviction::Fifo {
            return 0;
        }
        let mut place = POINTS;
        let mut least = contribution(&newcomer.gains, newcomer.length);
        // The loop goes from the newest point to the oldest, so of points with equal contributions the oldest is
        // removed.
        for (i, &length) in self.lengths.iter().enumerate().rev() {
            let contribution = contribution(&self.column(i), length);
            if contribution <= least {
                (place, least) = (i, contribution);
            }
        }
        place
    }

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

    /// Scales every component back to its length before the removal (`norms` are squares), unless at most 10⁻¹² of its
    /// squared length is left, or one of the two lengths can be only rounding error: a component that is scaled to zero
    /// never learns again.
    fn restore(&mut self, norms: &[T; KEEP], nudges: &[Nudge<T>; KEEP]) {
        let left = self.products.norms_squared();
        let mut growth = T::ZERO;
        for p in 0..KEEP {
            if left[p] > roundings::<T>() * norms[p] {
                growth = growth.max(nudges[p].decay * nudges[p].decay * (norms[p] / left[p]));
            } else if norms[p] > T::ZERO {
                // The true length of the rest is unknown.
                growth = T::MAX;
            }
        }
        self.amplification = T::ONE.max(self.amplification * growth);
        self.since_refresh = self.since_refresh.saturating_add(1);
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

    /// 64ε·(sum of the lengths of all terms)²: a squared length up to this can be the rounding error of terms that
    /// cancel each other.
    fn noise(&self, component: usize) -> T {
        let mut sum = T::ZERO;
        for (coefficient, &length) in self.coefficients(component).iter().zip(&self.lengths) {
            sum += coefficient.abs() * length;
        }
        roundings::<T>() * (sum * sum)
    }

    /// Computes the inner products from the points. If one is not finite, the old ones stay.
    // This function is not inlined, because it is rarely called.
    #[inline(never)]
    fn refresh(&mut self) {
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

    fn validate(&self) -> Result<(), CodecError> {
        validate::accept(
            self.count <= POINTS && self.since_refresh < REFRESH_EVERY,
            CodecError::Count,
        )?;
        validate::not_negative(&self.lengths)?;
        // With too small lengths the last check would accept coefficients with which a later step overflows.
        let fits = |(point, &length): (&[T; DIM], &T)| {
            let wanted = length_of(&self.kernel, point);
            (length - wanted).abs() <= T::from_f64(8.0) * T::EPSILON * wanted
        };
        let fit = self.points().iter().zip(&self.lengths).all(fits);
        validate::accept(fit, CodecError::Range)?;
        validate::within(T::TWO * longest(), self.products.norms_squared().iter())?;
        validate::accept(self.products.are_within(largest_product()), CodecError::Range)?;
        validate::accept((T::ONE..=T::TWO).contains(&self.amplification), CodecError::Range)?;
        // The limit is that of `bound`, times 2 for rounding. A point of length zero must have zero coefficients.
        let quiet = |row: &[T; POINTS]| {
            let mut parts = row.iter().zip(&self.lengths);
            parts.all(|(&coefficient, &length)| {
                coefficient.abs() * length <= T::TWO * loudest() && (length > T::ZERO || coefficient == T::ZERO)
            })
        };
        validate::accept(self.coefficients.iter().all(quiet), CodecError::Range)
    }
}

/// A sample that is to be stored as a point.
struct Newcomer<'sample, T, const DIM: usize, const KEEP: usize> {
    point: &'sample [T; DIM],
    length: T,
    /// The coefficients of the point.
    gains: [T; KEEP],
    /// The outputs for the point after the step, with the point's own term.
    features: [T; KEEP],
}

/// The largest allowed contribution of a point: 1/√ε, so that the rounding error of a term is at most about √ε.
fn loudest<T: Scalar>() -> T {
    T::ONE / T::EPSILON.sqrt()
}

/// The largest accepted inner product of two components: the square of `loudest`.
fn largest_product<T: Scalar>() -> T {
    T::ONE / T::EPSILON
}

/// A rest that is smaller than this fraction of the original number counts as rounding error.
fn roundings<T: Scalar>() -> T {
    T::EPSILON * T::from_f64(64.0)
}

/// Divides `loss` among the channels: `guide::mathematics`, "The division of a loss among channels".
fn by_replacement<T: Scalar, const DIM: usize>(
    sample: &[T; DIM],
    normal: &[T; DIM],
    loss: T,
    loss_of: impl Fn(&[T; DIM]) -> T,
) -> [T; DIM] {
    // With this factor the sum of all charges cannot overflow.
    let part = T::ONE / T::from_usize(DIM.max(1));
    let mut charges = [T::ZERO; DIM];
    let mut replaced = *sample;
    for c in 0..DIM {
        replaced[c] = normal[c];
        charges[c] = part * T::ZERO.max(loss - loss_of(&replaced));
        replaced[c] = sample[c];
    }
    if total(&charges) == T::ZERO {
        for c in 0..DIM {
            charges[c] = part * (sample[c] - normal[c]).abs();
        }
    }
    if total(&charges) == T::ZERO {
        charges = [T::ONE; DIM];
    }
    let total = total(&charges);
    let mut residual = [T::ZERO; DIM];
    for c in 0..DIM {
        let size = (loss * (charges[c] / total)).sqrt();
        residual[c] = if sample[c] < normal[c] { -size } else { size };
    }
    residual
}

fn total<T: Scalar>(charges: &[T]) -> T {
    charges.iter().fold(T::ZERO, |sum, &charge| sum + charge)
}

/// √k(z, z) of a point z; zero if k(z, z) is negative, or if k(z, z) or ‖z‖² is not finite.
fn length_of<T: Scalar, const DIM: usize>(kernel: &impl Kernel<T, DIM>, point: &[T; DIM]) -> T {
    feature_energy(kernel, point).map_or(T::ZERO, T::sqrt)
}

fn contribution<T: Scalar>(coefficients: &[T], length: T) -> T {
    let mut largest = T::ZERO;
    for coefficient in coefficients {
        largest = largest.max(coefficient.abs());
    }
    largest * length
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const POINTS: usize>
    Representation<T, DIM, KEEP> for FeatureVectors<T, K, DIM, KEEP, POINTS>
{
    fn outputs(&self, sample: &[T; DIM]) -> Result<Outputs<T, KEEP>, SampleError> {
        let energy = feature_energy(&self.kernel, sample)?;
        let outputs = self.features(sample);
        if outputs.iter().all(|output| output.is_finite()) {
            Ok(Outputs {
                energy,
                values: outputs,
            })
        } else {
            Err(logging::refused(refusal(sample)))
        }
    }

    fn start(&mut self, component: usize, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, shares: &[T; KEEP]) -> bool {
        // Components that have not started are zero, so their `shares` have no effect.
        let left = outputs.energy - self.products.held(&outputs.values, shares);
        if component >= KEEP || !is_new(left, outputs.energy) {
            return false;
        }
        // This step sets the component to the unexplained part of φ(x), scaled to length one.
        let mut nudges = [Nudge::NONE; KEEP];
        if let Some(nudge) = nudges.get_mut(component) {
            *nudge = Nudge {
                gain: T::ONE / left.sqrt(),
                decay: T::ZERO,
            };
        }
        self.apply(sample, outputs, &nudges, shares);
        true
    }

    fn learn(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, instructions: &Instructions<T, KEEP>) {
        let mut nudges = self.products.nudges(outputs, instructions);
        let mut shares = instructions.drives.map(|drive| instructions.deflation * drive);
        // The magnitude of `shares[p]` can exceed √MAX, for example with a deflation factor far above one. Then the
        // energy of φ(x) − shares[p]·wₚ can overflow, so the later components take no step: their gain is zero. The
        // share is set to zero too, because zero times an infinite share would be NaN.
        for p in 0..KEEP {
            if shares[p].abs() > T::MAX.sqrt() {
                shares[p] = T::ZERO;
                for later in nudges.iter_mut().skip(p + 1) {
                    *later = Nudge::NONE;
                }
            }
        }
        self.apply(sample, outputs, &nudges, &shares);
    }

    /// The loss is exact up to rounding in GHA. In APEX the components are treated as orthogonal, with ‖uₚ‖ = ‖wₚ‖.
    fn loss(parts: &[Self], _: &[T; DIM], energy: T, code: &[T], _: &[T]) -> T {
        let mut loss = energy;
        for (part, code) in parts.iter().zip(code.as_chunks::<KEEP>().0) {
            loss -= part.products.held(code, code);
        }
        T::ZERO.max(loss).min(T::MAX)
    }

    fn residual(parts: &[Self], sample: &[T; DIM], _: &[T], loss: T, loss_of: impl Fn(&[T; DIM]) -> T) -> [T; DIM] {
        let center = parts.first().map_or([T::ZERO; DIM], Self::center);
        by_replacement(sample, &center, loss, loss_of)
    }

    fn replace(&mut self, other: Self) {
        self.points = other.points;
        self.coefficients = other.coefficients;
        self.products = other.products;
        self.count = other.count;
        // `other` can have another kernel, so the lengths are computed with the kernel of this learner.
        for (i, (length, point)) in self.lengths.iter_mut().zip(&self.points).enumerate() {
            *length = length_of(&self.kernel, point);
            if *length == T::ZERO {
                for coefficient in self.coefficients.iter_mut().filter_map(|row| row.get_mut(i)) {
                    *coefficient = T::ZERO;
                }
            }
        }
        // The first `bound` limits each term, because inner products of large terms can overflow. The second `bound`
        // limits the new lengths of the components.
        self.bound();
        self.refresh();
        self.bound();
    }

    fn clear(&mut self) {
        self.points = [[T::ZERO; DIM]; POINTS];
        self.lengths = [T::ZERO; POINTS];
        self.coefficients = [[T::ZERO; POINTS]; KEEP];
        self.products = InnerProducts::new();
        self.count = 0;
        self.since_refresh = 0;
        self.amplification = T::ONE;
    }
}

stored!(
    [T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const KEEP: usize, const POINTS: usize]
    FeatureVectors<T, K, DIM, KEEP, POINTS> {
        kernel, budget, points, lengths, coefficients, products, count, since_refresh, amplification
    }
    if validate
);

impl<T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const KEEP: usize, const POINTS: usize>
    StoredComponents for FeatureVectors<T, K, DIM, KEEP, POINTS>
{
    const KERNEL: u8 = K::NUMBER;
    const POINTS: usize = POINTS;
}

#[cfg(test)]
mod tests;
