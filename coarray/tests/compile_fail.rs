//! What the compiler says to those who get it wrong.
//!
//! Each program in `compile_fail/` is a mistake that a newcomer makes. It starts with what was tried and what
//! the message should tell; what it does tell is recorded in the `.stderr` file beside it. Whoever changes a
//! message judges the new record as that newcomer: it must say what to do.
//!
//! The records are of Rust 1.95, because other versions of the compiler word their own parts differently. To
//! make them anew, after a change of the library or the compiler, and look at the differences:
//!
//! ```text
//! TRYBUILD=overwrite cargo test -p coarray --test compile_fail
//! ```

#[test]
fn messages_say_what_to_do() {
    let programs = trybuild::TestCases::new();
    programs.compile_fail("tests/compile_fail/*.rs");
    // With a program that is to pass, `trybuild` builds them all instead of only checking them. Without, the
    // constants in functions, which refuse shapes that do not fit, would not be evaluated.
    programs.pass("tests/compile_fail/advice/*.rs");
}
