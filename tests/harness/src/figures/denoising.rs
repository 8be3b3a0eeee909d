//! Denoising, as in `examples/denoise.rs`.
//! In: one slow rotation of a shaft in four channels, then noisier samples at random angles. Out: the curve, the noisy
//! samples and the samples denoised by kernel PCA and the pre-image, and the claims: kernel PCA reduces the error,
//! linear PCA does not.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use anyhow::Result;
use eigenstream::kernel::{Gaussian, GramEigen, GramWindow, KernelPca, PreimageSettings};
use eigenstream::pca::BatchPca;
use eigenstream::rand_core::SeedableRng;
use eigenstream::{Centering, Scalar};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Claim, Figure};
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};

const DIM: usize = 4;
const WINDOW: usize = 16;
const KEEP: usize = 8;
const TESTS: usize = 120;
/// The parameter γ of the Gaussian kernel.
const GAMMA: f64 = 0.5;
/// During learning, the noise of each channel is uniform between minus and plus this number; after it, [`NOISE`] is the
/// number.
const LEARNING_NOISE: f64 = 0.05;
const NOISE: f64 = 0.3;

type Sample = [f64; DIM];

/// Samples of one seed: without noise, with noise, and corrected by kernel PCA (`clean`) and by linear PCA (`flat`).
struct Samples {
    truth: Vec<Sample>,
    noisy: Vec<Sample>,
    clean: Vec<Sample>,
    flat: Vec<Sample>,
}

impl Samples {
    fn of(seed: u64) -> Result<Self> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let kernel = Gaussian::new(GAMMA)?;
        let mut window = GramWindow::<f64, _, DIM, WINDOW>::new(kernel);
        let mut linear = BatchPca::<f64, DIM, 2>::new(Centering::Centered);
        for step in 0..WINDOW {
            let sample = noisy(curve(step as f64 / WINDOW as f64), LEARNING_NOISE, &mut rng);
            window.push(&sample)?;
            linear.learn(&sample)?;
        }
        let _ = linear.fit();
        let mut pca = KernelPca::<f64, _, DIM, KEEP, WINDOW>::new(kernel, Centering::Centered);
        let _ = pca.fit(&window, &mut GramEigen::new());

        let truth: Vec<Sample> = (0..TESTS).map(|_| curve(f64::uniform(&mut rng))).collect();
        let noisy: Vec<Sample> = truth.iter().map(|&sample| noisy(sample, NOISE, &mut rng)).collect();
        let clean = |sample| Ok(pca.denoise(sample, PreimageSettings::DEFAULT)?.sample);
        let flat = |sample| Ok(linear.inverse_transform(&linear.transform(sample)?)?);
        Ok(Self {
            clean: noisy.iter().map(clean).collect::<Result<_>>()?,
            flat: noisy.iter().map(flat).collect::<Result<_>>()?,
            truth,
            noisy,
        })
    }

    /// Root mean square of the distance to the truth: with noise, by kernel PCA, by linear PCA.
    fn errors(&self) -> [f64; 3] {
        [&self.noisy, &self.clean, &self.flat].map(|answers| {
            let squares = answers.iter().zip(&self.truth).flat_map(|(answer, truth)| {
                let pairs = answer.iter().zip(truth);
                pairs.map(|(answer, truth)| (answer - truth).powi(2))
            });
            (squares.sum::<f64>() / self.truth.len() as f64).sqrt()
        })
    }
}

/// Draws the samples of the first of three seeds, and reports the errors of all.
pub(super) fn figure() -> Result<Figure> {
    let seeds = [1, 2, 3];
    let mut report = vec!["distance to the truth, root mean square".to_owned()];
    report.push("seed   noisy  kernel PCA, pre-image  linear PCA, 2 directions".to_owned());
    let mut claims = Vec::new();
    for seed in seeds {
        let errors = Samples::of(seed)?.errors();
        let [noisy, clean, flat] = errors;
        report.push(format!("{seed:>4}  {noisy:>6.3}  {clean:>21.3}  {flat:>24.3}"));
        claims.extend(claims_of(seed, errors));
    }
    Ok(Figure {
        name: "denoising",
        chart: chart(&Samples::of(seeds[0])?),
        report,
        claims,
    })
}

fn claims_of(seed: u64, [noisy, clean, flat]: [f64; 3]) -> [Claim; 2] {
    [
        Claim {
            text: format!("seed {seed}: kernel PCA takes out a third of the noise or more"),
            holds: clean < noisy * 2.0 / 3.0,
        },
        Claim {
            text: format!("seed {seed}: linear PCA takes out more of the signal than of the noise"),
            holds: flat > noisy,
        },
    ]
}

/// The sample without noise after the part `turn` of a whole rotation: cosine and sine of the angle and of twice the
/// angle, times 1/√2.
fn curve(turn: f64) -> Sample {
    let angle = TAU * turn;
    [angle.cos(), angle.sin(), (2.0 * angle).cos(), (2.0 * angle).sin()].map(|channel| FRAC_1_SQRT_2 * channel)
}

fn noisy(sample: Sample, size: f64, rng: &mut Xoshiro256PlusPlus) -> Sample {
    sample.map(|channel| channel + size * (2.0 * f64::uniform(rng) - 1.0))
}

fn chart(samples: &Samples) -> Chart {
    let whole: Vec<Sample> = (0..=200).map(|step| curve(f64::from(step) / 200.0)).collect();
    let panel = |[x, y]: [usize; 2], labels: [&'static str; 2], legend: Legend| {
        let series = |name: &str, colour, look, samples: &[Sample]| Series {
            name: name.to_owned(),
            colour,
            look,
            points: samples.iter().map(|sample| Point::new(sample[x], sample[y])).collect(),
        };
        Panel {
            horizontal: Axis::between(labels[0], -1.2, 1.2),
            vertical: Axis::between(labels[1], -1.2, 1.6),
            series: vec![
                series("without noise", Colour::Black, Look::Line, &whole),
                series("sensors", Colour::Orange, Look::Dots, &samples.noisy),
                series("cleaned", Colour::Blue, Look::Dots, &samples.clean),
            ],
            marks: Vec::new(),
            notes: Vec::new(),
            legend,
        }
    };
    Chart {
        title: "Kernel PCA and the pre-image lead noisy samples back to the curve".into(),
        panels: vec![
            panel([0, 1], ["channel 1", "channel 2"], Legend::UpperRight),
            panel([0, 3], ["channel 1", "channel 4"], Legend::UpperRight),
        ],
        layout: Layout::Beside,
        caption: vec![
            format!(
                "A shaft's angle and its second harmonic in {DIM} channels; {WINDOW} points, {KEEP} directions, Gaussian"
            ),
            format!(
                "kernel, γ = {GAMMA}. {TESTS} samples with noise of ± {NOISE} in every channel, as examples/denoise.rs."
            ),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_pca_removes_noise_and_linear_pca_does_not() -> Result<()> {
        for seed in [1, 2, 3] {
            let errors = Samples::of(seed)?.errors();
            assert!(claims_of(seed, errors).iter().all(|claim| claim.holds), "{errors:?}");
        }
        Ok(())
    }
}
