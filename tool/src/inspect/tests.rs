//! Tests the text and the picture of stored images and of small learners.

use super::*;
use crate::typed::Typed;
use clap::{CommandFactory, Parser};
use eigenstream::kernel::{Gaussian, KernelPca};
use eigenstream::monitor::{MonitorSettings, SensorMonitor, Threshold};
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::weights::{Hedge, HedgeSettings};
use eigenstream::{Centering, Codec};

#[test]
fn every_stored_image_is_read_to_its_end() {
    let folder = crate::repository().join("tests/data/images");
    let files: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    assert!(files.len() >= 26);
    for file in files {
        let read = fs::read(&file)
            .map_err(Into::into)
            .and_then(|image| Model::read(&image));
        assert!(read.is_ok(), "{}: {:?}", file.display(), read.err());
    }
}

#[test]
fn what_is_shown_is_what_was_learned() {
    let mut pca = TrackingPca::<f32, 5, 1, 3>::new(TrackingSettings::DEFAULT);
    for _ in 0..30 {
        assert!(pca.learn(&[0.0, 0.6, 0.0, -0.8, 0.0]).is_ok());
    }
    let mut image = vec![0; TrackingPca::<f32, 5, 1, 3>::ENCODED_LEN];
    assert!(pca.encode(&mut image).is_ok());
    let model = Model::read(&image).unwrap_or_else(|error| unreachable!("{error:#}"));
    assert_eq!(model.title, "TrackingPca<f32, DIM = 5, KEEP = 1, RANK = 3>");
    assert_eq!(model.count("samples seen"), Some(30));
    let known = directions(&model).map_or(Vec::new(), |directions| directions.list);
    assert!(known[0].importance > 0.99 && (known[0].entries[1].abs() - 0.6).abs() < 1e-5);
    let mut told = Vec::new();
    assert!(summarise(&model, &["current".into()], &mut told).is_ok());
    let told = String::from_utf8(told).unwrap_or_default();
    assert!(told.contains("direction 1, kept with probability 1.0000"), "{told}");
}

#[test]
fn the_sizes_are_in_the_order_of_the_type() -> Result<()> {
    // The image stores WINDOW before KEEP.
    let pca = KernelPca::<f32, _, 5, 2, 7>::new(Gaussian::DEFAULT, Centering::Centered);
    let mut image = vec![0; KernelPca::<f32, Gaussian<f32>, 5, 2, 7>::ENCODED_LEN];
    pca.encode(&mut image)?;
    assert_eq!(
        Model::read(&image)?.title,
        "KernelPca<f32, DIM = 5, KEEP = 2, WINDOW = 7>"
    );
    Ok(())
}

#[test]
fn a_monitor_says_its_phase_and_whether_there_is_an_alarm() -> Result<()> {
    let mut monitor = SensorMonitor::<f32, 1>::standard(MonitorSettings::DEFAULT.with_training(100));
    let mut image = vec![0; SensorMonitor::<f32, 1>::ENCODED_LEN];
    let mut phase_of = |monitor: &SensorMonitor<f32, 1>| {
        monitor.encode(&mut image)?;
        let mut told = Vec::new();
        summarise(&Model::read(&image)?, &[], &mut told)?;
        let told = String::from_utf8(told)?;
        anyhow::Ok(told.lines().next().unwrap_or_default().to_owned())
    };
    assert_eq!(phase_of(&monitor)?, "phase: warmup (seen 0, need 70), no alarm");
    for i in 0..120 {
        monitor.observe(&[((i * 37) % 11) as f32])?;
    }
    assert_eq!(phase_of(&monitor)?, "phase: watching, no alarm");
    for _ in 0..20 {
        monitor.observe(&[500.0])?;
    }
    assert_eq!(phase_of(&monitor)?, "phase: watching, alarm");
    Ok(())
}

