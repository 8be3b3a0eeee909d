//! `golden`: runs the golden vectors through the crate.
//! In: a folder of JSON files; `tests/data/golden/README.md` describes them. Out: for each file and precision the cases
//! passed, failed and unsupported, and the worst error divided by its tolerance.
//! A new algorithm needs a function that runs its cases, and an entry in [`ALGORITHMS`].

mod batch;
mod bounds;
mod centered;
mod check;
mod decomposition;
mod eigen;
mod hebbian;
mod hedge;
mod kernel_batch;
mod kernel_models;
mod kernels;
mod leaders;
mod merging;
mod online_kernel;
mod online_pca;
mod paired;
mod priors;
mod rank_cap;
mod report;
mod schema;
mod shifting;
mod sizes;
mod subsets;
mod trials;
mod variance;
mod weights;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;

use crate::Verdict;
pub(crate) use check::Precision;
use check::{Check, Refusal};
pub(crate) use report::FileReport;
use schema::{Case, GoldenFile};

/// Runs every golden file in a folder and compares the results of the crate with the expected ones.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness golden tests/data/golden --precision f32")]
pub(crate) struct Arguments {
    /// Folder with the golden files.
    directory: PathBuf,
    /// Run only this number type; both if not given.
    #[arg(long)]
    precision: Option<Precision>,
    /// Print only a JSON array on standard output.
    #[arg(long)]
    json: bool,
}

/// The functions for the cases of a file, and how to recognise the file.
struct Algorithm {
    /// Prefix of the file name.
    file: &'static str,
    /// The value of `algo` in the file, which identifies a file with another name.
    description: &'static str,
    single: Runner,
    double: Runner,
}

type Runner = fn(&Case, &mut Check) -> Result<(), Refusal>;

/// An entry of [`ALGORITHMS`]: prefix, description, and a function generic over the number type.
macro_rules! algorithm {
    ($file:literal, $description:literal, $module:ident :: $run:ident) => {
        Algorithm {
            file: $file,
            description: $description,
            single: $module::$run::<f32>,
            double: $module::$run::<f64>,
        }
    };
}

const ALGORITHMS: &[Algorithm] = &[
    algorithm!(
        "01_softmin_hedge",
        "softmin/Hedge (002 Alg 1, 001)",
        weights::softmin_or_hedge
    ),
    algorithm!(
        "02_capping",
        "capping (002 Alg 4 / 000 Alg 5); op=cap plain incl. zero rule, op=cap_log q=d*w from unnormalised log weights",
        weights::capping
    ),
    algorithm!("03_decomposition", "002 Alg 2", decomposition::run),
    algorithm!("04_capped_hedge", "002 Alg 3 (normaliser corrected)", hedge::capped),
    algorithm!("05_dp_sets", "002 section 4.1 product-weight set experts", subsets::run),
    algorithm!(
        "06_leaders",
        "Follow the (Perturbed) Leader and 002 section 7 adversary",
        leaders::run
    ),
    algorithm!(
        "07_variance_min",
        "001 variance minimisation with density matrices",
        variance::run
    ),
    algorithm!(
        "08_online_pca",
        "002 Alg 5 (X: rank one instances, S: general symmetric instances)",
        online_pca::run
    ),
    algorithm!(
        "09_centered_online_pca",
        "002 Alg 6 (inv_etat = 1/eta-tilde; \"inf\" = clamped centre; with m0=0 the uncentered version)",
        centered::run
    ),
    algorithm!(
        "10_share",
        "002 section 8: Alg 5 + share update (uniform / eq 20 literal = post-mixing W^q / pre-mixing posteriors)",
        online_pca::shared
    ),
    algorithm!(
        "11_online_to_batch",
        "002 section 6.3: average of W^0..W^{T-1} of Alg 5",
        online_pca::averaged
    ),
    algorithm!("12_batch_pca", "batch PCA", batch::run),
    algorithm!("15_online_kpca", "000 Alg 6, unwindowed", online_kernel::run),
    algorithm!(
        "16_online_kpca_window",
        "000 Alg 6 with only the last M points",
        online_kernel::run
    ),
    algorithm!(
        "13_batch_kpca",
        "000 Alg 2 (centered=false), 003 (centered=true), Cholesky view",
        kernel_batch::run
    ),
    algorithm!("14_krr_mean_preimage", "003", kernel_models::run),
    algorithm!(
        "17_oja",
        "004 linear Oja (2)-(6), kernel Oja (17)-(40) with eta restored",
        hebbian::run
    ),
    algorithm!(
        "18_apex",
        "004 APEX corrected: yt=w.x+a.y; w+=eta yt(x-yt w); a-=eta yt(y+yt a)",
        hebbian::run
    ),
    algorithm!(
        "19_gha",
        "004 (12)-(13),(54)-(61): beta=1 GHA/Sanger, beta=2 Oja SGA; shared point list, init points first",
        hebbian::run
    ),
    algorithm!(
        "20_rates_bounds",
        "eq (3),(4),(7), Thm 1/3/6/8, Cor 9; 000 (6) corrected,(7)",
        bounds::run
    ),
    algorithm!("21_symmetric_eigen", "symmetric_eigen", eigen::run),
    algorithm!(
        "22_paired_pca",
        "asymmetric PCA by the symmetric embedding (002 section 9, 001): pairs (u,v) of two sensor groups",
        paired::run
    ),
    algorithm!(
        "23_shifting",
        "bound against s segments, share for experts, best partition in hindsight",
        shifting::run
    ),
    algorithm!(
        "24_priors",
        "any start: Hedge from w0 in the capped simplex, Algorithm 5 from k directions with probabilities (the rest shares what is left of k evenly)",
        priors::run
    ),
    algorithm!(
        "25_additive",
        "additive family: P <- Euclidean projection of P + eta x x^T onto {0 <= P <= I, tr P = k}",
        online_pca::additive
    ),
    algorithm!(
        "26_rank_cap",
        "Algorithm 5 in low rank with the Frequent Directions rank cap, and the certificate",
        rank_cap::run
    ),
    algorithm!(
        "27_gp_variance",
        "posterior variance beside kernel ridge: k(x,x) - y^T (K + rho I)^-1 y",
        kernel_models::variances
    ),
    algorithm!(
        "28_set_expert_learner",
        "sets of d experts with product weights exp(-eta L), by dynamic programming (002 section 4.1)",
        hedge::sets
    ),
    algorithm!(
        "29_merging",
        "batch PCA of parts merged = batch PCA of all, in any order",
        merging::run
    ),
];

