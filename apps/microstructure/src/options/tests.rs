use super::*;
use program::command_line::read;

fn parse(line: &str) -> Result<Options, String> {
    let mut options = Options::default();
    let set = |option: Arg<'_>, arguments: &mut Arguments| options.set(option, arguments);
    read(line.split_whitespace(), set).map_err(|error| error.to_string())?;
    Ok(options)
}

#[test]
fn all_options_are_understood() {
    let expected = Options {
        shape: [5, 4, 3],
        cells_per_grain: 20,
        seed: u64::MAX,
        boundary: Boundary::Periodic,
        stress: [0.6, 0.0, -0.8],
        threshold: 0.25,
        penalty: 2.0,
        reduction: Reduction::Divide,
        compare_reductions: true,
        npy: Some("a.npy".into()),
        vti: None,
        png: Some("a.png".into()),
        sizes: None,
        misorientations: Some("m.svg".into()),
        quiet: true,
    };
    let line = "--size 3x4x5 --cells-per-grain=20 --seed 18446744073709551615 --boundary periodic \
                --stress 3,0,-4 --threshold 0.25 --penalty=2 --reduction divide --compare-reductions \
                --npy a.npy --png=a.png --misorientations m.svg --quiet";
    assert_eq!(parse(line), Ok(expected));
}

#[test]
fn only_files_that_are_named_are_written() {
    let names = |line: &str| -> Vec<String> {
        let options = parse(line).unwrap();
        options
            .files()
            .map(|path| path.display().to_string())
            .collect()
    };
    assert_eq!(names("--npy a.npy --png a.png"), ["a.png", "a.npy"]);
    assert!(names("--size 3x3x3").is_empty());
}

#[test]
fn errors_name_the_word_that_is_wrong() {
    for (line, word) in [
        ("--sise 3x3x3", "--sise"),
        ("file", "file"),
        ("--size", "--size"),
        ("--size 3x3", "3x3"),
        ("--size 3x3x3x3", "3x3x3x3"),
        ("--size 0x3x3", "0x3x3"),
        ("--size 3x3x9999999", "9999999"),
        ("--cells-per-grain 0", "--cells-per-grain 0"),
        ("--seed -1", "-1"),
        ("--boundary open", "open"),
        ("--stress 0,0,0", "0,0,0"),
        ("--stress 1,2", "1,2"),
        ("--stress 1,inf,0", "inf"),
        ("--threshold 1.5", "1.5"),
        ("--penalty -1", "-1"),
        ("--penalty nan", "nan"),
        ("--reduction tree", "tree"),
        ("--quiet=yes", "--quiet"),
    ] {
        let error = parse(line).unwrap_err();
        assert!(
            error.contains(word) && !error.contains('\n'),
            "{line}: {error}"
        );
    }
}
