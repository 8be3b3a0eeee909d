//! A cost model: non-negative coefficients of a few terms, fitted to measurements.
//! In: rows of terms, and the measured value of each row. Out: coefficients c ≥ 0 that minimise Σ((Σ c·term −
//! measured)/measured)².
//! Method: coordinate descent; each coefficient in turn is set to its best value, or to zero if this value is negative. There
//! are two reasons for c ≥ 0: every part of a cost is positive, and a model without negative coefficients does not oscillate
//! between the sizes of the fit.

/// Rounds over all coefficients. A fit has few terms, and the coefficients converge after far fewer rounds.
const ROUNDS: usize = 4_000;

/// The fitted coefficients.
pub(super) fn fit<const TERMS: usize>(terms: &[[f64; TERMS]], measured: &[f64]) -> [f64; TERMS] {
    // Divides every row by its measured value: the error becomes relative, and every target becomes 1.
    let scaled: Vec<[f64; TERMS]> = terms
        .iter()
        .zip(measured)
        .map(|(row, &value)| row.map(|term| term / value))
        .collect();
    let energies: [f64; TERMS] = std::array::from_fn(|term| scaled.iter().map(|row| row[term] * row[term]).sum());
    let mut coefficients = [0.0; TERMS];
    // `rests` is the target minus the prediction of each row. It is updated in each step, so that a step costs two passes over
    // the rows.
    let mut rests = vec![1.0; scaled.len()];
    for _ in 0..ROUNDS {
        for term in 0..TERMS {
            if energies[term] <= 0.0 {
                continue;
            }
            let along: f64 = scaled.iter().zip(&rests).map(|(row, rest)| row[term] * rest).sum();
            let moved = (coefficients[term] + along / energies[term]).max(0.0);
            let step = moved - coefficients[term];
            coefficients[term] = moved;
            for (rest, row) in rests.iter_mut().zip(&scaled) {
                *rest -= step * row[term];
            }
        }
    }
    coefficients
}

/// The prediction of the model.
pub(super) fn predict<const TERMS: usize>(terms: &[f64; TERMS], coefficients: &[f64; TERMS]) -> f64 {
    terms
        .iter()
        .zip(coefficients)
        .map(|(term, coefficient)| term * coefficient)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_is_found_again() {
        // The measured function is 500 + 20 n².
        let sizes = [3.0, 6.0, 12.0, 24.0];
        let terms = sizes.map(|n| [1.0, n, n * n]);
        let measured = sizes.map(|n| 500.0 + 20.0 * n * n);
        let found = fit(&terms, &measured);
        assert!((predict(&[1.0, 8.0, 64.0], &found) - 1780.0).abs() < 2.0, "{found:?}");
    }

    #[test]
    fn no_coefficient_is_negative() {
        let found = fit(&[[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], &[3.0, 2.0, 1.0]);
        assert!(found.iter().all(|&coefficient| coefficient >= 0.0));
    }
}
