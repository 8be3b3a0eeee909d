//! The lists of learners.

/// The learners without a method that forgets everything.
pub const WITHOUT_RESET: [&str; 8] = [
    "random_stop",
    "clipped",
    "regret",
    "lagged",
    "monitor",
    "sensor_monitor",
    "kernel_pca",
    "kernel_ridge",
];

/// Calls `$visit!("name", type)` for each learner of number type `$T`.
///
/// Each size is a number: DIM of channels, KEEP of directions kept, RANK of stored directions of a low-rank learner,
/// WINDOW of points of a fixed window (in `PairedPca` of channels of the second group), POINTS of points of an online
/// kernel learner (in `Lagged` of stored directions), ROOM of stored directions of `OnlineKernelPca`; WIDE is 3·DIM.
#[macro_export]
macro_rules! learners {
    ($visit:ident for $T:ty, DIM = $dim:tt, KEEP = $keep:tt, RANK = $rank:tt, WINDOW = $window:tt, POINTS = $points:tt,
     ROOM = $room:tt, WIDE = $wide:tt) => {
        $visit!("tracking", TrackingPca<$T, $dim, $keep, $rank>);
        $visit!("additive", AdditivePca<$T, $dim, $keep, $rank>);
        $visit!("density", DensityPca<$T, $dim, $keep>);
        $visit!("centered", CenteredPca<$T, $dim, $keep>);
        $visit!("batch", BatchPca<$T, $dim, $keep>);
        $visit!("variance", VarianceMinimizer<$T, $dim>);
        $visit!("average", AverageDensity<$T, $dim, $keep>);
        $visit!("random_stop", RandomStop<$T, TrackingPca<$T, $dim, $keep, $rank>>);
        $visit!("clipped", Clipped<$T, TrackingPca<$T, $dim, $keep, $rank>>);
        $visit!("mahalanobis", Mahalanobis<$T, $dim>);
        $visit!("least_squares", RecursiveLeastSquares<$T, $dim>);
        $visit!("paired", PairedPca<$T, $dim, $window, $keep>);
        $visit!("scale", EnergyScale<$T>);
        $visit!("hedge", Hedge<$T, $dim>);
        $visit!("leader", FollowTheLeader<$T, $dim>);
        $visit!("set_experts", SetExperts<$T, $dim>);
        $visit!("perturbed_leader", PerturbedLeader<$T, $dim>);
        $visit!("regret", RegretMeter<$T>);
        $visit!("standardizer", Standardizer<$T, $dim>);
        $visit!("lagged", Lagged<$T, TrackingPca<$T, $wide, $keep, $points>, $dim, 3, $wide>);
        $visit!("monitor", Monitor<$T, Lagged<$T, TrackingPca<$T, $wide, $keep, $points>, $dim, 3, $wide>, $dim, 3>);
        $visit!("sensor_monitor", SensorMonitor<$T, $dim>);
        $visit!("gha", Gha<$T, $dim, $keep>);
        $visit!("apex", Apex<$T, $dim, $keep>);
        $visit!("kernel_gha", KernelGha<$T, Gaussian<$T>, $dim, $keep, $points>);
        $visit!("kernel_apex", KernelApex<$T, Polynomial<$T>, $dim, $keep, $points>);
        $visit!("kernel_pca", KernelPca<$T, Gaussian<$T>, $dim, $keep, $window>);
        $visit!("kernel_ridge", KernelRidge<$T, Gaussian<$T>, $dim, $window>);
        $visit!("online_kernel", OnlineKernelPca<$T, Gaussian<$T>, $dim, $keep, $points, $room>);
        $visit!("window_linear", GramWindow<$T, Linear, $dim, $window>);
        $visit!("window_cosine", GramWindow<$T, Cosine, $dim, $window>);
        $visit!("window_gaussian", GramWindow<$T, Gaussian<$T>, $dim, $window>);
        $visit!("window_laplacian", GramWindow<$T, Laplacian<$T>, $dim, $window>);
        $visit!("window_polynomial", GramWindow<$T, Polynomial<$T>, $dim, $window>);
    };
}

/// Calls `$visit!(name, type, choice)` for each learner whose cost depends on channels and directions.
///
/// Its flash and the instructions of its trial are measured.
#[macro_export]
macro_rules! timed_by_channels {
    ($visit:ident, DIM = $dim:tt, KEEP = $keep:tt, RANK = $rank:tt) => {
        $visit!(tracking, TrackingPca<f32, $dim, $keep, $rank>, 0);
        $visit!(centered, CenteredPca<f32, $dim, $keep>, 0);
        $visit!(density, DensityPca<f32, $dim, $keep>, 0);
        $visit!(batch, BatchPca<f32, $dim, $keep>, 0);
        $visit!(variance, VarianceMinimizer<f32, $dim>, 0);
        $visit!(oja, Oja<f32, $dim>, 0);
        $visit!(gha, Gha<f32, $dim, $keep>, 0);
        $visit!(apex, Apex<f32, $dim, $keep>, 0);
        $visit!(mahalanobis, Mahalanobis<f32, $dim>, 0);
        $visit!(monitor, SensorMonitor<f32, $dim>, 0);
    };
}