/// Message for a case that panicked.
const PANICKED: &str = "it panicked";

/// The name of a file that lists sizes and has no cases.
const SIZES_FILE: &str = "sizes.json";

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let precisions = arguments
        .precision
        .as_ref()
        .map_or(Precision::value_variants(), std::slice::from_ref);
    let reports = run_folder(&arguments.directory, precisions)?;
    if arguments.json {
        report::print_json(&reports)?
    } else {
        report::print_table(&reports)?
    }
    Ok(Verdict::of_failures(reports.iter().map(|report| report.failed).sum()))
}

/// Runs every golden file of the folder, sorted by name.
pub(crate) fn run_folder(directory: &Path, precisions: &[Precision]) -> Result<Vec<FileReport>> {
    let files = golden_files(directory)?;
    Ok(files
        .iter()
        .flat_map(|file| precisions.iter().map(|&precision| run_file(file, precision)))
        .collect())
}

fn golden_files(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).map_err(|error| {
        anyhow!(
            "cannot read the folder {} ({error}): name one with golden files in it",
            directory.display()
        )
    })?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry
            .with_context(|| format!("cannot list {}", directory.display()))?
            .path();
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        if is_json && !path.ends_with(SIZES_FILE) {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!(
            "there is no golden file (*.json) in {}: name a folder that has some",
            directory.display()
        );
    }
    files.sort();
    Ok(files)
}

/// Runs one file; a file that cannot be read counts as one failure.
fn run_file(path: &Path, precision: Precision) -> FileReport {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut report = FileReport::new(&name, precision);
    match fs::read_to_string(path)
        .map_err(|error| error.to_string())
        .and_then(|text| GoldenFile::parse(&text))
    {
        Ok(file) => run_cases(&file, precision, &mut report),
        Err(message) => report.fail(&name, &message),
    }
    report
}

/// Runs a text that may be a golden file; an error means that a case panicked.
pub(crate) fn examine(name: &str, text: &str) -> Result<(), String> {
    let Ok(file) = GoldenFile::parse(text) else {
        return Ok(());
    };
    for &precision in Precision::value_variants() {
        let mut report = FileReport::new(name, precision);
        run_cases(&file, precision, &mut report);
        if let Some(failure) = report.failures.iter().find(|failure| failure.message == PANICKED) {
            return Err(format!("{} panicked", failure.case));
        }
    }
    Ok(())
}

fn algorithm_of(file: &str, description: &str) -> Option<&'static Algorithm> {
    let by_name = ALGORITHMS.iter().find(|algorithm| file.starts_with(algorithm.file));
    by_name.or_else(|| ALGORITHMS.iter().find(|algorithm| description == algorithm.description))
}

