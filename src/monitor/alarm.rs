//! Makes an alarm of scores: histogram, threshold, decision.
//! In: the scores of the calibration, then each later score. Out: a threshold, and whether there is an alarm.
//! Method: the threshold is fixed, a quantile of the scores, or extrapolated from quantiles: `guide::mathematics`, "The monitor",
//! **Threshold**. The decision counts the scores above the threshold.
//! Cost: one logarithm and at most 64 comparisons per score of the calibration, at most four quantiles per threshold. Kept: the
//! settings, 64 counts of 16 bits, one number and a state.

use crate::codec::{stored, stored_choice, validate};
use crate::learner::default_is_constant;
use crate::scalar::constant::{of_number, tried};
use crate::{CodecError, Scalar, SettingsError};

/// The number of bins of a histogram.
const BINS: usize = 64;

/// The number of bins for each factor of two of the score.
const PER_OCTAVE: f64 = 8.0;

/// Counts scores by their size, to estimate quantiles without storing the scores.
///
/// The error of a quantile is at most 9.1 %, the width of a bin, and usually about 1 % or less if the bin holds many scores.
/// It can be larger in the first and in the last bin, and after a bin was full: then all counts are halved.
///
/// ```
/// use eigenstream::monitor::stages::Histogram;
///
/// let mut histogram = Histogram::<f32>::around(1.0);
/// for i in 0..1_000 {
///     histogram.push(0.5 + ((i * 389) % 1_000) as f32 / 1_000.0);
/// }
/// histogram.push(1e30);
/// assert!((histogram.quantile(0.9) - 1.4).abs() < 0.02);
/// ```
#[derive(Clone, Debug)]
pub struct Histogram<T> {
    middle: T,
    counts: [u16; BINS],
}

impl<T: Scalar> Histogram<T> {
    /// An empty histogram for scores within a factor of 16 of `middle`.
    ///
    /// A `middle` that is NaN, infinite or below [`Scalar::MIN_POSITIVE`] counts as 1.
    #[must_use]
    pub fn around(middle: T) -> Self {
        let usable = middle >= T::MIN_POSITIVE && middle.is_finite();
        Self {
            middle: if usable { middle } else { T::ONE },
            ..Self::new()
        }
    }

    pub(super) const fn new() -> Self {
        Self {
            middle: T::ONE,
            counts: [0; BINS],
        }
    }

    /// The score at the centre of the bins.
    #[must_use]
    pub const fn middle(&self) -> T {
        self.middle
    }

    /// Adds a score; NaN counts in the first bin.
    pub fn push(&mut self, score: T) {
        let half = T::from_usize(BINS / 2);
        let place =
            (score.max(T::MIN_POSITIVE) / self.middle).ln() * T::from_f64(PER_OCTAVE * core::f64::consts::LOG2_E);
        let place = (place + half).max(T::ZERO).min(T::from_usize(BINS - 1));
        let bin = (1..BINS).take_while(|&bin| T::from_usize(bin) <= place).count();
        if let Some(count) = self.counts.get_mut(bin) {
            *count = count.saturating_add(1);
            if *count == u16::MAX {
                self.counts.iter_mut().for_each(|count| *count /= 2);
            }
        }
    }

    /// Estimates the score below which the fraction `probability` of the counted scores lies.
    ///
    /// Returns zero before the first score, and if `probability` is NaN or above 1.
    #[must_use]
    pub fn quantile(&self, probability: T) -> T {
        let wanted = probability * T::from_usize(self.scores() as usize);
        let mut below = T::ZERO;
        for (bin, &count) in self.counts.iter().enumerate() {
            let inside = T::from_usize(count as usize);
            if count > 0 && below + inside >= wanted {
                let part = ((wanted - below) / inside).max(T::ZERO);
                let place = T::from_usize(bin) + part - T::from_usize(BINS / 2);
                return self.middle * (place * T::from_f64(core::f64::consts::LN_2 / PER_OCTAVE)).exp();
            }
            below += inside;
        }
        T::ZERO
    }

