//! The elements of a product of matrices.

use crate::on_all_images;
use program::random;
use testing::programs::{assert_prints_help_once, assert_refuses, line, printed_on, refusal};

/// The sum of all elements of the product: the sum of products of column sums and row sums.
fn sum_of_product([m, k, n]: [u64; 3]) -> i64 {
    let element =
        |number, row: u64, column: u64| (random::bits(number, row << 32 | column) % 16) as i64 - 8;
    let column_sum = |inner| (0..m).map(|row| element(1, row, inner)).sum::<i64>();
    let row_sum = |inner| (0..n).map(|column| element(2, inner, column)).sum::<i64>();
    (0..k).map(|inner| column_sum(inner) * row_sum(inner)).sum()
}

#[test]
fn products_are_those_of_one_image() {
    // Uneven blocks; panels that fill no block, one, and more than one.
    for (size, panels) in [
        ([37, 29, 41], ["1", "5", "1000"]),
        ([8, 8, 8], ["1", "3", "8"]),
    ] {
        let expected = sum_of_product(size).to_string();
        let size = size.map(|side| side.to_string()).join("x");
        for panel in panels {
            on_all_images(|fabric, images| {
                let arguments = ["--size", &size, "--panel", panel];
                let printed = printed_on(fabric, images, "matrix_multiply", &arguments);
                assert_eq!(line(&printed, "sum of all elements"), expected);
                assert!(line(&printed, "check").starts_with("all elements"));
                assert!(line(&printed, "rate").ends_with(" GFlop/s"));
            });
        }
    }
}

#[test]
fn the_check_can_be_left_out() {
    let arguments = ["--size", "30x20x10", "--no-check"];
    let printed = printed_on("processes", 6, "matrix_multiply", &arguments);
    assert!(!printed.contains("check: "));
    assert_eq!(
        line(&printed, "sum of all elements"),
        sum_of_product([30, 20, 10]).to_string()
    );
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 5] = [
        (&["--size", "3x3"], "--size 3x3: expected MxKxN"),
        (&["--size", "0x3x3"], "--size 0x3x3"),
        (&["--panel", "0"], "--panel 0: expected a positive number"),
        (&["--no-check=1"], "option --no-check takes no value"),
        (&["a.npy"], "unknown option 'a.npy'"),
    ];
    assert_refuses("matrix_multiply", &cases);
    assert_prints_help_once("matrix_multiply");
    let told = refusal(7, "matrix_multiply", &["--size", "6x6x6"]);
    assert!(told.contains("7 images"), "{told}");
}
