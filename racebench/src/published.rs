//! What others' tools score on their benchmark, RMARaceBench.

/// A tool, on the programs of one programming model.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// The tool.
    pub tool: &'static str,
    /// The programming model that the programs are written for.
    pub model: &'static str,
    /// Which part of what it reported does race.
    pub precision: f64,
    /// Which part of what races it reported.
    pub recall: f64,
    /// Which part of all verdicts was right, where that was published.
    pub accuracy: Option<f64>,
}

/// The scores, as S. Schwitanski et al., *RMASanitizer*, ICPP 2024, and its artifact give them.
pub const SCORES: &[Published] = &[
    score("RMASanitizer", "MPI RMA", 1.00, 0.97, Some(0.98)),
    score("RMASanitizer", "OpenSHMEM", 0.98, 0.94, Some(0.95)),
    score("RMASanitizer", "GASPI", 1.00, 0.96, Some(0.97)),
    score("MUST-RMA", "MPI RMA", 0.98, 0.67, Some(0.79)),
    score("PARCOACH, dynamic", "MPI RMA", 0.59, 0.38, None),
    score("PARCOACH, static", "MPI RMA", 0.64, 0.61, None),
];

const fn score(
    tool: &'static str,
    model: &'static str,
    precision: f64,
    recall: f64,
    accuracy: Option<f64>,
) -> Published {
    Published {
        tool,
        model,
        precision,
        recall,
        accuracy,
    }
}

/// Why the numbers cannot be compared as they stand.
pub const DIFFERENCES: &str = "\
The programs are not the same. Theirs are C, for MPI RMA, OpenSHMEM and GASPI, run on as many processes as each asks for; one program is
one verdict. Ours are Rust, run again and again on 2 to 8 images; each run is one verdict, and a report counts only if both lines,
the kinds of access, the element and the images are right, and nothing else is reported. About 46 of each 100 of theirs do not exist here:
a buffer that is used while it is in flight, a place that a second thread uses, and a signal that is read like
a variable are refused by the compiler, which never errs there. What their labels call a race is one by the rules of their
interfaces; ours follow the rules of coarray::memory_model. README.md says which of their situations is which of ours.
";
