//! Posterior variance of a `KernelRidge` with hostile samples, targets and settings.
//! Checked: no panic, and the variance lies between zero and 1, the Gaussian kernel of a sample with itself, even if
//! the fit of the Cholesky factor was refused.

use crate::dice::Dice;
use crate::learners::DIM;
use eigenstream::Scalar;
use eigenstream::kernel::{Gaussian, GramWindow, KernelRidge, RidgeSettings};
use eigenstream::spectrum::Cholesky;

const WINDOW: usize = 6;

pub(crate) fn execute<T: Scalar>(dice: &mut Dice) -> Result<(), String> {
    let mut window = GramWindow::<T, Gaussian<T>, DIM, WINDOW>::new(Gaussian::DEFAULT);
    for _ in 0..dice.below(2 * WINDOW) {
        // The target `calls` checks refused points.
        let _ = window.push(&dice.sample().map(T::from_f64));
    }
    let regularization = T::from_f64(dice.number());
    let settings = RidgeSettings::new(regularization).unwrap_or(RidgeSettings::DEFAULT);
    let mut ridge = KernelRidge::new(Gaussian::DEFAULT, settings);
    let targets = [(); WINDOW].map(|()| T::from_f64(dice.number()));
    let mut factor = Cholesky::new();
    let _ = ridge.fit(&window, &targets, &mut factor);
    for _ in 0..4 {
        let sample: [f64; DIM] = dice.sample();
        match ridge.variance(&sample.map(T::from_f64), &factor) {
            Ok(variance) if variance >= T::ZERO && variance <= T::ONE => (),
            Ok(variance) => return Err(format!("a variance of {variance} at {sample:?}")),
            Err(_) => (),
        }
    }
    Ok(())
}
