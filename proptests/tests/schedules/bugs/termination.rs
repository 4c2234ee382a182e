//! Programs that think that they are done.

use coarray::image_fence;
use coarray::irregular::Conveyor;
use coarray::prelude::*;

use crate::program::{Version, until};

/// Each task makes one for the next image, until the last. All images end when no task is unfinished.
pub fn task_finished_before_its_children_are_counted(version: Version) {
    let right = (this_image() + 1) % num_images();
    // How many tasks are to follow one another; image 0 has the first.
    let own = if this_image() == 0 { 3 } else { 0 };
    let task = Coarray::new(Coatomic::new(own));
    let unfinished = Coarray::new(Coatomic::new(1));
    let unfinished = unfinished.at(0);
    let mut done = 0;
    loop {
        let follow = task.swap(0);
        if follow == 0 {
            if unfinished.load() == 0 {
                break;
            }
            continue;
        }
        if version.is_wrong() {
            unfinished.sub(1);
        }
        if follow > 1 {
            unfinished.add(1);
            image_fence();
            task.at(right).store(follow - 1);
        }
        done += 1;
        if version.is_right() {
            unfinished.sub(1);
        }
    }
    assert_eq!(co_sum_of(done), 3);
}

/// Image 0 sends a letter, which the others pass on to each other, and ends the exchange when as many letters were received as sent.
///
/// F. Mattern, *Algorithms for distributed termination detection*, Distributed Computing 2 (1987): what was received is looked at
/// first, for what was sent can only become more.
fn pass_letters_on(looks_at_sent_first: bool, counts_at_once: bool) {
    const HOPS: u64 = 3;
    let letters = Coarray::new(Coatomic::new(0));
    let (sent, received) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::new(Coatomic::new(0)),
    );
    let ended = Coarray::new(Coatomic::new(false));
    let me = this_image();
    let send = |to: usize, hops: u64| {
        sent.add(1);
        image_fence();
        letters.at(to).store(hops);
    };
    if me == 0 {
        send(1, HOPS);
        let sum = |counters: &Coarray<Coatomic<u64>>| -> u64 {
            let sum = (0..3).map(|image| counters.at(image).load()).sum();
            image_fence();
            sum
        };
        until(|| match looks_at_sent_first {
            true => sum(&sent) == sum(&received),
            false => sum(&received) == sum(&sent),
        });
        (1..3).for_each(|image| ended.at(image).store(true));
    } else {
        while !ended.load() {
            let hops = letters.swap(0);
            if hops == 0 {
                continue;
            }
            if counts_at_once {
                received.add(1);
            }
            if hops > 1 {
                send(3 - me, hops - 1);
            }
            if !counts_at_once {
                image_fence();
                received.add(1);
            }
        }
    }
    sync_all();
    assert_eq!(co_sum_of(received.load()), HOPS);
}

pub fn letter_counted_before_it_is_passed_on(version: Version) {
    pass_letters_on(false, version.is_wrong());
}

pub fn letters_sent_looked_at_before_those_received(version: Version) {
    pass_letters_on(version.is_wrong(), false);
}

/// Each image asks the next one, and answers the one before. It is not done before it has done both.
pub fn conveyor_finished_before_the_question_came(version: Version) {
    let (me, images) = (this_image(), num_images());
    let mut conveyor = Conveyor::<[usize; 2]>::new();
    let mut open = conveyor.open();
    let (question, answer) = (0, 1);
    open.push((me + 1) % images, [question, me]).unwrap();
    let (mut is_answered, mut has_answered) = (false, false);
    loop {
        while let Some((source, [kind, value])) = open.pull() {
            if kind == question {
                open.push(source, [answer, 2 * value]).unwrap();
                has_answered = true;
            } else {
                assert_eq!(value, 2 * me);
                is_answered = true;
            }
        }
        if is_answered && (has_answered || version.is_wrong()) {
            open.finish();
        }
        if !open.wait() {
            break;
        }
    }
    assert!(has_answered, "the image before waits for its answer");
}
