//! x
#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
    cases.pass("tests/compile_fail/advice/*.rs");
}
