//! Textbook detectors, to compare with the monitor.
//! Method: channels are standardised by the training rows. *Mahalanobis*: dᵀC⁻¹d, with d a mean of 15 rows minus the
//! average of such means in training, and C their covariance. *T² + Q*: PCA with 95 % of the variance; T² = Σ yᵢ²/λᵢ
//! with the coordinates yᵢ and eigenvalues λᵢ, and Q is the residual energy of the row. T² and Q are each divided by
//! their 0.99 quantile in training and added; the score is the mean of this sum over the row and the 14 rows before it.
//! A row is in alarm if its score is above the largest score of the training; the first 15 scores are left out of this
//! maximum.
//!
//! The labels were used to choose 15 rows, 95 % and this threshold, which favours these detectors.

const WINDOW: usize = 15;
/// The part of the variance that the kept directions explain.
const EXPLAINED: f64 = 0.95;
/// Number of sweeps of Jacobi's method.
const SWEEPS: usize = 30;
/// Number added to the diagonal of a covariance, because some channels are constant in training.
const RIDGE: f64 = 1e-6;

/// The detector that judges the recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Detector {
    /// The default monitor.
    Monitor,
    /// The squared Mahalanobis distance of a mean of 15 rows.
    Mahalanobis,
    /// PCA: squared Mahalanobis distance inside the subspace (T²) plus residual energy (Q), each divided by its 0.99
    /// quantile in training; the mean of the sum over 15 rows.
    Statistics,
}

/// The score and the alarm of each row after the first `training` rows.
pub(super) fn watch(detector: Detector, samples: &[Vec<f32>], training: usize) -> Vec<(f32, bool)> {
    let rows = standardised(samples, training);
    let scores = match detector {
        Detector::Statistics => statistics(&rows, training),
        Detector::Monitor | Detector::Mahalanobis => mahalanobis(&rows, training),
    };
    // The first trailing means are over fewer rows, so they do not set the threshold.
    let usual = scores.iter().take(training).skip(WINDOW).copied();
    let threshold = usual.fold(0.0, f64::max);
    let judged = scores.iter().skip(training);
    judged.map(|&score| (score as f32, score > threshold)).collect()
}

/// Each channel minus its mean, divided by its standard deviation, both from the training rows; a gap becomes zero, a
/// constant channel is not scaled.
fn standardised(samples: &[Vec<f32>], training: usize) -> Vec<Vec<f64>> {
    let channels = samples.first().map_or(0, Vec::len);
    let mut rows = vec![vec![0.0; channels]; samples.len()];
    for channel in 0..channels {
        let value = |sample: &Vec<f32>| Some(f64::from(sample[channel])).filter(|value| value.is_finite());
        let taught: Vec<f64> = samples.iter().take(training).filter_map(value).collect();
        let mean = taught.iter().sum::<f64>() / taught.len().max(1) as f64;
        let variance = taught.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / taught.len().max(1) as f64;
        let unit = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        for (row, sample) in rows.iter_mut().zip(samples) {
            row[channel] = value(sample).map_or(0.0, |value| (value - mean) / unit);
        }
    }
    rows
}

fn mahalanobis(rows: &[Vec<f64>], training: usize) -> Vec<f64> {
    let rows = trailing_mean(rows);
    let (mean, mut covariance) = moments(&rows, training);
    for (i, row) in covariance.iter_mut().enumerate() {
        row[i] += RIDGE;
    }
    let (values, vectors) = eigen(covariance);
    rows.iter()
        .map(|row| {
            let deviation: Vec<f64> = row.iter().zip(&mean).map(|(value, mean)| value - mean).collect();
            let parts = values.iter().zip(&vectors);
            parts
                .map(|(value, vector)| dot(&deviation, vector).powi(2) / value.max(RIDGE))
                .sum()
        })
        .collect()
}

fn statistics(rows: &[Vec<f64>], training: usize) -> Vec<f64> {
    let (_, covariance) = moments(rows, training);
    let (values, vectors) = eigen(covariance);
    let total: f64 = values.iter().sum();
    let (mut explained, mut keep) = (0.0, 0);
    while keep < values.len() && explained < EXPLAINED * total {
        explained += values[keep];
        keep += 1;
    }
    let (mut places, mut losses) = (Vec::new(), Vec::new());
    for row in rows {
        let (mut place, mut loss) = (0.0, dot(row, row));
        for (value, vector) in values.iter().zip(&vectors).take(keep) {
            let energy = dot(row, vector).powi(2);
            place += energy / value.max(1e-9);
            loss -= energy;
        }
        places.push(place);
        losses.push(loss.max(0.0));
    }
    let units = [&places, &losses].map(|scores| quantile(&scores[..training], 0.99).max(1e-12));
    let sums: Vec<Vec<f64>> = places
        .iter()
        .zip(&losses)
        .map(|(place, loss)| vec![place / units[0] + loss / units[1]])
        .collect();
    trailing_mean(&sums).into_iter().map(|sum| sum[0]).collect()
}

