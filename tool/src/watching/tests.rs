//! Tests that arguments become the intended plan.

use anyhow::Result;
use clap::{Args, Command, FromArgMatches, ValueEnum};
use eigenstream::monitor::stages::Histogram;
use eigenstream::monitor::{Learning, Missing, MonitorSettings, NewLevel, Score, Threshold};

use super::{Limit, Model, ModelName, Options, Plan, USUAL_RATE, observe_rows};

fn parsed(typed: &[&str]) -> Result<Options> {
    let command = Options::augment_args(Command::new("options").no_binary_name(true));
    Ok(Options::from_arg_matches(&command.try_get_matches_from(typed)?)?)
}

#[test]
fn every_model_can_be_named() {
    let named: Vec<Model> = ModelName::value_variants().iter().map(|name| name.0).collect();
    assert_eq!(named, Model::ALL);
}

#[test]
fn without_options_it_is_the_default_monitor() -> Result<()> {
    let plan = parsed(&[])?.plan()?;
    assert_eq!(plan.model, Model::Mahalanobis);
    assert_eq!(plan.settings()?, MonitorSettings::DEFAULT.with_missing(Missing::Impute));
    let trained = MonitorSettings::DEFAULT
        .with_training(4_000)
        .with_missing(Missing::Impute);
    assert_eq!(plan.trained_in(4_000).settings()?, trained);
    assert_eq!(parsed(&["--training", "4000"])?.plan()?.settings()?, trained);
    Ok(())
}

#[test]
fn the_usual_rate_is_that_of_the_crate() -> Result<()> {
    let mut scores = Histogram::around(1.0_f32);
    (1..500).for_each(|score| scores.push(score as f32 / 100.0));
    let asked = Threshold::false_alarms(USUAL_RATE)?;
    assert_eq!(asked.level(&scores), Threshold::DEFAULT.level(&scores));
    Ok(())
}

#[test]
fn options_change_what_they_name_and_leave_the_rest() -> Result<()> {
    let typed = "--training 400 --learning always --quantile 0.99 --factor 3 --new-level never";
    let expected = Plan {
        training: 400,
        learning: Learning::Always,
        limit: Limit::Quantile(0.99),
        factor: 3.0,
        new_level: NewLevel::Never,
        ..Plan::DEFAULT
    };
    let typed: Vec<&str> = typed.split(' ').collect();
    assert_eq!(parsed(&typed)?.plan()?, expected);
    Ok(())
}

#[test]
fn what_has_no_meaning_is_refused() -> Result<()> {
    assert!(parsed(&["--quantile", "0.9", "--false-alarms", "0.1"]).is_err());
    assert!(parsed(&["--threshold", "2", "--factor", "2"]).is_err());
    assert!(parsed(&["--new-level", "perhaps"]).is_err());
    assert!(parsed(&["--factor=-1"])?.plan()?.monitor(4).is_err());
    let refusal = parsed(&["--keep", "2"])?.plan().map_err(|error| error.to_string());
    assert!(refusal.is_err_and(|sentence| sentence.starts_with("--keep is for models that keep directions")));
    Ok(())
}

#[test]
fn the_training_in_words_is_the_training_in_rows() -> Result<()> {
    for rows in ["0", "1", "16", "26", "2147483649", "4294967295"] {
        let sentence = parsed(&["--training", rows])?
            .plan()
            .map_or_else(|error| error.to_string(), |plan| plan.describe());
        assert_eq!(
            sentence,
            format!("--training {rows} is not possible: ask for 27 to 2147483648 rows")
        );
    }
    for rows in ["27", "2147483648"] {
        assert!(parsed(&["--training", rows])?.plan()?.describe().contains(rows));
    }
    // A recording of 19 rows can be tuned on. Its proposed training has to be possible.
    assert_eq!(Plan::DEFAULT.trained_in(19).training, 27);
    assert_eq!(Plan::DEFAULT.trained_in(28).training, 28);
    Ok(())
}

