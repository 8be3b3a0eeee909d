//! Tests the proposals of `tune` on generated recordings.

use anyhow::Result;
use eigenstream::monitor::Learning;

use super::search::{Refusal, most};
use super::{Arguments, propose, replay, run};
use crate::watching::{Limit, Model, ModelName, Plan, USUAL_RATE};

/// Four channels with independent noise. The first three also have a common load, the fourth is only noise. In the last quarter
/// `jump` is added to the first channel.
fn rows(count: u32, jump: f32) -> Vec<Vec<f32>> {
    let row = |time: u32| {
        let dice = |prime: u32| (time * prime % 10_007) as f32 / 10_007.0 - 0.5;
        let load = (time as f32 / 4.0).sin();
        let jump = if time >= count * 3 / 4 { jump } else { 0.0 };
        vec![
            load + dice(4_001) + jump,
            2.0 * load + dice(2_003),
            dice(1_009) - load,
            dice(3_571),
        ]
    };
    (0..count).map(row).collect()
}

fn start(rows: usize) -> Plan {
    Plan::DEFAULT.trained_in(rows)
}

#[test]
fn where_the_default_is_good_it_stays() -> Result<()> {
    let proposal = propose(&rows(1_000, 0.0), start(1_000), || ())?;
    assert_eq!((proposal.refusal, proposal.best), (None, start(1_000)));
    assert!(proposal.tried.is_sorted_by(|a, b| a.worth() >= b.worth()));
    assert!(proposal.tried.len() <= most(Model::Mahalanobis, 4));
    Ok(())
}

#[test]
fn too_many_alarms_raise_the_threshold() -> Result<()> {
    let proposal = propose(&rows(1_000, 0.4), start(1_000), || ())?;
    let rarer = matches!(proposal.best.limit, Limit::FalseAlarms(rate) if rate < USUAL_RATE);
    assert!(rarer && proposal.refusal.is_none(), "{}", proposal.words());
    Ok(())
}

#[test]
fn one_small_outlier_changes_nothing() -> Result<()> {
    let mut rows = rows(1_000, 0.0);
    rows[800][0] += 3.0;
    let proposal = propose(&rows, start(1_000), || ())?;
    assert_eq!((proposal.refusal, proposal.best), (None, start(1_000)));
    assert!(proposal.tried[0].false_alarms > 0.0, "the outlier raises an alarm");
    Ok(())
}

#[test]
fn rows_that_are_not_alike_tell_nothing() -> Result<()> {
    let proposal = propose(&rows(1_000, 50.0), start(1_000), || ())?;
    assert_eq!((proposal.refusal, proposal.best), (Some(Refusal::Unlike), start(1_000)));
    Ok(())
}

#[test]
fn few_rows_are_too_little_to_tune_on() -> Result<()> {
    // At least 100 rows must be left to judge: two fifths of all rows, rounded up. 247 rows leave 99, and 248 rows leave 100.
    assert!(Refusal::Short.words().contains(" 248 rows"));
    for (count, refusal) in [(247, Some(Refusal::Short)), (248, None)] {
        let proposal = propose(&rows(count, 0.0), start(count as usize), || ())?;
        assert_eq!(proposal.refusal, refusal, "{count}");
    }
    assert!(propose(&[], Plan::DEFAULT, || ())?.tried.is_empty());
    Ok(())
}

#[test]
fn a_monitor_that_always_learns_is_left_alone() -> Result<()> {
    let start = Plan {
        learning: Learning::Always,
        ..start(500)
    };
    let proposal = propose(&rows(500, 0.0), start, || ())?;
    assert_eq!((proposal.refusal, proposal.best), (Some(Refusal::AlwaysLearns), start));
    Ok(())
}

#[test]
fn directions_are_tuned_where_a_model_keeps_some() -> Result<()> {
    let start = Plan::of(Model::Tracking).trained_in(500);
    let proposal = propose(&rows(500, 0.0), start, || ())?;
    assert!(proposal.tried.len() > 5 && proposal.tried.len() <= most(Model::Tracking, 4));
    let worth = |plan: Plan| {
        let trial = proposal.tried.iter().find(|trial| trial.plan == plan);
        trial.map(|trial| trial.worth())
    };
    assert!(worth(proposal.best) >= worth(start));
    Ok(())
}

