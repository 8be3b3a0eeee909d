//! Errors of settings, and the macro for settings as constants.

use core::fmt;

/// Why a setting was refused.
///
/// ```
/// use eigenstream::{SettingsError, weights::HedgeSettings};
///
/// assert_eq!(HedgeSettings::new(-1.0_f32), Err(SettingsError::LearningRate));
/// assert_eq!(SettingsError::LearningRate.to_string(), "the learning rate must be positive and finite");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SettingsError {
    /// The learning rate is not a positive, finite number.
    LearningRate,
    /// The set size is zero.
    SetSize,
    /// The ceiling, the upper limit of the evidence, is not positive.
    Ceiling,
    /// The part α of a `Share` is not in 0 ≤ α ≤ 1, or the learner does not support this `Share`.
    ///
    /// [`Bounds::with_share`](crate::bounds::Bounds::with_share) is stricter.
    Share,
    /// The bound Q on the length of a sample is not positive, or Q² is infinite, NaN, zero or subnormal.
    ///
    /// If a bound on the energy is given, this bound is Q².
    NormBound,
    /// The weight of the initial centre is negative or not finite.
    CenterRate,
    /// The forgetting factor is not in 0 < f ≤ 1, or the memory is at most one sample, infinite or NaN.
    Forgetting,
    /// The parameter γ of a kernel is not positive and finite, or its width σ is not positive; γ = 1/(2σ²).
    Gamma,
    /// The constant term of a polynomial kernel is negative or not finite.
    Coef0,
    /// The degree of a polynomial kernel is zero.
    Degree,
    /// The number of passes of an iteration is zero.
    Iterations,
    /// The tolerance of an iteration is negative or not finite.
    Tolerance,
    /// The regularisation of a regression is negative or not finite; recursive least squares refuses zero too.
    Regularization,
    /// The smallest spread of a channel is negative or not finite.
    Spread,
    /// The limit of a deviation is not between one and a million spreads.
    Limit,
    /// The quantile or the rate of false alarms is not strictly between 0 and 1.
    Quantile,
    /// The threshold, its factor, or its floor is negative or not finite.
    Threshold,
    /// The factor `release` is not in 0 < `release` ≤ 1.
    Hysteresis,
    /// The training has fewer than four samples to find the scale, none to learn or none to calibrate, or more than 2³¹
    /// in all.
    Schedule,
    /// The worth of one count of a channel is zero, or 2³² times this worth is not finite.
    CountScale,
    /// The stride of a kernel learner is zero.
    Stride,
    /// The shrinkage of a covariance is not between 10⁻⁴ and one.
    Shrinkage,
    /// The novelty of a kernel learner is negative, NaN, or not below one.
    Novelty,
    /// The divergence of a regret bound is negative or not finite.
    Divergence,
    /// The deflation factor β of a Hebbian learner is below one or not finite.
    Deflation,
    /// The ratio of a clip is at most one, infinite or NaN.
    Clip,
}

impl SettingsError {
    /// The error as a text; the function can also be called in a constant.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::LearningRate => "the learning rate must be positive and finite",
            Self::SetSize => "a set needs at least one member",
            Self::Ceiling => "the ceiling of the evidence must be positive",
            Self::Share => {
                "the shared part must be between zero and one, and the learner or bound must support this share"
            }
            Self::NormBound => {
                "the bound on a sample's length must be positive, its square finite and not below the smallest normal number"
            }
            Self::CenterRate => "the weight of the initial centre must be finite and not negative",
            Self::Forgetting => {
                "the forgetting factor must be above 0 and at most 1, the memory finite and longer than one sample"
            }
            Self::Gamma => "gamma, or a width sigma and its gamma 1/(2 sigma^2), must be positive and finite",
            Self::Coef0 => "the constant term of a polynomial kernel must be finite and not negative",
            Self::Degree => "the degree of a polynomial kernel must be at least one",
            Self::Iterations => "an iteration needs at least one pass",
            Self::Tolerance => "the tolerance must be finite and not negative",
            Self::Regularization => {
                "the regularisation must be finite and not negative, in recursive least squares above zero"
            }
            Self::Spread => "the smallest spread must be finite and not negative",
            Self::Limit => "the largest deviation must be between one and a million spreads",
            Self::Quantile => "the quantile or the rate of false alarms must be above 0 and below 1",
            Self::Threshold => "the threshold, its factor and its floor must be finite and not negative",
            Self::Hysteresis => "an alarm must be released above 0 and no higher than it is raised",
            Self::Schedule => {
                "every phase of the monitor needs at least one sample, four to settle, and all together at most 2^31"
            }
            Self::CountScale => {
                "one count of a channel must be worth an amount other than zero, and 2^32 counts a finite amount"
            }
            Self::Stride => "the stride must be at least one",
            Self::Shrinkage => "the shrinkage must be between 0.0001 and 1",
            Self::Novelty => "the least novelty of a sample must be at least zero and below one",
            Self::Divergence => "the divergence of a start must be finite and not negative",
            Self::Deflation => "the deflation of a Hebbian learner must be at least one and finite",
            Self::Clip => "the ratio of a clip must be above one and finite",
        }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

/// Checks settings at compile time: wrong settings stop the compiler, which prints the reason.
///
/// ```
/// use eigenstream::constant;
/// use eigenstream::monitor::{Monitor, MonitorSettings, Threshold};
/// use eigenstream::pca::{TrackingPca, TrackingSettings};
///
/// type Pca = TrackingPca<f32, 6, 2, 6>;
/// static MONITOR: Monitor<f32, Pca, 6> = Monitor::new(
///     MonitorSettings::DEFAULT.with_threshold(constant!(Threshold::false_alarms(1e-4))),
///     Pca::new(constant!(TrackingSettings::new(0.5))),
/// );
/// ```
/// This does not compile; the compiler prints "the learning rate must be positive and finite":
/// ```compile_fail,E0080
/// use eigenstream::{constant, pca::TrackingSettings};
/// static SETTINGS: TrackingSettings<f32> = constant!(TrackingSettings::new(-0.5));
/// ```
#[macro_export]
macro_rules! constant {
    ($settings:expr) => {
        const {
            match $settings {
                Ok(settings) => settings,
                Err(refused) => ::core::panic!("{}", $crate::SettingsError::message(refused)),
            }
        }
    };
}

impl core::error::Error for SettingsError {}
