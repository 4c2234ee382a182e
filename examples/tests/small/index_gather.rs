//! What is read from a divided table.

use crate::on_all_images;
use program::random;
use testing::programs::{assert_prints_help_once, assert_refuses, line, printed_on};

/// The exclusive or of what so many images read.
fn checksum(images: u64, reads: u64, entries: u64) -> u64 {
    let entry = |read: u64| random::bits(1, read) % entries;
    let values = (0..images * reads).map(|read| random::bits(0, entry(read)));
    values.fold(0, |bits, value| bits ^ value)
}

#[test]
fn what_is_read_is_in_the_table() {
    // With more entries than reads, and with fewer entries than images.
    for (reads, entries) in [(3000, 100), (100, 100_000), (1000, 3), (1, 1)] {
        let (count, length) = (reads.to_string(), entries.to_string());
        let arguments = ["--reads", &count, "--entries", &length];
        on_all_images(|fabric, images| {
            let printed = printed_on(fabric, images, "index_gather", &arguments);
            let images = images as u64;
            let all = format!("{} of {entries} entries", images * reads);
            assert_eq!(line(&printed, "reads"), all);
            let expected = format!("{:016x}", checksum(images, reads, entries));
            assert_eq!(line(&printed, "checksum"), expected);
            for way in ["gets", "aggregated gets", "conveyors"] {
                assert!(line(&printed, &format!("rate of {way}")).ends_with(" Mread/s"));
            }
        });
    }
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 3] = [
        (&["--reads", "0"], "--reads 0: expected a number from 1 to"),
        (
            &["--entries", "0"],
            "--entries 0: expected a number from 1 to",
        ),
        (&["fast"], "unknown option 'fast'"),
    ];
    assert_refuses("index_gather", &cases);
    assert_prints_help_once("index_gather");
}
