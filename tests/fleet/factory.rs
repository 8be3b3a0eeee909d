//! A model merged from a fleet of devices makes a new device start with less loss.

use eigenstream::pca::{BatchPca, CenteredPca, CenteredSettings, TrackingPca, TrackingSettings};
use eigenstream::{Centering, Learner};

#[allow(
    unfulfilled_lint_expectations,
    reason = "these lints depend on the crate that includes the file"
)]
#[expect(dead_code, unreachable_pub, reason = "this test uses only one workload of the bench")]
#[path = "../firmware/src/workload.rs"]
mod workload;

use workload::Shift;

const DIM: usize = 20;
const FIRST: usize = 100;
const PARTS: usize = 7;

/// Samples of the stream `Shift` for the device and for the fleet, from before the directions of `Shift` change.
fn workload(seed: u64) -> (Vec<[f32; DIM]>, Vec<[f32; DIM]>) {
    let mut stream = Shift::<DIM>::new(seed);
    let mut fleet: Vec<_> = (0..Shift::<DIM>::SEGMENT).map(|_| stream.next_sample()).collect();
    let device = fleet.drain(..FIRST).collect();
    (device, fleet)
}

fn factory_model(fleet: &[[f32; DIM]], centering: Centering) -> BatchPca<f32, DIM, 2> {
    let mut model = BatchPca::new(centering);
    for part in fleet.chunks(fleet.len().div_ceil(PARTS)) {
        let mut device = BatchPca::new(centering);
        part.iter().for_each(|sample| device.learn(sample).unwrap());
        model.merge(&device).unwrap();
    }
    let _ = model.fit();
    model
}

/// The total loss on the samples of `device`; each is scored before it is learned.
fn total(mut learner: impl Learner<f32, DIM>, device: &[[f32; DIM]]) -> f64 {
    let mut total = 0.0;
    for sample in device {
        total += f64::from(learner.score(sample).unwrap());
        learner.learn(sample).unwrap();
    }
    total
}

struct Losses {
    started: f64,
    fresh: f64,
}

impl Losses {
    fn of<L: Learner<f32, DIM> + Clone>(fresh: L, device: &[[f32; DIM]], start: impl Fn(&mut L)) -> Self {
        let mut started = fresh.clone();
        start(&mut started);
        Self {
            started: total(started, device),
            fresh: total(fresh, device),
        }
    }

    /// Whether the factory model saves at least half of the loss above `floor`.
    fn halved_above(&self, floor: f64) -> bool {
        self.started - floor <= 0.5 * (self.fresh - floor)
    }
}

#[test]
fn the_factory_model_saves_half_of_the_avoidable_loss() {
    for seed in 1..=5 {
        let (device, fleet) = workload(seed);
        let model = factory_model(&fleet, Centering::Uncentered);
        // `floor` is the loss of the best fixed plane. Only the loss above it counts as avoidable.
        let floor = f64::from(factory_model(&device, Centering::Uncentered).loss());
        let tracking = |settings| {
            let fresh = TrackingPca::<f32, DIM, 2, 6>::new(settings);
            Losses::of(fresh, &device, |pca| pca.start_from_batch(&model).unwrap())
        };
        let report = |what: &str, losses: &Losses| {
            let Losses { started, fresh } = losses;
            println!("seed {seed}, {what}: {started:.2} of {fresh:.2}, the best plane {floor:.2}");
        };
        for rate in [0.12, 1.0, 5.0] {
            let losses = tracking(TrackingSettings::unscaled(rate).unwrap());
            report(&format!("tracking at {rate}"), &losses);
            assert!(losses.halved_above(floor));
            // At the rate 0.12 the factory model saves at least half of the whole loss.
            assert!(rate > 0.12 || losses.halved_above(0.0));
        }
        let losses = tracking(TrackingSettings::DEFAULT);
        report("tracking, default", &losses);
        assert!(losses.halved_above(floor));
        assert!(floor > 0.5 * losses.fresh);

        let model = factory_model(&fleet, Centering::Centered);
        let fresh = CenteredPca::<f32, DIM, 2>::new(CenteredSettings::DEFAULT);
        let losses = Losses::of(fresh, &device, |pca| pca.start_from_batch(&model).unwrap());
        report("centered, default", &losses);
        assert!(losses.halved_above(0.0));
    }
}
