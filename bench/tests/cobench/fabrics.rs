//! `cobench fabrics` as its users start it. Nothing is said about how fast anything is.

use crate::run::{assert_refused, printed, run};
use serde_json::Value;

/// What each row says: operation, bytes, and whether access was direct.
type Key = (String, u64, bool);

/// The rows of a fabric; all of them make sense.
fn rows(fabric: &str, images: usize) -> Vec<(Key, Value)> {
    let lines = printed(&format!(
        "fabrics --fabric {fabric} --images {images} --quick --json"
    ));
    let row = |line: &str| {
        let row: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(row["fabric"], fabric, "{line}");
        assert_eq!(row["images"], images, "{line}");
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {line}"));
        for key in ["ns", "reference_ns", "ratio"] {
            assert!(number(key) > 0.0, "{key}: {line}");
        }
        if row["target"].is_null() {
            assert!(row["met"].is_null(), "{line}");
        } else {
            // Both have only some digits here.
            let is_close = (number("ratio") - number("target")).abs() < 1e-3;
            let is_met = number("ratio") <= number("target");
            assert!(is_close || row["met"] == is_met, "{line}");
        }
        let key = (
            row["op"].as_str().unwrap().to_owned(),
            row["bytes"].as_u64().unwrap(),
            row["direct"].as_bool().unwrap(),
        );
        (key, row)
    };
    lines.lines().map(row).collect()
}

/// The collectives that MPI has, and OpenSHMEM.
const OF_MPI: [&str; 13] = [
    "co_broadcast",
    "co_sum",
    "co_scan",
    "co_gather",
    "co_allgather",
    "co_scatter",
    "co_alltoall",
    "co_reduce_scatter",
    "co_broadcast_symmetric",
    "co_gather_symmetric",
    "co_allgather_symmetric",
    "co_scatter_symmetric",
    "co_alltoall_symmetric",
];
const OF_SHMEM: [&str; 7] = [
    "co_broadcast",
    "co_sum",
    "co_allgather",
    "co_alltoall",
    "co_broadcast_symmetric",
    "co_allgather_symmetric",
    "co_alltoall_symmetric",
];

/// All indirect operations, with these collectives.
fn indirect(collectives: &[&str], ways: usize) -> Vec<Key> {
    const LONG: [u64; 12] = [
        8,
        32,
        128,
        512,
        2 << 10,
        8 << 10,
        16 << 10,
        32 << 10,
        128 << 10,
        512 << 10,
        2 << 20,
        8 << 20,
    ];
    const BLOCKS: [u64; 6] = [8, 128, 2 << 10, 32 << 10, 512 << 10, 2 << 20];
    const BULK: [u64; 8] = [
        8,
        64,
        1 << 10,
        8 << 10,
        64 << 10,
        512 << 10,
        4 << 20,
        64 << 20,
    ];
    let of = |operation: &str, sizes: &[u64]| -> Vec<Key> {
        let key = |&bytes| (operation.to_owned(), bytes, false);
        sizes.iter().map(key).collect()
    };
    let collective = |&name: &&str| match name {
        "co_broadcast" | "co_sum" | "co_scan" => of(name, &LONG),
        "co_broadcast_symmetric" => of(name, &LONG[6..]),
        _ if name.ends_with("_symmetric") => of(name, &BLOCKS[3..]),
        _ => of(name, &BLOCKS),
    };
    let collectives = collectives.iter().flat_map(collective).collect();
    [
        of("put_quiet", &[8]),
        of("bulk_put", &BULK),
        of("bulk_get", &BULK),
        lists(ways),
        of("fetch_add", &[8]),
        of("compare_exchange", &[8]),
        of("event_pingpong", &[0]),
        of("notify_pingpong", &[8, 4096]),
        of("mutex", &[0]),
        of("sync_all", &[0]),
        collectives,
    ]
    .concat()
}

