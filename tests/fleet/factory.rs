//! The factory model: parts of a fleet are merged, and a new device starts from the result.

use eigenstream::pca::{BatchPca, CenteredPca, CenteredSettings, TrackingPca, TrackingSettings};
use eigenstream::{Centering, Learner};

#[allow(unfulfilled_lint_expectations, reason = "some lints are about what other crates see")]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the workloads of the bench, of which one is used here"
)]
#[path = "../firmware/src/workload.rs"]
mod workload;

use workload::Shift;

const DIM: usize = 20;
/// Samples of the new device.
const FIRST: usize = 100;
/// Devices of the fleet.
const PARTS: usize = 7;

/// W1: the samples of a new device, and of the fleet. All of them belong to the first segment, in which the machine stays what it is.
fn workload(seed: u64) -> (Vec<[f32; DIM]>, Vec<[f32; DIM]>) {
    let mut stream = Shift::<DIM>::new(seed);
    let mut fleet: Vec<_> = (0..Shift::<DIM>::SEGMENT).map(|_| stream.next_sample()).collect();
    let device = fleet.drain(..FIRST).collect();
    (device, fleet)
}

/// Every device gathers its own samples; the sums are merged on the PC.
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

/// Total expected loss, each sample scored before it is learned.
fn total(mut learner: impl Learner<f32, DIM>, device: &[[f32; DIM]]) -> f64 {
    let mut total = 0.0;
    for sample in device {
        total += f64::from(learner.score(sample).unwrap());
        learner.learn(sample).unwrap();
    }
    total
}

/// The loss of a learner in the first samples, with a start and without.
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

    /// Whether the start saves half of all that is lost beyond `floor`.
    fn halved_above(&self, floor: f64) -> bool {
        self.started - floor <= 0.5 * (self.fresh - floor)
    }
}

#[test]
fn a_merged_prior_has_at_most_half_the_loss_of_a_fresh_start() {
    for seed in 1..=5 {
        let (device, fleet) = workload(seed);
        let model = factory_model(&fleet, Centering::Uncentered);
        // Noise that no plane can hold is lost whatever the start; the best plane in hindsight loses least.
        let floor = f64::from(factory_model(&device, Centering::Uncentered).loss());
        let tracking = |settings| {
            let fresh = TrackingPca::<f32, DIM, 2, 6>::new(settings);
            Losses::of(fresh, &device, |pca| pca.start_from_batch(&model).unwrap())
        };
        let told = |what: &str, losses: &Losses| {
            let Losses { started, fresh } = losses;
            println!("seed {seed}, {what}: {started:.2} of {fresh:.2}, the best plane {floor:.2}");
        };
        for rate in [0.12, 1.0, 5.0] {
            let losses = tracking(TrackingSettings::unscaled(rate).unwrap());
            told(&format!("tracking at {rate}"), &losses);
            assert!(losses.halved_above(floor));
            // At the rate that suits a stream of this length, half of everything.
            assert!(rate > 0.12 || losses.halved_above(0.0));
        }
        let losses = tracking(TrackingSettings::DEFAULT);
        told("tracking, default", &losses);
        assert!(losses.halved_above(floor));
        // The default rate learns so fast that the noise alone is more than half of the loss: no start can halve all of it.
        assert!(floor > 0.5 * losses.fresh);

        let model = factory_model(&fleet, Centering::Centered);
        let fresh = CenteredPca::<f32, DIM, 2>::new(CenteredSettings::DEFAULT);
        let losses = Losses::of(fresh, &device, |pca| pca.start_from_batch(&model).unwrap());
        told("centered, default", &losses);
        assert!(losses.halved_above(0.0));
    }
}
