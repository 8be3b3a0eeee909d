//! Runs a learner of wide samples on several samples in a row.
//! In: samples of `DIM` channels. Out: the results of the inner learner on the last `LAGS` samples, combined for each channel.
//! Method: Takens' delay coordinates: the new sample and the `LAGS` − 1 samples before form one wide sample. The squares of a
//! residual are added over the lags, so all squares still sum to the score.
//! Cost: the learner on `WIDE` channels, and a copy. Kept: the learner, `WIDE` numbers and a count.

use super::score::difference;
use crate::codec::{Learned, stored, validate};
use crate::learner::{energy_of, refusal};
use crate::{CodecError, Learner, SampleError, Scalar, logging};

/// The last `LAGS` samples of `DIM` channels as one sample of `WIDE` = `DIM`·`LAGS` channels.
///
/// ```
/// use eigenstream::monitor::stages::LagEmbedding;
///
/// let mut lags = LagEmbedding::<f32, 2, 3, 6>::new();
/// for i in 1..=3 {
///     lags.push(&[i as f32, 10.0 * i as f32]);
/// }
/// assert_eq!(lags.embed(&[4.0, 40.0]), [4.0, 40.0, 3.0, 30.0, 2.0, 20.0]);
/// ```
///
/// Stable Rust cannot compute `WIDE` from the other parameters. A `WIDE` other than `DIM`·`LAGS` does not compile:
/// ```compile_fail,E0080
/// use eigenstream::monitor::stages::LagEmbedding;
/// let lags = LagEmbedding::<f32, 2, 3, 5>::new();
/// ```
#[derive(Clone, Debug)]
pub struct LagEmbedding<T, const DIM: usize, const LAGS: usize, const WIDE: usize> {
    /// The last `LAGS` samples, newest first; zeros for samples that were not pushed.
    past: [[T; DIM]; LAGS],
    filled: usize,
}

impl<T: Scalar, const DIM: usize, const LAGS: usize, const WIDE: usize> LagEmbedding<T, DIM, LAGS, WIDE> {
    /// Starts without samples: all past samples are zero.
    #[must_use]
    pub const fn new() -> Self {
        const {
            assert!(LAGS > 0, "one lag is the sample itself: LAGS >= 1");
            assert!(
                WIDE == DIM * LAGS,
                "the embedding has DIM * LAGS channels: WIDE = DIM * LAGS"
            );
        }
        Self {
            past: [[T::ZERO; DIM]; LAGS],
            filled: 0,
        }
    }

    /// Joins a sample with the `LAGS` − 1 samples pushed last, newest first; zeros for samples that were not pushed.
    #[must_use]
    pub fn embed(&self, sample: &[T; DIM]) -> [T; WIDE] {
        let mut wide = [T::ZERO; WIDE];
        let values = sample.iter().chain(self.past.iter().flatten());
        for (entry, &value) in wide.iter_mut().zip(values) {
            *entry = value;
        }
        wide
    }

    /// Stores a sample in the place of the oldest one.
    pub fn push(&mut self, sample: &[T; DIM]) {
        self.past.rotate_right(1);
        if let Some(newest) = self.past.first_mut() {
            *newest = *sample;
        }
        if self.filled < LAGS {
            self.filled += 1;
        }
    }

    /// Whether `embed` fills in no zeros, because at least `LAGS` − 1 samples are stored.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        self.filled >= LAGS.saturating_sub(1)
    }

    /// Removes all stored samples, for use after samples were dropped.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::accept(self.filled <= LAGS, CodecError::Count)
    }
}

impl<T: Scalar, const DIM: usize, const LAGS: usize, const WIDE: usize> Default for LagEmbedding<T, DIM, LAGS, WIDE> {
    fn default() -> Self {
        Self::new()
    }
}

stored!(
    [T: Scalar, const DIM: usize, const LAGS: usize, const WIDE: usize] LagEmbedding<T, DIM, LAGS, WIDE> { past, filled }
    if validate
);

/// Runs the learner `L`, which has `WIDE` = `DIM`·`LAGS` channels, on the last `LAGS` samples of `DIM` channels.
///
/// ```
/// use eigenstream::{Learner, monitor::Lagged, pca::{TrackingPca, TrackingSettings}};
///
/// // A sine wave on one channel: a single value can be anything, but three values in a row lie in a plane.
/// let pca = TrackingPca::<f32, 3, 2, 3>::new(TrackingSettings::DEFAULT);
/// let mut wave = Lagged::<f32, _, 1, 3, 3>::new(pca);
/// for i in 0..300 {
///     wave.learn(&[(0.3 * i as f32).sin()])?;
/// }
/// assert!(wave.score(&[(0.3 * 300.0_f32).sin()])? < 1e-3);
/// assert!(wave.score(&[0.8 + (0.3 * 300.0_f32).sin()])? > 0.05);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lagged<T, L, const DIM: usize, const LAGS: usize, const WIDE: usize> {
    lags: LagEmbedding<T, DIM, LAGS, WIDE>,
    learner: L,
}