#[test]
fn no_row_is_nothing_to_tune_on() -> Result<()> {
    let folder = crate::repository().join("target/harness/tests");
    std::fs::create_dir_all(&folder)?;
    for (name, text, count) in [("zero.csv", "a,b\n1,2\n2,1\n3,4\n", 0), ("header.csv", "a,b\n", 1_000)] {
        let file = folder.join(name);
        std::fs::write(&file, text)?;
        let arguments = Arguments {
            file,
            columns: vec!["a".into(), "b".into()],
            rows: count,
            model: ModelName(Model::Mahalanobis),
            strict: false,
            out: None,
        };
        let sentence = run(&arguments).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(sentence.contains("no row to tune on"), "{sentence}");
    }
    Ok(())
}

/// Tunes on a recording with these rows and writes the proposal. Returns `monitor.rs` and `monitor.c`, or the error message.
fn written(name: &str, text: &str, model: Model) -> Result<[String; 2], String> {
    let folder = std::env::temp_dir().join(format!("eigenstream-tune-{}-{name}", std::process::id()));
    let file = folder.join("machine.csv");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&file, text))
        .map_err(|error| error.to_string())?;
    let arguments = Arguments {
        file,
        columns: Vec::new(),
        rows: 1_000,
        model: ModelName(model),
        strict: false,
        out: Some(folder.clone()),
    };
    let texts = run(&arguments).map_err(|error| format!("{error:#}")).map(|_| {
        ["monitor.rs", "monitor.c"].map(|name| std::fs::read_to_string(folder.join(name)).unwrap_or_default())
    });
    let _ = std::fs::remove_dir_all(&folder);
    texts
}

#[test]
fn firmware_of_a_recording_with_gaps_fills_gaps() {
    let whole = "a,b\n1,2\n2,5\n3,4\n";
    for (name, text, fills) in [
        ("whole", whole.to_owned(), false),
        ("gaps", format!("{whole}5,\n"), true),
    ] {
        let [rust, c] = written(name, &text, Model::Mahalanobis).unwrap_or_else(|error| unreachable!("{error}"));
        assert_eq!(rust.contains(".with_missing(Missing::Impute)"), fills, "{rust}");
        assert_eq!(c.contains("settings.missing = EIG_MISSING_IMPUTE;"), fills, "{c}");
    }
}

/// `tune` has neither --keep nor --lags.
#[test]
fn few_channels_are_tuned_or_refused_without_an_option_that_is_not_there() {
    let two = written("two", "a,b\n1,2\n2,5\n3,4\n", Model::Tracking);
    assert!(
        two.as_ref()
            .is_ok_and(|[rust, _]| rust.contains("TrackingPca<f32, 2, 1, 2>")),
        "{two:?}"
    );
    let one = written("one", "a\n1\n2\n3\n", Model::Tracking)
        .err()
        .unwrap_or_default();
    assert!(one.contains("2 or more") && !one.contains("--lags"), "{one}");
}

#[test]
fn the_command_that_is_printed_can_be_typed() {
    let command = |file: &str, named: &[&str], names: &[&str]| {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let arguments = Arguments {
            file: file.into(),
            columns: words(named),
            rows: 1_000,
            model: ModelName(Model::Mahalanobis),
            strict: false,
            out: None,
        };
        replay(&Plan::DEFAULT, &arguments, &words(names))
    };
    for (file, names, typed) in [
        ("a.csv", ["flow", "p_1"], "a.csv --columns flow,p_1"),
        ("a b.csv", ["flow rate", "p"], "\"a b.csv\" --columns \"flow rate,p\""),
        ("a.csv", ["T(°C)", "p&q;r"], "a.csv --columns \"T(°C),p&q;r\""),
        ("a.csv", ["$T", "it's"], "a.csv --columns '$T,it'\\''s'"),
        ("a.csv", ["x, y", "z"], "a.csv --columns '\"x, y\",z'"),
        // --columns cannot name these columns, and replay finds them itself.
        ("a.csv", ["x", "x"], "a.csv"),
    ] {
        assert_eq!(command(file, &[], &names), format!("eigenstream replay {typed}"));
    }
    assert_eq!(
        command("a.csv", &["x", "z"], &["x", "z"]),
        "eigenstream replay a.csv --columns x,z"
    );
}

#[test]
fn rows_that_train_no_monitor_are_not_judged() -> Result<()> {
    let constant = vec![vec![5.0; 4]; 1_000];
    let large: Vec<Vec<f32>> = (rows(1_000, 0.0).iter())
        .map(|row| row.iter().map(|value| value * 1e30).collect())
        .collect();
    let mut gaps = rows(1_000, 0.0);
    gaps.iter_mut().skip(150).for_each(|row| row[1] = f32::NAN);
    for (kind, rows) in [("constant", constant), ("large", large), ("gaps", gaps)] {
        let proposal = propose(&rows, start(1_000), || ())?;
        assert_eq!(proposal.refusal, Some(Refusal::Untrained), "{kind}");
    }
    Ok(())
}
