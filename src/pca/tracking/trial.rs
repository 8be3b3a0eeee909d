//! One trial of a tracking learner, for a checked sample. With KEEP ≤ 3 a trial has a closed form, under conditions:
//! `steady` for KEEP directions, and for KEEP ≤ 2 `contested` for KEEP + 1. Every other trial uses the general solver
//! (`spectrum::rank_one`); both ways agree to rounding. The steady state (KEEP directions before and after) for a
//! sample with a part outside is tested first; all other paths are in functions that are not inlined, so that this
//! first path stays fast.

use super::evidence::{Evidence, Followed};
use super::glance::Glance;
use super::{Split, TrackingPca};
use crate::rand_core::Rng;
use crate::spectrum::{
    complement::Complement,
    vector::{any_length, dot, stay_rolled, whole},
};
use crate::weights::{Draw, Subset};
use crate::{Scalar, Trial};

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> TrackingPca<T, DIM, KEEP, RANK> {
    /// The stored directions are re-orthonormalised once in this number of trials. Rounding moves a direction by a few
    /// ε per trial, and a closed form lets the orthogonality error grow by up to an eighth. All directions are
    /// corrected in one trial. With one direction per trial, a stream with a period of 2, 4, 8 or 16 could meet each
    /// correction at the same point of the period.
    const TIDY_EVERY: u32 = match RANK {
        ..=16 if KEEP <= 3 => 16,
        ..=8 => 32,
        9..=256 => 256 / RANK as u32,
        _ => 1,
    };

    /// Whether `follow` has a closed form for this KEEP.
    const FOLLOWS: bool = KEEP <= 3;

    #[inline(always)]
    pub(super) fn try_sample<D: Draw, R: Rng + ?Sized>(
        &mut self,
        sample: &[T; DIM],
        energy: T,
        rng: &mut R,
    ) -> Trial<T, KEEP> {
        if !Self::FOLLOWS {
            return self.try_any::<D, R>(sample, energy, rng);
        }
        match self.follow(sample, energy) {
            Some(followed) => {
                // All stored directions are kept; `rng` advances as in every other trial.
                let _ = T::uniform(rng);
                Trial {
                    code: followed.inside,
                    loss: followed.outside_energy,
                    expected_loss: followed.expected_loss,
                }
            }
            None => self.try_rarely::<D, R>(sample, energy, rng),
        }
    }

    #[inline(always)]
    pub(super) fn learn_sample(&mut self, sample: &[T; DIM], energy: T) {
        if !Self::FOLLOWS {
            self.learn_any(sample, energy);
        } else if self.follow(sample, energy).is_none() {
            self.learn_rarely(sample, energy);
        }
    }

    /// Learns a sample with a part outside in the steady state; `None`, and no change, if a condition does not hold.
    #[inline(always)]
    fn follow(&mut self, sample: &[T; DIM], energy: T) -> Option<Followed<T, KEEP>> {
        if self.samples_seen == 0 {
            return None;
        }
        let mut scale = self.scale;
        scale.update(energy);
        let update = &self.settings.update;
        let followed = self.evidence.follow(sample, energy, update, scale.factor())?;
        self.scale = scale;
        self.count();
        Some(followed)
    }

    #[inline(never)]
    fn try_rarely<D: Draw, R: Rng + ?Sized>(&mut self, sample: &[T; DIM], energy: T, rng: &mut R) -> Trial<T, KEEP> {
        self.try_any::<D, R>(sample, energy, rng)
    }

    #[inline(always)]
    fn try_any<D: Draw, R: Rng + ?Sized>(&mut self, sample: &[T; DIM], energy: T, rng: &mut R) -> Trial<T, KEEP> {
        self.begin();
        if self.evidence.bulk_drop() < T::ONE {
            return self.try_in_doubt::<D, R>(sample, energy, rng);
        }
        if energy == T::ZERO && self.holds_in_silence() {
            // `rng` advances as in every other trial.
            let _ = T::uniform(rng);
            self.update_in_silence();
            return Trial {
                code: [T::ZERO; KEEP],
                loss: T::ZERO,
                expected_loss: T::ZERO,
            };
        }
        let Some(glance) = self.evidence.glance::<KEEP>(sample, energy) else {
            return self.try_in_general::<D, R>(sample, energy, rng);
        };
        let (inside, outside_energy) = (&glance.inside, glance.outside_energy);
        let expected_loss = self.evidence.expected_loss(inside, outside_energy, T::ONE);
        let (code, loss) = self.draw_from_stored::<D, R>(inside, outside_energy, rng);
        if !self.update_in_closed_form(sample, &glance, energy) {
            self.update_in_general(sample, energy);
        }
        Trial {
            code,
            loss,
            expected_loss,
        }
    }

    #[inline(never)]
    fn learn_rarely(&mut self, sample: &[T; DIM], energy: T) {
        self.learn_any(sample, energy);
    }

    #[inline(always)]
    fn learn_any(&mut self, sample: &[T; DIM], energy: T) {
        self.begin();
        if energy == T::ZERO && self.holds_in_silence() {
            self.update_in_silence();
            return;
        }
        let closed = self.evidence.bulk_drop() >= T::ONE
            && self
                .evidence
                .glance::<KEEP>(sample, energy)
                .is_some_and(|glance| self.update_in_closed_form(sample, &glance, energy));
        if !closed {
            self.update_in_general(sample, energy);
        }
    }

    /// Computes what the `const fn` `new` cannot: e^(−ceiling), and the evidence of W = I/DIM.
    fn begin(&mut self) {
        if self.samples_seen == 0 {
            self.settings.update.ceiling_drop = (-self.settings.update.ceiling).exp();
        }
        if !self.evidence.has_begun() {
            self.evidence.begin(KEEP);
        }
    }

    /// The drop probability of the bulk, also before the first sample.
    pub(super) fn bulk_drop(&self) -> T {
        if self.evidence.has_begun() {
            self.evidence.bulk_drop()
        } else {
            Evidence::<T, DIM, RANK>::first_drop(KEEP)
        }
    }

    #[inline(never)]
    fn update(&mut self, split: &mut Split<T, DIM, RANK>, energy: T) {
        self.scale.update(energy);
        let factor = self.scale.factor();
        self.evidence.learn(split, energy, KEEP, &self.settings.update, factor);
        self.count();
    }

    #[inline(never)]
    fn update_in_general(&mut self, sample: &[T; DIM], energy: T) {
        let mut split = self.evidence.split(sample, energy);
        self.update(&mut split, energy);
    }

    /// Learns a sample in closed form; false if a condition does not hold, and then only an unused column can have
    /// changed.
    #[inline(always)]
    fn update_in_closed_form(&mut self, sample: &[T; DIM], glance: &Glance<T>, energy: T) -> bool {
        let mut scale = self.scale;
        scale.update(energy);
        let update = &self.settings.update;
        let learned = self
            .evidence
            .learn_closed::<KEEP>(sample, glance, energy, update, scale.factor());
        if learned {
            self.scale = scale;
            self.count();
        }
        learned
    }

    fn holds_in_silence(&self) -> bool {
        self.evidence.holds_in_silence(KEEP, &self.settings.update)
    }

    /// Learns a sample of energy zero, which changes the evidence at most by rounding.
    fn update_in_silence(&mut self) {
        self.scale.update(T::ZERO);
        self.count();
    }

    /// Counts a sample; once in `TIDY_EVERY`, re-orthonormalises the stored directions.
    #[inline(always)]
    fn count(&mut self) {
        // The count stops at `u64::MAX`.
        let samples_seen = self.samples_seen.wrapping_add(1);
        if samples_seen != 0 {
            self.samples_seen = samples_seen;
        }
        if (samples_seen as u32).is_multiple_of(Self::TIDY_EVERY) {
            self.evidence.tidy();
        }
    }

    /// Draws `KEEP` directions while the evidence of the bulk is zero, so that no direction of the bulk is kept.
    // Not inlined: its two callers share one copy in flash.
    #[inline(never)]
    fn draw_from_stored<D: Draw, R: Rng + ?Sized>(
        &self,
        inside: &[T],
        outside_energy: T,
        rng: &mut R,
    ) -> ([T; KEEP], T) {
        if self.evidence.rank() == KEEP {
            // All stored directions are kept; `rng` advances as in every other trial.
            let _ = T::uniform(rng);
            let mut code = [T::ZERO; KEEP];
            for (entry, &inside) in code.iter_mut().zip(inside) {
                *entry = inside;
            }
            return (code, outside_energy);
        }
        let mut probabilities = [T::ZERO; RANK];
        for (probability, &drop) in probabilities.iter_mut().zip(self.evidence.drops()) {
            *probability = T::ONE - drop;
        }
        let stored = probabilities.get(..self.evidence.rank()).unwrap_or_default();
        // The size is `DIM`, as in `draw_from_all`, so that both calls use one compiled function.
        let kept = D::keep::<T, R, DIM>(stored, KEEP, rng);
        let mut code = [T::ZERO; KEEP];
        let mut entries = code.iter_mut();
        let mut loss = outside_energy;
        for (i, &inside) in inside.iter().enumerate() {
            if !kept.contains(i) {
                loss += inside * inside;
            } else if let Some(entry) = entries.next() {
                *entry = inside;
            }
        }
        (code, loss.min(T::MAX))
    }

    /// One trial with the general solver, while the evidence of the bulk is zero.
    #[inline(never)]
    fn try_in_general<D: Draw, R: Rng + ?Sized>(
        &mut self,
        sample: &[T; DIM],
        energy: T,
        rng: &mut R,
    ) -> Trial<T, KEEP> {
        let mut split = self.evidence.split(sample, energy);
        let expected_loss = self.evidence.expected_loss(&split.inside, split.outside_energy, T::ONE);
        let (code, loss) = self.draw_from_stored::<D, R>(&split.inside, split.outside_energy, rng);
        self.update(&mut split, energy);
        Trial {
            code,
            loss,
            expected_loss,
        }
    }

    /// One trial while the bulk has evidence, as in the first trial or with a share: directions of the bulk can then be
    /// drawn too.
    // The steps are separate functions, so that their stack frames are not needed at the same time.
    #[inline(never)]
    fn try_in_doubt<D: Draw, R: Rng + ?Sized>(&mut self, sample: &[T; DIM], energy: T, rng: &mut R) -> Trial<T, KEEP> {
        let kept = self.draw_from_all::<D, R>(rng);
        let mut code = [T::ZERO; KEEP];
        self.encode(sample, &kept, &mut code);
        Trial {
            code,
            loss: T::ZERO.max(energy - dot(&code, &code)),
            expected_loss: self.expect_and_learn(sample, energy),
        }
    }

    #[inline(never)]
    fn draw_from_all<D: Draw, R: Rng + ?Sized>(&self, rng: &mut R) -> Subset<DIM> {
        let probabilities = self.keep_probabilities();
        D::keep::<T, R, DIM>(&probabilities, KEEP, rng)
    }

    /// Writes the code. Kept directions that are not stored come from one orthonormal basis of the space orthogonal to
    /// the stored ones.
    #[inline(never)]
    fn encode(&self, sample: &[T; DIM], kept: &Subset<DIM>, code: &mut [T; KEEP]) {
        let stored = self.evidence.directions();
        let mut complement = Complement::<T, DIM, RANK>::new();
        if kept.any_from(stored.len()) {
            complement.prepare(stored);
        }
        let mut coordinates = *sample;
        complement.change_basis(&mut coordinates);
        let mut entries = code.iter_mut();
        for (i, &coordinate) in any_length(&coordinates).iter().enumerate() {
            stay_rolled();
            if kept.contains(i)
                && let Some(entry) = entries.next()
            {
                *entry = stored
                    .get(i)
                    .map_or(coordinate, |direction| whole::dot(direction, sample));
            }
        }
    }

    #[inline(never)]
    fn expect_and_learn(&mut self, sample: &[T; DIM], energy: T) -> T {
        let mut split = self.evidence.split(sample, energy);
        let bulk_drop = self.evidence.bulk_drop();
        let expected_loss = self
            .evidence
            .expected_loss(&split.inside, split.outside_energy, bulk_drop);
        self.update(&mut split, energy);
        expected_loss
    }
}
