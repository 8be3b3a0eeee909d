//! The settings of [`OnlineKernelPca`](crate::kernel::OnlineKernelPca): learning rate, ambient, refresh, centering, stride,
//! novelty and draw.
//! In: numbers. Out: checked settings, which can be a constant in flash.

use crate::codec::{Layout, Reader, Stored, Writer, stored};
use crate::kernel::Ambient;
use crate::learner::{checked_rate, default_is_constant};
use crate::scalar::constant::{of_number, tried};
use crate::weights::Draw;
use crate::{Centering, CodecError, Scalar, SettingsError};

/// How the eigenproblem is solved after a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Refresh {
    /// Exactly, up to rounding. The default.
    #[default]
    Exact,
    /// From the last directions and the new point: a fraction of the work if a few directions contain most of the energy. The
    /// learner estimates the error of each fast update and solves exactly if the estimate is too large. This happens after a
    /// change of regime, with clusters, and if the eigenvalues fall slowly. It also solves exactly while the window fills and
    /// every 4·`WINDOW` samples. A stream on which every fast update fails costs more than with `Exact`.
    ///
    /// With `RANK` = `KEEP` + 4 the losses differed from those of `Exact` by less than 10⁻³·k(x, x), on 144 settings with
    /// clusters and changes of regime and on all other streams of `tests/online_kernel`. This is a measurement. The proven bound
    /// is [`excess`](crate::kernel::OnlineKernelPca::excess), which holds for every stream and is about fifty times larger.
    Fast,
}

/// The choices that are stored in one byte of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Choices {
    pub(super) refresh: Refresh,
    pub(super) draw: Draw,
}

/// The settings of an [`OnlineKernelPca`](crate::kernel::OnlineKernelPca).
///
/// ```
/// use eigenstream::kernel::{Ambient, OnlineKernelSettings};
/// let settings = OnlineKernelSettings::new(5.0_f32)?.with_ambient(Ambient::Points);
/// assert_ne!(settings, OnlineKernelSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct OnlineKernelSettings<T> {
    /// The learning rate η of [KW07] Algorithm 6.
    pub(super) learning_rate: T,
    pub(super) ambient: Ambient,
    pub(super) choices: Choices,
    pub(super) centering: Centering,
    /// After a stored sample, `stride` − 1 samples are skipped.
    pub(super) stride: u32,
    /// A sample is stored only if it differs from every point by more than this part.
    pub(super) novelty: T,
}

impl<T: Scalar> OnlineKernelSettings<T> {
    /// Learning rate 1, suitable for kernels with k(x, x) ≤ 1. All other settings are those of the paper, for an infinite feature
    /// space: solved exactly, uncentered, every sample stored, systematic draw.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        ambient: Ambient::Infinite,
        choices: Choices {
            refresh: Refresh::Exact,
            draw: Draw::Systematic,
        },
        centering: Centering::Uncentered,
        stride: 1,
        novelty: T::ZERO,
    };

    /// The default with another learning rate, η in \[KW07\] Algorithm 6.
    ///
    /// The bounds hold for k(x, x) ≤ 1. If k(x, x) is near a value E, η = 1/E learns at an equal pace.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
            ..Self::DEFAULT
        })
    }

    /// Sets the assumption about the directions that the stored points do not span.
    #[must_use]
    pub const fn with_ambient(mut self, ambient: Ambient) -> Self {
        self.ambient = ambient;
        self
    }

    /// Sets how the eigenproblem is solved: exactly or fast.
    #[must_use]
    pub const fn with_refresh(mut self, refresh: Refresh) -> Self {
        self.choices.refresh = refresh;
        self
    }

    /// Sets how the kept directions are drawn. If there are fewer directions than `KEEP`, the remaining places
    /// stay empty.
    #[must_use]
    pub const fn with_draw(mut self, draw: Draw) -> Self {
        self.choices.draw = draw;
        self
    }

    /// Sets the centre of the directions: the mean of the window's features, or zero.
    #[must_use]
    pub const fn with_centering(mut self, centering: Centering) -> Self {
        self.centering = centering;
        self
    }

    /// Stores only every `stride`-th sample in the window, beginning with the first, so that the window covers more time.
    ///
    /// # Errors
    /// [`SettingsError::Stride`] for zero.
    pub const fn with_stride(mut self, stride: u32) -> Result<Self, SettingsError> {
        if stride == 0 {
            return Err(SettingsError::Stride);
        }
        self.stride = stride;
        Ok(self)
    }

    /// Stores a sample in the window only if it is not nearly a duplicate of a stored point, so that the window covers more
    /// different samples. The condition is 1 − k(x, xᵢ)²/(k(x, x)·k(xᵢ, xᵢ)) > ν for every stored point xᵢ, with ν = `novelty`.
    /// The left side is the part of φ(x) that is orthogonal to φ(xᵢ). ν = 0 stores every sample.
    ///
    /// A skipped sample replaces no point: while the stream does not change, the old points stay.
    ///
    /// # Errors
    /// [`SettingsError::Novelty`] unless 0 ≤ ν < 1.
    pub const fn with_novelty(mut self, novelty: T) -> Result<Self, SettingsError> {
        if !of_number!(novelty => novelty >= 0.0 && novelty < 1.0) {
            return Err(SettingsError::Novelty);
        }
        self.novelty = novelty;
        Ok(self)
    }
}

default_is_constant!(OnlineKernelSettings);

/// Images written before the setting `draw` existed contain 0 or 1 here.
impl Stored for Choices {
    const CONTENT: Layout = Layout::Choice {
        variants: &[
            (0, "Exact"),
            (1, "Fast"),
            (2, "Exact, draws corners"),
            (3, "Fast, draws corners"),
        ],
        payload: &[],
    };

    fn store(&self, image: &mut Writer<'_>) {
        image.write([match (self.refresh, self.draw) {
            (Refresh::Exact, Draw::Systematic) => 0,
            (Refresh::Fast, Draw::Systematic) => 1,
            (Refresh::Exact, Draw::Corners) => 2,
            (Refresh::Fast, Draw::Corners) => 3,
        }]);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        let (refresh, draw) = match image.read()? {
            [0] => (Refresh::Exact, Draw::Systematic),
            [1] => (Refresh::Fast, Draw::Systematic),
            [2] => (Refresh::Exact, Draw::Corners),
            [3] => (Refresh::Fast, Draw::Corners),
            _ => return Err(CodecError::Choice),
        };
        Ok(Self { refresh, draw })
    }
}

stored!([T: Scalar] OnlineKernelSettings<T> { learning_rate, ambient, choices, centering, stride, novelty } if validate);

impl<T: Scalar> OnlineKernelSettings<T> {
    fn validate(&self) -> Result<(), CodecError> {
        Self::new(self.learning_rate)?
            .with_stride(self.stride)?
            .with_novelty(self.novelty)?;
        Ok(())
    }
}
