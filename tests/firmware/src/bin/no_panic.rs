//! Calls every public function of the crate at sizes 3, 20, 33 and 64, prints nothing and has a bare panic handler, so
//! that the symbols of the image prove that none of these calls can panic (`cargo harness test`).
//! In `f32`; in `f64` where the variable NO_PANIC_WIDE is set when it is compiled.
//! Arguments and results pass through `black_box`: the compiler knows neither, and can leave nothing out.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod image {
    use core::hint::black_box;
    use core::panic::PanicInfo;

    use eigenstream::bounds::{Bounds, CenterStart, RegretMeter};
    use eigenstream::codec::{Header, Image, Kind};
    use eigenstream::hebbian::{
        Apex, ApexSettings, Deflation, Eviction, FeatureVectors, Gha, GhaSettings, KernelApex, KernelGha, Memory, Norm,
        RateSettings, Vectors,
    };
    use eigenstream::kernel::{
        Ambient, Cosine, Expansion, Gaussian, GramEigen, GramWindow, Kernel, KernelMean, KernelParts, KernelPca,
        KernelRidge, Laplacian, Linear, OnlineKernelPca, OnlineKernelSettings, Polynomial, PreimageSettings, Refresh,
        RidgeSettings, cholesky_coordinates,
    };
    use eigenstream::monitor::{
        Counts, Decision, DecisionSettings, ExponentialMean, LagEmbedding, Lagged, Learning, Missing, Monitor,
        MonitorSettings, Quantile, RunningMedian, Scaling, Schedule, Score, Scorer, Standardizer, StandardizerSettings,
        Threshold, Verdict, impute,
    };
    use eigenstream::nalgebra::SMatrix;
    use eigenstream::pca::{
        AverageDensity, BatchPca, Center, CenteredPca, CenteredSettings, Centering, DensityPca, DensitySettings, Draw,
        EnergyScale, Forgetting, ReadOut, ScaleSettings, Share, TrackingPca, TrackingSettings, VarianceMinimizer,
        VarianceSettings, exponentiated_gradient,
    };
    use eigenstream::rand_core::SeedableRng;
    use eigenstream::spectrum::{
        Cholesky, Convergence, Eigen, PartialEigen, RankOne, matrix_exp, matrix_log, orthogonality_error,
        orthonormalize,
    };
    use eigenstream::weights::{
        Bulk, Corner, Corners, FollowTheLeader, Hedge, HedgeSettings, Subset, SubsetExperts, cap, cap_log,
        keep_probability, softmin, systematic, threshold,
    };
    use eigenstream::{Codec, Learner, Scalar, SettingsError};
    use rand_xoshiro::Xoshiro128PlusPlus;

    /// The number type of every call.
    type Number = <Width<{ option_env!("NO_PANIC_WIDE").is_some() }> as Numbers>::Number;

    struct Width<const WIDE: bool>;

    trait Numbers {
        type Number;
    }

    impl Numbers for Width<false> {
        type Number = f32;
    }

    impl Numbers for Width<true> {
        type Number = f64;
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        loop {
            every_function::<3>();
            every_function::<20>();
            every_function::<33>();
            every_function::<64>();
            lagged::<3, 6>();
            lagged::<20, 40>();
            lagged::<33, 66>();
            lagged::<64, 128>();
        }
    }

    fn every_function<const N: usize>() {
        scalar();
        weights::<N>();
        experts::<N>();
        spectrum::<N>();
        tracking::<N>();
        density::<N>();
        batch::<N>();
        centered::<N>();
        variance::<N>();
        kernels::<N>();
        window::<N>();
        kernel_pca::<N>();
        kernel_models::<N>();
        stages::<N>();
        monitor::<N>();
        hebbian::<N>();
        hebbian_kernels::<N>();
        online_kernel::<N>();
        bounds();
        send();
    }

    /// The functions of the number type itself.
    #[inline(never)]
    fn scalar() {
        let (one, other) = (
            black_box(<Number as Scalar>::from_f64(black_box(0.5))),
            black_box(Number::from_usize(3)),
        );
        black_box((
            one.to_f64(),
            Scalar::abs(one),
            Scalar::sqrt(one),
            one.inverse_sqrt(),
            Scalar::is_finite(one),
        ));
        black_box((
            Scalar::exp(one),
            Scalar::exp_m1(one),
            Scalar::ln(one),
            Scalar::floor(one),
        ));
        black_box((Scalar::max(one, other), Scalar::min(one, other), one.power_of_two()));
        black_box(Number::uniform(&mut black_box(Xoshiro128PlusPlus::seed_from_u64(1))));
    }

    /// Every kernel, on samples that the compiler does not know.
    #[inline(never)]
    fn kernels<const N: usize>() {
        fn call<const N: usize>(kernel: Result<impl Kernel<Number, N>, SettingsError>) {
            if let Ok(kernel) = black_box(kernel) {
                let (left, right) = (black_box([0.5; N]), black_box([0.25; N]));
                black_box((
                    kernel.value(&left, &right),
                    kernel.norm_squared(&left),
                    kernel.norm_bound(),
                ));
            }
        }
        let gamma = black_box(0.5);
        call::<N>(Ok(Linear));
        call::<N>(Polynomial::new(gamma, black_box(2)));
        call::<N>(Gaussian::new(gamma));
        call::<N>(Gaussian::from_sigma(gamma));
        call::<N>(Laplacian::new(gamma));
        call::<N>(Ok(Cosine));
        black_box(black_box(Gaussian::<Number>::DEFAULT).gamma());
    }

    /// A window of `N` points of three channels.
    #[inline(never)]
    fn window<const N: usize>() {
        let mut window = black_box(GramWindow::<Number, Gaussian<Number>, 3, N>::new(Gaussian::DEFAULT));
        let sample = black_box([0.5; 3]);
        let _ = black_box(window.push(&sample));
        let _ = black_box(window.row(&sample, &mut black_box([0.0; N])));
        window.gram(&mut black_box(SMatrix::zeros()));
        black_box((window.len(), window.is_empty(), window.is_full(), window.points()));
        for point in window.oldest_first() {
            black_box(point);
        }
        black_box((window.norms(), window.kernel()));
        save(&window);
        window.clear();
        black_box(window);
    }

    /// Batch kernel PCA, from the window to the constants and back; with a kernel that the compiler does not know.
    #[inline(never)]
    fn kernel_pca<const N: usize>() {
        let sample = black_box::<[Number; 3]>([0.5; 3]);
        let mut window = black_box(GramWindow::<Number, _, 3, N>::new(Gaussian::DEFAULT));
        let _ = black_box(window.push(&sample));
        let mut room = black_box(GramEigen::<Number, N>::new());
        let _ = black_box(room.decompose(&window, black_box(Centering::Centered)));
        black_box(room.eigenvalues());
        let centering = black_box(Centering::Centered);
        let mut pca = black_box(KernelPca::<Number, _, 3, N, 4>::new(Gaussian::DEFAULT, centering));
        let _ = black_box(pca.fit(&window, &mut room));
        save(&pca);
        let _ = black_box((pca.transform(&sample), pca.score(&sample), pca.energy(&sample)));
        let settings = black_box(PreimageSettings::DEFAULT);
        let _ = black_box(pca.denoise(&sample, settings));
        if let Ok(vector) = black_box(pca.expansion(&black_box([0.5; 4]))) {
            black_box((vector.weights(), vector.norm_squared()));
            let _ = black_box((vector.value(&sample), vector.distance_squared(&sample)));
            black_box(vector.preimage(settings));
            let _ = black_box(vector.preimage_from(&sample, settings));
        }
        black_box((
            pca.eigenvalues(),
            pca.explained_variance(),
            pca.explained_variance_ratio(),
        ));
        black_box((pca.loss(), pca.kernel()));
        black_box(KernelParts::cast::<Number>(pca.parts()));
        let _ = black_box(KernelPca::from_parts(Gaussian::DEFAULT, black_box(pca.parts())));

        let mut factor = black_box(Cholesky::<Number, N>::new());
        let mut coordinates = black_box(SMatrix::<Number, 2, N>::from_element(0.0));
        let _ = black_box(cholesky_coordinates(&window, &mut factor, &mut room, &mut coordinates));
        black_box((window, pca, room, factor, coordinates));
    }

    /// What else a window is good for.
    #[inline(never)]
    fn kernel_models<const N: usize>() {
        let sample = black_box::<[Number; 3]>([0.5; 3]);
        let mut window = black_box(GramWindow::<Number, _, 3, N>::new(Gaussian::DEFAULT));
        let _ = black_box(window.push(&sample));
        let settings = PreimageSettings::DEFAULT
            .with_iterations(black_box(10))
            .and_then(|settings| settings.with_tolerance(black_box(0.5)))
            .unwrap_or_default();
        black_box(settings.iterations());
        let mean = KernelMean::of(&window);
        black_box((mean.expansion(), mean.norm_squared(), mean.spread()));
        let _ = black_box((mean.value(&sample), mean.distance_squared(&sample), mean.score(&sample)));
        black_box(mean.preimage(settings));
        let _ = black_box(mean.preimage_from(&sample, settings));
        if let Ok(expansion) = black_box(Expansion::new(&window, &black_box([0.5; N]))) {
            black_box(expansion.weights());
        }

        let settings = RidgeSettings::new(black_box(0.5)).unwrap_or_default();
        black_box(settings.regularization());
        let mut ridge = black_box(KernelRidge::<Number, _, 3, N>::new(Gaussian::DEFAULT, settings));
        let mut factor = black_box(Cholesky::<Number, N>::new());
        let _ = black_box(ridge.fit(&window, &black_box([0.5; N]), &mut factor));
        let _ = black_box(ridge.predict(&sample));
        black_box(ridge.coefficients());
        save(&ridge);
        let _ = black_box(factor.decompose(&black_box(SMatrix::from_element(0.5))));
        factor.solve(&mut black_box([0.5; N]));
        black_box((factor.factor(), &ridge));
    }

    /// Online kernel PCA over `N` points, with room for every direction and for three.
    #[inline(never)]
    fn online_kernel<const N: usize>() {
        fn call<const N: usize, const RANK: usize>(settings: OnlineKernelSettings<Number>) {
            let kernel = black_box(Gaussian::DEFAULT);
            let mut pca = black_box(OnlineKernelPca::<Number, _, 3, 1, N, RANK>::new(
                kernel,
                black_box(settings),
            ));
            let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
            let sample = black_box([0.5; 3]);
            let _ = black_box(pca.step(&sample, &mut rng));
            let _ = black_box(pca.learn(&sample));
            let _ = black_box(pca.push(&sample));
            pca.refresh();
            let _ = black_box(pca.score(&sample));
            let _ = black_box(pca.residual(&sample));
            let _ = black_box(pca.transform(&sample));
            black_box((pca.components(), pca.keep_probabilities(), pca.outside_probability()));
            black_box((pca.eigenvalues(), pca.window(), pca.samples_seen()));
            black_box(pca.spectrum());
            save(&pca);
            pca.reset();
            black_box(pca);
        }
        let settings = black_box(OnlineKernelSettings::new(black_box::<Number>(1.0)))
            .and_then(|settings| settings.with_stride(black_box(2)))
            .and_then(|settings| settings.with_novelty(black_box(0.1)));
        if let Ok(settings) = settings {
            let settings = settings
                .with_ambient(black_box(Ambient::Finite(3)))
                .with_refresh(black_box(Refresh::Fast))
                .with_centering(black_box(Centering::Centered));
            call::<N, N>(settings);
            call::<N, 3>(settings);
        }
    }

    /// Functions on weight vectors, of a length known only at run time.
    #[inline(never)]
    fn weights<const N: usize>() {
        let set_size = black_box(2_usize);
        let uniform = black_box::<Number>(0.5);
        let mut vector = black_box::<[Number; N]>([0.25; N]);
        let mut result = black_box::<[Number; N]>([0.0; N]);
        let (Some(vector), Some(result)) = (vector.get_mut(..black_box(N)), result.get_mut(..black_box(N))) else {
            return;
        };
        let _ = black_box(softmin(vector, uniform, None, result));
        let _ = black_box(softmin(vector, uniform, Some(&black_box([1.0; N])), result));
        let _ = black_box(cap_log(vector, set_size, result));
        let _ = black_box(cap(vector, set_size));
        let bulk = black_box(Bulk {
            value: 0.1,
            multiplicity: 3,
        });
        black_box(threshold(result, bulk, set_size));
        black_box(keep_probability(uniform, uniform));
        let _ = black_box(systematic::<Number, N>(vector, set_size, uniform)).map(|set| read(&set));
        if let Ok(corners) = black_box(Corners::<Number, N>::new(vector, set_size)) {
            read(&black_box(corners.clone().draw(uniform)));
            for corner in corners {
                let corner: Corner<Number, N> = black_box(corner);
                black_box(corner.probability());
                read(black_box(corner.members()));
            }
        }
        black_box((vector, result));
    }

    /// Learners over `N` experts.
    #[inline(never)]
    fn experts<const N: usize>() {
        let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
        let set_size = black_box(2_usize);
        let losses = black_box::<[Number; N]>([0.25; N]);
        if let Ok(settings) = black_box(HedgeSettings::new(black_box::<Number>(0.5), set_size)) {
            let mut hedge = black_box(Hedge::<Number, N>::new(settings));
            let _ = black_box(hedge.step(&losses));
            black_box(hedge.weights());
            read(&black_box(hedge.draw(&mut rng)));
            save(&hedge);
            hedge.reset();
            black_box(hedge);
        }
        if let Ok(experts) = black_box(SubsetExperts::<Number, N>::new(&losses, set_size)) {
            black_box(experts.partition());
            experts.marginals(&mut black_box([0.0; N]));
            read(&black_box(experts.sample(|| black_box(0.5))));
            read(&black_box(experts.draw(&mut rng)));
        }
        let mut leader = black_box(FollowTheLeader::<Number, N>::new());
        let _ = black_box(leader.learn(&losses));
        black_box(leader.cumulative_losses());
        read(&black_box(leader.leaders(set_size)));
        read(&black_box(leader.perturbed_leaders(&losses, set_size)));
        save(&leader);
        leader.reset();
        black_box(leader);
    }

    /// Eigensolvers and what keeps vectors orthonormal.
    #[inline(never)]
    fn spectrum<const N: usize>() {
        let matrix = black_box(SMatrix::<Number, N, N>::from_element(0.5));
        let mut eigen = black_box(Eigen::<Number, N>::new());
        let _ = black_box(eigen.decompose(&matrix));
        black_box((eigen.values(), eigen.vectors()));
        let _ = black_box(black_box(Convergence::Reached).and(black_box(Convergence::BoundHit)));

        let mut partial = black_box(PartialEigen::<Number, N>::new());
        let mut vectors = black_box(SMatrix::<Number, N, 3>::from_element(0.0));
        let _ = black_box(partial.decompose(&matrix));
        let _ = black_box(partial.vectors(black_box(&[0, 2]), &mut vectors));
        black_box(partial.values());

        let mut update = black_box(RankOne::<Number, N>::new());
        let (diagonal, direction) = (black_box([1.0; N]), black_box([0.5; N]));
        let _ = black_box(update.update(&diagonal, &direction, black_box(0.5)));
        black_box((update.values(), update.vectors()));

        black_box(orthogonality_error(&vectors, black_box(2)));
        black_box(orthonormalize(&mut vectors, black_box(2)));
        black_box(vectors);
    }

    /// Online PCA in low-rank form.
    #[inline(never)]
    fn tracking<const N: usize>() {
        let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
        let sample = black_box::<[Number; N]>([0.5; N]);
        let settings = TrackingSettings::new(black_box(0.5))
            .and_then(|settings| settings.with_share(black_box(0.001)))
            .and_then(|settings| settings.with_ceiling(black_box(14.0)))
            .map(|settings| settings.with_draw(black_box(Draw::Corners)).without_ceiling())
            .map(|settings| settings.with_scale(black_box(ScaleSettings::DEFAULT)));
        let mut pca = black_box(TrackingPca::<Number, N, 1, 3>::new(
            settings.unwrap_or(TrackingSettings::DEFAULT),
        ));
        let _ = black_box(pca.step(&sample, &mut rng));
        let _ = black_box(pca.learn(&sample));
        let _ = black_box((pca.score(&sample), pca.residual(&sample)));
        if let Ok(code) = black_box(pca.transform(&sample)) {
            let _ = black_box(pca.inverse_transform(&code));
        }
        black_box((
            pca.components(),
            pca.keep_probabilities(),
            pca.evidence(),
            pca.samples_seen(),
        ));
        pca.density(&mut black_box(SMatrix::<Number, N, N>::from_element(0.0)));
        save(&pca);
        pca.reset();
        black_box(pca);
    }

    /// Online PCA on the full density matrix. Its settings and its start are known only at run time.
    #[inline(never)]
    fn density<const N: usize>() {
        let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
        let (sample, matrix) = (
            black_box([0.5; N]),
            black_box(SMatrix::<Number, N, N>::from_element(0.5)),
        );
        let mut eigen = black_box(Eigen::<Number, N>::new());
        let mut result = black_box(SMatrix::<Number, N, N>::from_element(0.0));
        let _ = black_box(matrix_exp(&matrix, &mut eigen, &mut result));
        let _ = black_box(matrix_log(&matrix, &mut eigen, &mut result));
        let _ = black_box(exponentiated_gradient::<Number, N, 2>(
            &matrix,
            &matrix,
            black_box(0.5),
            &mut eigen,
            &mut result,
        ));

        let settings = DensitySettings::new(black_box(0.5))
            .and_then(|settings| settings.with_share(black_box(Share::PastPosteriors(0.5))))
            .and_then(|settings| settings.with_ceiling(black_box(14.0)))
            .map(|settings| settings.with_draw(black_box(Draw::Corners)).without_ceiling());
        let mut pca = black_box(DensityPca::<Number, N, 2>::new(
            settings.unwrap_or(DensitySettings::DEFAULT),
        ));
        let _ = black_box(pca.start_from(&matrix, &mut eigen));
        let _ = black_box(pca.step(&sample, &mut rng));
        let _ = black_box(pca.learn(&sample));
        let _ = black_box(pca.learn_instance(&matrix));
        let _ = black_box(pca.score(&sample));
        let _ = black_box(pca.score_instance(&matrix));
        let _ = black_box(pca.residual(&sample));
        if let Ok(code) = black_box(pca.transform(&sample)) {
            let _ = black_box(pca.inverse_transform(&code));
        }
        black_box((
            pca.components(),
            pca.keep_probabilities(),
            pca.evidence(),
            pca.samples_seen(),
        ));
        pca.density(&mut result);
        save(&pca);
        pca.reset();
        black_box((pca, result));
    }

    /// Batch PCA.
    #[inline(never)]
    fn batch<const N: usize>() {
        let sample = black_box::<[Number; N]>([0.5; N]);
        let mut pca = black_box(BatchPca::<Number, N, 2>::new(black_box(Centering::Centered)));
        let _ = black_box(pca.learn(&sample));
        let _ = black_box(pca.fit());
        let _ = black_box(pca.transform(&sample));
        let _ = black_box(pca.inverse_transform(&black_box([0.5; 2])));
        let _ = black_box((pca.score(&sample), pca.residual(&sample)));
        black_box((pca.components(), pca.mean(), pca.eigenvalues(), pca.samples_seen()));
        black_box((pca.explained_variance(), pca.explained_variance_ratio(), pca.loss()));
        save(&pca);
        pca.reset();
        black_box(pca);
    }

    /// Centered online PCA with every setting, and the average of its predictions.
    #[inline(never)]
    fn centered<const N: usize>() {
        let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
        let sample = black_box::<[Number; N]>([0.5; N]);
        let Ok(settings) = every_setting() else {
            return;
        };
        let mut pca = black_box(CenteredPca::<Number, N, 2>::new(settings));
        let _ = black_box(pca.reset_about(&sample));
        let _ = black_box(pca.step(&sample, &mut rng));
        let _ = black_box(pca.learn(&sample));
        let _ = black_box((pca.score(&sample), pca.residual(&sample), pca.transform(&sample)));
        let _ = black_box(pca.inverse_transform(&black_box([0.5; 2])));
        black_box((
            pca.components(),
            pca.keep_probabilities(),
            pca.mean(),
            pca.samples_seen(),
        ));
        black_box((pca.explained_variance(), pca.explained_variance_ratio()));

        let mut matrix = black_box(SMatrix::<Number, N, N>::from_element(0.0));
        let mut average = black_box(AverageDensity::<Number, N, 2>::new());
        average.add(black_box(0.25), pca.directions());
        pca.scatter(&mut matrix);
        pca.density(&mut matrix);
        average.add_density(&matrix);
        average.density(&mut matrix);
        let _ = black_box(average.expected_loss(&sample));
        save(&average);
        average.reset();
        save(&pca);
        pca.reset();
        black_box((average, pca, matrix));
    }

    /// The stages of the monitor, each alone.
    #[inline(never)]
    fn stages<const N: usize>() {
        let sample = black_box::<[Number; N]>([0.5; N]);
        let value = black_box::<Number>(0.5);
        if let Ok(counts) = Counts::new(black_box::<[Number; N]>([0.5; N]), black_box([1; N])) {
            black_box(counts.convert(&black_box([3; N])));
        }
        let mut standardizer = black_box(Standardizer::<Number, N>::new(StandardizerSettings::DEFAULT));
        let _ = black_box((standardizer.learn(&sample), standardizer.standardize(&sample)));
        black_box((standardizer.mean(), standardizer.spread(), standardizer.samples_seen()));
        save(&standardizer);
        standardizer.reset();
        let mut mean = black_box(ExponentialMean::<Number, N>::new(black_box(8)));
        black_box(mean.push(&sample));
        black_box((mean.mean(), mean.after(&sample)));
        mean.reset();
        let mut median = black_box(RunningMedian::<Number, 5>::new());
        black_box((median.push(value), median.median()));
        median.reset();
        if let Ok(quantile) = Quantile::new(value) {
            let mut quantile = black_box(quantile);
            quantile.push(value);
            black_box((quantile.value(), quantile.values_seen()));
            quantile.reset();
        }
        let mut decision = black_box(Decision::new(DecisionSettings::DEFAULT));
        black_box((decision.decide(value, value), decision.is_alarm()));
        decision.reset();
        let mut pca = black_box(CenteredPca::<Number, N, 2>::new(CenteredSettings::DEFAULT));
        let _ = black_box((pca.energy(&sample), pca.leverage(&sample)));
        let _ = black_box((Learner::pass(&mut pca, &sample), Learner::interrupt(&mut pca)));
        let batch = black_box(BatchPca::<Number, N, 2>::new(Centering::Centered));
        let _ = black_box((batch.energy(&sample), batch.leverage(&sample)));
        let mut scorer = black_box(Scorer::new(black_box(Score::Combined), black_box(8)));
        let _ = black_box((scorer.contributions(&pca, &sample), scorer.learn(&pca, &sample)));
        let mut holey = sample;
        let _ = black_box(impute(&pca, &mut holey, &black_box([true; N])));
        black_box((standardizer, mean, median, decision, scorer, pca, holey));
    }

    /// The monitor with everything switched on.
    #[inline(never)]
    fn monitor<const N: usize>() {
        let sample = black_box::<[Number; N]>([0.5; N]);
        let Ok(settings) = every_monitor_setting() else {
            return;
        };
        let fresh = || CenteredPca::<Number, N, 2>::new(CenteredSettings::DEFAULT);
        let mut monitor = black_box(Monitor::<Number, CenteredPca<Number, N, 2>, N, 3>::new(
            settings,
            fresh(),
        ));
        if let Ok(verdict) = monitor.observe(&sample) {
            black_box(Verdict::guilty(&verdict));
        }
        monitor.interrupt();
        monitor.set_learning(black_box(Learning::Always));
        monitor.recalibrate();
        black_box((
            monitor.phase(),
            monitor.threshold(),
            monitor.learner(),
            monitor.standardizer(),
        ));
        save(&monitor);
        black_box(monitor.relearn(fresh()));
    }

    fn every_monitor_setting() -> Result<MonitorSettings<Number>, SettingsError> {
        let standardizer = StandardizerSettings::DEFAULT
            .with_forgetting(Forgetting::memory(black_box(100.0))?)
            .with_smallest_spread(black_box(0.1))?
            .with_limit(black_box(50.0))?;
        let threshold = if black_box(true) {
            Threshold::quantile(black_box(0.99))?
                .with_factor(black_box(1.5))?
                .with_floor(black_box(0.1))?
        } else {
            Threshold::fixed(black_box(2.0))?
        };
        black_box(threshold.level(black_box(1.0)));
        let schedule = Schedule::new(black_box(4), black_box(5), black_box(6))?;
        black_box(schedule.warmup());
        Ok(MonitorSettings::DEFAULT
            .with_schedule(schedule)
            .with_standardizer(standardizer)
            .with_scaling(black_box(Scaling::Following))
            .with_score(black_box(Score::Combined))
            .with_input_smoothing(black_box(2))
            .with_smoothing(black_box(8))
            .with_threshold(threshold)
            .with_decision(
                DecisionSettings::new(black_box(0.8))?
                    .with_confirm(black_box(2))
                    .with_hold_off(black_box(3)),
            )
            .with_learning(black_box(Learning::WhileNormal))
            .with_missing(black_box(Missing::Impute)))
    }

    /// Two samples in a row, `WIDE` = 2·`N`.
    #[inline(never)]
    fn lagged<const N: usize, const WIDE: usize>() {
        let sample = black_box::<[Number; N]>([0.5; N]);
        let mut lags = black_box(LagEmbedding::<Number, N, 2, WIDE>::new());
        black_box((lags.embed(&sample), lags.is_ready()));
        lags.push(&sample);
        lags.clear();
        let pca = TrackingPca::<Number, WIDE, 1, 3>::new(TrackingSettings::DEFAULT);
        let mut lagged = black_box(Lagged::<Number, _, N, 2, WIDE>::new(pca));
        let _ = black_box((lagged.score(&sample), lagged.residual(&sample), lagged.learn(&sample)));
        let _ = black_box((lagged.energy(&sample), lagged.leverage(&sample), lagged.pass(&sample)));
        save(&lagged);
        lagged.interrupt();
        black_box((lagged.learner(), lags));
    }

    fn every_setting() -> Result<CenteredSettings<Number>, SettingsError> {
        let forgetting = if black_box(true) {
            Forgetting::memory(black_box(100.0))?
        } else {
            Forgetting::factor(black_box(0.5))?
        };
        let mut scale = EnergyScale::new(ScaleSettings::bound(black_box(2.0))?);
        scale.observe(black_box(1.0));
        black_box(scale.factor());
        save(&scale);
        scale.reset();
        black_box(scale);
        Ok(CenteredSettings::new(black_box(0.5))?
            .with_center(black_box(Center::Weighted(1.0)))?
            .with_forgetting(forgetting)
            .with_read_out(black_box(ReadOut::Randomized))
            .with_draw(black_box(Draw::Corners))
            .with_scale(black_box(ScaleSettings::running(forgetting))))
    }

    /// Variance minimisation.
    #[inline(never)]
    fn variance<const N: usize>() {
        let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
        let mut matrix = black_box(SMatrix::<Number, N, N>::from_element(0.5));
        let Ok(settings) = VarianceSettings::new(black_box(0.5)) else {
            return;
        };
        let mut minimizer = black_box(VarianceMinimizer::<Number, N>::new(settings));
        let _ = black_box(minimizer.step(&matrix, &mut rng));
        let _ = black_box(minimizer.learn(&matrix));
        let _ = black_box(minimizer.expected_variance(&matrix));
        black_box((
            minimizer.weights(),
            minimizer.best_variance(),
            minimizer.matrices_seen(),
        ));
        minimizer.density(&mut matrix);
        save(&minimizer);
        minimizer.reset();
        black_box((minimizer, matrix));
    }

    /// Hebbian learners on vectors, with every setting.
    #[inline(never)]
    fn hebbian<const N: usize>() {
        let sample = black_box::<[Number; N]>([0.5; N]);
        let Ok((settings, chained)) = hebbian_settings() else {
            return;
        };
        let mut gha = black_box(Gha::<Number, N, 3>::new(settings));
        let _ = black_box(gha.start_at(&sample));
        let _ = black_box(gha.step(&sample));
        let _ = black_box(gha.learn(&sample));
        let _ = black_box((gha.score(&sample), gha.residual(&sample), gha.transform(&sample)));
        let _ = black_box(gha.inverse_transform(&black_box([0.5; 3])));
        black_box((gha.components(), gha.samples_seen()));
        save(&gha);
        gha.reset();
        black_box(gha);

        let mut apex = black_box(Apex::<Number, N, 3>::new(chained));
        if let Ok(vectors) = Vectors::from_columns(&black_box(SMatrix::<Number, N, 1>::from_element(0.5))) {
            black_box(vectors.columns());
            apex.adopt(vectors);
        }
        let _ = black_box(apex.start_at(&sample));
        let _ = black_box(apex.step(&sample));
        let _ = black_box(apex.learn(&sample));
        let _ = black_box((apex.score(&sample), apex.residual(&sample), apex.transform(&sample)));
        let _ = black_box(apex.inverse_transform(&black_box([0.5; 3])));
        apex.finish();
        black_box((apex.components(), apex.weights(), apex.feedback(black_box(1))));
        black_box((apex.finished(), apex.samples_seen()));
        save(&apex);
        apex.reset();
        black_box(apex);
    }

    /// Hebbian learners on expansions: N channels and N points.
    #[inline(never)]
    fn hebbian_kernels<const N: usize>() {
        let sample = black_box::<[Number; N]>([0.5; N]);
        let Ok((settings, chained)) = hebbian_settings() else {
            return;
        };
        let (kernel, memory) = black_box((
            Gaussian::DEFAULT,
            Memory::new(Eviction::LeastContribution, Norm::Preserved),
        ));
        let mut gha = black_box(KernelGha::<Number, _, N, 2, N>::new(kernel, settings, memory));
        let _ = black_box(gha.start_at(&sample));
        let _ = black_box(gha.step(&sample));
        let _ = black_box(gha.learn(&sample));
        let _ = black_box((gha.score(&sample), gha.residual(&sample), gha.transform(&sample)));
        let components = black_box(gha.components());
        black_box((components.points(), components.coefficients(black_box(1))));
        black_box((components.norms_squared(), gha.samples_seen()));
        save(&gha);
        gha.reset();
        black_box(gha);

        let mut apex = black_box(KernelApex::<Number, _, N, 2, N>::new(kernel, chained, memory));
        let mut component = black_box(FeatureVectors::new(kernel, memory));
        let _ = black_box(component.push(&sample, black_box([0.5])));
        apex.adopt(component);
        let _ = black_box(apex.start_at(&sample));
        let _ = black_box(apex.step(&sample));
        let _ = black_box(apex.learn(&sample));
        let _ = black_box((apex.score(&sample), apex.residual(&sample), apex.transform(&sample)));
        black_box((apex.weights(), apex.feedback(black_box(1))));
        save(&apex);
        apex.reset();
        black_box(apex);
    }

    fn hebbian_settings() -> Result<(GhaSettings<Number>, ApexSettings<Number>), SettingsError> {
        let rate = match black_box(0) {
            0 => RateSettings::constant(black_box(0.5))?,
            1 => RateSettings::falling(black_box(0.5))?,
            _ => RateSettings::automatic(black_box(0.5))?,
        };
        let rate = rate.with_scale(black_box(ScaleSettings::DEFAULT));
        let settings = GhaSettings::new(black_box(0.5))?
            .with_rate(rate)
            .with_deflation(black_box(Deflation::GradientAscent));
        let chained = ApexSettings::new(black_box(0.5))?
            .with_rate(rate)
            .with_span(black_box(9));
        Ok((settings, chained))
    }

    /// Learning rates, bounds, and the meter that is held against them.
    #[inline(never)]
    fn bounds() {
        let (dim, keep, trials, loss): (_, _, _, Number) = black_box((20, 2, 100, 0.5));
        black_box((
            Bounds::<Number>::printed(dim, keep),
            Bounds::<Number>::dimension_free(keep),
        ));
        let Ok(bounds) = Bounds::new(dim, keep).with_norm_bound(loss) else {
            return;
        };
        let start = black_box(CenterStart {
            inverse_rate: 1.0,
            distance: 0.5,
        });
        black_box((bounds.divergence(), bounds.learning_rate(loss), bounds.tuned_loss(loss)));
        black_box((bounds.loss(loss, loss), bounds.centered_loss(loss, loss, start, trials)));
        black_box(bounds.mean_centered_loss(loss, loss, loss, trials));
        let mut meter = black_box(RegretMeter::<Number>::new());
        meter.record(loss);
        save(&meter);
        black_box((
            meter.total_loss(),
            meter.trials(),
            meter.regret(loss),
            meter.within(loss),
        ));
    }

    /// Puts a learner into bytes and gets it back from bytes that the compiler does not know.
    fn save<L: Codec>(learner: &L) {
        let mut image = black_box([0; 65_536]);
        let Some(image) = image.get_mut(..black_box(L::ENCODED_LEN)) else {
            return;
        };
        let _ = black_box(learner.encode(image));
        let _ = black_box(L::decode(black_box(image)));
        if let Ok(header) = black_box(Header::read(image)) {
            black_box((header.kind(), header.precision(), header.kernel(), header.sizes()));
            let _ = black_box(header.content(image));
        }
        black_box(Kind::of(black_box(3)));
    }

    /// Puts a learner into a message and gets it back.
    fn send() {
        let image = black_box(Image::<36>::of(&black_box(FollowTheLeader::<f32, 3>::new())));
        black_box(image.bytes());
        let _ = black_box(image.restore::<FollowTheLeader<f32, 3>>());
    }

    /// Everything that a set can be asked.
    fn read<const N: usize>(set: &Subset<N>) {
        let mut copy = black_box(Subset::<N>::new());
        for member in set.iter() {
            black_box(copy.insert(member));
        }
        black_box(copy.contains(black_box(1)));
        black_box(copy.is_empty());
        black_box(copy.len());
    }

    #[panic_handler]
    fn stop(_: &PanicInfo) -> ! {
        loop {}
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