    /// The number of counted scores; it becomes smaller when the counts are halved.
    #[must_use]
    pub fn scores(&self) -> u32 {
        self.counts.iter().map(|&count| u32::from(count)).sum()
    }

    /// Whether all scores are in one bin, or more than half of them in the first or in the last bin.
    ///
    /// In these cases the scores give no useful threshold. The result is also true without scores.
    #[must_use]
    pub fn is_useless(&self) -> bool {
        let most = self.counts.iter().max().copied().unwrap_or(0);
        let [first, .., last] = self.counts;
        let scores = self.scores();
        u32::from(most) == scores || 2 * u32::from(first) > scores || 2 * u32::from(last) > scores
    }

    fn validate(&self) -> Result<(), CodecError> {
        let counted = self.counts.iter().all(|&count| count < u16::MAX);
        validate::accept(counted, CodecError::Count)?;
        validate::accept(self.middle >= T::MIN_POSITIVE, CodecError::Range)
    }
}

stored!([T: Scalar] Histogram<T> { middle, counts } if validate);

/// The rule that sets a threshold.
///
/// ```
/// use eigenstream::monitor::Threshold;
/// let threshold = Threshold::false_alarms(1e-3_f32)?.with_floor(0.1)?;
/// assert_ne!(threshold, Threshold::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Threshold<T> {
    pub(super) rule: Rule<T>,
    factor: T,
    floor: T,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) enum Rule<T> {
    Fixed(T),
    /// The false-alarm rate 10⁻⁷, which a constant of a generic type `T` cannot hold.
    Usual,
    Quantile(T),
    FalseAlarms(T),
}

impl<T: Scalar> Threshold<T> {
    /// The rule [`false_alarms`](Self::false_alarms) with the rate 10⁻⁷.
    ///
    /// Real machines change: in five sets of recordings, 0 to 24 % of the rows of a set outside of its labelled faults are in alarm
    /// with this threshold.
    pub const DEFAULT: Self = Self {
        rule: Rule::Usual,
        factor: T::ONE,
        floor: T::ZERO,
    };

    /// The known threshold `level`; there is no calibration.
    ///
    /// # Errors
    /// [`SettingsError::Threshold`] if `level` is negative or not finite.
    pub const fn fixed(level: T) -> Result<Self, SettingsError> {
        Ok(Self {
            rule: Rule::Fixed(tried!(usable(level))),
            ..Self::DEFAULT
        })
    }

    /// The quantile at `probability` of the calibration scores.
    ///
    /// # Errors
    /// [`SettingsError::Quantile`] unless 0 < probability < 1.
    pub const fn quantile(probability: T) -> Result<Self, SettingsError> {
        Ok(Self {
            rule: Rule::Quantile(tried!(inside(probability))),
            ..Self::DEFAULT
        })
    }

