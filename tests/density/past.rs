//! Shares of the past, and how fast a learner recovers after a change.

use super::*;

/// Compares a share of the past with its definition in [WK08], for which this test stores all past density
/// matrices.
fn check_past(share: Share<f64>) {
    const RATE: f64 = 1.0;
    let mut rng = rng(14);
    let settings = DensitySettings::new(RATE).unwrap().with_share(share).unwrap();
    let mut pca = DensityPca::<f64, 4, 2>::new(settings);
    let mut w = SMatrix::<f64, 4, 4>::identity() / 4.0;
    let (mut eigen, mut capped, mut past) = (Eigen::new(), w, vec![w]);
    for trial in 0..40 {
        let instance = instance(&mut rng, trial);
        pca.learn_instance(&instance).unwrap();
        let _ = exponentiated_gradient::<_, 4, 2>(&w, &instance, RATE, &mut eigen, &mut capped).unwrap();
        let mean = past.iter().sum::<SMatrix<f64, 4, 4>>() / past.len() as f64;
        (w, past) = match share {
            Share::PastAverage(part) => {
                let mixed = capped * (1.0 - part) + mean * part;
                (mixed, [past, vec![mixed]].concat())
            }
            Share::PastPosteriors(part) => (capped * (1.0 - part) + mean * part, [past, vec![capped]].concat()),
            _ => unreachable!(),
        };
        let error = (density(&pca) - w).abs().max();
        assert!(error < tolerance::TRIALS * f64::EPSILON, "trial {trial}: {error}");
    }
}

#[test]
fn a_share_of_the_past_mixes_in_the_mean_of_all_past_densities() {
    for part in [0.01, 0.3, 1.0] {
        check_past(Share::PastAverage(part));
        check_past(Share::PastPosteriors(part));
    }
}

/// Learns one axis 200 times. Returns after how many samples of a new axis, at most 400, the new axis has a score below
/// one half.
fn trials_to_recover(settings: DensitySettings<f32>) -> usize {
    let mut pca = DensityPca::<f32, 4, 1>::new(settings);
    for _ in 0..200 {
        pca.learn(&[1.0, 0.0, 0.0, 0.0]).unwrap();
    }
    let novel = [0.0, 1.0, 0.0, 0.0];
    (0..400)
        .find(|_| {
            let score = pca.score(&novel).unwrap();
            pca.learn(&novel).unwrap();
            score < 0.5
        })
        .unwrap_or(400)
}

#[test]
fn a_share_or_a_ceiling_shortens_the_recovery() {
    let paper = DensitySettings::new(1.0_f32).unwrap();
    // Each trial adds 1 to the evidence of the new axis, so recovery takes about as many trials as the old axis has
    // evidence: 200, 14 with the ceiling, and −ln(α/4) = 8.3 with the share α = 10⁻³.
    let recovered = trials_to_recover(paper);
    assert!((195..205).contains(&recovered), "{recovered}");
    let recovered = trials_to_recover(paper.with_ceiling(14.0).unwrap());
    assert!((12..17).contains(&recovered), "{recovered}");
    let recovered = trials_to_recover(paper.with_share(Share::Uniform(1e-3)).unwrap());
    assert!((4..10).contains(&recovered), "{recovered}");
    let recovered = trials_to_recover(paper.with_share(Share::PastAverage(1e-3)).unwrap());
    assert!(recovered < 16, "{recovered}");
}
