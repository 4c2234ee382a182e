//! Messages, and what waits by them.

use std::cell::RefCell;

use coarray_fabric::{Fabric, Message, SignalOperation};
use coarray_runtime::this_image;

use crate::block::{Block, Dice, all_meet, rounds, sync};

/// In the first byte of what is sent here, if there is one. Messages of the library begin with a small number.
const MARK: u8 = 0x40;

/// Message `number` from one image to another: of any length, some of them long.
fn message(from: usize, to: usize, number: usize) -> Vec<u8> {
    let mut dice = Dice((1 + from * 1_000_000 + to * 10_000 + number) as u64);
    for _ in 0..10 {
        dice.below(2);
    }
    let length = match number % 50 {
        0 => dice.below(200_000),
        1 => 0,
        // Around the most bytes of a message that comes unannounced.
        2 => 2045 + dice.below(6),
        _ => dice.below(200),
    };
    let mut bytes: Vec<u8> = (0..length).map(|_| dice.below(256) as u8).collect();
    if let Some(first) = bytes.first_mut() {
        *first |= MARK;
    }
    bytes
}

/// Takes a message that was sent here. One of the library may come, too: an image that waited long at the start asks why.
fn receive(fabric: &dyn Fabric) -> Option<Message> {
    // SAFETY: only these tests wait for what is sent here.
    unsafe { fabric.receive() }
        .filter(|message| message.bytes.first().is_none_or(|first| first & MARK != 0))
}

/// All images send each other, themselves included, more than fits anywhere, before they receive anything.
pub fn storm() {
    const EACH: usize = 1500;
    let block = Block::new(64);
    let fabric = block.image.fabric();
    let me = block.image.index();
    let images = block.image.images();
    all_meet();
    for number in 0..EACH {
        for image in 0..images {
            // SAFETY: the receiver only looks at it, here and below.
            unsafe { fabric.send(image, &message(me, image, number)) };
        }
    }
    let mut next = vec![0; images];
    while next.iter().any(|&next| next < EACH) {
        let Some(Message { from, bytes }) = receive(fabric) else {
            continue;
        };
        assert!(
            bytes == message(from, me, next[from]),
            "from {from} to {me}: {}",
            next[from]
        );
        next[from] += 1;
    }
    all_meet();
}

/// What was put before a message or a signal is there when it has come; and the answer can be got.
pub fn news() {
    let images = coarray_runtime::num_images();
    let word = 4096 * images;
    let block = Block::new(word + 8);
    let fabric = block.image.fabric();
    let me = block.image.index();
    let (next, previous) = ((me + 1) % images, (me + images - 1) % images);
    let others = RefCell::new(Vec::new());
    let listen = || others.borrow_mut().extend(receive(fabric));
    let wait_for = |image| {
        let is_from = |message: &Message| message.from == image;
        loop {
            let found = others.borrow().iter().position(is_from);
            match found {
                Some(at) => break others.borrow_mut().remove(at).bytes,
                None => listen(),
            }
        }
    };
    all_meet();
    for round in 0..rounds(500) {
        block.put(next, 4096 * me, &[round as u8; 3000]);
        block.put(next, 4096 * me + 4000, &[round as u8; 5]);
        if round % 2 == 0 {
            let news = format!("news {round}");
            fabric.quiet();
            // SAFETY: as above.
            unsafe { fabric.send(next, news.as_bytes()) };
            assert_eq!(wait_for(previous), news.as_bytes());
        } else {
            // SAFETY: the word is in the block, aligned, and only signals change it.
            unsafe { fabric.signal(next, block.at(next, word), SignalOperation::Add(3)) };
            let sum = 3 * round.div_ceil(2) as u64;
            while block.own(word, 8) != sum.to_ne_bytes() {
                listen();
            }
        }
        assert_eq!(block.own(4096 * previous, 3000), [round as u8; 3000]);
        assert_eq!(
            block.own(4096 * previous + 4000, 6),
            [[round as u8; 5].as_slice(), &[0]].concat()
        );
        // The other one may put again.
        // SAFETY: as above.
        unsafe { fabric.send(previous, b"seen") };
        assert_eq!(wait_for(next), b"seen");
    }
    all_meet();
}

/// Images meet as in any job.
pub fn barriers() {
    (0..300).for_each(|_| sync());
    assert!(this_image() < coarray_runtime::num_images());
}
