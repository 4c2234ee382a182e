use std::fs;

use proptest::prelude::*;

use super::{Fault, Pattern, RleError};

fn cells(text: &str) -> Vec<(usize, usize)> {
    Pattern::parse(text).unwrap().alive().collect()
}

fn fault(text: &str) -> (usize, Fault) {
    let RleError { line, fault } = Pattern::parse(text).unwrap_err();
    (line, fault)
}

#[test]
fn cells_come_row_by_row() {
    let glider = Pattern::parse("x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!").unwrap();
    assert_eq!(
        (glider.width, glider.height, glider.population()),
        (3, 3, 5)
    );
    assert_eq!(
        glider.alive().collect::<Vec<_>>(),
        [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    );
}

#[test]
fn runs_that_touch_are_one() {
    let pattern = Pattern::parse("x = 9, y = 2\n2o1oob3o2$!").unwrap();
    let columns = [0, 1, 2, 3, 5, 6, 7];
    assert_eq!(
        pattern.alive().collect::<Vec<_>>(),
        columns.map(|column| (0, column))
    );
    assert_eq!(
        pattern,
        Pattern::from_fn(2, 9, |row, column| row == 0 && columns.contains(&column))
    );
    assert_eq!(pattern.to_rle(), "x = 9, y = 2, rule = B3/S23\n4ob3o!\n");
}

#[test]
fn headers_may_be_spaced_and_cased_at_will_and_name_life_in_two_ways() {
    for header in [
        "x=2,y=1",
        "x = 2, y = 1",
        "  X =2 ,Y= 1  ",
        "x = 2, y = 1, rule = B3/S23",
        "x = 2, y = 1, rule = b3/s23",
        "x=2,y=1,RULE= b3 / S23 ",
        "x = 2, y = 1, rule = 23/3",
    ] {
        assert_eq!(cells(&format!("{header}\nbo!")), [(0, 1)], "{header}");
    }
}

#[test]
fn comments_are_skipped_and_the_first_name_is_taken() {
    let text = "#C no name yet\n#N \n#N  Two  words \n#O somebody\n#P 1 2\n#R 3 4\n#r 23/3\n\
                \n#c \nx = 1, y = 1\n#N late\no!";
    let pattern = Pattern::parse(text).unwrap();
    assert_eq!(pattern.name.as_deref(), Some("Two  words"));
    assert_eq!(pattern.population(), 1);
    assert_eq!(Pattern::parse("x = 0, y = 0\n!").unwrap().name, None);
}

#[test]
fn white_space_means_nothing_even_after_a_count() {
    assert_eq!(
        cells("x = 4, y = 4\r\n 2\r\n\to 1\n$\n\n2\n$ 3b o\n!"),
        [(0, 0), (0, 1), (3, 3)]
    );
}

#[test]
fn what_comes_after_the_end_is_ignored() {
    assert_eq!(
        cells("x = 1, y = 1\no!? 0!\nanything: 99999999999999999999"),
        [(0, 0)]
    );
}

#[test]
fn dead_cells_and_rows_may_be_left_out_or_written() {
    for text in ["o!", "o3b!", "ob$!", "o$4b$4b!", "o$$b$!", "o3$!"] {
        assert_eq!(cells(&format!("x = 4, y = 3\n{text}")), [(0, 0)], "{text}");
    }
    for text in ["2$bo!", "4b$$bo2b$!", "$b$1b1o1b1b!"] {
        assert_eq!(cells(&format!("x = 4, y = 3\n{text}")), [(2, 1)], "{text}");
    }
}

#[test]
fn faults_are_told_with_their_line() {
    use Fault::*;
    let cases = [
        ("", 1, MissingHeader),
        ("#N only\n#C comments\n", 2, MissingHeader),
        ("\n\nbo$2bo$3o!", 3, MissingHeader),
        ("x", 1, MalformedHeader),
        ("x = 3", 1, MalformedHeader),
        ("x = 3, rule = B3/S23", 1, MalformedHeader),
        ("x = -3, y = 3", 1, MalformedHeader),
        ("x = , y = 3", 1, MalformedHeader),
        ("#C\nx = 3, y = 3, colour = red", 2, MalformedHeader),
        (
            "x = 3, y = 3, rule = B36/S23",
            1,
            UnknownRule("B36/S23".into()),
        ),
        ("x = 3, y = 3, rule = 3/23", 1, UnknownRule("3/23".into())),
        ("x = 3, y = 3\nbo$\n2bA$3o!", 3, UnexpectedCharacter('A')),
        ("x = 3, y = 3\nbo-2o!", 2, UnexpectedCharacter('-')),
        ("x = 3, y = 3\nbo$\n4o!", 3, RowTooLong { width: 3 }),
        ("x = 3, y = 3\n3b\no!", 3, RowTooLong { width: 3 }),
        ("x = 0, y = 1\nb!", 2, RowTooLong { width: 0 }),
        ("x = 3, y = 2\no$o$\no!", 3, TooManyRows { height: 2 }),
        ("x = 3, y = 2\no3$!", 2, TooManyRows { height: 2 }),
        ("x = 3, y = 0\nb!", 2, TooManyRows { height: 0 }),
        ("x = 3, y = 3\n0o!", 2, ZeroCount),
        ("x = 3, y = 3\n\n00$!", 3, ZeroCount),
        ("x = 3, y = 3\nbo2!", 2, CountWithoutTag),
        ("x = 3, y = 3\nbo\n2", 3, MissingEnd),
        ("x = 3, y = 3", 1, MissingEnd),
    ];
    for (text, line, expected) in cases {
        assert_eq!(fault(text), (line, expected), "{text:?}");
    }
}

#[test]
fn hostile_numbers_cost_nothing() {
    let most = Pattern::MAX_SIDE;
    for number in [
        "1073741825",
        "99999999999",
        "18446744073709551616",
        &"9".repeat(1000),
    ] {
        let huge = |text: &str| fault(&text.replace('N', number));
        assert_eq!(huge("x = N, y = 3\no!"), (1, Fault::NumberTooLarge));
        assert_eq!(huge("x = 3, y = N\no!"), (1, Fault::NumberTooLarge));
        assert_eq!(huge("x = 3, y = 3\nNo!"), (2, Fault::NumberTooLarge));
        assert_eq!(huge("x = 3, y = 3\nN$!"), (2, Fault::NumberTooLarge));
    }
    let full = format!("x = {most}, y = {most}\n{most}o${most}o{}$!", most - 1);
    assert_eq!(Pattern::parse(&full).unwrap().population(), 2 << 30);
    assert_eq!(
        fault(&format!("x = {most}, y = 9\n{most}o{most}o!")).1,
        Fault::RowTooLong { width: most }
    );
}

#[test]
fn lines_of_cells_have_at_most_70_characters() {
    let text = Pattern::from_fn(40, 50, |row, column| (row * column) % 3 == 1).to_rle();
    let lines: Vec<_> = text.lines().skip(1).map(str::len).collect();
    assert!(lines.len() > 5);
    assert!(lines.iter().all(|&length| length <= 70), "{lines:?}");
    assert!(
        lines[..lines.len() - 1].iter().all(|&length| length > 60),
        "{lines:?}"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_told_in_one_line_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pattern.rle");
    let told = || Pattern::read(&path).unwrap_err().to_string();
    let shown = path.display();

    assert!(
        told().starts_with(&format!("{shown}: cannot read: ")),
        "{}",
        told()
    );
    fs::write(&path, b"#N Caf\xc3\xa9\n#O Jos\xe9\nx = 1, y = 1\no!").unwrap();
    assert_eq!(told(), format!("{shown}:2: not UTF-8 text"));
    fs::write(&path, "x = 1, y = 1, rule = B3\u{7}\no!").unwrap();
    assert_eq!(
        told(),
        format!("{shown}:1: unknown rule \"B3\\u{{7}}\": only B3/S23 is known")
    );
    fs::write(&path, "x = 1, y = 1\no!").unwrap();
    assert_eq!(Pattern::read(&path).unwrap().population(), 1);
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let names = prop::option::of("[!-~]([ -~]{0,100}[!-~])?");
    (names, 0..20usize, 0..90usize).prop_flat_map(|(name, height, width)| {
        prop::collection::vec(any::<bool>(), height * width).prop_map(move |cells| {
            let unnamed =
                Pattern::from_fn(height, width, |row, column| cells[row * width + column]);
            Pattern {
                name: name.clone(),
                ..unnamed
            }
        })
    })
}

proptest! {
    #[test]
    fn a_written_pattern_reads_back_as_it_was(pattern in patterns()) {
        prop_assert_eq!(Pattern::parse(&pattern.to_rle()), Ok(pattern));
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes: Vec<u8>) {
        let _ = Pattern::parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn what_is_parsed_at_all_lies_within_the_size(cells in "([0-9]{0,3}[bo$]|[0-9\n !#bo$]){0,40}!") {
        if let Ok(pattern) = Pattern::parse(&format!("x = 50, y = 100\n{cells}")) {
            prop_assert!(pattern.alive().all(|(row, column)| row < 100 && column < 50));
            prop_assert_eq!(pattern.alive().count() as u64, pattern.population());
            prop_assert_eq!(Pattern::parse(&pattern.to_rle()), Ok(pattern));
        }
    }
}
