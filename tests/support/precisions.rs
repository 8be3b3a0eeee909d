//! One test for `f32` and `f64`.

macro_rules! in_both_precisions {
    ($test:ident, $check:ident) => {
        #[test]
        fn $test() {
            $check::<f32>();
            $check::<f64>();
        }
    };
}
pub(crate) use in_both_precisions;