impl<T: Scalar, L: Learner<T, WIDE>, const DIM: usize, const LAGS: usize, const WIDE: usize>
    Lagged<T, L, DIM, LAGS, WIDE>
{
    /// Wraps a learner, with no past samples.
    #[must_use]
    pub const fn new(learner: L) -> Self {
        Self {
            lags: LagEmbedding::new(),
            learner,
        }
    }

    /// The inner learner.
    #[must_use]
    pub const fn learner(&self) -> &L {
        &self.learner
    }

    /// Replaces the inner learner; the stored past samples stay.
    ///
    /// ```
    /// use eigenstream::monitor::Lagged;
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let lagged = Lagged::<f32, _, 2, 3, 6>::new(TrackingPca::<f32, 6, 2, 6>::new(TrackingSettings::DEFAULT));
    /// let mut trained = TrackingPca::<f32, 6, 1, 4>::new(TrackingSettings::DEFAULT);
    /// trained.learn(&[1.0; 6])?;
    /// assert_eq!(lagged.around(trained).learner().samples_seen(), 1);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn around<M: Learner<T, WIDE>>(self, learner: M) -> Lagged<T, M, DIM, LAGS, WIDE> {
        Lagged {
            lags: self.lags,
            learner,
        }
    }

    /// Asks the inner learner about the wide sample; returns `None` while too few samples are stored.
    fn ask<R>(
        &self,
        sample: &[T; DIM],
        question: impl FnOnce(&L, &[T; WIDE]) -> Result<R, SampleError>,
    ) -> Result<Option<R>, SampleError> {
        check::<T, DIM, LAGS>(sample)?;
        if !self.lags.is_ready() {
            return Ok(None);
        }
        let answer = question(&self.learner, &self.lags.embed(sample));
        answer.map(Some).map_err(by_channel::<DIM>)
    }

    /// If enough samples are stored, gives the wide sample to `method` of the inner learner; then stores the sample.
    fn teach(
        &mut self,
        sample: &[T; DIM],
        method: impl FnOnce(&mut L, &[T; WIDE]) -> Result<(), SampleError>,
    ) -> Result<(), SampleError> {
        check::<T, DIM, LAGS>(sample)?;
        if self.lags.is_ready() {
            method(&mut self.learner, &self.lags.embed(sample)).map_err(by_channel::<DIM>)?;
        }
        self.lags.push(sample);
        Ok(())
    }
}

stored!(
    [T: Scalar, L: Learned, const DIM: usize, const LAGS: usize, const WIDE: usize]
    Lagged<T, L, DIM, LAGS, WIDE>: Lagged [DIM, LAGS, WIDE] of T { lags }
    around learner
);

/// While fewer than `LAGS` − 1 samples are stored, every sample scores zero, and the inner learner does not learn.
///
/// `learn`, `refine` and `pass` store a sample; `interrupt` and `forget` remove all stored samples.
impl<T: Scalar, L: Learner<T, WIDE>, const DIM: usize, const LAGS: usize, const WIDE: usize> Learner<T, DIM>
    for Lagged<T, L, DIM, LAGS, WIDE>
{
    fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(self.ask(sample, L::score)?.unwrap_or(T::ZERO))
    }

    fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let wide = self.ask(sample, L::residual)?;
        Ok(wide.map_or([T::ZERO; DIM], |wide| fold(&wide)))
    }

    fn parts(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let mut parts = [T::ZERO; DIM];
        let wide = self.ask(sample, L::parts)?;
        for lag in wide.iter().flat_map(|wide| wide.as_chunks::<DIM>().0) {
            for (part, &more) in parts.iter_mut().zip(lag) {
                *part = (*part + more).min(T::MAX);
            }
        }
        Ok(parts)
    }

    fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        self.teach(sample, L::learn)
    }

    fn refine(&mut self, sample: &[T; DIM], memory: u32) -> Result<(), SampleError> {
        self.teach(sample, |learner, wide| learner.refine(wide, memory))
    }

    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        check::<T, DIM, LAGS>(sample)?;
        self.learner.energy(&self.lags.embed(sample)).map_err(by_channel::<DIM>)
    }

    fn leverage(&self, sample: &[T; DIM]) -> Result<Option<[T; DIM]>, SampleError> {
        let wide = self.ask(sample, |learner, wide| match learner.leverage(wide)? {
            Some(leverage) => Ok(leverage),
            // The difference is taken before `fold`, because a folded residual combines all lags.
            None => Ok(difference(wide, &learner.residual(wide)?)),
        })?;
        Ok(Some(wide.map_or([T::ZERO; DIM], |wide| fold(&wide))))
    }

    fn pass(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        self.teach(sample, L::pass)
    }

    fn is_ready(&self) -> bool {
        self.lags.is_ready() && self.learner.is_ready()
    }

    fn interrupt(&mut self) {
        self.lags.reset();
        self.learner.interrupt();
    }

    fn forget(&mut self) {
        self.lags.reset();
        self.learner.forget();
    }
}