#[test]
fn a_dump_of_flash_has_the_length_of_its_image() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("eigenstream-inspect-{}-dump", std::process::id()));
    fs::create_dir_all(&folder)?;
    let arguments = Arguments {
        file: folder.join("page.bin"),
        all: false,
        rust: false,
        columns: Vec::new(),
        out: None,
    };
    let length = SensorMonitor::<f32, 3>::ENCODED_LEN;
    let mut page = vec![0xff; 4_096];
    SensorMonitor::<f32, 3>::standard(MonitorSettings::DEFAULT).encode(&mut page)?;
    for (bytes, says) in [
        (length, format!("\n{length} bytes, checksum fits\n")),
        (
            4_096,
            format!("\n{length} bytes, checksum fits; the file has 4096 bytes\n"),
        ),
    ] {
        fs::write(&arguments.file, &page[..bytes])?;
        let mut told = Vec::new();
        show(&arguments, &mut told)?;
        let told = String::from_utf8(told)?;
        assert!(told.contains(&says), "{told}");
    }
    fs::remove_dir_all(folder)?;
    Ok(())
}

#[test]
fn as_many_names_as_channels_are_wanted() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("eigenstream-inspect-{}-names", std::process::id()));
    fs::create_dir_all(&folder)?;
    let file = folder.join("monitor.eigs");
    let mut image = vec![0; SensorMonitor::<f32, 3>::ENCODED_LEN];
    SensorMonitor::<f32, 3>::standard(MonitorSettings::DEFAULT).encode(&mut image)?;
    fs::write(&file, &image)?;
    let shown = |names: &str| {
        run(&Arguments {
            file: file.clone(),
            all: false,
            rust: false,
            columns: names.split(',').map(str::to_owned).collect(),
            out: None,
        })
    };
    assert_eq!(shown("a,b,c")?, Verdict::Holds);
    for (names, says) in [
        ("a,b", "has 3 channels and --columns has names for 2:"),
        ("a,b,c,d", "has 3 channels and --columns has names for 4:"),
    ] {
        let sentence = shown(names).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(sentence.contains(says), "{sentence}");
    }
    fs::remove_dir_all(folder)?;
    Ok(())
}

#[test]
fn names_are_used_or_refused() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("eigenstream-inspect-{}-every", std::process::id()));
    let mut refused = Vec::new();
    for file in fs::read_dir(crate::repository().join("tests/data/images"))? {
        let file = file?.path();
        let channels = Model::read(&fs::read(&file)?)?
            .channels
            .last()
            .map_or(4, |&count| count);
        let mut told = Vec::new();
        let arguments = Arguments {
            file: file.clone(),
            all: false,
            rust: false,
            columns: (0..channels).map(|channel| format!("name{channel}")).collect(),
            out: Some(folder.join("map.svg")),
        };
        match show(&arguments, &mut told) {
            Ok(_) => {
                let told = String::from_utf8(told)?;
                let last = format!("name{}", channels - 1);
                assert!(
                    told.contains(&last) || told.contains("name3"),
                    "{}: {told}",
                    file.display()
                );
                assert!(!told.contains("channel 0"), "{}: {told}", file.display());
            }
            Err(error) => {
                let sentence = error.to_string();
                assert!(
                    sentence.ends_with(": leave out --columns"),
                    "{}: {sentence}",
                    file.display()
                );
                refused.push(sentence);
            }
        }
    }
    for learner in ["Hedge", "PairedPca"] {
        let sentence = format!("the text on {learner} names no channel: leave out --columns");
        assert!(refused.contains(&sentence), "{learner}: {refused:?}");
    }
    fs::remove_dir_all(folder)?;
    Ok(())
}

#[test]
fn a_kernel_direction_has_an_entry_for_each_point() -> Result<()> {
    let image = fs::read(crate::repository().join("tests/data/images/online_kernel_f32.eigs"))?;
    let mut told = Vec::new();
    summarise(&Model::read(&image)?, &["load".into()], &mut told)?;
    let told = String::from_utf8(told)?;
    assert!(told.contains("\n  point 0 ") && told.contains("\n  point 5 "), "{told}");
    assert!(!told.contains("load") && !told.contains("channel"), "{told}");
    Ok(())
}

#[test]
fn a_mean_has_the_names_of_its_channels() -> Result<()> {
    let image = fs::read(crate::repository().join("tests/data/images/standardizer_f32.eigs"))?;
    let mut told = Vec::new();
    summarise(
        &Model::read(&image)?,
        &["a", "b", "c", "d"].map(str::to_owned),
        &mut told,
    )?;
    let told = String::from_utf8(told)?;
    assert!(
        told.contains("mean: a -0.0527  b -0.1420  c 0.1640  d 0.3427"),
        "{told}"
    );
    Ok(())
}

