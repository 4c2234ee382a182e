//! 18. Irregular access: conveyors, and aggregated gets and puts.

use std::process::ExitCode;

use coarray::irregular::{Conveyor, ConveyorOptions, Gets, Hops, Puts, wait_any};
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, OwnJob, Section};
use crate::end::End;

/// The section.
pub const SECTION: Section = Section {
    number: 18,
    title: "irregular access",
    clauses: &[
        Clause::new(
            "18.1",
            "every item arrives once, at its image, in the order of its source",
            |check| items(check, Hops::One),
        ),
        Clause::new("18.2", "so it does in two hops", |check| {
            items(check, Hops::Two)
        }),
        Clause::new(
            "18.3",
            "runs arrive with their values and their length",
            runs,
        ),
        Clause::new(
            "18.4",
            "an image that leaves early throws away what comes, and nothing is left of it",
            left_early,
        ),
        Clause::new(
            "18.5",
            "images that ask and answer by two conveyors wait for both",
            questions,
        ),
        Clause::new(
            "18.6",
            "aggregated puts are there after the phase, and the last to a place stays",
            puts,
        ),
        Clause::new(
            "18.7",
            "aggregated gets are there when the aggregator is dropped",
            gets,
        ),
        Clause::about_end(
            "18.8",
            "an image that never finishes pushing is a deadlock, which is told",
            OwnJob {
                images: 2,
                body: never_finishes,
                judge: tells_of_the_deadlock,
            },
        ),
    ],
};

/// Packets of a few items.
fn options(hops: Hops) -> ConveyorOptions {
    ConveyorOptions {
        packet_bytes: 100,
        hops,
    }
}

/// How many items an image sends to another one.
fn count(source: usize, target: usize) -> u64 {
    (source * 37 + target * 11) as u64 % 200
}

fn item(source: usize, target: usize, number: u64) -> u64 {
    number << 32 | (source << 16 | target) as u64
}

fn items(check: &mut Check, hops: Hops) {
    let (me, images) = (this_image(), num_images());
    let mut conveyor = Conveyor::<u64>::with_options(options(hops));
    // Twice: the second phase is as the first.
    for phase in 0..2 {
        let mut came = vec![Vec::new(); images];
        let own = (0..200).flat_map(|number| (0..images).map(move |target| (target, number)));
        let own = own.filter(|&(target, number)| number < count(me, target));
        conveyor.convey(
            own.map(|(target, number)| (target, item(me, target, number))),
            |source, item| {
                came[source].push(item);
            },
        );
        for (source, came) in came.iter().enumerate() {
            let expected: Vec<u64> = (0..count(source, me))
                .map(|number| item(source, me, number))
                .collect();
            check.same_items(
                format!("from image {source} in phase {phase}"),
                came,
                &expected,
            );
        }
    }
}

fn runs(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let mut conveyor = Conveyor::<[u16]>::with_options(options(Hops::Automatic));
    // From none to more than a packet.
    let lengths = [0, 1, 7, 500, 0, 30];
    let mut came = vec![Vec::new(); images];
    let own = lengths
        .iter()
        .flat_map(|&length| (0..images).map(move |target| (target, vec![me as u16; length])));
    conveyor.convey(own, |source, run| {
        came[source].push(run.len());
        check.that(
            run.iter().all(|&value| usize::from(value) == source),
            || format!("a run of image {source} has other values"),
        );
    });
    for (source, came) in came.iter().enumerate() {
        check.same_items(format!("lengths from image {source}"), came, &lengths);
    }
}

fn left_early(check: &mut Check) {
    let images = num_images();
    let mut conveyor = Conveyor::<usize>::with_options(options(Hops::Automatic));
    let mut open = conveyor.open();
    if this_image() != 0 {
        for number in 0..300 {
            while open.push(number % images, number).is_err() {
                open.wait();
                open.pull_all(|_, _| ());
            }
        }
    }
    drop(open);
    let mut came = Vec::new();
    conveyor.convey([(0, 7)], |_, item| came.push(item));
    let expected = if this_image() == 0 {
        vec![7; images]
    } else {
        vec![]
    };
    check.same_items("items of the next phase", &came, &expected);
}

fn questions(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let mut questions = Conveyor::<[u64; 2]>::with_options(options(Hops::Automatic));
    let mut answers = Conveyor::<[u64; 2]>::beside_with(&questions, options(Hops::Automatic));
    let (mut asked, mut answered) = (questions.open(), answers.open());
    let mut values = vec![0; 100 * images];
    let mut next = 0;
    loop {
        while next < values.len()
            && asked
                .push(next % images, [next as u64, next as u64])
                .is_ok()
        {
            next += 1;
        }
        if next == values.len() {
            asked.finish();
        }
        while asked.pull_if(|source, [index, place]| {
            answered
                .push(source, [index * 1000 + me as u64, place])
                .is_ok()
        }) {}
        if asked.is_finished() {
            answered.finish();
        }
        answered.pull_all(|_, [value, place]| values[place as usize] = value);
        if !wait_any(&mut [&mut asked, &mut answered]) {
            break;
        }
    }
    let expected: Vec<u64> = (0..values.len())
        .map(|index| (index * 1000 + index % images) as u64)
        .collect();
    check.same_items("answers", &values, &expected);
}

fn puts(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let mut x = Coarray::<[usize]>::zeroed(3000);
    let open = x.open();
    let mut puts = Puts::new(|image| open.at(image));
    for index in (me..3000).step_by(images) {
        for image in 0..images {
            puts.put(image, index, 1);
            puts.put(image, index, index + 7);
        }
    }
    drop(puts);
    open.close();
    let expected: Vec<usize> = (0..3000).map(|index| index + 7).collect();
    check.same_items("what was put", &x[..], &expected);
}

fn gets(check: &mut Check) {
    let images = num_images();
    let mut x = Coarray::<[usize]>::from_fn(3000, |index| index * 10 + this_image());
    let x = x.publish();
    let mut values = vec![0; 5000];
    let place = |number: usize| (number % images, number * 7 % 3000);
    let mut gets = Gets::new(|image| x.at(image));
    for (number, value) in values.iter_mut().enumerate() {
        let (image, index) = place(number);
        gets.get(image, index, value);
    }
    drop(gets);
    let expected: Vec<usize> = (0..5000)
        .map(|number| place(number).1 * 10 + place(number).0)
        .collect();
    check.same_items("what was fetched", &values, &expected);
}

fn tells_of_the_deadlock(end: &End, _images: usize) -> Result<(), String> {
    end.with_report(
        1,
        &["deadlock", "of the conveyor opened at ", "irregular.rs:"],
    )
}

fn never_finishes() -> ExitCode {
    let mut conveyor = Conveyor::<u8>::new();
    let mut open = conveyor.open();
    if this_image() > 0 {
        open.finish();
    }
    while open.wait() {}
    ExitCode::SUCCESS
}
