//! Runs a monitor on a recording. The graph is samples.bin → monitor from flash.bin → verdicts → flash.bin.
//!
//! Both files are on the computer that emulates the board. A notebook (`bindings/python/examples/notebook.py`) writes them, runs
//! the program and reads flash.bin again.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use cortex_m_rt::entry;
    use eigenstream::Codec;
    use eigenstream::monitor::{MonitorSettings, SensorMonitor};
    use semihosting::fs::{File, write};
    use semihosting::io::Read;
    use semihosting::println;
    use semihosting::process::exit;

    type Watcher = SensorMonitor<f32, 6>;

    const SAMPLE: usize = 24;

    #[entry]
    fn main() -> ! {
        exit(i32::from(watch().is_none()))
    }

    /// Observes every sample of the recording, then saves the monitor.
    fn watch() -> Option<()> {
        let mut image = [0; Watcher::ENCODED_LEN];
        let mut monitor = Watcher::standard(MonitorSettings::DEFAULT.with_training(600));
        match File::open(c"flash.bin").map(|mut flash| flash.read(&mut image)) {
            Ok(Ok(_)) => match Watcher::decode(&image) {
                Ok(saved) => monitor = saved,
                Err(error) => println!("the flash holds no monitor: {error}"),
            },
            _ => println!("the flash is empty"),
        }
        let mut recording = File::open(c"samples.bin").ok()?;
        let mut bytes = [0; SAMPLE];
        let (mut samples, mut in_alarm) = (0_u32, false);
        while recording.read(&mut bytes).ok()? == SAMPLE {
            let (words, _) = bytes.as_chunks::<4>();
            let mut sample = [0.0; 6];
            for (number, word) in sample.iter_mut().zip(words) {
                *number = f32::from_le_bytes(*word);
            }
            match monitor.observe(&sample) {
                Ok(verdict) => {
                    if verdict.alarm && !in_alarm {
                        println!("sample {samples}: alarm, channel {}", verdict.guilty());
                    }
                    in_alarm = verdict.alarm;
                }
                Err(error) => println!("sample {samples}: {error}"),
            }
            samples += 1;
        }
        println!("{samples} samples, {:?}", monitor.phase());
        monitor.encode(&mut image).ok()?;
        write(c"flash.bin", image).ok()
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("this program is for the board; on this computer the notebook itself observes the samples");
}
