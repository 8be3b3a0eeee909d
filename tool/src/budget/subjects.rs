//! The learners that are measured: those of the table of sizes.
//! In: a size. Out: for each learner the lines of Rust that construct and call it.

use eigenstream_sizes::rank;

use super::learners::Size;

/// The Rust source of one learner.
pub(super) struct Subject {
    /// Name of the learner's variant in the committed measurements.
    pub(super) variant: &'static str,
    /// The type of the learner.
    pub(super) kind: String,
    /// An expression for a new learner; its value is `None` if the settings are refused.
    pub(super) fresh: String,
    /// The call that is measured.
    pub(super) call: &'static str,
    /// A condition on the number of `calls`: if it is true, the sample contains a fault.
    pub(super) fault: &'static str,
}

/// Scores and learns each sample, as a monitor does.
const SCORE_AND_LEARN: &str = "(subject.score(black_box(sample)), subject.learn(sample))";
/// A fault in 3 of 50 calls.
const FAULTS: &str = "calls % 50 > 46";

/// A program without a learner. Its flash is subtracted from the flash of the other programs.
pub(super) const EMPTY: &str = "empty";

/// All learners of a size, and the empty program.
pub(super) fn subjects(size: Size) -> Vec<Subject> {
    let Size { dim, keep, .. } = size;
    let made = |name: &str, settings: &str| format!("Some({name}::new({settings}))");
    let mut all = vec![
        Subject {
            variant: EMPTY,
            kind: "u32".into(),
            fresh: "Some(0)".into(),
            call: "(subject, sample)",
            fault: "false",
        },
        Subject {
            variant: "monitor",
            kind: format!("eigenstream::monitor::SensorMonitor<f32, {dim}>"),
            fresh: "Some(Subject::standard(eigenstream::monitor::MonitorSettings::DEFAULT))".into(),
            call: "subject.observe(black_box(sample))",
            // After the calibration.
            fault: "calls > 2_800",
        },
    ];
    let mut learner = |variant, kind: String, fresh: String, call| {
        all.push(Subject {
            variant,
            kind,
            fresh,
            call,
            fault: FAULTS,
        });
    };
    if keep < dim {
        for (variant, name, sizes, settings) in [
            (
                "tracking",
                "eigenstream::pca::TrackingPca",
                format!("{dim}, {keep}, {}", rank(dim, keep)),
                "eigenstream::pca::TrackingSettings::DEFAULT",
            ),
            (
                "centered",
                "eigenstream::pca::CenteredPca",
                format!("{dim}, {keep}"),
                "eigenstream::pca::CenteredSettings::DEFAULT",
            ),
            (
                "density",
                "eigenstream::pca::DensityPca",
                format!("{dim}, {keep}"),
                "eigenstream::pca::DensitySettings::DEFAULT",
            ),
            (
                "gha",
                "eigenstream::hebbian::Gha",
                format!("{dim}, {keep}"),
                "eigenstream::hebbian::GhaSettings::DEFAULT",
            ),
        ] {
            learner(
                variant,
                format!("{name}<f32, {sizes}>"),
                made(name, settings),
                SCORE_AND_LEARN,
            );
        }
        learner(
            "batch",
            format!("eigenstream::pca::BatchPca<f32, {dim}, {keep}>"),
            made("eigenstream::pca::BatchPca", "eigenstream::Centering::Centered"),
            "(subject.learn(black_box(sample)), subject.fit())",
        );
    }
    if let Some(window) = size.window {
        for (variant, refresh) in [("kernel_exact", "Exact"), ("kernel_fast", "Fast")] {
            let room = window.min(2 * keep + 2);
            learner(
                variant,
                format!(
                    "eigenstream::kernel::OnlineKernelPca<f32, eigenstream::kernel::Gaussian<f32>, {dim}, {keep}, {window}, {room}>"
                ),
                format!(
                    "Some(eigenstream::kernel::OnlineKernelPca::new(eigenstream::kernel::Gaussian::DEFAULT, \
                     eigenstream::kernel::OnlineKernelSettings::DEFAULT.with_refresh(eigenstream::kernel::Refresh::{refresh})))"
                ),
                SCORE_AND_LEARN,
            );
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learner_that_the_size_does_not_have_is_left_out() {
        let variants = |dim, keep, window| -> Vec<&str> {
            let all = subjects(Size { dim, keep, window });
            all.iter().map(|subject| subject.variant).collect()
        };
        assert_eq!(
            variants(20, 2, None),
            ["empty", "monitor", "tracking", "centered", "density", "gha", "batch"]
        );
        assert_eq!(
            variants(2, 3, Some(8)),
            ["empty", "monitor", "kernel_exact", "kernel_fast"]
        );
    }
}