/// Lists of indices, each compared in so many ways.
fn lists(ways: usize) -> Vec<Key> {
    let names = ["list_gather", "list_scatter", "list_add"];
    let of = |name: &str| vec![(name.to_owned(), 512 << 10, false); ways];
    names.into_iter().flat_map(of).collect()
}

#[test]
fn indirect_operations_are_measured_on_processes() {
    for images in [1, 3] {
        let rows = rows("processes", images);
        let keys: Vec<Key> = rows.iter().map(|(key, _)| key.clone()).collect();
        assert_eq!(keys, indirect(&OF_MPI, 1));
        for (_, row) in rows {
            assert_eq!(row["reference"], "processes", "{row}");
            assert!(row["target"].is_null(), "{row}");
        }
    }
}

#[test]
fn the_table_says_what_was_compared_and_how_often() {
    let table = printed("fabrics --fabric processes --rounds 2 --images 2 --quick --only sync_all");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(
        lines[0].contains("2 images") && lines[0].ends_with("2 rounds"),
        "{table}"
    );
    assert!(lines[1].starts_with("operation"), "{table}");
    assert!(
        lines[2].starts_with("sync_all") && lines[2].contains("processes, indirect"),
        "{table}"
    );
}

#[test]
fn what_cannot_be_followed_is_refused_in_one_line() {
    for (line, word) in [
        ("fabrics --fabric steam", "steam"),
        ("fabrics --rounds none", "none"),
        ("fabrics --only co_some", "co_some"),
        ("fabrics --peer mpi", "--peer"),
    ] {
        assert_refused(line, word);
    }
    let output = run("fabrics --fabric processes --only alloc");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("none of these operations"), "{message}");
}

/// What a fabric is compared with, if it is built in; if not, what is said.
fn compares_or_advises(
    fabric: &str,
    is_built_in: bool,
    peers: &[&str],
    barrier: &str,
    collectives: &[&str],
    ways: usize,
) {
    if !is_built_in {
        let output = run(&format!("fabrics --fabric {fabric} --quick"));
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            message.contains(&format!("--features {fabric}\n")),
            "{message}"
        );
        assert!(output.stdout.is_empty());
        return;
    }
    let rows = rows(fabric, 2);
    let direct = ["put", "get", "fetch_add", "compare_exchange", "sync_all"];
    let direct = direct.map(|name| {
        (
            name.to_owned(),
            if name == "sync_all" { 0 } else { 8 },
            true,
        )
    });
    let keys: Vec<Key> = rows.iter().map(|(key, _)| key.clone()).collect();
    let expected = [direct.to_vec(), lists(1), indirect(collectives, ways)].concat();
    assert_eq!(keys, expected);
    for ((operation, bytes, is_direct), row) in rows {
        let is_barrier = operation == "sync_all";
        if is_direct && !is_barrier {
            assert_eq!(row["reference"], "processes", "{row}");
        } else {
            let reference = row["reference"].as_str().unwrap();
            assert!(peers.contains(&reference), "{row}");
        }
        assert_eq!(row["call"] == barrier, is_barrier, "{row}");
        let is_open = ["bulk_get", "fetch_add", "compare_exchange"].contains(&operation.as_str())
            || fabric == "shmem" && operation == "co_alltoall" && bytes >= 16 << 10
            || operation.starts_with("list_")
                && !row["call"].as_str().unwrap().starts_with("a loop");
        let is_asked_for = is_direct || !is_open;
        assert_eq!(row["met"].is_boolean(), is_asked_for, "{row}");
    }
}

#[test]
fn mpi_is_compared_with_c_and_processes() {
    let is_built_in = cfg!(feature = "mpi");
    compares_or_advises(
        "mpi",
        is_built_in,
        &["mpi", "mpi-rma"],
        "MPI_Barrier",
        &OF_MPI,
        3,
    );
}

#[test]
fn openshmem_is_compared_with_c_and_processes() {
    let is_built_in = cfg!(feature = "shmem");
    compares_or_advises(
        "shmem",
        is_built_in,
        &["shmem"],
        "shmem_barrier_all",
        &OF_SHMEM,
        1,
    );
}