#[test]
fn a_picture_that_cannot_be_drawn_is_not_left_out_silently() -> Result<()> {
    let images = crate::repository().join("tests/data/images");
    let folder = std::env::temp_dir().join(format!("eigenstream-inspect-{}-picture", std::process::id()));
    for (image, last) in [
        (
            "sensor_monitor_f32.eigs",
            "no picture: the learner of this image has no directions to draw".to_owned(),
        ),
        (
            "tracking_f32.eigs",
            format!("picture: {} and .png", folder.join("map.svg").display()),
        ),
    ] {
        let mut told = Vec::new();
        let arguments = Arguments {
            file: images.join(image),
            all: false,
            rust: false,
            columns: Vec::new(),
            out: Some(folder.join("map.svg")),
        };
        show(&arguments, &mut told)?;
        assert_eq!(String::from_utf8(told)?.lines().last(), Some(last.as_str()));
    }
    assert!(folder.join("map.svg").is_file());
    fs::remove_dir_all(folder)?;
    Ok(())
}

/// `--rust` prints constants only, so an option of the text or of the picture would have no effect.
#[test]
fn constants_are_printed_without_the_options_of_text_and_picture() {
    assert!(Typed::<Arguments>::try_parse_from(["monitor.eigs", "--rust"]).is_ok());
    for typed in [&["--all"][..], &["--out", "map.svg"], &["--columns", "a,b"]] {
        let error = Typed::<Arguments>::try_parse_from([&["monitor.eigs", "--rust"], typed].concat()).err();
        let kind = error.map(|error| error.kind());
        assert_eq!(kind, Some(clap::error::ErrorKind::ArgumentConflict), "{typed:?}");
    }
}

#[test]
fn the_help_names_the_files_of_the_picture() -> Result<()> {
    let arguments = Typed::<Arguments>::try_parse_from(["monitor.eigs"])?.arguments;
    assert_eq!(arguments.out, None);
    let help = Typed::<Arguments>::command().render_help().to_string();
    assert!(
        help.contains(&format!("default {PICTURE} and inspect.png in the current folder")),
        "{help}"
    );
    Ok(())
}

#[test]
fn a_quantile_gives_the_rate_that_a_reader_expects() -> Result<()> {
    for (probability, rate) in [(0.99, 0.01), (0.999, 1e-3), (0.9999, 1e-4), (0.75, 0.25)] {
        let settings = MonitorSettings::DEFAULT.with_threshold(Threshold::quantile(probability)?);
        let mut image = vec![0; SensorMonitor::<f32, 1>::ENCODED_LEN];
        SensorMonitor::<f32, 1>::standard(settings).encode(&mut image)?;
        assert_eq!(expected_rate(&image), Some(rate), "{probability}");
    }
    Ok(())
}

/// The experts of `Hedge` are no channels, and its mean is a mean of probabilities.
#[test]
fn the_mean_of_hedge_is_named_after_its_probabilities() -> Result<()> {
    let told = |image: &[u8]| {
        let mut told = Vec::new();
        summarise(&Model::read(image)?, &[], &mut told)?;
        anyhow::Ok(String::from_utf8(told)?)
    };
    let image = fs::read(crate::repository().join("tests/data/images/hedge_f32.eigs"))?;
    assert_eq!(
        told(&image)?,
        "mean probability of each expert in 40 earlier trials: 0.8025  0.8737  0.2331  0.0907\n"
    );
    // Without a share of the past, no mean is computed.
    let mut hedge = Hedge::<f32, 2>::new(HedgeSettings::new(1.0)?);
    hedge.step(&[1.0, 0.0])?;
    let mut image = vec![0; Hedge::<f32, 2>::ENCODED_LEN];
    hedge.encode(&mut image)?;
    assert_eq!(told(&image)?, "");
    Ok(())
}

#[test]
fn a_bar_grows_from_the_middle() {
    assert_eq!(bar(0.25), "                |####");
    assert_eq!(bar(-0.25), "            ####|");
}
