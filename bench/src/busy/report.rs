//! The report of `cobench busy`, and its targets.

use crate::report::table::aligned;
use crate::report::units::{digits, time};

/// One row.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The operation.
    pub operation: &'static str,
    /// Number of images.
    pub images: usize,
    /// Number of loops.
    pub loops: usize,
    /// Nanoseconds of one operation.
    pub median: f64,
    /// The total time divided by the number of operations.
    pub mean: f64,
    /// 99.9 % of the operations take no longer.
    pub p999: f64,
    /// The median without loops, if that was measured.
    pub quiet: Option<f64>,
    /// The mean of Open MPI, and the ratio to it: the median over rounds.
    pub peer: Option<(f64, f64)>,
}

/// The target for the mean, as a multiple of the median on a quiet machine.
const TIMES: f64 = 10.0;

/// A mean that is always good enough, in nanoseconds.
const ANYWAY: f64 = 100_000.0;

impl Finding {
    /// The target for the mean, if there are loops.
    fn limit(&self) -> Option<f64> {
        let quiet = self.quiet.filter(|_| self.loops > 0)?;
        Some((TIMES * quiet).max(ANYWAY))
    }

    fn is_soon(&self) -> Option<bool> {
        self.limit().map(|limit| self.mean <= limit)
    }

    /// Whether it is no slower than with Open MPI.
    fn is_no_slower(&self) -> Option<bool> {
        self.peer.map(|(_, ratio)| ratio <= 1.0)
    }
}

fn verdict(is_met: Option<bool>) -> String {
    match is_met {
        None => "",
        Some(true) => "met",
        Some(false) => "not met",
    }
    .to_owned()
}

/// Prints a table, and how many targets are met.
pub fn table(findings: &[Finding]) {
    print!("{}", aligned(&lines(findings)));
    let verdicts = findings
        .iter()
        .flat_map(|finding| [finding.is_soon(), finding.is_no_slower()]);
    let verdicts: Vec<bool> = verdicts.flatten().collect();
    let met = verdicts.iter().filter(|&&is_met| is_met).count();
    println!("{met} of {} targets met", verdicts.len());
}

fn lines(findings: &[Finding]) -> Vec<Vec<String>> {
    let titles = [
        "operation",
        "images",
        "loops",
        "median",
        "mean",
        "p99.9",
        "at most",
        "",
        "mpi",
        "ratio",
        "",
    ];
    let mut lines = vec![titles.map(str::to_owned).to_vec()];
    for finding in findings {
        let [mpi, ratio] = match finding.peer {
            Some((mean, ratio)) => [time(mean), digits(ratio)],
            None => [String::new(), String::new()],
        };
        lines.push(vec![
            finding.operation.to_owned(),
            finding.images.to_string(),
            finding.loops.to_string(),
            time(finding.median),
            time(finding.mean),
            time(finding.p999),
            finding.limit().map_or(String::new(), time),
            verdict(finding.is_soon()),
            mpi,
            ratio,
            verdict(finding.is_no_slower()),
        ]);
    }
    lines
}

/// Prints an object a line.
pub fn json(findings: &[Finding]) {
    for finding in findings {
        println!("{}", object(finding));
    }
}

fn object(finding: &Finding) -> String {
    let number = |number: Option<f64>| number.map_or("null".to_owned(), |it| format!("{it:.2}"));
    let truth = |truth: Option<bool>| truth.map_or("null".to_owned(), |it| it.to_string());
    let (mpi, ratio) = finding.peer.unzip();
    format!(
        r#"{{"op":"{}","images":{},"loops":{},"median":{:.2},"mean":{:.2},"p999":{:.2},"limit":{},"met":{},"mpi":{},"ratio":{},"no_slower":{}}}"#,
        finding.operation,
        finding.images,
        finding.loops,
        finding.median,
        finding.mean,
        finding.p999,
        number(finding.limit()),
        truth(finding.is_soon()),
        number(mpi),
        ratio.map_or("null".to_owned(), |ratio| format!("{ratio:.4}")),
        truth(finding.is_no_slower()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_what_was_asked_for_and_whether_it_is_so() {
        let quiet = Finding {
            operation: "sync_all",
            images: 4,
            loops: 0,
            median: 2e3,
            mean: 3e3,
            p999: 40e3,
            quiet: Some(2e3),
            peer: None,
        };
        let busy = Finding {
            loops: 2,
            mean: 90e3,
            p999: 4e6,
            peer: Some((60e3, 1.5)),
            ..quiet.clone()
        };
        let slow = Finding {
            images: 8,
            quiet: Some(15e3),
            mean: 160e3,
            peer: Some((8e6, 0.02)),
            ..busy.clone()
        };
        assert_eq!(
            aligned(&lines(&[quiet, busy.clone(), slow])),
            "operation  images  loops   median     mean    p99.9  at most               mpi  ratio\n\
             sync_all        4      0  2.00 µs  3.00 µs  40.0 µs\n\
             sync_all        4      2  2.00 µs  90.0 µs  4.00 ms   100 µs      met  60.0 µs   1.50  not met\n\
             sync_all        8      2  2.00 µs   160 µs  4.00 ms   150 µs  not met  8.00 ms   0.02      met\n"
        );
        assert_eq!(
            object(&busy),
            r#"{"op":"sync_all","images":4,"loops":2,"median":2000.00,"mean":90000.00,"p999":4000000.00,"limit":100000.00,"met":true,"mpi":60000.00,"ratio":1.5000,"no_slower":false}"#
        );
    }
}
