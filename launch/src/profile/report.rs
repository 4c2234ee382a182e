//! The report of a profiled job: one screen.

use std::fmt;

use crate::profile::summary::{Late, Line, Summary};
use crate::profile::units::{Percent, Spot, Time};

/// The most lines of the program in a report.
const LINES: usize = 12;

/// Lines with a smaller share of the time are not named.
const SMALL: f64 = 0.005;

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let images = match (self.known(), self.images) {
            (1, 1) => "1 image".into(),
            (known, images) if known == images => format!("{images} images"),
            (known, images) => format!("{known} of {images} images"),
        };
        if self.time == 0 {
            return writeln!(formatter, "coarray: {images} came to no wait");
        }
        writeln!(
            formatter,
            "coarray: {images}, {}: parallel efficiency {} = load balance {} x communication {}",
            Time(self.time),
            Percent(self.efficiency()),
            Percent(self.balance()),
            Percent(self.communication()),
        )?;
        let is_large = |line: &&Line| self.share(line.waited) >= SMALL;
        let named: Vec<_> = self.lines.iter().take(LINES).filter(is_large).collect();
        let places: Vec<_> = named
            .iter()
            .map(|line| Spot(&line.place).to_string())
            .collect();
        let all: u64 = self.lines.iter().map(|line| line.waited).sum();
        let told: u64 = named.iter().map(|line| line.waited).sum();
        let rests = [
            ("outside waits", self.efficiency()),
            ("waits elsewhere", self.share(all - told)),
            ("before the start, or not known", self.unknown()),
        ];
        let rests: Vec<_> = rests
            .into_iter()
            .filter(|(_, share)| *share >= SMALL)
            .collect();
        let texts = rests.iter().map(|(text, _)| *text);
        let widths = places.iter().map(String::as_str).chain(texts);
        let width = widths.map(|text| text.chars().count()).max().unwrap_or(0);
        writeln!(
            formatter,
            "  {:width$}  share  each image   calls",
            "waits by line"
        )?;
        for (line, place) in named.iter().zip(&places) {
            let each = line.waited / self.known() as u64;
            let share = Percent(self.share(line.waited)).to_string();
            let (time, calls) = (Time(each).to_string(), line.calls);
            writeln!(
                formatter,
                "  {place:width$}  {share:>5}  {time:>10} {calls:>7}"
            )?;
            if let Some(who) = self.who(line) {
                writeln!(formatter, "    {who}")?;
            }
        }
        for (text, share) in rests {
            let share = Percent(share).to_string();
            writeln!(formatter, "  {text:width$}  {share:>5}")?;
        }
        Ok(())
    }
}

impl Summary {
    /// For whom images waited at the line, as far as that is known and explains a good part of it.
    pub(super) fn who(&self, line: &Line) -> Option<String> {
        let others = self.known().saturating_sub(1) as u64;
        if let Some(late) = line.late.first()
            && 4 * late.total * others >= line.waited
        {
            return Some(late.to_string());
        }
        if let Some((image, lead)) = line.awaited
            && 4 * lead >= line.waited
        {
            return Some(format!("mostly for image {image}"));
        }
        let (image, least) = line.least()?;
        let is_apart = least * 4 * (others + 1) <= line.waited;
        is_apart.then(|| format!("image {image} waited the least, {}", Time(least)))
    }
}

impl fmt::Display for Late {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { image, times, .. } = self;
        let mean = Time(self.total / times);
        if *times == 1 {
            write!(
                formatter,
                "image {image} came last once, {mean} after the others"
            )?;
        } else {
            write!(
                formatter,
                "image {image} came last {times} times, {mean} after the others on average, at most {}",
                Time(self.longest)
            )?;
        }
        match &self.since {
            Some(since) => write!(formatter, "; it came from {}", Spot(since)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coarray_runtime::{ImageProfile, LineProfile, Place};

    fn place(file: &str, line: u32, activity: &str) -> Place {
        Place {
            file: file.into(),
            line,
            column: 5,
            activity: activity.into(),
        }
    }

    fn wait(place: Place, waited: u64) -> LineProfile {
        LineProfile {
            place,
            calls: 3000,
            waited,
            worked: 0,
            prompt: 0,
            awaited: 0,
            lead: 0,
            last: 0,
            late: 0,
            latest: 0,
            since: None,
        }
    }

    #[test]
    fn a_report_is_one_screen() {
        let image = |is_late: bool| {
            let (late, early) = (u64::from(is_late), u64::from(!is_late));
            let barrier = LineProfile {
                last: 3000 * late,
                late: 3_000_000_000 * late,
                latest: 7_000_000 * late,
                since: Some(place("src/heat.rs", 71, "open")),
                ..wait(place("src/heat.rs", 88, "sync_all"), early * 3_000_000_000)
            };
            let end = LineProfile {
                awaited: 1,
                lead: 50_000_000 * early,
                ..wait(place("", 0, "the end of the program"), 100_000_000)
            };
            let others = (0..50).map(|line| wait(place("src/b.rs", line, "lock"), 20_000_000));
            ImageProfile {
                time: 12_000_000_000,
                lines: [barrier, end].into_iter().chain(others).collect(),
                ..ImageProfile::default()
            }
        };
        let images = [false, true].map(image);
        let report = Summary::of(images.iter().enumerate(), 2).to_string();
        assert_eq!(
            report,
            "coarray: 2 images, 12.0 s: parallel efficiency 78 % = load balance 86 % x communication 91 %
  waits by line            share  each image   calls
  src/heat.rs:88 sync_all   12 %      1.50 s    3000
    image 1 came last 3000 times, 1.00 ms after the others on average, at most 7.00 ms; it came from src/heat.rs:71 open
  the end of the program     1 %      100 ms    3000
    mostly for image 1
  outside waits             78 %
  waits elsewhere            8 %
"
        );
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        let nothing = ImageProfile::default();
        let texts =
            [1, 3].map(|images| Summary::of([(2, &nothing)].into_iter(), images).to_string());
        let expected = [
            "coarray: 1 image came to no wait\n",
            "coarray: 1 of 3 images came to no wait\n",
        ];
        assert_eq!(texts, expected);
    }
}
