//! A profile for each rule that it speaks of, and one that has been repaired.

use crate::profile::data::Data;
use crate::profile::findings::Findings;
use crate::profile::measured::Measured;
use crate::profile::samples::{image, moves, place, waits};
use crate::profile::summary::Summary;
use coarray_runtime::{ImageProfile, LineMoves, LineProfile, Moved};

/// What is said of images that ran for a second each: the rules, and the texts.
fn advice_on(
    cores: usize,
    images: &[ImageProfile],
    with_times: bool,
) -> Vec<(&'static str, String)> {
    let waits = with_times.then(|| Summary::of(images.iter().enumerate(), images.len()));
    let is_counted = images.iter().any(|image| !image.moves.is_empty());
    let all = images.iter().cloned().enumerate();
    let data = is_counted.then(|| Data::of(all, images.len()));
    let findings = Findings::from(Measured {
        images: images.len(),
        cores: Some(cores),
        waits,
        data,
    });
    let advice = findings.advice.iter();
    advice.map(|advice| (advice.rule, advice.text())).collect()
}

#[track_caller]
fn is_said(rule: &'static str, text: &str, images: &[ImageProfile]) {
    assert_eq!(advice_on(8, images, true), [(rule, text.to_owned())]);
}

#[track_caller]
fn is_silent(images: &[ImageProfile]) {
    assert_eq!(advice_on(8, images, true), []);
}

const MILLISECOND: u64 = 1_000_000;

/// Two images come to a line 100 times: image 1 last, so often, having worked for so many microseconds each time, and the other for 5000.
fn uneven(last: u64, worked: u64) -> [ImageProfile; 2] {
    let late = worked.saturating_sub(5000) * 1000;
    let early = LineProfile {
        worked: 100 * 5000 * 1000,
        ..waits(place(88, "sync_all"), 100, last * late + MILLISECOND)
    };
    let late = LineProfile {
        worked: 100 * worked * 1000,
        last,
        late: last * late,
        latest: late,
        since: Some(place(71, "sync_all")),
        ..waits(place(88, "sync_all"), 100, MILLISECOND)
    };
    [image(vec![early]), image(vec![late])]
}

#[test]
fn an_image_with_more_to_do_is_named() {
    is_said(
        "imbalance",
        "src/main.rs:88: image 1 works 1.40 times as long as the others before it, and they wait (10 % of the time): divide the work evenly",
        &uneven(100, 7000),
    );
    // It is late now and then, or by little, or the wait is short.
    is_silent(&uneven(50, 7000));
    is_silent(&uneven(100, 5200));
    is_silent(&uneven(100, 5000));
}

#[test]
fn an_image_that_is_awaited_outside_of_barriers_is_named() {
    let sums = |worked, lead| {
        let line = |worked: u64, waited, lead| LineProfile {
            worked: 100 * worked,
            awaited: 1,
            lead,
            ..waits(place(7, "co_sum"), 100, waited)
        };
        [
            image(vec![line(10_000, 300 * MILLISECOND, lead)]),
            image(vec![line(worked, 0, 0)]),
        ]
    };
    is_said(
        "imbalance",
        "src/main.rs:7: image 1 works 3.00 ms where the others work 10.0 µs before it, and they wait (15 % of the time): divide the work evenly",
        &sums(3 * MILLISECOND, 290 * MILLISECOND),
    );
    is_silent(&sums(10_000, 290 * MILLISECOND));
    is_silent(&sums(3 * MILLISECOND, 90 * MILLISECOND));
}

#[test]
fn images_that_start_late_have_no_more_to_do() {
    let at_start = |file: &str, time: u64| {
        let mut images = uneven(1, 7000);
        for profile in &mut images {
            let line = &mut profile.lines[0];
            (line.calls, line.waited) = (1, time * MILLISECOND * (1 - line.last));
            line.late = time * MILLISECOND * line.last;
            if let Some(since) = &mut line.since {
                since.file = file.into();
            }
        }
        images
    };
    is_silent(&at_start("", 120));
    // Once, for a moment, nobody knows why.
    is_silent(&at_start("src/main.rs", 80));
    assert_eq!(advice_on(8, &at_start("src/main.rs", 120), true).len(), 1);
}

#[test]
fn more_images_than_cores_are_counted() {
    let images = |waited| vec![image(vec![waits(place(3, "sync_all"), 10, waited)]); 4];
    let said = advice_on(2, &images(300 * MILLISECOND), true);
    let text = "4 images share 2 cores, so a part of the waits (30 %) is for a core: run 2 images, or look at the counts only";
    assert_eq!(said, [("more images than cores", text.to_owned())]);
    assert_eq!(advice_on(4, &images(300 * MILLISECOND), true), []);
    assert_eq!(advice_on(2, &images(15 * MILLISECOND), true), []);
}

#[test]
fn a_lock_that_is_waited_for_is_named() {
    let locked = |waited: u64| {
        let line = |waited| waits(place(12, "lock"), 50, waited * MILLISECOND);
        [image(vec![line(waited)]), image(vec![line(100)])]
    };
    is_said(
        "lock",
        "src/main.rs:12: images wait for the lock for 25 % of their time, one of them for 400 ms: do less while it is held, or use a coatomic",
        &locked(400),
    );
    is_silent(&locked(250));
}

#[test]
fn small_collectives_in_a_row_are_named() {
    let sums = |activity, prompt| {
        let line = LineProfile {
            prompt,
            ..waits(place(9, activity), 10_000, 80 * MILLISECOND)
        };
        [image(vec![line.clone()]), image(vec![line])]
    };
    is_said(
        "small collectives",
        "src/main.rs:9: 10000 calls of co_sum, nearly each right after the one before (8 % of the time): one of an array, where none needs the result of another",
        &sums("co_sum", 9800),
    );
    is_silent(&sums("co_sum", 5000));
    is_said(
        "short phases",
        "src/main.rs:9: 10000 barriers for phases, nearly each right after another one (8 % of the time): open several coarrays together, or keep them open and use sync_all",
        &sums("open", 9800),
    );
    is_silent(&sums("open", 5000));
    is_silent(&sums("sync_all", 9800));
}

