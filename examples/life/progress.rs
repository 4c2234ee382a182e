//! The progress bar of `life`, on the terminal that the job was started from.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

/// A bar over `generations` generations of `cells` cells each, with the time left and the rate; hidden if
/// the job has no terminal.
pub fn bar(generations: u64, cells: u64) -> ProgressBar {
    let Some((columns, _)) = coarray::machine::terminal_size() else {
        return ProgressBar::hidden();
    };
    let target = ProgressDrawTarget::term_like_with_hz(Box::new(Terminal { columns }), 10);
    let bar = ProgressBar::with_draw_target(Some(generations), target);
    let style = ProgressStyle::with_template(
        "{bar:40.yellow/238} {human_pos}/{human_len} generations  {gens} gen/s  {rate}  {eta} left",
    );
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━━─")
            .with_key(
                "gens",
                |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
                    let _ = write!(text, "{:.0}", state.per_sec());
                },
            )
            .with_key(
                "rate",
                move |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
                    let _ = write!(text, "{:.0} Mcell/s", state.per_sec() * cells as f64 / 1e6);
                },
            ),
    );
    bar
}

/// A bar over `steps` steps, which are called `unit`, with the rate, the time left and a message; hidden if the job has
/// no terminal.
pub fn steps(steps: u64, unit: &str) -> ProgressBar {
    let Some((columns, _)) = coarray::machine::terminal_size() else {
        return ProgressBar::hidden();
    };
    let target = ProgressDrawTarget::term_like_with_hz(Box::new(Terminal { columns }), 10);
    let bar = ProgressBar::with_draw_target(Some(steps), target);
    let template = format!(
        "{{bar:40.yellow/238}} {{human_pos}}/{{human_len}} {unit}  {{rate}}  {{eta}} left  {{msg}}"
    );
    let style = ProgressStyle::with_template(&template);
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━━─")
            .with_key(
                "rate",
                |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
                    let _ = write!(text, "{:.0}/s", state.per_sec());
                },
            ),
    );
    bar
}

/// The standard error of the job. That of an image is a pipe to the launcher, which passes it on.
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

/// Where a bar is drawn: on the terminal that the job was started from, if there is one.
pub fn target() -> Option<ProgressDrawTarget> {
    let (columns, _) = coarray::machine::terminal_size()?;
    Some(ProgressDrawTarget::term_like_with_hz(
        Box::new(Terminal { columns }),
        10,
    ))
}