/// Calls `$visit!(name, type, choice)` for each learner that is measured at two sizes only; `budget` has no model of
/// it.
#[macro_export]
macro_rules! timed_beside {
    ($visit:ident, DIM = $dim:tt, KEEP = $keep:tt, RANK = $rank:tt) => {
        $visit!(additive, AdditivePca<f32, $dim, $keep, $rank>, 0);
        $visit!(paired, PairedPca<f32, $dim, $dim, $keep>, 0);
        $visit!(average, AverageDensity<f32, $dim, $keep>, 0);
        $visit!(random_stop, RandomStop<f32, TrackingPca<f32, $dim, $keep, $rank>>, 0);
        $visit!(least_squares, RecursiveLeastSquares<f32, $dim>, 0);
        $visit!(set_experts, SetExperts<f32, $dim>, 0);
        $visit!(perturbed_leader, PerturbedLeader<f32, $dim>, 0);
        $visit!(posterior_variance, Predicted<f32, $dim, 16>, 0);
    };
}

/// Calls `$visit!(name, type, choice, trials)` for each learner whose cost also depends on a window.
///
/// The word `trials` is `few` if a trial takes long, and otherwise `many`.
#[macro_export]
macro_rules! timed_by_window {
    ($visit:ident, DIM = $dim:tt, KEEP = $keep:tt, RANK = $rank:tt, WINDOW = $window:tt) => {
        $visit!(kernel_exact, OnlineKernelPca<f32, Gaussian<f32>, $dim, $keep, $window, $rank>, 0, few);
        $visit!(kernel_batch, Refitted<f32, $dim, $keep, $window>, 0, few);
        $visit!(kernel_oja, KernelOja<f32, Gaussian<f32>, $dim, $window>, 0, many);
        $visit!(kernel_gha, KernelGha<f32, Gaussian<f32>, $dim, $keep, $window>, 0, many);
    };
}

