//! W4: instructions, stack and state of a monitor on a six-axis inertial sensor, from counts to verdict.
//! In the variant `gaps` the monitor also imputes missing channels.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::monitor::{Counts, Missing, MonitorSettings, SensorMonitor};
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::print_row;
    use eigenstream_firmware::workload::Imu;

    const DIM: usize = Imu::DIM;
    type Watch = SensorMonitor<f32, DIM>;

    /// Number of training samples: half of the samples before the fault.
    const TRAINING: u32 = Imu::FAULT / 2;

    /// In the variant `gaps` two channels are missing in every seventh sample.
    const BETWEEN_GAPS: u32 = 7;
    const MISSING: [usize; 2] = [2, 4];

    fn measure(meter: &mut Meter, counts: &Counts<f32, DIM>, variant: &str, missing: Missing) {
        let mut cost = Cost::default();
        let mut stream = Imu::new(1);
        let settings = MonitorSettings::DEFAULT.with_training(TRAINING).with_missing(missing);
        let mut monitor = Watch::standard(settings);
        let mut false_alarms = 0;
        let mut found = 0;
        for i in 0..Imu::LENGTH {
            let sample = stream.next_sample();
            let gap = missing == Missing::Impute && i % BETWEEN_GAPS == 0;
            let mut verdict = None;
            cost.add(meter.measure(|| {
                let mut sample = counts.convert(black_box(&sample));
                if gap {
                    for channel in MISSING {
                        sample[channel] = f32::NAN;
                    }
                }
                verdict = black_box(&mut monitor).observe(&sample).ok();
            }));
            if let Some(verdict) = verdict
                && verdict.alarm
            {
                false_alarms += u32::from(i < Imu::FAULT);
                found += u32::from(i >= Imu::FAULT && verdict.guilty() == Imu::GUILTY);
            }
        }
        print_row!(
            "bench workload=W4 variant={variant} dim={DIM} instructions_mean={} instructions_max={} state_bytes={} stack_bytes={} false_alarms={false_alarms} found={found}",
            cost.mean(),
            cost.worst,
            size_of::<Watch>() + size_of::<Counts<f32, DIM>>(),
            cost.stack,
        );
    }

    eigenstream_firmware::measuring_program!(|meter| {
        let Ok(counts) = Counts::<f32, DIM>::new([1.0 / 16_384.0; DIM], [0; DIM]) else {
            semihosting::process::exit(1)
        };
        measure(&mut meter, &counts, "monitor", Missing::Refuse);
        measure(&mut meter, &counts, "gaps", Missing::Impute);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