#[test]
fn collectives_that_are_waited_for_at_once_are_named() {
    let line = |worked| LineProfile {
        worked: worked * MILLISECOND,
        ..waits(place(4, "asynchronous collective"), 100, 200 * MILLISECOND)
    };
    let images = |worked| [image(vec![line(worked)]), image(vec![line(worked)])];
    is_said(
        "no overlap",
        "src/main.rs:4: an asynchronous collective is waited for after 10.0 µs, and for 2.00 ms: do what does not need its result before the wait",
        &images(1),
    );
    is_silent(&images(100));
}

/// Images that each moved this by one line, to the next one; or all to the last one.
fn moved(images: usize, line: &LineMoves, to_last: bool) -> Vec<ImageProfile> {
    let profile = |me: usize| {
        let mut row = vec![Moved::default(); images];
        let target = if to_last {
            images - 1
        } else {
            (me + 1) % images
        };
        row[target] = line.elsewhere();
        row[me] += line.own;
        ImageProfile {
            moves: vec![line.clone()],
            row,
            ..image(Vec::new())
        }
    };
    (0..images).map(profile).collect()
}

#[test]
fn puts_side_by_side_are_named() {
    let puts = |runs, bytes: u64| LineMoves {
        runs,
        ..moves(place(71, "put"), 400_000, bytes * 400_000)
    };
    is_said(
        "fine puts and gets",
        "src/main.rs:71: 400 operations side by side each time, 800000 messages on a cluster, about 400 ms for each image: `put_from` a slice",
        &moved(2, &puts(1000, 8), false),
    );
    is_silent(&moved(2, &puts(400_000, 8), false));
    is_silent(&moved(2, &puts(1000, 4096), false));
    let rows = LineMoves {
        runs: 1000,
        ..moves(place(71, "put"), 1000, 3_200_000)
    };
    is_silent(&moved(2, &rows, false));
    // Where no time is known, what is most of all is worth a line.
    let said = advice_on(8, &moved(2, &puts(1000, 8), false), false);
    assert_eq!(said.len(), 1);
}

#[test]
fn gets_at_equal_distances_are_named() {
    let column = LineMoves {
        stride: Some(800),
        ..moves(place(5, "get"), 100_000, 800_000)
    };
    is_said(
        "strided puts and gets",
        "src/main.rs:5: operations 800 bytes apart, 200000 messages on a cluster, about 100 ms for each image: one of a `section` or a `region`",
        &moved(2, &column, false),
    );
    let scattered = LineMoves {
        stride: None,
        ..column
    };
    is_silent(&moved(2, &scattered, false));
}

#[test]
fn gets_from_other_nodes_that_wait_for_each_other_are_named() {
    let near = moves(place(5, "get"), 100_000, 800_000);
    let far = LineMoves {
        far: near.near,
        near: Moved::default(),
        ..near.clone()
    };
    is_said(
        "gets one by one",
        "src/main.rs:5: 200000 gets from other nodes, each waited for before the next: `get_async` several and wait for all, or get a list of items",
        &moved(2, &far, false),
    );
    is_silent(&moved(2, &near, false));
    let issued = |waited_at_once| LineMoves {
        issued: 100_000,
        waited_at_once,
        ..far.clone()
    };
    is_said(
        "no overlap",
        "src/main.rs:5: 200000 of 200000 asynchronous operations are waited for at once, 200000 messages: begin several, or compute before the wait",
        &moved(2, &issued(100_000), false),
    );
    is_silent(&moved(2, &issued(5000), false));
}

#[test]
fn a_word_of_all_images_is_named() {
    let adds = LineMoves {
        stride: Some(0),
        ..moves(place(6, "atomic"), 50_000, 400_000)
    };
    is_said(
        "hot word",
        "src/main.rs:6: atomic operations on one word of image 3, 200000 messages on a cluster, about 50.0 ms for each image: count on each image, and add up by `co_sum`",
        &moved(4, &adds, true),
    );
    // A word of each image, for the one before it.
    is_silent(&moved(4, &adds, false));
}

#[test]
fn puts_to_oneself_are_named() {
    let own = |operations| LineMoves {
        own: Moved {
            operations,
            bytes: 8 * operations,
        },
        ..moves(place(6, "put"), 0, 0)
    };
    is_said(
        "own part",
        "src/main.rs:6: 1.0e8 operations are on the image's own part: close the coarray, and use a slice of it",
        &moved(2, &own(50_000_000), false),
    );
    is_silent(&moved(2, &own(1_000_000), false));
    let without_times = |operations| advice_on(8, &moved(2, &own(operations), false), false);
    assert_eq!(without_times(2_000_000).len(), 1);
    assert_eq!(without_times(2000), []);
}

#[test]
fn a_barrier_between_few_images_is_named() {
    let exchange = |images, waited| {
        let mut profiles = moved(images, &moves(place(71, "put"), 900, 900 << 20), false);
        for profile in &mut profiles {
            profile.lines = vec![waits(place(72, "sync_all"), 900, waited * MILLISECOND)];
        }
        profiles
    };
    is_said(
        "barrier between few",
        "src/main.rs:72: all 8 images wait for each other (20 % of the time), but none moves data to or from more than 2: `sync_images`, events, or a HaloArray",
        &exchange(8, 200),
    );
    is_silent(&exchange(4, 200));
    is_silent(&exchange(8, 20));
}
