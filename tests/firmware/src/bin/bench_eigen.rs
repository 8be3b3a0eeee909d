//! Instructions and stack of the eigensolvers on MATRICES random symmetric matrices of each size.
//! With the feature `naive`, the program also measures nalgebra's eigensolvers. The row `full` is of the full
//! decomposition, the row `values` of the eigenvalues alone.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::rand_core::SeedableRng;
    use eigenstream::spectrum::{Eigen, PartialEigen};
    use eigenstream::{Scalar, nalgebra::SMatrix};
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::print_row;
    use eigenstream_firmware::report::Naive;
    use nalgebra::{Const, DefaultAllocator, DimDiff, DimSub, U1, allocator::Allocator};
    use rand_xoshiro::Xoshiro128PlusPlus;

    const MATRICES: u32 = 8;

    fn random<const N: usize>(rng: &mut Xoshiro128PlusPlus) -> SMatrix<f32, N, N> {
        let mut matrix = SMatrix::zeros();
        for column in 0..N {
            for row in 0..=column {
                let entry = 2.0 * f32::uniform(rng) - 1.0;
                matrix[(row, column)] = entry;
                matrix[(column, row)] = entry;
            }
        }
        matrix
    }

    #[inline(never)]
    fn full<const N: usize>(meter: &mut Meter, matrix: &SMatrix<f32, N, N>, cost: &mut Cost) {
        let mut eigen = Eigen::new();
        cost.add(meter.measure(|| {
            let _ = black_box(black_box(&mut eigen).decompose(black_box(matrix)));
        }));
        black_box(&eigen);
    }

    #[inline(never)]
    fn values<const N: usize>(meter: &mut Meter, matrix: &SMatrix<f32, N, N>, cost: &mut Cost) {
        let mut eigen = PartialEigen::new();
        cost.add(meter.measure_aside(|| {
            let _ = black_box(black_box(&mut eigen).decompose(black_box(matrix)));
        }));
        black_box(&eigen);
    }

    /// nalgebra's solvers, with and without eigenvectors; in generic code they need these trait bounds.
    #[cfg(feature = "naive")]
    #[inline(never)]
    fn naive<const N: usize>(meter: &mut Meter, matrix: &SMatrix<f32, N, N>, cost: &mut [Cost; 2])
    where
        Const<N>: DimSub<U1>,
        DefaultAllocator: Allocator<DimDiff<Const<N>, U1>> + Allocator<Const<N>>,
    {
        let [full, values] = cost;
        full.add(meter.measure_aside(|| {
            black_box(black_box(matrix).symmetric_eigen());
        }));
        values.add(meter.measure_aside(|| {
            black_box(black_box(matrix).symmetric_eigenvalues());
        }));
    }

    #[cfg(not(feature = "naive"))]
    fn naive<const N: usize>(_: &mut Meter, _: &SMatrix<f32, N, N>, _: &mut [Cost; 2]) {}

    fn size<const N: usize>(meter: &mut Meter)
    where
        Const<N>: DimSub<U1>,
        DefaultAllocator: Allocator<DimDiff<Const<N>, U1>> + Allocator<Const<N>>,
    {
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(N as u64);
        let mut ours = [Cost::default(), Cost::default()];
        let mut theirs = [Cost::default(), Cost::default()];
        for _ in 0..MATRICES {
            let matrix = random::<N>(&mut rng);
            let [all, alone] = &mut ours;
            full(meter, &matrix, all);
            values(meter, &matrix, alone);
            naive(meter, &matrix, &mut theirs);
        }
        let state = [size_of::<Eigen<f32, N>>(), size_of::<PartialEigen<f32, N>>()];
        for (((variant, ours), theirs), state) in ["full", "values"].iter().zip(&ours).zip(theirs).zip(state) {
            let theirs = Naive(cfg!(feature = "naive").then_some(theirs));
            print_row!(
                "bench workload=eigen variant={variant} dim={N} instructions_mean={} instructions_max={}{theirs} state_bytes={state} stack_bytes={}",
                ours.mean(),
                ours.worst,
                ours.stack,
            );
        }
    }

    eigenstream_firmware::measuring_program!(|meter| {
        size::<4>(&mut meter);
        size::<8>(&mut meter);
        size::<16>(&mut meter);
        size::<20>(&mut meter);
        size::<32>(&mut meter);
        size::<64>(&mut meter);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
