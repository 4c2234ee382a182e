//! The progress bar of `microstructure`: how much is solid.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many cells; hidden if the job has no terminal.
pub fn bar(cells: u64) -> ProgressBar {
    let Some(target) = life::progress::target() else {
        return ProgressBar::hidden();
    };
    let bar = ProgressBar::with_draw_target(Some(cells), target);
    let style = ProgressStyle::with_template("{bar:40.yellow/238} {percent} % solid  {elapsed}");
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━━─"),
    );
    bar
}
