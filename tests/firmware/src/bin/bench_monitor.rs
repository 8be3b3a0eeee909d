//! W4: instructions, stack and state of a whole monitor on a six-axis inertial sensor, from counts to verdict and learning.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::monitor::{Counts, MonitorSettings, SensorMonitor};
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::print_row;
    use eigenstream_firmware::workload::Imu;

    const DIM: usize = Imu::DIM;
    type Watch = SensorMonitor<f32, DIM>;

    /// The rest of the samples is watched.
    const TRAINING: u32 = Imu::FAULT / 2;

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let Some(peripherals) = cortex_m::Peripherals::take() else {
            semihosting::process::exit(1)
        };
        let Ok(counts) = Counts::<f32, DIM>::new([1.0 / 16_384.0; DIM], [0; DIM]) else {
            semihosting::process::exit(1)
        };
        let mut meter = Meter::new(peripherals.SYST);
        let mut cost = Cost::default();
        let mut stream = Imu::new(1);
        let mut monitor = Watch::standard(MonitorSettings::DEFAULT.with_training(TRAINING));
        let mut false_alarms = 0;
        let mut found = 0;
        for i in 0..Imu::LENGTH {
            let sample = stream.next_sample();
            let mut verdict = None;
            cost.add(meter.measure(|| {
                verdict = black_box(&mut monitor)
                    .observe(&counts.convert(black_box(&sample)))
                    .ok();
            }));
            if let Some(verdict) = verdict
                && verdict.alarm
            {
                false_alarms += u32::from(i < Imu::FAULT);
                found += u32::from(i >= Imu::FAULT && verdict.guilty() == Imu::GUILTY);
            }
        }
        print_row!(
            "bench workload=W4 variant=monitor dim={DIM} instructions_mean={} instructions_max={} state_bytes={} stack_bytes={} false_alarms={false_alarms} found={found}",
            cost.mean(),
            cost.worst,
            size_of::<Watch>() + size_of::<Counts<f32, DIM>>(),
            cost.stack,
        );
        semihosting::process::exit(0)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