/// Calls `$visit!` once with every learner of the soak test.
///
/// An entry has: name; wrapper; type for the number type `T`; constructor; seed and mean of the stream; how long the
/// losses are compared with those in `f64`; and the divisor of the number of steps. Each trial must report losses.
#[macro_export]
macro_rules! long_lives {
    ($visit:ident) => {
        $visit! {
            "TrackingPca<f32, 20, 2, 6>": Alive, TrackingPca<T, 20, 2, 6> = TrackingPca::new(TrackingSettings::DEFAULT),
                stream 1 at 0.0, whole, one step in 1;
            "TrackingPca<f32, 8, 3, 8>, share 1e-3": Alive, TrackingPca<T, 8, 3, 8> = {
                let default = TrackingSettings::DEFAULT;
                TrackingPca::new(default.with_share(Share::Uniform(T::from_f64(1e-3))).unwrap_or(default))
            }, stream 2 at 0.0, whole, one step in 1;
            "AdditivePca<f32, 8, 2, 6>": Alive, AdditivePca<T, 8, 2, 6> = AdditivePca::new(AdditiveSettings::DEFAULT),
                stream 15 at 0.0, whole, one step in 1;
            "AverageDensity<f32, 8, 2>": Alive, AverageDensity<T, 8, 2> = AverageDensity::new(),
                stream 16 at 0.0, remembered, one step in 1;
            "RandomStop<f32, TrackingPca>": Alive, RandomStop<T, TrackingPca<T, 8, 2, 6>> =
                RandomStop::new(TrackingPca::new(TrackingSettings::DEFAULT)),
                stream 17 at 0.0, alone, one step in 1;
            "RecursiveLeastSquares<f32, 7>": LastOfEight, RecursiveLeastSquares<T, 7> =
                RecursiveLeastSquares::new(LeastSquaresSettings::DEFAULT),
                stream 18 at 0.0, remembered, one step in 1;
            "RecursiveLeastSquares<f32, 7>, forgetting": LastOfEight, RecursiveLeastSquares<T, 7> = {
                let forgetting = Forgetting::memory(T::from_f64(MEMORY)).unwrap_or(Forgetting::NONE);
                RecursiveLeastSquares::new(LeastSquaresSettings::DEFAULT.with_forgetting(forgetting))
            }, stream 19 at LEVEL, whole, one step in 1;
            "SetExperts<f32, 6>, sets of 2": OfMagnitudes, SetExperts<T, 6> =
                SetExperts::new(HedgeSettings::DEFAULT.with_set_size(2).unwrap_or(HedgeSettings::DEFAULT)),
                stream 20 at 0.0, alone, one step in 10;
            "PerturbedLeader<f32, 6>, sets of 2": OfMagnitudes, PerturbedLeader<T, 6> =
                PerturbedLeader::new(HedgeSettings::DEFAULT.with_set_size(2).unwrap_or(HedgeSettings::DEFAULT)),
                stream 21 at 0.0, alone, one step in 1;
            "PairedPca<f32, 3, 3, 1>": TwoGroups, PairedPca<T, 3, 3, 1> = {
                let forgetting = Forgetting::memory(T::from_f64(MEMORY)).unwrap_or(Forgetting::NONE);
                PairedPca::new(PairedSettings::DEFAULT.with_forgetting(forgetting))
            }, stream 22 at 0.0, alone, one step in 10;
            "BatchPca<f32, 8, 2>": FittedNowAndThen, BatchPca<T, 8, 2> = BatchPca::new(Centering::Centered),
                stream 3 at LEVEL, remembered, one step in 1;
            "CenteredPca<f32, 8, 2>": Alive, CenteredPca<T, 8, 2> = CenteredPca::new(CenteredSettings::DEFAULT),
                stream 4 at LEVEL, remembered, one step in 1;
            "CenteredPca<f32, 8, 3>, forgetting": Alive, CenteredPca<T, 8, 3> = {
                let forgetting = Forgetting::memory(T::from_f64(MEMORY)).unwrap_or(Forgetting::NONE);
                CenteredPca::new(CenteredSettings::DEFAULT.with_forgetting(forgetting))
            }, stream 5 at LEVEL, whole, one step in 1;
            "DensityPca<f32, 6, 2>, past share": Alive, DensityPca<T, 6, 2> = {
                let default = DensitySettings::DEFAULT;
                let with_ceiling = default.with_ceiling(T::FOURTEEN).unwrap_or(default);
                let share = Share::PastAverage(T::from_f64(1e-3));
                DensityPca::new(with_ceiling.with_share(share).unwrap_or(default))
            }, stream 6 at 0.0, whole, one step in 1;
            "VarianceMinimizer<f32, 4>": WithNoiseFloor, VarianceMinimizer<T, 4> = VarianceMinimizer::new(VarianceSettings::DEFAULT),
                stream 12 at 0.0, remembered, one step in 1;
            "Gha<f32, 8, 3>": Alive, Gha<T, 8, 3> = Gha::new(GhaSettings::DEFAULT),
                stream 7 at 0.0, whole, one step in 1;
            "Apex<f32, 8, 3>": Alive, Apex<T, 8, 3> = Apex::new(ApexSettings::DEFAULT),
                stream 8 at 0.0, whole, one step in 1;
            "SensorMonitor<f32, 8>": Alive, SensorMonitor<T, 8> = SensorMonitor::standard(MonitorSettings::DEFAULT),
                stream 10 at LEVEL, alone, one step in 1;
            "KernelGha<f32, Gaussian, 4, 2, 24>": Alive, KernelGha<T, Gaussian<T>, 4, 2, 24> =
                KernelGha::new(Gaussian::new(T::HALF).unwrap_or(Gaussian::DEFAULT), GhaSettings::DEFAULT, PointBudget::DEFAULT),
                stream 9 at 0.0, whole, one step in 10;
            "KernelApex<f32, Gaussian, 4, 2, 24>": Alive, KernelApex<T, Gaussian<T>, 4, 2, 24> =
                KernelApex::new(Gaussian::new(T::HALF).unwrap_or(Gaussian::DEFAULT), ApexSettings::DEFAULT, PointBudget::DEFAULT),
                stream 13 at 0.0, whole, one step in 10;
            "OnlineKernelPca<f32, 8, 2, 16, 16>": Alive, OnlineKernelPca<T, Gaussian<T>, 8, 2, 16, 16> = {
                let default = OnlineKernelSettings::DEFAULT;
                OnlineKernelPca::new(Gaussian::DEFAULT, OnlineKernelSettings::new(T::from_f64(5.0)).unwrap_or(default))
            }, stream 11 at 0.0, whole, one step in 10;
            "OnlineKernelPca<f32, 8, 2, 16, 16>, centered": Alive, OnlineKernelPca<T, Gaussian<T>, 8, 2, 16, 16> = {
                let default = OnlineKernelSettings::DEFAULT;
                let settings = OnlineKernelSettings::new(T::from_f64(5.0)).unwrap_or(default);
                OnlineKernelPca::new(Gaussian::DEFAULT, settings.with_centering(Centering::Centered))
            }, stream 14 at 1.0, whole, one step in 10;
        }
    };
}
