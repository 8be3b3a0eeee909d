//! The learners of eigenstream in Python: numpy arrays in, the bits of a chip out. `table` has the compiled types, `class`
//! the Python class around them; all else is in `python/eigenstream`.

mod batch;
mod class;
mod generator;
mod learners;
mod lists;
mod model;
mod options;
mod refusal;
mod settings;
mod table;
mod verdicts;

/// The compiled part of the package.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::class::Native;
    #[pymodule_export]
    use crate::generator::Random;

    use crate::table::{self, Sizes};
    use eigenstream::SettingsError;
    use eigenstream::bounds::Bounds;
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Every row of the table: learner, bytes of a number, sizes.
    #[pyfunction]
    fn sizes() -> Vec<(&'static str, usize, Sizes)> {
        table::rows()
    }

    /// The bound on the total expected loss, `bounds::Bounds`.
    #[pyfunction]
    #[pyo3(signature = (channels, keep, excess, best_loss, learning_rate, largest_energy, share, trials, segments))]
    #[allow(
        clippy::too_many_arguments,
        reason = "the Python side gives names and defaults to all of them"
    )]
    fn bound(
        channels: usize,
        keep: usize,
        excess: f64,
        best_loss: f64,
        learning_rate: f64,
        largest_energy: Option<f64>,
        share: f64,
        trials: usize,
        segments: usize,
    ) -> PyResult<f64> {
        let refused = |error: SettingsError, given: &str| PyValueError::new_err(format!("{error}: {given}"));
        let mut bounds = Bounds::<f64>::new(channels, keep).with_excess(excess);
        if let Some(energy) = largest_energy {
            bounds = bounds
                .with_largest_energy(energy)
                .map_err(|error| refused(error, &format!("largest_energy is {energy:?}")))?;
        }
        if share > 0.0 {
            bounds = bounds
                .with_share(share, trials, segments)
                .map_err(|error| refused(error, &format!("share is {share:?}")))?;
        }
        Ok(bounds.loss(best_loss, learning_rate))
    }
}
