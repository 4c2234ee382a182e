//! What is said of where gets got their values from: rare combinations first.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::check::origins::{Ago, Count, Origin, Origins, Told};
use crate::check::sites::{Short, Site, Sites};

/// How many combinations are told of a line, besides the most common one.
const RARE: usize = 8;

/// What is told of one line with gets.
#[derive(Debug, Default)]
struct Line {
    gets: u64,
    /// Who got it, and from where.
    found: Vec<(usize, Origin, Count)>,
    others: Count,
}

/// A row of its table: the share of the bytes, and where they are from.
struct Row {
    count: Count,
    text: String,
}

pub(super) fn report(origins: &Origins, sites: &Sites) -> Option<String> {
    let images = origins.0.len();
    let mut tables: Vec<(f64, String)> = lines(origins, sites)
        .iter()
        .map(|(name, line)| table(name, line, images, sites))
        .collect();
    if tables.is_empty() {
        return None;
    }
    tables.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let mut text = String::from(
        "coarray: who had put what gets got, in shares of the bytes, rare ones first; releases are those of the image that put, as far as the one \
         that got knew of them\n",
    );
    text.extend(tables.into_iter().map(|(_, table)| table));
    Some(text)
}

/// All lines with gets, by name.
fn lines(origins: &Origins, sites: &Sites) -> BTreeMap<(&'static str, u32), Line> {
    let mut lines: BTreeMap<(&'static str, u32), Line> = BTreeMap::new();
    for image in 0..origins.0.len() {
        let got = origins.of(image);
        for (&get, gets) in &got.gets {
            lines.entry(key(sites.site(get))).or_default().gets += gets;
        }
        for (&(get, origin), &count) in &got.found {
            let line = lines.entry(key(sites.site(get))).or_default();
            line.found.push((image, origin, count));
        }
        for (&get, &count) in &got.others {
            lines
                .entry(key(sites.site(get)))
                .or_default()
                .others
                .add(count);
        }
    }
    lines
}

fn key(site: Site) -> (&'static str, u32) {
    (site.line.file(), site.line.line())
}

/// The table of a line, and the least share in it.
fn table((file, number): &(&str, u32), line: &Line, images: usize, sites: &Sites) -> (f64, String) {
    let total: u64 = line.found.iter().map(|(_, _, count)| count.bytes).sum();
    let total = total + line.others.bytes;
    let share = |count: Count| 100.0 * count.bytes as f64 / total as f64;
    let rows = rows(line, images, sites);
    let gets = match line.gets {
        1 => "1 get".into(),
        gets => format!("{gets} gets"),
    };
    let mut text = format!("get at {file}:{number}, {gets}\n");
    let told = rows.len().saturating_sub(1).min(RARE);
    let mut row = |count: Count, what: &str| {
        let share = format!("{:.2}", share(count));
        let _ = writeln!(text, "  {share:>6} %  {:>9}  {what}", in_gets(count.gets));
    };
    for one in &rows[..told] {
        row(one.count, &one.text);
    }
    let mut left = line.others;
    if let Some((last, between)) = rows[told..].split_last() {
        between.iter().for_each(|one| left.add(one.count));
        if left.bytes > 0 {
            row(left, "others");
        }
        row(last.count, &last.text);
    }
    let least = rows.first().map_or(100.0, |row| share(row.count));
    (least, text)
}

fn in_gets(gets: u64) -> String {
    match gets {
        1 => "in 1 get".into(),
        _ => format!("in {gets}"),
    }
}

/// What is told of a line, rare ones first.
fn rows(line: &Line, images: usize, sites: &Sites) -> Vec<Row> {
    let pairs = line.found.iter();
    let pairs = pairs.filter_map(|(of, origin, _)| Some((origin.put?.1, *of)));
    let told = Told::for_pairs(pairs, images);
    let mut counts: BTreeMap<(Option<String>, Ago), Count> = BTreeMap::new();
    for (of, origin, count) in &line.found {
        let put = origin.put.map(|(site, by)| {
            let Site { line, name, .. } = sites.site(site);
            let by = told.name(told.of(by, *of, images), images);
            format!("{name} at {} by {by}", Short(line))
        });
        counts.entry((put, origin.ago)).or_default().add(*count);
    }
    let mut rows: Vec<Row> = counts
        .into_iter()
        .map(|((put, ago), count)| Row {
            count,
            text: match put {
                Some(put) => format!("{put}, {}", when(ago)),
                None => "written before the phase, or by its owner".into(),
            },
        })
        .collect();
    rows.sort_by_key(|row| row.count.bytes);
    rows
}

fn when(ago: Ago) -> String {
    match ago {
        Ago::Releases(0) => "since its last release".into(),
        Ago::Releases(1) => "1 release ago".into(),
        Ago::Releases(releases) => format!("{releases} releases ago"),
        Ago::More(releases) => format!("{releases} releases ago or more"),
        Ago::Announced => "announced by itself".into(),
        Ago::Unordered => "without order".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::check::origins::{EXACT, MOST};
    use crate::check::sites::Recent;

    /// The numbers of a get and of a put, at two lines.
    fn two_lines(sites: &Sites) -> [(u16, u32); 2] {
        let mut recent = Recent::new();
        let lines = [Location::caller(), Location::caller()];
        [0, 1].map(|which| {
            let (line, name) = (lines[which], ["get", "put"][which]);
            let site = Site {
                line,
                name,
                bytes: 8,
                is_inner: false,
            };
            let number = recent.number(sites, site, None).unwrap();
            (number, line.line())
        })
    }

    #[test]
    fn neighbours_are_told_by_distance_and_rare_ones_first() {
        let (sites, origins) = (Sites::default(), Origins::new(4));
        let [(get, at), (put, put_at)] = two_lines(&sites);
        for image in 0..4 {
            for step in 0..100 {
                let ago = Ago::releases(if (image, step) == (2, 50) { 3 } else { 1 });
                let put = Some((put, (image + 3) % 4));
                origins.note(image, get, &[(Origin { put, ago }, 8)]);
            }
        }
        let report = origins.report(&sites).unwrap();
        let lines: Vec<_> = report.lines().skip(1).collect();
        let file = file!();
        assert_eq!(
            lines,
            [
                format!("get at {file}:{at}, 400 gets"),
                format!(
                    "    0.25 %   in 1 get  put at {file}:{put_at} by image -1, the left neighbour, 3 releases ago"
                ),
                format!(
                    "   99.75 %     in 399  put at {file}:{put_at} by image -1, the left neighbour, 1 release ago"
                ),
            ]
        );
    }

    #[test]
    fn one_that_puts_to_all_is_told_by_its_number() {
        let (sites, origins) = (Sites::default(), Origins::new(5));
        let [(get, _), (put, _)] = two_lines(&sites);
        let ago = Ago::releases(EXACT);
        for image in 0..5 {
            let parts = [Some((put, 3)), None].map(|put| (Origin { put, ago }, 4));
            origins.note(image, get, &parts);
        }
        let report = origins.report(&sites).unwrap();
        assert!(
            report.contains(" by image 3, 15 releases ago or more\n"),
            "{report}"
        );
        assert!(
            report.contains("50.00 %       in 5  written before"),
            "{report}"
        );
    }

    #[test]
    fn there_are_no_more_combinations_than_there_is_room_for() {
        let (sites, origins) = (Sites::default(), Origins::new(2));
        let [(get, _), _] = two_lines(&sites);
        for image in 0..2 * MOST {
            // Many images are as many combinations.
            let put = Some((get, image));
            let ago = Ago::Unordered;
            origins.note(0, get, &[(Origin { put, ago }, 1)]);
        }
        let got = origins.of(0);
        assert_eq!(
            (got.found.len(), got.others[&get].bytes),
            (MOST, MOST as u64)
        );
    }
}
