//! Hebbian learners and others on three streams of W1, 20 channels and two directions.
//! Out: total loss, and instructions, stack and state of a step. The loss of a sample is taken before the sample is
//! learned.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::hebbian::{Deflation, Gha, GhaSettings, Oja, RateSettings};
    use eigenstream::pca::{
        AdditivePca, AdditiveSettings, CenteredPca, CenteredSettings, ReadOut, TrackingPca, TrackingSettings,
    };
    use eigenstream::rand_core::SeedableRng;
    use eigenstream::{Forgetting, SampleError};
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::print_row;
    use eigenstream_firmware::workload::Shift;
    use rand_xoshiro::Xoshiro128PlusPlus;

    const DIM: usize = 20;
    const KEEP: usize = 2;
    const SEEDS: [u64; 3] = [1, 2, 3];

    /// Runs a new learner on each stream and prints the row; `trial` returns the loss or the expected loss.
    fn compare<L>(
        meter: &mut Meter,
        head: core::fmt::Arguments<'_>,
        new: impl Fn() -> L,
        mut trial: impl FnMut(&mut L, &[f32; DIM]) -> Result<f32, SampleError>,
    ) {
        let mut cost = Cost::default();
        let mut losses = [0.0_f32; 3];
        for (loss, seed) in losses.iter_mut().zip(SEEDS) {
            let mut learner = new();
            let mut stream = Shift::<DIM>::new(seed);
            for _ in 0..Shift::<DIM>::LENGTH {
                let sample = stream.next_sample();
                cost.add(meter.measure(|| {
                    if let Ok(lost) = trial(black_box(&mut learner), black_box(&sample)) {
                        *loss += lost;
                    }
                }));
            }
        }
        let [first, second, third] = losses;
        print_row!(
            "bench workload=compare {head} dim={DIM} instructions_mean={} instructions_max={} state_bytes={} stack_bytes={} total_loss={first:.0}/{second:.0}/{third:.0}",
            cost.mean(),
            cost.worst,
            size_of::<L>(),
            cost.stack,
        );
    }

    fn hebbian(meter: &mut Meter, relative: f32) {
        let Ok(rate) = RateSettings::new(relative) else {
            return;
        };
        let settings = GhaSettings::DEFAULT.with_rate(rate);
        compare(
            meter,
            format_args!("variant=oja settings=rate_{relative} keep=1"),
            || Oja::<f32, DIM>::new(settings),
            |oja, sample| oja.step(sample).map(|response| response.loss),
        );
        for (name, deflation) in [("gha", Deflation::Sanger), ("ascent", Deflation::GradientAscent)] {
            compare(
                meter,
                format_args!("variant={name} settings=rate_{relative} keep={KEEP}"),
                || Gha::<f32, DIM, KEEP>::new(settings.with_deflation(deflation)),
                |gha, sample| gha.step(sample).map(|response| response.loss),
            );
        }
    }

    fn tracking(meter: &mut Meter, rate: f32) {
        let Ok(settings) = TrackingSettings::unscaled(rate) else {
            return;
        };
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        compare(
            meter,
            format_args!("variant=tracking settings=rate_{rate} keep={KEEP}"),
            || TrackingPca::<f32, DIM, KEEP, 6>::new(settings),
            |pca, sample| pca.step(sample, &mut rng).map(|trial| trial.expected_loss),
        );
    }

    fn additive(meter: &mut Meter, rate: f32) {
        let Ok(settings) = AdditiveSettings::unscaled(rate) else {
            return;
        };
        compare(
            meter,
            format_args!("variant=additive settings=rate_{rate} keep={KEEP}"),
            || AdditivePca::<f32, DIM, KEEP, 6>::new(settings),
            |pca, sample| {
                let loss = pca.score(sample)?;
                pca.learn(sample)?;
                Ok(loss)
            },
        );
    }

    fn centered(meter: &mut Meter, memory: f32) {
        let Ok(forgetting) = Forgetting::memory(memory) else {
            return;
        };
        let settings = CenteredSettings::DEFAULT
            .with_forgetting(forgetting)
            .with_read_out(ReadOut::Leader);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        compare(
            meter,
            format_args!("variant=centered settings=memory_{memory}_leader keep={KEEP}"),
            || CenteredPca::<f32, DIM, KEEP>::new(settings),
            |pca, sample| pca.step(sample, &mut rng).map(|trial| trial.expected_loss),
        );
    }

    // Paints 16 KiB of stack, more than any of these learners uses.
    eigenstream_firmware::measuring_program!(16 * 1024, |meter| {
        // Each learner runs with two rates, `centered` with two memories. The rate 1/32 is the Hebbian default.
        hebbian(&mut meter, 0.031_25);
        hebbian(&mut meter, 0.3);
        tracking(&mut meter, 1.0);
        tracking(&mut meter, 5.0);
        additive(&mut meter, 0.1);
        additive(&mut meter, 1.0);
        centered(&mut meter, 10.0);
        centered(&mut meter, 100.0);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
