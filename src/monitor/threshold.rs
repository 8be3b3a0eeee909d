//! The threshold of the alarm.
//! In: a known threshold, or a rule and the scores of the calibration. Out: a threshold to compare scores with.
//! Method: a known threshold is used as it is. Otherwise the threshold is max(floor, factor·q), with the settings `floor` and
//! `factor`. q is a quantile of the calibration scores, or the score that normal samples exceed with probability p:
//! - If p ≥ 0.1, q is the quantile at 1 − p.
//! - If p < 0.1, q is extrapolated, because for a small p few or no calibration scores are larger than q. q₈₀, q₉₀ and q₉₅ are
//!   the quantiles at 80, 90 and 95 %. s is the rise of the score that halves the number of larger scores: the mean of q₉₅ − q₉₀
//!   (from 10 % to 5 % larger scores) and (q₉₅ − q₈₀)/2 (from 20 % to 5 %, two halvings). q = q₉₀ + s·log₂(0.1/p). If the
//!   quantile at 1 − p is larger, it is q: a rare normal state in the calibration can have higher scores than s tells.
//!
//! Cost: at most four quantiles for a threshold.

use super::stages::Histogram;
use crate::codec::{stored, stored_choice};
use crate::learner::default_is_constant;
use crate::scalar::constant::{of_number, tried};
use crate::{CodecError, Scalar, SettingsError};

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
    /// A known threshold.
    Fixed(T),
    /// The false-alarm rate 10⁻⁷. A constant of a generic type `T` cannot contain this number, hence this variant.
    Usual,
    /// The quantile of the calibration scores at this probability.
    Quantile(T),
    /// The score that normal samples exceed with this probability.
    FalseAlarms(T),
}

impl<T: Scalar> Threshold<T> {
    /// [`false_alarms`](Self::false_alarms) with the rate 10⁻⁷. Real machines change: in the guide's table of five sets of
    /// recordings, 0 to 2 % of the fault-free rows of a set (taken from its training rows), and 0 to 24 % of the rows outside of
    /// its labelled faults, are in alarm with this threshold.
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

    /// The score that normal samples exceed with probability `rate`. Below a rate of 0.1 this score is extrapolated from the
    /// calibration scores. It is not below their quantile at 1 − `rate`: at the default rate, not below the largest score
    /// of the calibration, if the [`Histogram`] can resolve this score.
    ///
    /// In tests on six streams of independent samples of six channels, with 2,048 samples of training and a `rate` of 10⁻² or
    /// 10⁻³, the measured rate is within a factor of five of `rate`. If a sample depends on the samples before, or the tails are
    /// heavy, it can be tens of times `rate`. Real machines change: count the alarms
    /// ([`Health::alarm_rate`](super::Health::alarm_rate)) before you rely on a rate.
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

    /// Multiplies the quantile, or the extrapolated score, by `factor`; it has no effect on a fixed threshold.
    ///
    /// # Errors
    /// [`SettingsError::Threshold`] if `factor` is negative or not finite.
    pub const fn with_factor(mut self, factor: T) -> Result<Self, SettingsError> {
        self.factor = tried!(usable(factor));
        Ok(self)
    }

    /// Sets the smallest threshold; it has no effect on a fixed threshold. Data without noise need a smallest threshold, because
    /// their calibration scores are near zero.
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
}

/// Returns the score that is exceeded with probability `rate`: a quantile, or extrapolated if `rate` is below 0.1.
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
    // `level + 0.0` makes minus zero a zero. As integers, the bits of a negative, infinite or NaN number are above the bits of
    // the largest finite number. This form takes less flash than `level >= 0.0 && level.is_finite()`.
    if of_number!(level => (level + 0.0).to_bits() <= Real::MAX.to_bits()) {
        Ok(level)
    } else {
        Err(SettingsError::Threshold)
    }
}

/// Returns `probability` if it is above 0 and below 1.
const fn inside<T: Scalar>(probability: T) -> Result<T, SettingsError> {
    if of_number!(probability => probability > 0.0 && probability < 1.0) {
        Ok(probability)
    } else {
        Err(SettingsError::Quantile)
    }
}

stored!([T: Scalar] Threshold<T> { rule, factor, floor } if validate);

impl<T: Scalar> Threshold<T> {
    fn validate(&self) -> Result<(), CodecError> {
        usable(self.factor)?;
        usable(self.floor)?;
        Ok(())
    }
}

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

default_is_constant!(Threshold);

#[cfg(test)]
mod tests {
    use super::*;

    /// 60 % of the scores are 0.5, the others are 8.
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
