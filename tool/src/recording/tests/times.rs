//! Tests that columns of times are found, and are no sensors.

use super::*;

/// Columns of times that earlier versions watched as a sensor, or whose times were wrong.
#[test]
fn a_column_of_times_is_no_sensor() -> Result<()> {
    let reset = (0..300).map(|row| format!("{},{}\n", (row % 150) * 5, row % 7));
    let reset: String = std::iter::once("time,flow\n".to_owned()).chain(reset).collect();
    for (kind, text, time) in [
        (
            "a decimal comma",
            "Zeit [s];flow\n0,5;1,5\n1,0;2,5\n1,5;1,0\n",
            Some(0.5),
        ),
        (
            "a clock that was set back",
            "timestamp,flow\n1714737601000,1\n1714737600000,2\n1714737602000,3\n",
            Some(1_714_737_601.0),
        ),
        ("a count that begins again", reset.leak(), Some(0.0)),
        (
            "a time that is missing",
            "time,flow\n2024-05-03 12:00:01,1\nNA,2\n2024-05-03 12:00:03,3\n",
            Some(1_714_737_601.0),
        ),
        (
            "a day for each row",
            "date,flow\n2024-05-03,1\n2024-05-04,2\n2024-05-05,3\n",
            Some(1_714_694_400.0),
        ),
        (
            "days without the time of day",
            "Date,flow\n2024-05-03,1\n2024-05-03,2\n2024-05-04,3\n",
            None,
        ),
        (
            "the time of day in the next column",
            "Date,Time,flow\n2024-05-03,12:00:01,1\n2024-05-03,12:00:02,2\n2024-05-04,00:00:01,3\n",
            Some(1_714_737_601.0),
        ),
        (
            "the time of day in the column before",
            "Uhrzeit;Datum;flow\n12:00:01;03.05.2024;1,5\n12:00:02;03.05.2024;2\n00:00:01;04.05.2024;3\n",
            Some(1_714_737_601.0),
        ),
        (
            "another day in each row",
            "Datum;Zeit;flow\n03.05.2024;12:00:01,0;1,5\n04.05.2024;12:00:02,0;2,5\n05.05.2024;12:00:03,0;3,5\n",
            Some(1_714_737_601.0),
        ),
        (
            "AM and PM, the month first",
            "when,flow\n05/03/2024 12:00:01 PM,1\n05/03/2024 12:00:02 PM,2\n05/03/2024 12:00:03 PM,3\n",
            Some(1_714_737_601.0),
        ),
        (
            "AM and PM in the next column",
            "Date,Time,flow\n5/3/2024,12:00:01 pm,1\n5/3/2024,12:00:02 pm,2\n5/3/2024,1:00:03pm,3\n",
            Some(1_714_737_601.0),
        ),
        (
            "a day above 12 behind the month",
            "when,flow\n05/03/2024 12:00:01,1\n05/13/2024 12:00:02,2\n05/13/2024 12:00:03,3\n",
            Some(1_714_737_601.0),
        ),
        (
            "a day above 12 before the month, with PM",
            "when,flow\n03/05/2024 12:00:01 PM,1\n13/05/2024 12:00:02 PM,2\n13/05/2024 12:00:03 PM,3\n",
            Some(1_714_737_601.0),
        ),
        (
            "a date and a time without marks",
            "Date,Time,flow\n20240503,120001,1\n20240503,120002,2\n20240503,120003,3\n",
            Some(1_714_737_601.0),
        ),
        (
            "a time without its first zero",
            "Date,Time,flow\n20240503,90001.25,1\n20240503,90002.25,2\n20240503,100002,3\n",
            Some(1_714_726_801.25),
        ),
        (
            "midnight beside a date",
            "Date,Time,flow\n2024-05-03 00:00:00,12:00:01,1\n2024-05-03 00:00:00,12:00:02,2\n2024-05-04 00:00:00,12:00:03,3\n",
            Some(1_714_737_601.0),
        ),
        (
            "a time of a browser",
            "when,flow\n\"5/3/2024, 12:00:01 PM\",1\n\"5/3/2024, 12:00:02 PM\",2\n\"5/3/2024, 12:00:03 PM\",3\n",
            Some(1_714_737_601.0),
        ),
        (
            "a time in UTC",
            "when,flow\n2024-05-03 12:00:01 UTC,1\n2024-05-03 12:00:02 UTC,2\n2024-05-03 12:00:03 UTC,3\n",
            Some(1_714_737_601.0),
        ),
        (
            "date and time between blanks",
            "date time flow\n2024-05-03 12:00:01 1.5\n2024-05-03 12:00:02 2\n2024-05-03 12:00:03 3\n",
            Some(1_714_737_601.0),
        ),
    ] {
        let (names, _, _, when) = first_row(text.as_bytes()).map_err(|error| anyhow!("{kind}: {error:#}"))?;
        assert_eq!(names, ["flow"], "{kind}");
        assert_eq!(when, time, "{kind}");
    }
    Ok(())
}

#[test]
fn a_number_that_could_be_a_date_or_a_time_is_a_sensor() -> Result<()> {
    let text =
        "Date,pressure,meter\n2024-05-03,101325,20240501\n2024-05-03,101326,20240502\n2024-05-03,101325,20240504\n";
    let (names, _, _, when) = first_row(text.as_bytes())?;
    assert_eq!((names, when), (vec!["pressure".into(), "meter".into()], None));
    Ok(())
}

#[test]
fn the_parts_of_a_time_are_no_sensors() -> Result<()> {
    let text = "No,Year,month,day,hour,minute,second,flow\n1,2023,12,31,23,59,58,1\n2,2023,12,31,23,59,60,2\n3,2024,1,1,0,0,1,1\n";
    assert_eq!(first_row(text.as_bytes())?.0, ["flow"]);
    // A sensor can have such a name.
    let (names, ..) = first_row(b"first,second,day\n1,1.5,100\n2,2.5,200\n2,3.5,300\n")?;
    assert_eq!(names, ["first", "second", "day"]);
    Ok(())
}

#[test]
fn a_second_column_of_times_is_no_sensor_either() -> Result<()> {
    let text = "when,epoch,uptime seconds,T,flow\n2024-05-03 12:00:01,1714737601,7,20,1\n\
                2024-05-03 12:00:02,1714737602,8,21,2\n2024-05-03 12:00:03,1714737603,9,22,1\n";
    let (names, _, _, when) = first_row(text.as_bytes())?;
    // A temperature can rise in all of the first rows.
    assert_eq!(names, ["T", "flow"]);
    assert_eq!(when, Some(1_714_737_601.0));
    Ok(())
}

#[test]
fn a_row_without_a_time_of_day_has_no_time() -> Result<()> {
    let text = "Date,Time,flow,valve\n2024-05-03,,1,7\n2024-05-03,12:00:02,2,7\n2024-05-03,12:00:03,2,7\n";
    let mut recording = recording(text)?;
    assert_eq!(
        recording.left_out(&[]).map(|said| said.contains(": valve;")),
        Some(true)
    );
    let clock = recording.clock().ok_or_else(|| anyhow!("no clock"))?;
    let mut complaints = Complaints::new(Strictness::Strict);
    let mut times = Vec::new();
    while let Some(row) = recording.next_row(&mut complaints)? {
        times.push(row.time(clock));
    }
    assert_eq!(times, [None, Some(1_714_737_602.0), Some(1_714_737_603.0)]);
    Ok(())
}