/// Refuses a sample with an energy above MAX/(2·LAGS), so that the energy of a wide sample is finite, whatever samples
/// are stored.
fn check<T: Scalar, const DIM: usize, const LAGS: usize>(sample: &[T; DIM]) -> Result<(), SampleError> {
    if energy_of(sample)? > T::HALF * T::MAX / T::from_usize(LAGS) {
        return Err(logging::refused(refusal(sample)));
    }
    Ok(())
}

/// For each channel, the root of the sum of the squares over all lags, with the sign of the newest value.
fn fold<T: Scalar, const DIM: usize, const WIDE: usize>(wide: &[T; WIDE]) -> [T; DIM] {
    let mut folded = [T::ZERO; DIM];
    let (lags, _) = wide.as_chunks::<DIM>();
    for lag in lags {
        for (folded, &value) in folded.iter_mut().zip(lag) {
            *folded += value * value;
        }
    }
    for (folded, &newest) in folded.iter_mut().zip(wide) {
        let length = folded.min(T::MAX).sqrt();
        *folded = if newest < T::ZERO { -length } else { length };
    }
    folded
}

/// Converts the channel in an error from the wide sample to the sample of `DIM` channels.
fn by_channel<const DIM: usize>(mut error: SampleError) -> SampleError {
    let (SampleError::NotANumber { channel } | SampleError::TooLarge { channel }) = &mut error;
    *channel = channel.checked_rem(DIM).unwrap_or(0);
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pca::{TrackingPca, TrackingSettings};

    type Inner = Lagged<f32, TrackingPca<f32, 4, 1, 4>, 2, 2, 4>;

    #[test]
    fn lags_inside_lags_see_every_sample_and_every_gap() -> Result<(), SampleError> {
        let inner = Inner::new(TrackingPca::new(TrackingSettings::DEFAULT));
        let mut lagged = Lagged::<f32, Inner, 1, 2, 2>::new(inner);
        for _ in 0..2 {
            lagged.pass(&[1.0])?;
        }
        assert!(lagged.is_ready());
        lagged.interrupt();
        lagged.pass(&[1.0])?;
        assert!(!lagged.is_ready());
        lagged.pass(&[1.0])?;
        assert!(lagged.is_ready());
        Ok(())
    }

    #[test]
    fn the_sign_of_a_residual_is_that_of_the_newest_lag() {
        // Channel 0 is 3 now and −4 before, channel 1 is −5 now and 12 before.
        assert_eq!(fold::<f32, 2, 4>(&[3.0, -5.0, -4.0, 12.0]), [5.0, -13.0]);
    }

    #[test]
    fn a_sample_of_more_than_its_part_of_the_largest_energy_is_refused() {
        let long = |part: f32| [(part * f32::MAX).sqrt(), 0.0];
        assert_eq!(check::<f32, 2, 2>(&long(0.24)), Ok(()));
        assert_eq!(
            check::<f32, 2, 2>(&long(0.26)),
            Err(SampleError::TooLarge { channel: 0 })
        );
    }

    /// A learner whose parts are all the largest number.
    struct Loud;

    impl Learner<f32, 2> for Loud {
        fn score(&self, _: &[f32; 2]) -> Result<f32, SampleError> {
            Ok(f32::MAX)
        }

        fn residual(&self, _: &[f32; 2]) -> Result<[f32; 2], SampleError> {
            Ok([0.0; 2])
        }

        fn learn(&mut self, _: &[f32; 2]) -> Result<(), SampleError> {
            Ok(())
        }

        fn parts(&self, _: &[f32; 2]) -> Result<[f32; 2], SampleError> {
            Ok([f32::MAX; 2])
        }
    }

    #[test]
    fn the_parts_of_all_lags_sum_to_a_finite_part() -> Result<(), SampleError> {
        let mut lagged = Lagged::<f32, Loud, 1, 2, 2>::new(Loud);
        lagged.pass(&[1.0])?;
        assert_eq!(lagged.parts(&[1.0]), Ok([f32::MAX]));
        Ok(())
    }

    #[test]
    fn more_samples_than_lags_are_refused() {
        let mut lags = LagEmbedding::<f32, 1, 2, 2>::new();
        (0..5).for_each(|_| lags.push(&[1.0]));
        assert_eq!(lags.validate(), Ok(()));
        lags.filled = 3;
        assert_eq!(lags.validate(), Err(CodecError::Count));
    }
}