fn run_cases(file: &GoldenFile, precision: Precision, report: &mut FileReport) {
    if file.cases.is_empty() {
        let name = report.file.clone();
        report.fail(&name, "there is no case in it");
    }
    let Some(algorithm) = algorithm_of(&report.file, &file.algorithm) else {
        let reason = format!("no runner for `{}`", file.algorithm);
        (0..file.cases.len()).for_each(|_| report.leave_out(&reason));
        return;
    };
    let runner = match precision {
        Precision::F32 => algorithm.single,
        Precision::F64 => algorithm.double,
    };
    for (position, case) in file.cases.iter().enumerate() {
        let name = schema::case_name(case, position);
        let outcome = Case::new(case).map_err(Refusal::Failed).and_then(|case| {
            let mut check = Check::new(precision, case.tolerance, &name);
            // A panic fails this case; the other cases still run.
            let ending = panic::catch_unwind(AssertUnwindSafe(|| runner(&case, &mut check)));
            ending
                .unwrap_or_else(|_| Err(Refusal::Failed(PANICKED.into())))
                .map(|()| check)
        });
        match outcome {
            Ok(check) => report.record(&name, check),
            Err(Refusal::Unsupported(reason)) => report.leave_out(&reason),
            Err(Refusal::Failed(message)) => report.fail(&name, &message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report_of(file: &str, text: &str) -> FileReport {
        let mut report = FileReport::new(file, Precision::F64);
        match GoldenFile::parse(text) {
            Ok(golden) => run_cases(&golden, Precision::F64, &mut report),
            Err(message) => report.fail(file, &message),
        }
        report
    }

    fn counts(report: &FileReport) -> (usize, usize, usize) {
        (report.passed, report.failed, report.unsupported)
    }

    const GOOD: &str = r#"{"name":"good","in":{"op":"cap","w":[0.5,0.5],"d":1},
        "out":{"w":[0.5,0.5],"ncapped":0},"tol":1e-12}"#;

    fn capping_file(cases: &str) -> String {
        format!(r#"{{"algo":"capping","note":"","cases":[{cases}]}}"#)
    }

    #[test]
    fn a_good_case_passes() {
        assert_eq!(counts(&report_of("02_capping.json", &capping_file(GOOD))), (1, 0, 0));
    }

    #[test]
    fn a_wrong_expected_value_fails_with_the_name_of_its_case() {
        let wrong = GOOD.replace(r#""out":{"w":[0.5,0.5]"#, r#""out":{"w":[0.5,0.6]"#);
        let report = report_of("02_capping.json", &capping_file(&wrong));
        assert_eq!(counts(&report), (0, 1, 0));
        assert_eq!(report.failures[0].case, "good");
        assert!(report.worst.is_some_and(|worst| worst > 1e10));
    }

    #[test]
    fn a_truncated_file_fails_with_one_message() {
        let text = capping_file(GOOD);
        let report = report_of("02_capping.json", &text[..text.len() / 2]);
        assert_eq!(counts(&report), (0, 1, 0));
        assert!(report.failures[0].message.starts_with("not valid JSON"));
    }

    #[test]
    fn a_file_without_a_case_fails() {
        let report = report_of("02_capping.json", &capping_file(""));
        assert_eq!(counts(&report), (0, 1, 0));
        assert_eq!(report.failures[0].message, "there is no case in it");
    }

    #[test]
    fn a_case_with_a_missing_key_fails_and_the_others_run() {
        let missing = GOOD.replace(r#""d":1"#, r#""e":1"#);
        let report = report_of("02_capping.json", &capping_file(&format!("{missing},{GOOD}")));
        assert_eq!(counts(&report), (1, 1, 0));
        assert_eq!(report.failures[0].message, "the key `d` is missing under `in`");
    }

    #[test]
    fn a_file_is_recognised_by_its_name_or_by_its_description() {
        let told = |file, description| algorithm_of(file, description).map(|algorithm| algorithm.file);
        assert_eq!(told("03_decomposition_more.json", ""), Some("03_decomposition"));
        assert_eq!(told("more.json", "symmetric_eigen"), Some("21_symmetric_eigen"));
        assert_eq!(told("more.json", "novel"), None);
    }

    #[test]
    fn an_unknown_algorithm_or_operation_is_unsupported() {
        let report = report_of("99_novel.json", &capping_file(GOOD));
        assert_eq!(counts(&report), (0, 0, 1));
        // The gate fails if any case is not supported.
        let complaints: Vec<String> = report.complaints().collect();
        assert_eq!(complaints, ["99_novel.json f64: 1 cases are not supported"]);
        let novel = GOOD.replace(r#""op":"cap""#, r#""op":"novel""#);
        assert_eq!(counts(&report_of("02_capping.json", &capping_file(&novel))), (0, 0, 1));
    }
}
