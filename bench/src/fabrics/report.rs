//! The report of `cobench fabrics`.

use super::Finding;
use super::comparison::Program;
use crate::report::table::aligned;
use crate::report::units::{digits, size, time};

/// Prints a table, and how many targets are met.
pub fn table(findings: &[Finding<'_>]) {
    print!("{}", aligned(&lines(findings)));
    let verdicts: Vec<bool> = findings.iter().filter_map(Finding::is_met).collect();
    if !verdicts.is_empty() {
        let met = verdicts.iter().filter(|&&is_met| is_met).count();
        println!("{met} of {} targets met", verdicts.len());
    }
}

fn lines(findings: &[Finding<'_>]) -> Vec<Vec<String>> {
    let titles = [
        "operation",
        "size",
        "fabric",
        "time",
        "reference",
        "time",
        "ratio",
        "target",
        "",
    ];
    let mut lines = vec![titles.map(str::to_owned).to_vec()];
    for finding in findings {
        let comparison = finding.comparison;
        let fabric = comparison.fabric.name();
        let access = if comparison.is_direct {
            "direct"
        } else {
            "indirect"
        };
        let verdict = match finding.is_met() {
            None => "",
            Some(true) => "met",
            Some(false) => "not met",
        };
        lines.push(vec![
            comparison.operation.to_owned(),
            size(finding.bytes),
            format!("{fabric}, {access}"),
            time(finding.time),
            comparison.call.to_owned(),
            time(finding.reference),
            digits(finding.ratio),
            finding.limit().map_or(String::new(), digits),
            verdict.to_owned(),
        ]);
    }
    lines
}

/// Prints an object a line.
pub fn json(findings: &[Finding<'_>], images: usize) {
    for finding in findings {
        println!("{}", object(finding, images));
    }
}

fn object(finding: &Finding<'_>, images: usize) -> String {
    let comparison = finding.comparison;
    let reference = match comparison.reference {
        Program::Coarray { fabric, .. } => fabric.name(),
        Program::C(peer) => peer.name(),
    };
    let limit = finding
        .limit()
        .map_or("null".to_owned(), |limit| format!("{limit:.4}"));
    let is_met = finding
        .is_met()
        .map_or("null".to_owned(), |is_met| is_met.to_string());
    format!(
        r#"{{"op":"{}","bytes":{},"images":{images},"fabric":"{}","direct":{},"ns":{:.2},"reference":"{reference}","call":"{}","reference_ns":{:.2},"ratio":{:.4},"target":{limit},"met":{is_met}}}"#,
        comparison.operation,
        finding.bytes,
        comparison.fabric.name(),
        comparison.is_direct,
        finding.time,
        comparison.call,
        finding.reference,
        finding.ratio,
    )
}

#[cfg(test)]
mod tests {
    use super::super::comparison::comparisons;
    use super::*;
    use crate::options::Fabric;

    #[test]
    fn a_finding_says_what_was_asked_for_and_whether_it_is_so() {
        let all = comparisons(Fabric::Mpi);
        let find = |operation, is_direct| {
            all.iter()
                .find(|one| one.operation == operation && one.is_direct == is_direct)
                .unwrap()
        };
        let finding = |comparison, bytes, time, reference| Finding {
            comparison,
            bytes,
            time,
            reference,
            ratio: time / reference,
        };
        let findings = [
            finding(find("put", true), 8, 0.3, 0.2),
            finding(find("bulk_put", false), 4 << 20, 104e3, 100e3),
            finding(find("bulk_get", false), 8, 300.0, 200.0),
        ];
        assert_eq!(
            aligned(&lines(&findings)),
            "operation   size         fabric     time               reference     time  ratio  target\n\
             put          8 B    mpi, direct  0.30 ns               processes  0.20 ns   1.50    1.30  not met\n\
             bulk_put   4 MiB  mpi, indirect   104 µs  MPI_Put, MPI_Win_flush   100 µs   1.04    1.05      met\n\
             bulk_get     8 B  mpi, indirect   300 ns  MPI_Get, MPI_Win_flush   200 ns   1.50\n"
        );
        assert_eq!(
            object(&findings[0], 2),
            r#"{"op":"put","bytes":8,"images":2,"fabric":"mpi","direct":true,"ns":0.30,"reference":"processes","call":"processes","reference_ns":0.20,"ratio":1.5000,"target":1.3000,"met":false}"#
        );
        assert!(object(&findings[2], 2).ends_with(r#""target":null,"met":null}"#));
    }
}
