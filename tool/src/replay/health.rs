//! The health of a monitor in words.
//! In: the health, the names of the channels, and the requested rate of false alarms. Out: lines of text.

use eigenstream::monitor::ChannelHealth;
use eigenstream_sizes::{Certificate, PlainHealth};

/// Channels of which less is explained stand alone.
const ALONE: f32 = 0.1;

const MOVED: f32 = 1.0;

/// One line for each finding.
///
/// Until the monitor `is_settled` it knows no spread. `watched` are rows of this recording; the monitor of an image has
/// watched others before.
pub(super) fn lines(
    condition: &PlainHealth,
    is_settled: bool,
    watched: u64,
    names: &[String],
    expected_rate: Option<f32>,
) -> Vec<String> {
    let with = |wanted: ChannelHealth| {
        let channels = names.iter().zip(&condition.channels);
        listed(
            channels
                .filter(|&(_, &health)| health == wanted)
                .map(|(name, _)| name.clone()),
        )
    };
    let explained = condition.explained.as_deref().unwrap_or_default();
    let known = names.iter().zip(explained).zip(&condition.channels);
    let known = known.filter(|&(_, &health)| health != ChannelHealth::Unknown);
    let alone = known
        .filter(|&((_, &part), _)| part < ALONE)
        .map(|((name, _), _)| name.clone());
    let moved = names
        .iter()
        .zip(&condition.moved)
        // Before a threshold is computed, the levels are still being learned.
        .filter(|&(_, &spreads)| spreads > MOVED && condition.watched > 0);
    let findings = [
        (
            "never moved while they were learned",
            with(ChannelHealth::Unknown).filter(|_| is_settled),
        ),
        ("have stopped changing", with(ChannelHealth::Stuck)),
        ("have no value", with(ChannelHealth::Missing).filter(|_| is_settled)),
        (
            "are coarse, with a spread below two steps",
            with(ChannelHealth::Quantised),
        ),
        (
            "stand alone, explained by no other",
            listed(alone).filter(|_| is_settled),
        ),
        (
            "have moved since the threshold was found",
            listed(moved.map(|(name, spreads)| format!("{name} by {spreads:.1} spreads"))),
        ),
    ];
    let mut lines: Vec<String> = (findings.iter())
        .filter_map(|(what, channels)| {
            channels
                .as_ref()
                .map(|channels| format!("health: channels that {what}: {channels}"))
        })
        .collect();
    if condition.watched > 0 {
        let expected = expected_rate.map_or(String::new(), |rate| format!(", asked for {rate:e}"));
        let rate = 100.0 * condition.alarm_rate;
        lines.push(format!(
            "health: {rate:.2} % of {} watched rows in alarm{expected}",
            condition.watched
        ));
        let before = u64::from(condition.watched).saturating_sub(watched);
        if before > 0 {
            lines.push(format!(
                "health: {before} of these rows were watched before this recording"
            ));
        }
    }
    lines
}

/// Loss, bound and the loss of the best fixed directions are in units of the mean energy so far; the excess E has no unit.
pub(super) fn certificate(certificate: &Certificate) -> String {
    let Certificate {
        loss,
        best,
        bound,
        excess,
    } = certificate;
    format!(
        "certificate: expected loss {loss:.3}, bound {bound:.3}, best fixed directions {best:.3}, in units of the mean energy; excess in the bound {excess:.2e}"
    )
}

fn listed(words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_one_line() {
        let line = certificate(&Certificate {
            loss: 12.5,
            best: 10.0,
            bound: 20.25,
            excess: 3e-4,
        });
        assert_eq!(
            line,
            "certificate: expected loss 12.500, bound 20.250, best fixed directions 10.000, in units of the mean energy; excess in the bound 3.00e-4"
        );
    }

    #[test]
    fn every_finding_names_its_channels() {
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        let condition = PlainHealth {
            channels: vec![
                ChannelHealth::Good,
                ChannelHealth::Unknown,
                ChannelHealth::Stuck,
                ChannelHealth::Quantised,
            ],
            moved: vec![0.0, 0.0, 2.25, 0.0],
            explained: Some(vec![0.9, 0.0, 0.9, 0.05]),
            watched: 200,
            alarm_rate: 0.015,
        };
        assert_eq!(
            lines(&condition, true, 200, &names, Some(1e-3)),
            [
                "health: channels that never moved while they were learned: b",
                "health: channels that have stopped changing: c",
                "health: channels that are coarse, with a spread below two steps: d",
                "health: channels that stand alone, explained by no other: d",
                "health: channels that have moved since the threshold was found: c by 2.2 spreads",
                "health: 1.50 % of 200 watched rows in alarm, asked for 1e-3",
            ]
        );
        assert_eq!(
            lines(&condition, true, 150, &names, None)[6],
            "health: 50 of these rows were watched before this recording"
        );
        let nothing = PlainHealth {
            channels: vec![ChannelHealth::Good; 4],
            moved: vec![0.0; 4],
            explained: None,
            watched: 0,
            alarm_rate: 0.0,
        };
        assert!(lines(&nothing, true, 0, &names, None).is_empty());
        let refused = PlainHealth {
            channels: vec![ChannelHealth::Missing; 4],
            explained: Some(vec![0.0; 4]),
            ..nothing.clone()
        };
        assert!(lines(&refused, false, 0, &names, None).is_empty());
        let settling = PlainHealth {
            channels: vec![ChannelHealth::Unknown; 4],
            ..nothing
        };
        assert!(lines(&settling, false, 0, &names, None).is_empty());
        assert_eq!(lines(&settling, true, 0, &names, None).len(), 1);
    }
}
