//! Whole reports, of profiles that were made up.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::profile::samples::{image, large, place, waits};
use coarray_runtime::LineProfile;

fn findings_of(profiles: &[ImageProfile]) -> Findings {
    let all = || profiles.iter().enumerate();
    let data = Data::of(profiles.iter().cloned().enumerate(), profiles.len());
    Findings::from(Measured {
        images: profiles.len(),
        cores: None,
        waits: Some(Summary::of(all(), profiles.len())),
        data: Some(data),
    })
}

/// Lines of an image that waits no longer than it runs.
fn any_image() -> impl Strategy<Value = ImageProfile> {
    let line = (1..9_u32, 0..1000_u64, 0..1_000_000_000_u64);
    (prop::collection::vec(line, 0..20), 1..2_000_000_000_u64).prop_map(|(lines, time)| {
        let mut left = time;
        let lines = lines.into_iter().map(|(line, calls, waited)| {
            let waited = waited.min(left);
            left -= waited;
            waits(place(line, "sync_all"), calls, waited)
        });
        ImageProfile {
            time,
            ..image(lines.collect())
        }
    })
}

proptest! {
    #[test]
    fn shares_add_up(profiles in prop::collection::vec(any_image(), 1..9)) {
        let findings = findings_of(&profiles);
        let json: serde_json::Value = serde_json::from_str(&export::json_of(&findings).to_string()).unwrap();
        let waits = &json["waits"];
        let lines = waits["lines"].as_array().unwrap();
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let shares: f64 = lines.iter().map(|line| number(&line["share"])).sum();
        let [efficiency, balance, communication, unknown] =
            ["parallel_efficiency", "load_balance", "communication_efficiency", "unknown_share"]
                .map(|key| number(&waits[key]));
        prop_assert!((shares + efficiency + unknown - 1.0).abs() < 0.01);
        prop_assert!((balance * communication - efficiency).abs() < 1e-9);
        // And what each image did is all that was done.
        for line in lines {
            let each = line["by_image"].as_array().unwrap().iter();
            let sum: u64 = each.map(|visits| visits["waited_ns"].as_u64().unwrap()).sum();
            prop_assert_eq!(line["waited_ns"].as_u64(), Some(sum));
        }
    }

    /// Each element that begins ends, whatever lines and activities are called.
    #[test]
    fn figures_are_well_formed(name in "[ -~]{1,12}", images in 1..5_usize) {
        let line = LineProfile { place: place(1, &name), ..waits(place(1, ""), 7, 400_000_000) };
        let profiles = vec![image(vec![line]); images];
        for figure in page::figures(&findings_of(&profiles)) {
            judge(&figure.file());
        }
    }
}

/// Looks whether all elements end in the opposite order in which they begin.
fn judge(xml: &str) {
    let mut open = Vec::new();
    let mut rest = xml;
    while let Some((_, from)) = rest.split_once('<') {
        let (tag, behind) = from.split_once('>').expect("a tag ends");
        assert!(
            !tag.contains('<') && tag.matches('"').count() % 2 == 0,
            "{tag}"
        );
        rest = behind;
        let name = tag.split([' ', '/']).find(|word| !word.is_empty());
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), name, "{tag}"),
            (false, true) => {}
            (false, false) => open.push(name.expect("a tag has a name")),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

/// A folder for one test, which ends with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("coarray-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn files(&self) -> ProfileFiles {
        ProfileFiles {
            json: Some(self.0.join("a.json")),
            html: Some(self.0.join("a.html")),
            svg: Some(self.0.join("figures/of a")),
            record: None,
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Prints how long it takes: a report of 64 images is there in less than a second.
#[test]
fn a_large_job_has_its_report() {
    let folder = Folder::new("large-job");
    for (images, lines) in [(300, 12), (2, 250), (64, 250)] {
        let record = Record {
            images,
            cores: Some(images),
            profiles: large(images, lines).into_iter().enumerate().collect(),
        };
        let counts = Record {
            images,
            cores: None,
            profiles: record.profiles.clone(),
        };
        let begin = Instant::now();
        let words = report(Some(&record), None, &ProfileFiles::default());
        let time = begin.elapsed();
        let both = report(Some(&record), Some(counts), &folder.files());
        println!(
            "{images} images: {time:?}, with files {:?}",
            begin.elapsed()
        );
        assert!(words.lines().count() < 60, "{words}");
        assert!(both.starts_with(&words[..40]));
        let read = |name: &str| fs::read_to_string(folder.0.join(name)).unwrap();
        let json: serde_json::Value = serde_json::from_str(&read("a.json")).unwrap();
        assert_eq!(json["waits"]["by_image"].as_array().unwrap().len(), images);
        let page = read("a.html");
        assert!(page.len() < 3 << 20, "{}", page.len());
        for word in ["http://", "https://", "url(", "<script", "<link", "@import"] {
            assert!(!page.contains(word), "{word} asks for something else");
        }
        for name in ["images", "lines", "timeline", "matrix"] {
            let figure = read(&format!("figures/of a/{name}.svg"));
            judge(&figure);
        }
    }
}

#[test]
fn what_cannot_be_written_is_said_in_a_line_each() {
    let folder = Folder::new("unwritable");
    let file = folder.0.join("file");
    fs::write(&file, "").unwrap();
    let files = ProfileFiles {
        json: Some("/dev/full".into()),
        html: Some(folder.0.join("no/such/folder.html")),
        svg: Some(file.join("figures")),
        record: None,
    };
    let complaints = files::write(&findings_of(&large(2, 20)), &files);
    let lines: Vec<_> = complaints.lines().collect();
    let all = [
        "/dev/full: No space left",
        "folder.html: No such file",
        "figures: Not a directory",
    ];
    assert_eq!(lines.len(), all.len(), "{complaints}");
    for (line, text) in lines.iter().zip(all) {
        assert!(
            line.starts_with("coarray: cannot write the profile to "),
            "{line}"
        );
        assert!(line.contains(text), "{line}");
    }
}
