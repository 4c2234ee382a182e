//! Progress bars, on the terminal that the job was started from.

use std::io::{self, Write};

use coarray::this_image;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};

/// Local. A [`bar`] over `steps` steps, which are called `unit`, with the rate, the time left and a message.
pub fn steps(steps: usize, unit: &str, is_quiet: bool) -> ProgressBar {
    let text = format!("{{human_pos}}/{{human_len}} {unit}  {{rate}}/s  {{eta}} left  {{msg}}");
    bar(steps as u64, &text, [("rate", 1.0)], is_quiet)
}

/// Local. A bar of this length, followed by `text`, a template of `indicatif`. Each rate is a key of that template and
/// a factor: it shows the progress per second times the factor. Only image 0 shows a bar, if the job has a terminal and
/// `is_quiet` is false.
pub fn bar<const RATES: usize>(
    length: u64,
    text: &str,
    rates: [(&'static str, f64); RATES],
    is_quiet: bool,
) -> ProgressBar {
    let is_shown = this_image() == 0 && !is_quiet;
    let Some((columns, _)) = coarray::machine::terminal_size().filter(|_| is_shown) else {
        return ProgressBar::hidden();
    };
    let style = ProgressStyle::with_template(&format!("{{bar:40.yellow/238}} {text}"));
    let mut style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    for (word, factor) in rates {
        let tell = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            let _ = write!(text, "{:.0}", factor * state.per_sec());
        };
        style = style.with_key(word, tell);
    }
    let target = ProgressDrawTarget::term_like_with_hz(Box::new(Terminal { columns }), 10);
    let bar = ProgressBar::with_draw_target(Some(length), target);
    bar.with_style(style.progress_chars("━━─"))
}

/// The standard error of the job. An image writes to a pipe, from which the launcher forwards.
#[derive(Debug)]
struct Terminal {
    columns: u16,
}

impl Terminal {
    fn move_cursor(&self, by: usize, direction: char) -> io::Result<()> {
        if by == 0 {
            Ok(())
        } else {
            self.write_str(&format!("\x1b[{by}{direction}"))
        }
    }
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        self.columns
    }

    fn move_cursor_up(&self, by: usize) -> io::Result<()> {
        self.move_cursor(by, 'A')
    }

    fn move_cursor_down(&self, by: usize) -> io::Result<()> {
        self.move_cursor(by, 'B')
    }

    fn move_cursor_right(&self, by: usize) -> io::Result<()> {
        self.move_cursor(by, 'C')
    }

    fn move_cursor_left(&self, by: usize) -> io::Result<()> {
        self.move_cursor(by, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        io::stderr().write_all(text.as_bytes())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.write_str("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }
}