    /// The score that normal samples exceed with probability `rate`; extrapolated if `rate` is below 0.1.
    ///
    /// The threshold is at least the quantile at 1 − `rate`. On six streams of independent samples of six channels, with 2,048
    /// samples of training and a `rate` of 10⁻² or 10⁻³, the measured rate was within a factor of five of `rate`. If samples depend
    /// on those before, or large scores are frequent, the measured rate can be tens of times `rate`: count the alarms
    /// ([`Health::alarm_rate`](super::Health::alarm_rate)) before you rely on this threshold.
    ///
    /// # Errors
    /// [`SettingsError::Quantile`] unless 0 < rate < 1.
    ///
    /// ```
    /// use eigenstream::monitor::Threshold;
    /// use eigenstream::monitor::stages::Histogram;
    /// let mut scores = Histogram::around(1.0_f32);
    /// for i in 0..1_000 {
    ///     // Exponentially distributed scores: if a score rises by 0.7, the number of larger scores is halved.
    ///     scores.push(0.1 - (1.0 - i as f32 / 1_000.0).ln());
    /// }
    /// let level = Threshold::false_alarms(1e-3)?.level(&scores);
    /// assert!((level / 7.0 - 1.0).abs() < 0.05);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    pub const fn false_alarms(rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            rule: Rule::FalseAlarms(tried!(inside(rate))),
            ..Self::DEFAULT
        })
    }

    /// Multiplies the threshold by `factor`, unless the threshold is a [`fixed`](Self::fixed) one.
    ///
    /// # Errors
    /// [`SettingsError::Threshold`] if `factor` is negative or not finite.
    pub const fn with_factor(mut self, factor: T) -> Result<Self, SettingsError> {
        self.factor = tried!(usable(factor));
        Ok(self)
    }

    /// Sets the smallest threshold, for data without noise, whose scores are near zero; a fixed threshold is not
    /// changed.
    ///
    /// # Errors
    /// [`SettingsError::Threshold`] if `floor` is negative or not finite.
    pub const fn with_floor(mut self, floor: T) -> Result<Self, SettingsError> {
        self.floor = tried!(usable(floor));
        Ok(self)
    }

    /// Computes the threshold from the calibration scores.
    #[must_use]
    pub fn level(&self, scores: &Histogram<T>) -> T {
        let level = match self.rule {
            Rule::Fixed(level) => return level,
            Rule::Quantile(probability) => scores.quantile(probability),
            Rule::Usual => exceeded_by(T::from_f64(1e-7), scores),
            Rule::FalseAlarms(rate) => exceeded_by(rate, scores),
        };
        (self.factor * level).min(T::MAX).max(self.floor)
    }

    fn validate(&self) -> Result<(), CodecError> {
        usable(self.factor)?;
        usable(self.floor)?;
        Ok(())
    }
}

/// The score that is exceeded with probability `rate`.
// The function is not inlined, to save stack: few calls need its quantiles.
#[inline(never)]
fn exceeded_by<T: Scalar>(rate: T, scores: &Histogram<T>) -> T {
    let tenth = T::from_f64(0.1);
    let quantile = scores.quantile(T::ONE - rate);
    if rate >= tenth {
        return quantile;
    }
    let (low, high) = (scores.quantile(T::from_f64(0.8)), scores.quantile(T::from_f64(0.95)));
    let middle = scores.quantile(T::from_f64(0.9));
    let slope = T::HALF * (T::HALF * (high - low) + (high - middle));
    let extrapolated = middle + slope * (tenth / rate).ln() * T::from_f64(core::f64::consts::LOG2_E);
    extrapolated.max(quantile)
}

const fn usable<T: Scalar>(level: T) -> Result<T, SettingsError> {
    // Accepts numbers that are zero or above, and finite: a negative, infinite or NaN number has bits above those of the largest
    // finite number. `+ 0.0` turns −0 into 0. One comparison takes less flash than two.
    if of_number!(level => (level + 0.0).to_bits() <= Real::MAX.to_bits()) {
        Ok(level)
    } else {
        Err(SettingsError::Threshold)
    }
}

const fn inside<T: Scalar>(probability: T) -> Result<T, SettingsError> {
    if of_number!(probability => probability > 0.0 && probability < 1.0) {
        Ok(probability)
    } else {
        Err(SettingsError::Quantile)
    }
}

stored!([T: Scalar] Threshold<T> { rule, factor, floor } if validate);
default_is_constant!(Threshold);

stored_choice!(
    [T: Scalar] Rule<T>: [at: T = T::ZERO] { 0 = Fixed(at), 1 = Usual, 2 = Quantile(at), 3 = FalseAlarms(at) } if checked
);

impl<T: Scalar> Rule<T> {
    fn checked(self) -> Result<Self, SettingsError> {
        match self {
            Self::Fixed(level) => usable(level).map(Self::Fixed),
            Self::Usual => Ok(Self::Usual),
            Self::Quantile(probability) => inside(probability).map(Self::Quantile),
            Self::FalseAlarms(rate) => inside(rate).map(Self::FalseAlarms),
        }
    }
}