/// The mean of each row and of up to 14 rows before it.
fn trailing_mean(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mean = |end: usize| {
        let part = &rows[(end + 1).saturating_sub(WINDOW)..=end];
        let channels = 0..rows[end].len();
        channels
            .map(|channel| part.iter().map(|row| row[channel]).sum::<f64>() / part.len() as f64)
            .collect()
    };
    (0..rows.len()).map(mean).collect()
}

/// Mean and covariance of the first `training` rows.
fn moments(rows: &[Vec<f64>], training: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let rows = &rows[..training.min(rows.len())];
    let (channels, count) = (rows.first().map_or(0, Vec::len), rows.len().max(2) as f64);
    let mean: Vec<f64> = (0..channels)
        .map(|channel| rows.iter().map(|row| row[channel]).sum::<f64>() / count)
        .collect();
    let mut covariance = vec![vec![0.0; channels]; channels];
    for row in rows {
        for i in 0..channels {
            for j in 0..channels {
                covariance[i][j] += (row[i] - mean[i]) * (row[j] - mean[j]) / (count - 1.0);
            }
        }
    }
    (mean, covariance)
}

/// Eigenvalues of a symmetric matrix, largest first, and the eigenvectors, by Jacobi's rotations.
fn eigen(mut matrix: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let size = matrix.len();
    let mut vectors: Vec<Vec<f64>> = (0..size)
        .map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    for _ in 0..SWEEPS {
        for p in 0..size {
            for q in p + 1..size {
                if matrix[p][q] == 0.0 {
                    continue;
                }
                let ratio = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
                let tangent = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = tangent * cosine;
                for row in &mut matrix {
                    (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
                }
                for column in 0..size {
                    let (a, b) = (matrix[p][column], matrix[q][column]);
                    (matrix[p][column], matrix[q][column]) = (cosine * a - sine * b, sine * a + cosine * b);
                    let (a, b) = (vectors[p][column], vectors[q][column]);
                    (vectors[p][column], vectors[q][column]) = (cosine * a - sine * b, sine * a + cosine * b);
                }
            }
        }
    }
    let mut pairs: Vec<(f64, Vec<f64>)> = (0..size).map(|i| matrix[i][i]).zip(vectors).collect();
    pairs.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    pairs.into_iter().unzip()
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// The quantile, with linear interpolation.
fn quantile(values: &[f64], probability: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = probability * sorted.len().saturating_sub(1) as f64;
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    let low = place.floor();
    at(low as usize) + (place - low) * (at(place.ceil() as usize) - at(low as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_and_eigenvectors_reproduce_the_matrix() {
        let matrix = vec![vec![2.0, 1.0, 0.0], vec![1.0, 3.0, 0.5], vec![0.0, 0.5, 1.0]];
        let (values, vectors) = eigen(matrix.clone());
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        for i in 0..3 {
            for j in 0..3 {
                let sum: f64 = (0..3).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                assert!((sum - matrix[i][j]).abs() < 1e-12);
            }
        }
        assert_eq!(quantile(&[4.0, 0.0, 2.0], 0.75), 3.0);
    }

    #[test]
    fn both_detectors_find_a_channel_with_an_offset() {
        let noise = |row: usize, prime: usize| (row * prime % 1_009) as f32 / 1_009.0 - 0.5;
        let samples: Vec<Vec<f32>> = (0..1_200)
            .map(|row| {
                let load = 4.0 * noise(row, 613);
                let fault = if row >= 900 { 3.0 } else { 0.0 };
                vec![
                    load + noise(row, 71),
                    2.0 * load + noise(row, 97),
                    5.0 - load + noise(row, 113) + fault,
                ]
            })
            .collect();
        for detector in [Detector::Mahalanobis, Detector::Statistics] {
            let seen = watch(detector, &samples, 600);
            let alarms = |rows: std::ops::Range<usize>| seen[rows].iter().filter(|(_, alarm)| *alarm).count();
            assert_eq!(seen.len(), 600);
            assert!(alarms(0..300) < 30, "{detector:?}: {} false alarms", alarms(0..300));
            assert!(alarms(315..600) > 270, "{detector:?}: {} found", alarms(315..600));
        }
    }
}
