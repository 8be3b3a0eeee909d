//! What stands where in an image, learner by learner: the format of `eigenstream::codec` as a table.
//! A reader without the learner's type reads an image of any sizes by it. The tests hold it against what the learners write.

use eigenstream::codec::Kind;

/// One field, and how it is read.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
}

/// How a field is read.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// One number.
    Number,
    /// Numbers in a row.
    Numbers(Size),
    /// A matrix, column by column: rows, columns.
    Matrix(Size, Size),
    /// A count of four bytes.
    Count,
    /// Counts in a row.
    Counts(Size),
    /// A count of eight bytes.
    LongCount,
    /// One byte: which of these.
    Choice(&'static [&'static str]),
    /// One byte: which of these, then the number that belongs to it.
    ChoiceOf(&'static [&'static str]),
    /// One byte: which of these, then two counts that belong to it.
    ChoiceOfCounts(&'static [&'static str]),
    /// One byte: whether the rest is there.
    Maybe(&'static [Field]),
    /// Several fields.
    Group(&'static [Field]),
    /// Several fields, several times.
    Repeat(Size, &'static [Field]),
    /// A learner with a tag of its own.
    Inner,
    /// The parameters of the kernel that the header names.
    Kernel,
}

/// A length.
#[derive(Clone, Copy)]
pub(super) enum Size {
    /// The size at this place of the header.
    Of(usize),
    /// Always this.
    Always(usize),
}

use Shape::{
    Choice, ChoiceOf, ChoiceOfCounts, Count, Counts, Group, Inner, Kernel, LongCount, Matrix, Maybe, Number, Numbers,
    Repeat,
};
use Size::{Always, Of};

const fn field(name: &'static str, shape: Shape) -> Field {
    Field { name, shape }
}

const SCALE_CHOICE: Shape = ChoiceOf(&["not scaled", "known energy", "running energy, forgetting"]);
const DRAW: Shape = Choice(&["systematic", "corners"]);
const PROGRESS: Shape = Choice(&["fresh", "learned"]);
const READ_OUT: Shape = Choice(&["randomized", "leader"]);
const SCORE: Shape = Choice(&["loss", "relative", "leverage", "combined"]);

const SCALE: &[Field] = &[
    field("measured by", SCALE_CHOICE),
    field("energy", Number),
    field("weight", Number),
];

const MOMENTS: &[Field] = &[
    field("mean", Numbers(Of(0))),
    field("rounding of the mean", Numbers(Of(0))),
    field("scatter", Matrix(Of(0), Of(0))),
    field("weight", Number),
    field("samples seen", LongCount),
];

const TRACKING: &[Field] = &[
    field("learning rate", Number),
    field("ceiling", Number),
    field("left by the ceiling", Number),
    field("share", Number),
    field("rate measured by", SCALE_CHOICE),
    field("draw", DRAW),
    field("scale", Group(SCALE)),
    field("directions", Matrix(Of(0), Of(2))),
    field("evidence", Numbers(Of(2))),
    field("drop probabilities", Numbers(Of(2))),
    field("evidence of the rest", Number),
    field("drop probability of the rest", Number),
    field("directions in use", Count),
    field("samples seen", LongCount),
];

const DENSITY: &[Field] = &[
    field("learning rate", Number),
    field(
        "share",
        ChoiceOf(&["nothing", "uniform", "past average", "past posteriors"]),
    ),
    field("ceiling", Maybe(&[field("ceiling", Number)])),
    field("draw", DRAW),
    field("directions", Matrix(Of(0), Of(0))),
    field(
        "spectrum",
        Maybe(&[
            field("evidence", Numbers(Of(0))),
            field("drop probabilities", Numbers(Of(0))),
        ]),
    ),
    field("mean of the past", Matrix(Of(0), Of(0))),
    field("matrices in that mean", Count),
    field("samples seen", LongCount),
];

const CENTERED: &[Field] = &[
    field("learning rate", Number),
    field("centre", ChoiceOf(&["mean", "weighted", "fixed"])),
    field("forgetting", Number),
    field("read-out", READ_OUT),
    field("draw", DRAW),
    field("rate measured by", SCALE_CHOICE),
    field("start", Numbers(Of(0))),
    field("moments", Group(MOMENTS)),
    field("scale", Group(SCALE)),
    field("answers with", READ_OUT),
    field("prediction", PROGRESS),
    field("eigenvalues", Numbers(Of(0))),
    field("directions", Matrix(Of(0), Of(0))),
    field("keep probabilities", Numbers(Of(0))),
    field("directions in use", Count),
];

const BATCH: &[Field] = &[
    field("centering", Choice(&["centered", "uncentered"])),
    field("moments", Group(MOMENTS)),
    field("eigenvalues", Numbers(Of(0))),
    field("directions", Matrix(Of(0), Of(1))),
    field("mean at the fit", Numbers(Of(0))),
    field("variance per scatter", Number),
];

const VARIANCE: &[Field] = &[
    field("learning rate", Number),
    field("total", Matrix(Of(0), Of(0))),
    field("eigenvalues", Numbers(Of(0))),
    field("directions", Matrix(Of(0), Of(0))),
    field("weights", Numbers(Of(0))),
    field("matrices seen", LongCount),
];

const AVERAGE: &[Field] = &[field("kept on average", Matrix(Of(0), Of(0))), field("trials", Number)];

const HEDGE: &[Field] = &[
    field("learning rate", Number),
    field("set size", Count),
    field("log probabilities", Numbers(Of(0))),
    field("progress", PROGRESS),
];

const LEADER: &[Field] = &[field("total losses", Numbers(Of(0)))];

const REGRET: &[Field] = &[
    field("total loss", Number),
    field("rounding of it", Number),
    field("trials", Count),
];

const STANDARDIZER_SETTINGS: &[Field] = &[
    field("forgetting", Number),
    field("smallest spread", Number),
    field("limit", Number),
];

const STANDARDIZER: &[Field] = &[
    field("settings", Group(STANDARDIZER_SETTINGS)),
    field("mean", Numbers(Of(0))),
    field("rounding of the mean", Numbers(Of(0))),
    field("variance", Numbers(Of(0))),
    field("weight", Number),
    field("samples seen", Count),
];

const LAGGED: &[Field] = &[
    field("past samples", Matrix(Of(0), Of(1))),
    field("past samples in use", Count),
    field("learner", Inner),
];

const DECISION_SETTINGS: &[Field] = &[
    field("release", Number),
    field("confirm", Count),
    field("hold off", Count),
];

const MONITOR: &[Field] = &[
    field(
        "schedule",
        Group(&[field("settle", Count), field("learn", Count), field("calibrate", Count)]),
    ),
    field("standardizer settings", Group(STANDARDIZER_SETTINGS)),
    field("scaling", Choice(&["settled", "fixed", "following"])),
    field("input smoothing", Count),
    field("score", SCORE),
    field("smoothing", Count),
    field("threshold rule", ChoiceOf(&["fixed", "usual quantile", "quantile"])),
    field("threshold factor", Number),
    field("threshold floor", Number),
    field("decision settings", Group(DECISION_SETTINGS)),
    field("learning", Choice(&["always", "while normal", "frozen"])),
    field("missing values", Choice(&["refused", "imputed"])),
    field("input memory", Count),
    field("input weight", Count),
    field("smoothed input", Numbers(Of(0))),
    field("standardizer", Group(STANDARDIZER)),
    field("scores by", SCORE),
    field("memory of the usual", Count),
    field("weight of the usual", Count),
    field("usual loss and leverage", Numbers(Always(2))),
    field("past scores", Numbers(Of(1))),
    field("sorted scores", Numbers(Of(1))),
    field("oldest score", Count),
    field("past scores in use", Count),
    field("smoothing memory", Count),
    field("smoothing weight", Count),
    field("smoothed parts", Numbers(Of(0))),
    field("quantile", Number),
    field("quantile heights", Numbers(Always(5))),
    field("quantile positions", Counts(Always(5))),
    field("quantile values seen", Count),
    field("threshold", Number),
    field("loudest", Number),
    field("decision", Group(DECISION_SETTINGS)),
    field("state", ChoiceOfCounts(&["quiet", "alarm"])),
    field(
        "phase",
        ChoiceOfCounts(&["warm-up", "calibrating", "watching", "frozen"]),
    ),
    field("learner", Inner),
];

const GRAM: &[Field] = &[
    field("kernel", Kernel),
    field("points", Matrix(Of(0), Of(1))),
    field("points in use", Count),
    field("next slot", Count),
];

/// How a Hebbian learner goes about it.
const PACE: &[Field] = &[
    field("learning rate", Number),
    field("schedule", Choice(&["constant", "falling"])),
    field("scale", Group(SCALE)),
];

const DEFLATION: Shape = Choice(&["Sanger", "gradient ascent"]);

/// Components over points: of all components, or of one.
const EXPANSION: &[Field] = &expansion(Of(1));
const EXPANSION_OF_ONE: &[Field] = &expansion(Always(1));

const fn expansion(keep: Size) -> [Field; 10] {
    [
        field("kernel", Kernel),
        field("point that goes", Choice(&["the oldest", "the least"])),
        field("lengths are", Choice(&["preserved", "reduced"])),
        field("points", Matrix(Of(0), Of(2))),
        field("lengths", Numbers(Of(2))),
        field("coefficients", Matrix(Of(2), keep)),
        field("inner products", Matrix(keep, keep)),
        field("points in use", Count),
        field("steps since the products were made", Count),
        field("amplification of rounding", Number),
    ]
}

const GHA: &[Field] = &[
    field("pace", Group(PACE)),
    field("deflation", DEFLATION),
    field("directions", Matrix(Of(0), Of(1))),
    field("directions in use", Count),
    field("samples seen", LongCount),
];

const KERNEL_GHA: &[Field] = &[
    field("pace", Group(PACE)),
    field("deflation", DEFLATION),
    field("components", Group(EXPANSION)),
    field("components in use", Count),
    field("samples seen", LongCount),
];

const APEX: &[Field] = &[
    field("pace", Group(PACE)),
    field("span", Count),
    field("directions", Matrix(Of(0), Of(1))),
    field("feedback", Matrix(Of(1), Of(1))),
    field("directions finished", Count),
    field("age of the next", Count),
    field("samples seen", LongCount),
];

const KERNEL_APEX: &[Field] = &[
    field("pace", Group(PACE)),
    field("span", Count),
    field("components", Repeat(Of(1), EXPANSION_OF_ONE)),
    field("feedback", Matrix(Of(1), Of(1))),
    field("components finished", Count),
    field("age of the next", Count),
    field("samples seen", LongCount),
];

const KERNEL_PCA: &[Field] = &[
    field("kernel", Kernel),
    field("centering", Choice(&["centered", "uncentered"])),
    field("points in use", Count),
    field("points", Matrix(Of(0), Of(1))),
    field("coefficients", Matrix(Of(1), Of(2))),
    field("eigenvalues", Numbers(Of(2))),
    field("left out", Number),
    field("row means", Numbers(Of(1))),
    field("mean of all", Number),
];

const RIDGE: &[Field] = &[
    field("kernel", Kernel),
    field("regularization", Number),
    field("points", Matrix(Of(0), Of(1))),
    field("coefficients", Numbers(Of(1))),
    field("points in use", Count),
];

const ONLINE_KERNEL: &[Field] = &[
    field("learning rate", Number),
    field("ambient", Choice(&["infinite", "finite", "points", "span"])),
    field("dimensions of the ambient", Count),
    field(
        "refresh",
        Choice(&["exact", "fast", "exact, draws corners", "fast, draws corners"]),
    ),
    field("centering", Choice(&["centered", "uncentered"])),
    field("stride", Count),
    field("least novelty", Number),
    field("kernel", Kernel),
    field("points", Matrix(Of(0), Of(2))),
    field("points in use", Count),
    field("next slot", Count),
    field("directions", Matrix(Of(2), Of(3))),
    field("Gram matrix times directions", Matrix(Of(2), Of(3))),
    field("eigenvalues", Numbers(Of(3))),
    field("inverse roots", Numbers(Of(3))),
    field("keep probabilities", Numbers(Of(3))),
    field("keep probability of the rest", Number),
    field("directions in use", Count),
    field("directions carried", Count),
    field("points they come from", Count),
    field("shifts", Numbers(Of(2))),
    field("mean of all", Number),
    field(
        "slots left since",
        Repeat(Of(2), &[field("slot", Choice(&["as it was", "left"]))]),
    ),
    field("samples to wait", Count),
    field("points since the refresh", Count),
    field("points since the exact refresh", Count),
    field("samples seen", LongCount),
];

/// How a learner is called, what its sizes mean, and its fields; none for one that is not known here.
pub(super) fn of(kind: Kind, kernel: u8) -> Option<(&'static str, &'static [&'static str], &'static [Field])> {
    Some(match kind {
        Kind::Tracking => ("TrackingPca", &["DIM", "KEEP", "RANK"], TRACKING),
        Kind::Density => ("DensityPca", &["DIM", "KEEP"], DENSITY),
        Kind::Centered => ("CenteredPca", &["DIM", "KEEP"], CENTERED),
        Kind::Batch => ("BatchPca", &["DIM", "KEEP"], BATCH),
        Kind::Variance => ("VarianceMinimizer", &["DIM"], VARIANCE),
        Kind::Average => ("AverageDensity", &["DIM", "KEEP"], AVERAGE),
        Kind::Scale => ("EnergyScale", &[], SCALE),
        Kind::Hedge => ("Hedge", &["N"], HEDGE),
        Kind::Leader => ("FollowTheLeader", &["N"], LEADER),
        Kind::Regret => ("RegretMeter", &[], REGRET),
        Kind::Monitor => ("Monitor", &["DIM", "MEDIAN"], MONITOR),
        Kind::Lagged => ("Lagged", &["DIM", "LAGS", "WIDE"], LAGGED),
        Kind::Standardizer => ("Standardizer", &["DIM"], STANDARDIZER),
        Kind::Parallel if kernel == 0 => ("Gha", &["DIM", "KEEP"], GHA),
        Kind::Parallel => ("KernelGha", &["DIM", "KEEP", "POINTS"], KERNEL_GHA),
        Kind::Chain if kernel == 0 => ("Apex", &["DIM", "KEEP"], APEX),
        Kind::Chain => ("KernelApex", &["DIM", "KEEP", "POINTS"], KERNEL_APEX),
        Kind::Kernel => ("KernelPca", &["DIM", "WINDOW", "KEEP"], KERNEL_PCA),
        Kind::OnlineKernel => ("OnlineKernelPca", &["DIM", "KEEP", "WINDOW", "RANK"], ONLINE_KERNEL),
        Kind::Ridge => ("KernelRidge", &["DIM", "WINDOW"], RIDGE),
        Kind::Gram => ("GramWindow", &["DIM", "WINDOW"], GRAM),
        _ => return None,
    })
}
