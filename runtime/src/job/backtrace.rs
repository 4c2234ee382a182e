//! Backtraces of panics, without the frames that are in every one.

use std::backtrace::Backtrace;
use std::hint::black_box;

/// Functions of these names enclose what a backtrace shows, in the standard library as here.
const BEGIN: &str = "__rust_begin_short_backtrace";
const END: &str = "__rust_end_short_backtrace";

/// Calls the program; nothing from here on outwards is shown in a backtrace.
#[inline(never)]
pub(crate) fn __rust_begin_short_backtrace<R>(program: impl FnOnce() -> R) -> R {
    let result = program();
    // Lest the call becomes a jump, and this function has no frame.
    black_box(());
    result
}

/// What to show of a backtrace, in whole lines: all of it if `RUST_BACKTRACE=full`.
pub(crate) fn show(backtrace: &Backtrace) -> String {
    let text = backtrace.to_string();
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value == "full") {
        return text;
    }
    shorten(&text)
}

fn shorten(text: &str) -> String {
    let mut frames: Vec<Vec<&str>> = Vec::new();
    for line in text.lines() {
        match frames.last_mut() {
            Some(frame) if name(line).is_none() => frame.push(line),
            _ => frames.push(vec![line]),
        }
    }
    let has = |mark: &'static str| move |frame: &Vec<&str>| frame[0].contains(mark);
    let start = frames.iter().rposition(has(END)).map_or(0, |end| end + 1);
    let frames = &frames[start..];
    let end = frames.iter().position(has(BEGIN)).unwrap_or(frames.len());
    let mut short = String::new();
    for (number, frame) in frames[..end].iter().enumerate() {
        let first = name(frame[0]).unwrap_or(frame[0]);
        short += &format!("{number:4}: {first}\n");
        for line in &frame[1..] {
            short += &format!("{line}\n");
        }
    }
    short
}

/// The function of a frame's first line, `  12: function`.
fn name(line: &str) -> Option<&str> {
    let (number, name) = line.trim_start().split_once(": ")?;
    number
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "   0: std::backtrace_rs::backtrace::trace\n             at /rustc/std.rs:1:2\n   \
        1: std::sys::backtrace::__rust_end_short_backtrace::<closure>\n   2: core::panicking::panic_fmt\n   \
        3: life::step\n             at ./life.rs:10:5\n   4: life::main\n   \
        5: crate::backtrace::__rust_begin_short_backtrace::<()>\n   6: std::panic::catch_unwind\n  \
        17: std::sys::backtrace::__rust_begin_short_backtrace::<()>\n  18: main\n";

    #[test]
    fn what_is_in_every_backtrace_is_left_out() {
        assert_eq!(
            shorten(LONG),
            "   0: core::panicking::panic_fmt\n   1: life::step\n             at ./life.rs:10:5\n   2: life::main\n"
        );
    }

    #[test]
    fn a_backtrace_without_names_is_shown_as_it_is() {
        let nameless = "   0: <unknown>\n   1: <unknown>\n";
        assert_eq!(shorten(nameless), nameless);
    }
}
