//! `merge`: merges several learners into one, as the start of a new device.
//! In: images of learners of one kind, size and settings. Out: the image of the merged learner.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use eigenstream::codec::{Header, Kind};
use eigenstream_sizes::learner_of_image;

use crate::{Verdict, counted};

/// Merges images of learners into one image, from which new devices start.
///
/// `TrackingPca`, `CenteredPca` and `BatchPca` can be merged if their settings are equal and forget nothing. The order of the
/// files has a small effect for `TrackingPca`; for the others it changes only the rounding. `BatchPca` is fitted to all samples.
/// The learners must have learned samples of one scale. Models of `fit` have not: each learned samples that were standardised by
/// its own scale.eigs.
///
/// The learners are in f32, and of a size that the tool was built with: `TrackingPca` of at most 64 channels, `CenteredPca` of at
/// most 32, `BatchPca` of at most 16. They can keep 1, 2 or 4 directions, fewer than channels. `TrackingPca` has the default
/// RANK. A program in Rust merges learners of other sizes with their method `merge`.
#[derive(clap::Args)]
#[command(after_help = "Example: eigenstream merge first.eigs second.eigs --out factory.eigs")]
pub struct Arguments {
    /// The images.
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    files: Vec<PathBuf>,
    /// The file for the merged image; its folder is created if it does not exist.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the verb `merge`.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let mut merged = None;
    for file in &arguments.files {
        let shown = file.display();
        let image = fs::read(file).with_context(|| format!("cannot read {shown}"))?;
        let header = Header::read(&image).with_context(|| format!("{shown} is no image"))?;
        if header.kind() == Some(Kind::Monitor) {
            bail!("{shown} is a monitor, whose level and threshold belong to one device: merge the images of learners");
        }
        if header.precision() != 4 {
            bail!("{shown} is a learner in f64: only learners in f32 can be merged");
        }
        let learner = learner_of_image(&image).map_err(|refusal| anyhow!("{shown} cannot be merged: {refusal}"))?;
        match &mut merged {
            None => merged = Some(learner),
            Some(merged) => merged
                .merge(&image)
                .map_err(|refusal| anyhow!("{shown} cannot be merged with the others: {refusal}"))?,
        }
    }
    let mut merged = merged.context("there is nothing to merge")?;
    // `merge` leaves the directions of the first image.
    merged.fit();
    if let Some(folder) = arguments.out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(&arguments.out, merged.encode()).with_context(|| format!("cannot write {}", arguments.out.display()))?;
    writeln!(
        io::stdout(),
        "{} learners of {} and {} in {}",
        arguments.files.len(),
        counted(merged.channels() as u64, "channel"),
        counted(merged.samples_seen(), "sample"),
        arguments.out.display()
    )?;
    Ok(Verdict::Holds)
}

#[cfg(test)]
mod tests {
    use eigenstream::monitor::MonitorSettings;
    use eigenstream::pca::BatchPca;
    use eigenstream::{Centering, Codec};
    use eigenstream_sizes::{Shape, batch, standard};

    use super::*;

    #[test]
    fn two_devices_become_one_start() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("eigenstream-merge-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let mut whole = batch(Shape::new(2, 1), Centering::Centered).context("no such size")?;
        let mut files = Vec::new();
        for device in 0..3_u8 {
            let mut learner = batch(Shape::new(2, 1), Centering::Centered).context("no such size")?;
            for step in 0..8_u8 {
                let sample = [f32::from(step), f32::from(device)];
                learner.learn(&sample)?;
                whole.learn(&sample)?;
            }
            learner.fit();
            files.push(folder.join(format!("{device}.eigs")));
            fs::write(&files[usize::from(device)], learner.encode())?;
        }
        let out = folder.join("new/factory.eigs");
        let arguments = Arguments {
            files,
            out: out.clone(),
        };
        assert_eq!(run(&arguments)?, Verdict::Holds);
        let factory = learner_of_image(&fs::read(&out)?)?;
        whole.fit();
        assert_eq!(factory.samples_seen(), 24);
        assert!((factory.score(&[3.0, 9.0])? - whole.score(&[3.0, 9.0])?).abs() < 1e-4);
        // An image of a monitor is refused.
        let monitor = standard(2, MonitorSettings::DEFAULT).context("no such size")?;
        fs::write(&out, monitor.encode())?;
        let refused = run(&Arguments {
            files: vec![out.clone(), out.clone()],
            out,
        });
        assert!(refused.is_err_and(|error| error.to_string().contains("is a monitor")));
        let out = folder.join("f64.eigs");
        let mut image = vec![0; BatchPca::<f64, 2, 1>::ENCODED_LEN];
        BatchPca::<f64, 2, 1>::new(Centering::Centered).encode(&mut image)?;
        fs::write(&out, image)?;
        let refused = run(&Arguments {
            files: vec![out.clone(), out.clone()],
            out,
        });
        assert!(refused.is_err_and(|error| error.to_string().ends_with("only learners in f32 can be merged")));
        fs::remove_dir_all(folder)?;
        Ok(())
    }
}
