//! The report of a job that counts: one screen.

use std::fmt;

use crate::profile::data::{Data, Matrix};
use crate::profile::units::{Size, Spot};
use coarray_runtime::{LineMoves, Moved};

/// The most lines of the program in a report.
const LINES: usize = 12;

/// The most images whose matrix is told in full.
const WHOLE_MATRIX: usize = 8;

/// How many pairs of images are told of larger ones.
const PAIRS: usize = 8;

impl fmt::Display for Data {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let images = match (self.known, self.images) {
            (1, 1) => "1 image".into(),
            (known, images) if known == images => format!("{images} images"),
            (known, images) => format!("{known} of {images} images"),
        };
        let mut all = Moved::default();
        self.lines.iter().for_each(|line| all += line.all());
        let Moved { operations, bytes } = all;
        if operations == 0 {
            return writeln!(formatter, "coarray: {images} moved nothing");
        }
        let bytes = Size(bytes);
        writeln!(
            formatter,
            "coarray: {images}, {operations} operations, {bytes} (every put is counted, so it took longer than usual)"
        )?;
        let named = &self.lines[..self.lines.len().min(LINES)];
        let places: Vec<_> = named
            .iter()
            .map(|line| Spot(&line.place).to_string())
            .collect();
        let width = places.iter().map(|text| text.chars().count());
        let width = width.chain(["data by line".len()]).max().unwrap_or(0);
        writeln!(
            formatter,
            "  {:width$}  operations      bytes       each",
            "data by line"
        )?;
        for (line, place) in named.iter().zip(&places) {
            let Moved { operations, bytes } = line.all();
            let (each, bytes) = (Size(bytes / operations.max(1)), Size(bytes));
            let [each, bytes] = [each, bytes].map(|size| size.to_string());
            writeln!(
                formatter,
                "  {place:width$}  {operations:>10} {bytes:>10} {each:>10}"
            )?;
            if let Some(how) = how(line) {
                writeln!(formatter, "    {how}")?;
            }
        }
        let mut rest = Moved::default();
        for line in &self.lines[named.len()..] {
            rest += line.all();
        }
        if rest.operations > 0 {
            let Moved { operations, bytes } = rest;
            let bytes = Size(bytes).to_string();
            let elsewhere = "at other lines";
            writeln!(
                formatter,
                "  {elsewhere:width$}  {operations:>10} {bytes:>10}"
            )?;
        }
        if named.iter().any(is_in_std) {
            writeln!(
                formatter,
                "  a line of the standard library: write `|x| x.get()` instead of `Coref::get`, and the line of that is told"
            )?;
        }
        match self.matrix.images() {
            1 => Ok(()),
            2..=WHOLE_MATRIX => {
                self.tell_matrix(formatter, "operations", |moved| {
                    moved.operations.to_string()
                })?;
                self.tell_matrix(formatter, "bytes", |moved| Size(moved.bytes).to_string())
            }
            _ => self.tell_pairs(formatter),
        }
    }
}

/// What else is to be said of a line.
fn how(line: &LineMoves) -> Option<String> {
    let mut facts = Vec::new();
    let (all, elsewhere) = (line.all().operations, line.elsewhere().operations);
    let length = line.run_length();
    let is_of_corefs = !line.place.file.is_empty() && line.runs > 0;
    if is_of_corefs && all > 1 && !is_collective(line) {
        match (line.pieces > all, length >= 2.0, line.stride) {
            (true, ..) => facts.push(format!(
                "{:.1} pieces each",
                line.pieces as f64 / all as f64
            )),
            (_, true, _) => facts.push(format!("{length:.1} side by side")),
            (_, _, Some(0)) => facts.push("mostly the same place".into()),
            (_, _, Some(stride)) => facts.push(format!("mostly {stride} bytes apart")),
            _ => {}
        }
    }
    if line.issued > 0 && 2 * line.waited_at_once >= line.issued {
        facts.push(format!("{} waited for at once", line.waited_at_once));
    }
    if elsewhere == 0 && is_of_corefs {
        facts.push("only to images themselves".into());
    } else if elsewhere > 0 {
        let is_from = line.place.activity == "get" || is_collective(line);
        let way = if is_from { "from" } else { "to" };
        let targets = match line.targets {
            1 => format!("{way} 1 image"),
            targets => format!("{way} {targets} images"),
        };
        let other = match (line.far.operations, line.near.operations) {
            (0, near) => format!("on a cluster {near} messages"),
            (far, 0) => format!("{far} messages"),
            (far, near) => format!("{far} messages, and {near} more if each image had a node"),
        };
        facts.push(format!("{targets}, {other}"));
    }
    (!facts.is_empty()).then(|| facts.join("; "))
}

fn is_collective(line: &LineMoves) -> bool {
    line.place.activity.starts_with("co_")
}

/// Whether the line is not of the program, but of the library of Rust.
fn is_in_std(line: &LineMoves) -> bool {
    line.place.file.contains("/rustc/") || line.place.file.contains("library/core/src")
}