/// The rule by which an alarm is raised and released.
///
/// ```
/// use eigenstream::monitor::DecisionSettings;
/// let settings = DecisionSettings::new(0.8_f32)?.with_confirm(3).with_hold_off(100);
/// assert_ne!(settings, DecisionSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DecisionSettings<T> {
    release: T,
    confirm: u32,
    hold_off: u32,
}

impl<T: Scalar> DecisionSettings<T> {
    /// There is an alarm if and only if the score is above the threshold.
    pub const DEFAULT: Self = Self {
        release: T::ONE,
        confirm: 1,
        hold_off: 0,
    };

    /// The alarm is released if the score is at most `release` times the threshold.
    ///
    /// # Errors
    /// [`SettingsError::Hysteresis`] unless 0 < release ≤ 1.
    pub const fn new(release: T) -> Result<Self, SettingsError> {
        if of_number!(release => release > 0.0 && release <= 1.0) {
            Ok(Self {
                release,
                ..Self::DEFAULT
            })
        } else {
            Err(SettingsError::Hysteresis)
        }
    }

    /// The alarm is raised by `samples` scores in a row above the threshold; 0 counts as 1.
    #[must_use]
    pub const fn with_confirm(mut self, samples: u32) -> Self {
        self.confirm = if samples == 0 { 1 } else { samples };
        self
    }

    /// After a release no alarm is raised for `samples` samples.
    #[must_use]
    pub const fn with_hold_off(mut self, samples: u32) -> Self {
        self.hold_off = samples;
        self
    }

    fn validate(&self) -> Result<(), CodecError> {
        Self::new(self.release)?;
        validate::accept(self.confirm > 0, CodecError::Count)
    }
}

stored!([T: Scalar] DecisionSettings<T> { release, confirm, hold_off } if validate);
default_is_constant!(DecisionSettings);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum AlarmState {
    Quiet {
        /// The number of samples in a row above the threshold.
        above: u32,
        /// The number of further samples that cannot raise an alarm.
        held_off: u32,
    },
    Alarm,
}

stored_choice!([] AlarmState: [above: u32 = 0, held_off: u32 = 0] { 0 = Quiet { above, held_off }, 1 = Alarm });

/// Decides sample by sample whether there is an alarm.
///
/// ```
/// use eigenstream::monitor::DecisionSettings;
/// use eigenstream::monitor::stages::Decision;
///
/// let mut decision = Decision::new(DecisionSettings::new(0.5_f32)?.with_confirm(2));
/// let alarms = [3.0, 0.0, 3.0, 3.0, 0.9, 0.4].map(|score| decision.decide(score, 1.0));
/// assert_eq!(alarms, [false, false, false, true, true, false]);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Decision<T> {
    settings: DecisionSettings<T>,
    state: AlarmState,
}

impl<T: Scalar> Decision<T> {
    /// Starts without an alarm.
    #[must_use]
    pub const fn new(settings: DecisionSettings<T>) -> Self {
        Self {
            settings,
            state: AlarmState::Quiet { above: 0, held_off: 0 },
        }
    }

    /// Takes the score of the next sample and returns whether there is an alarm.
    ///
    /// ```
    /// use eigenstream::monitor::DecisionSettings;
    /// use eigenstream::monitor::stages::Decision;
    /// let mut decision = Decision::new(DecisionSettings::<f32>::DEFAULT.with_hold_off(2));
    /// let alarms = [2.0, 0.5, 2.0, 2.0, 2.0].map(|score| decision.decide(score, 1.0));
    /// assert_eq!(alarms, [true, false, false, false, true]);
    /// ```
    pub fn decide(&mut self, score: T, threshold: T) -> bool {
        self.state = match self.state {
            AlarmState::Alarm if score > self.settings.release * threshold => AlarmState::Alarm,
            AlarmState::Alarm => AlarmState::Quiet {
                above: 0,
                held_off: self.settings.hold_off,
            },
            AlarmState::Quiet { above, held_off } => {
                let above = if score > threshold { above.saturating_add(1) } else { 0 };
                if above >= self.settings.confirm && held_off == 0 {
                    AlarmState::Alarm
                } else {
                    AlarmState::Quiet {
                        above,
                        held_off: held_off.saturating_sub(1),
                    }
                }
            }
        };
        self.is_alarm()
    }