/// A fixed threshold needs no calibration: the monitor watches after the first 70 % of the training.
#[test]
fn with_a_fixed_threshold_the_words_have_the_rows_before_it_watches() -> Result<()> {
    for (typed, rows) in [
        ("--threshold 2 --training 1000", 700),
        ("--quantile 0.9 --training 1000", 1_000),
    ] {
        let plan = parsed(&typed.split(' ').collect::<Vec<_>>())?.plan()?;
        let words = plan.describe();
        assert!(words.starts_with(&format!("{rows} rows train")), "{typed}: {words}");
        let mut monitor = plan.monitor(2)?;
        let samples: Vec<Vec<f32>> = (0..1_000)
            .map(|time| vec![(time % 7) as f32, (time % 11) as f32])
            .collect();
        let verdicts = observe_rows(monitor.as_mut(), &samples);
        let learned = verdicts.iter().flatten().filter(|verdict| !verdict.phase.is_watching());
        assert_eq!(learned.count(), rows, "{typed}");
    }
    Ok(())
}

#[test]
fn the_words_have_the_hold_off_and_the_new_level() -> Result<()> {
    let words = |typed: &str| -> Result<String> {
        let typed: Vec<&str> = typed.split_whitespace().collect();
        Ok(parsed(&typed)?.plan()?.describe())
    };
    let usual = words("")?;
    for (typed, says) in [
        ("--hold-off 20", "; hold-off 20 rows"),
        ("--hold-off 1", "; hold-off 1 row"),
        ("--new-level never", "; new level never"),
        (
            "--hold-off 20 --new-level ask:70",
            "; hold-off 20 rows; new level ask:70",
        ),
    ] {
        assert_eq!(words(typed)?, format!("{usual}{says}"), "{typed}");
    }
    Ok(())
}

#[test]
fn what_is_typed_for_a_plan_is_that_plan() -> Result<()> {
    let far = Plan {
        keep: 4,
        lags: 4,
        rate: 0.1,
        training: 77,
        level_memory: Some(50),
        input_smoothing: 30,
        score: Score::Leverage,
        limit: Limit::Fixed(2.5),
        hold_off: 3,
        new_level: NewLevel::Ask(70),
        ..Plan::of(Model::Kernel)
    };
    let near = Plan {
        limit: Limit::FalseAlarms(1e-5),
        factor: 1.5,
        ..Plan::DEFAULT
    };
    for plan in [Plan::DEFAULT, Plan::of(Model::Tracking), near, far] {
        let typed = plan.options();
        let words: Vec<&str> = typed.iter().map(String::as_str).collect();
        assert_eq!(parsed(&words)?.plan()?, plan);
    }
    assert!(Plan::DEFAULT.options().is_empty());
    Ok(())
}

/// The help of each option on one line, without the commas in numbers.
fn help(command: &Command, option: &str) -> String {
    let argument = (command.get_arguments()).find(|argument| argument.get_long() == option.strip_prefix("--"));
    let help = argument.and_then(|argument| argument.get_help().cloned());
    help.map_or(String::new(), |help| help.to_string())
        .replace("2,048", "2048")
}

#[test]
fn the_help_names_the_default_of_each_option() {
    let command = Options::augment_args(Command::new("options"));
    let usual = Plan::DEFAULT;
    for (option, value) in usual.values() {
        let help = help(&command, option);
        let says = match option {
            "--level-memory" => "default a tenth of the training, at least 300".into(),
            _ => format!("default {value}"),
        };
        assert!(help.contains(&says), "{option}, {says}: {help}");
    }
    assert!(help(&command, "--model").contains(&format!("default {}", ModelName(usual.model).word())));
}

#[test]
fn the_help_names_each_default_that_depends_on_the_model() {
    let command = Options::augment_args(Command::new("options"));
    // The models whose default differs from that of the default monitor, and the default of the last of them.
    let others = |option: &str| {
        let value_of = |model: Model| {
            let values = Plan::of(model).values();
            values
                .into_iter()
                .find(|(name, _)| *name == option)
                .map(|(_, value)| value)
        };
        let usual = value_of(Plan::DEFAULT.model);
        let others: Vec<Model> = (Model::ALL.into_iter())
            .filter(|&model| value_of(model) != usual)
            .collect();
        let value = others.last().and_then(|&model| value_of(model)).unwrap_or_default();
        (
            others.iter().map(|&model| ModelName(model).word()).collect::<Vec<_>>(),
            value,
        )
    };
    for (option, _) in Plan::DEFAULT.values() {
        let (models, value) = others(option);
        let says = match models[..] {
            [] => continue,
            [model] => format!("; {value} for {model}"),
            [ref first @ .., last] => format!("; {value} for {} and {last}", first.join(", ")),
        };
        let help = help(&command, option);
        assert!(help.contains(&says), "{option}, {says}: {help}");
    }
}