impl Data {
    fn tell_matrix(
        &self,
        formatter: &mut fmt::Formatter<'_>,
        what: &str,
        text: impl Fn(Moved) -> String,
    ) -> fmt::Result {
        let images = 0..self.matrix.images();
        let cell = |image, target| match self.matrix.at(image, target) {
            Moved { operations: 0, .. } => "-".into(),
            moved => text(moved),
        };
        let rows: Vec<Vec<String>> = images
            .clone()
            .map(|image| images.clone().map(|target| cell(image, target)).collect())
            .collect();
        let width = rows.iter().flatten().map(String::len).max().unwrap_or(1);
        let title = format!("{what} of image, by memory of");
        write!(formatter, "  {title}")?;
        for target in images {
            write!(formatter, "  {target:>width$}")?;
        }
        writeln!(formatter)?;
        let left = title.len();
        for (image, row) in rows.iter().enumerate() {
            write!(formatter, "  {image:>left$}")?;
            for cell in row {
                write!(formatter, "  {cell:>width$}")?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }

    /// Of a large matrix: who does the most, whose memory is used the most, and the heaviest pairs.
    fn tell_pairs(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let images = self.matrix.images();
        let sums = |at: &dyn Fn(&Matrix, usize, usize) -> Moved| {
            let sum = |one| {
                let mut sum = Moved::default();
                (0..images).for_each(|other| sum += at(&self.matrix, one, other));
                (sum.operations, one)
            };
            let sums: Vec<_> = (0..images).map(sum).collect();
            (sums.iter().min().copied(), sums.iter().max().copied())
        };
        let rows = [
            (
                "each image",
                sums(&|matrix, one, other| matrix.at(one, other)),
            ),
            (
                "to the memory of each",
                sums(&|matrix, one, other| matrix.at(other, one)),
            ),
        ];
        for (who, extremes) in rows {
            if let (Some((least, least_of)), Some((most, most_of))) = extremes {
                writeln!(
                    formatter,
                    "  {who}: {least} (image {least_of}) to {most} operations (image {most_of})"
                )?;
            }
        }
        let mut pairs = self.matrix.pairs();
        pairs.sort_by_key(|&(image, target, moved)| {
            (
                std::cmp::Reverse((moved.operations, moved.bytes)),
                image,
                target,
            )
        });
        writeln!(formatter, "  image -> memory of  operations      bytes")?;
        for (image, target, moved) in pairs.into_iter().take(PAIRS) {
            let bytes = Size(moved.bytes).to_string();
            writeln!(
                formatter,
                "  {image:>5} -> {target:<10} {:>10} {bytes:>10}",
                moved.operations
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coarray_runtime::{ImageProfile, Place};

    fn moved(operations: u64) -> Moved {
        Moved {
            operations,
            bytes: 8 * operations,
        }
    }

    fn line(file: &str, line: u32, activity: &str) -> LineMoves {
        LineMoves {
            place: Place {
                file: file.into(),
                line,
                column: 5,
                activity: activity.into(),
            },
            own: moved(0),
            near: moved(0),
            far: moved(0),
            pieces: 0,
            runs: 0,
            stride: None,
            targets: 1,
            issued: 0,
            waited_at_once: 0,
        }
    }

    fn report(images: usize, moves: &[LineMoves], row: &[Moved]) -> String {
        let profile = ImageProfile {
            moves: moves.to_vec(),
            row: row.to_vec(),
            ..ImageProfile::default()
        };
        let profiles = (0..images).map(|image| (image, profile.clone()));
        Data::of(profiles, images).to_string()
    }

    #[test]
    fn a_report_is_one_screen() {
        let puts = LineMoves {
            near: moved(3000),
            far: moved(1000),
            pieces: 4000,
            runs: 10,
            targets: 2,
            ..line("src/heat.rs", 71, "put")
        };
        let gets = LineMoves {
            own: moved(100),
            pieces: 100,
            runs: 100,
            stride: Some(64),
            ..line("src/heat.rs", 90, "get")
        };
        let issued = LineMoves {
            far: moved(7),
            pieces: 70,
            runs: 7,
            issued: 7,
            waited_at_once: 7,
            ..line("src/heat.rs", 95, "get")
        };
        let of_std = LineMoves {
            near: moved(1),
            pieces: 1,
            runs: 1,
            ..line("/rustc/0123/library/core/src/ops/function.rs", 250, "get")
        };
        let row = [moved(100), moved(4008)];
        let moves = [gets, puts, issued, of_std];
        assert_eq!(
            report(2, &moves, &row),
            "coarray: 2 images, 8216 operations, 65.7 kB (every put is counted, so it took longer than usual)
  data by line                                          operations      bytes       each
  src/heat.rs:71 put                                          8000    64.0 kB        8 B
    400.0 side by side; to 2 images, 2000 messages, and 6000 more if each image had a node
  src/heat.rs:90 get                                           200    1.60 kB        8 B
    mostly 64 bytes apart; only to images themselves
  src/heat.rs:95 get                                            14      112 B        8 B
    10.0 pieces each; 14 waited for at once; from 1 image, 14 messages
  /rustc/0123/library/core/src/ops/function.rs:250 get           2       16 B        8 B
    from 1 image, on a cluster 2 messages
  a line of the standard library: write `|x| x.get()` instead of `Coref::get`, and the line of that is told
  operations of image, by memory of     0     1
                                  0   100  4008
                                  1   100  4008
  bytes of image, by memory of        0        1
                             0    800 B  32.1 kB
                             1    800 B  32.1 kB
"
        );
        let many: Vec<_> = (0..100)
            .map(|number| LineMoves {
                near: moved(1),
                ..line("src/heat.rs", number, "put")
            })
            .collect();
        for images in [8, 64] {
            let text = report(images, &many, &vec![moved(2); images]);
            assert!(text.lines().count() <= 48, "{text}");
            let rest = text.lines().find(|line| line.contains("at other lines"));
            let count = rest.and_then(|line| line.split_whitespace().nth(3));
            assert_eq!(count, Some(&*(88 * images).to_string()), "{text}");
        }
    }

    #[test]
    fn sizes_have_three_digits() {
        let texts =
            [0, 999, 1000, 12_345, 999_900, 4_000_000_000_000].map(|bytes| Size(bytes).to_string());
        assert_eq!(
            texts,
            ["0 B", "999 B", "1.00 kB", "12.3 kB", "1.00 MB", "4.00 TB"]
        );
    }
}