    /// Whether there is an alarm.
    #[must_use]
    pub const fn is_alarm(&self) -> bool {
        matches!(self.state, AlarmState::Alarm)
    }

    /// Replaces the settings; a running alarm continues, and a hold-off ends after at most the new number of samples.
    pub(super) fn set_settings(&mut self, settings: DecisionSettings<T>) {
        if let AlarmState::Quiet { held_off, .. } = &mut self.state {
            *held_off = (*held_off).min(settings.hold_off);
        }
        self.settings = settings;
    }

    /// Ends the alarm, and sets the counts of high scores and of the hold-off to zero.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }
}

stored!([T: Scalar] Decision<T> { settings, state });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bin_halves_all_bins() {
        let mut histogram = Histogram::<f32>::around(1.0);
        (0..1_000).for_each(|_| histogram.push(0.5));
        (0..65_534).for_each(|_| histogram.push(1.0));
        assert_eq!((histogram.scores(), histogram.validate()), (66_534, Ok(())));
        histogram.push(1.0);
        assert_eq!(histogram.scores(), 500 + 32_767);
    }

    #[test]
    fn a_full_bin_is_refused_since_one_more_score_would_overflow_it() {
        let mut histogram = Histogram::<f32>::around(1.0);
        histogram.counts[3] = u16::MAX;
        assert_eq!(histogram.validate(), Err(CodecError::Count));
    }

    #[test]
    fn half_of_the_scores_outside_still_give_a_threshold() {
        for end in [1e-9, 1e9] {
            let mut histogram = Histogram::<f32>::around(1.0);
            [end, end, 0.5, 2.0].into_iter().for_each(|score| histogram.push(score));
            assert!(!histogram.is_useless(), "{end}");
            histogram.push(end);
            assert!(histogram.is_useless(), "{end}");
        }
    }

    #[test]
    fn a_quantile_between_two_bins_is_the_upper_end_of_the_lower_bin() {
        let mut histogram = Histogram::<f64>::around(1.0);
        // The bin of 1.01 ends at 2^(1/8); the bins between it and the bin of 4 are empty.
        [1.01, 1.01, 4.0, 4.0]
            .into_iter()
            .for_each(|score| histogram.push(score));
        assert!((histogram.quantile(0.5) - Scalar::exp(core::f64::consts::LN_2 / 8.0)).abs() < 1e-12);
    }

    /// A histogram in which 60 % of the scores are 0.5 and the others 8.
    fn scores() -> Histogram<f32> {
        let mut scores = Histogram::around(1.0);
        (0..100).for_each(|i| scores.push(if i % 5 < 3 { 0.5 } else { 8.0 }));
        scores
    }

    #[test]
    fn a_rate_of_a_tenth_or_more_is_a_quantile() -> Result<(), SettingsError> {
        let level = Threshold::false_alarms(0.5)?.level(&scores());
        assert!(level == scores().quantile(0.5) && level < 0.6, "{level}");
        Ok(())
    }

    #[test]
    fn a_threshold_is_finite() -> Result<(), SettingsError> {
        let large = Threshold::quantile(0.9)?.with_factor(f32::MAX)?;
        assert_eq!(large.level(&scores()), f32::MAX);
        Ok(())
    }

    #[test]
    fn a_factor_or_a_floor_below_zero_is_refused() {
        assert_eq!(Threshold::<f32>::DEFAULT.validate(), Ok(()));
        let refused = Err(CodecError::Settings(SettingsError::Threshold));
        let factor = Threshold {
            factor: -1.0_f32,
            ..Threshold::DEFAULT
        };
        let floor = Threshold {
            floor: -1.0_f32,
            ..Threshold::DEFAULT
        };
        assert_eq!([factor.validate(), floor.validate()], [refused; 2]);
    }
}
