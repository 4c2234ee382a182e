//! Puts and gets.

use std::collections::VecDeque;

use coarray_fabric::{AtomicOperation, Buffer, Request, Word, has_outstanding};

use crate::block::{Block, Dice, all_meet, rounds};

/// Copies of many lengths arrive whole and where they belong.
pub fn sizes() {
    const LENGTHS: [usize; 9] = [1, 3, 8, 64, 511, 512, 513, 70_000, 3 << 20];
    let total: usize = LENGTHS.iter().map(|length| length + 5).sum();
    let images = coarray_runtime::num_images();
    let block = Block::new(total * images);
    let me = block.image.index();
    let bytes = |from: usize, to: usize, length: usize| {
        (0..length)
            .map(move |at| (at * 7 + from * 31 + to * 101 + length) as u8)
            .collect::<Vec<_>>()
    };
    for image in 0..images {
        let mut at = total * me;
        for length in LENGTHS {
            block.put(image, at + 3, &bytes(me, image, length));
            at += length + 5;
        }
    }
    assert!(has_outstanding());
    block.image.fabric().quiet();
    all_meet();
    for from in 0..images {
        let mut at = total * from;
        for length in LENGTHS {
            assert_eq!(block.own(at, 3), [0; 3]);
            assert_eq!(block.own(at + 3, length), bytes(from, me, length));
            assert_eq!(block.own(at + 3 + length, 2), [0; 2]);
            at += length + 5;
        }
    }
    let next = (me + 1) % images;
    let mut at = total * me;
    for length in LENGTHS {
        assert_eq!(block.get(next, at + 3, length), bytes(me, next, length));
        at += length + 5;
    }
    all_meet();
}

/// What one image does to one place happens in the order in which it was issued, whatever it is.
pub fn order() {
    const LENGTH: usize = 256;
    let block = Block::new(LENGTH * coarray_runtime::num_images());
    let fabric = block.image.fabric();
    let me = block.image.index();
    let mine = LENGTH * me;
    let images = block.image.images();
    let mut dice = Dice(12345 + me as u64);
    // What each image's bytes for this image are to hold, and what is to come of gets.
    let mut model = vec![[0_u8; LENGTH]; images];
    let mut gets: VecDeque<(Request, Vec<u8>)> = VecDeque::new();
    for step in 0..rounds(6000) {
        let image = dice.below(images);
        let start = dice.below(LENGTH);
        let length = 1 + dice.below((LENGTH - start).min(40));
        let range = start..start + length;
        let source: Vec<u8> = (0..length).map(|at| (step * 3 + at) as u8).collect();
        let offset = block.at(image, mine + start);
        match dice.below(8) {
            0..=2 => {
                block.put(image, mine + start, &source);
                model[image][range].copy_from_slice(&source);
            }
            3 => {
                model[image][range].copy_from_slice(&source);
                // SAFETY: the place is in the block, to which nobody holds references.
                drop(unsafe { fabric.issue_put(image, offset, Buffer::Owned(source.into())) });
            }
            4 => {
                // SAFETY: as above.
                let request =
                    unsafe { fabric.issue_get(image, offset, Buffer::with_length(length)) };
                gets.push_back((request, model[image][range].to_vec()));
            }
            5 => assert_eq!(block.get(image, mine + start, length), model[image][range]),
            6 => {
                let word = start / 8 * 8;
                let bytes: &mut [u8] = &mut model[image][word..word + 8];
                let old = u64::from_ne_bytes(bytes.try_into().unwrap());
                let offset = block.at(image, mine + word);
                let operation = AtomicOperation::Add(step as u64);
                // SAFETY: the word is in the block and aligned; only this image uses it.
                let former = unsafe { fabric.atomic(image, offset, Word::Bits64, operation) };
                assert_eq!(former, old);
                bytes.copy_from_slice(&(old.wrapping_add(step as u64)).to_ne_bytes());
            }
            _ if step % 5 == 0 => fabric.fence(image),
            _ => {
                fabric.progress();
            }
        }
        while let Some((mut request, expected)) = gets.pop_front() {
            if step % 64 == 0 {
                fabric.wait(&request);
            }
            match request.take() {
                Some(Buffer::Owned(bytes)) => assert_eq!(bytes[..], expected),
                Some(Buffer::Lent(..)) => unreachable!("its buffer is its own"),
                None => {
                    gets.push_front((request, expected));
                    break;
                }
            }
        }
    }
    fabric.quiet();
    for (mut request, expected) in gets {
        let Some(Buffer::Owned(bytes)) = request.take() else {
            panic!("a get is not complete after quiet");
        };
        assert_eq!(bytes[..], expected);
    }
    all_meet();
    for (image, expected) in model.iter().enumerate() {
        assert_eq!(block.get(image, mine, LENGTH), expected);
    }
    all_meet();
}

/// More operations than can be under way complete, by their requests or by a fence.
pub fn issued() {
    const COUNT: usize = 5000;
    let images = coarray_runtime::num_images();
    let block = Block::new(8 * COUNT * images);
    let fabric = block.image.fabric();
    let me = block.image.index();
    let next = (me + 1) % images;
    let place = |number: usize| 8 * (COUNT * me + number * 7 % COUNT);
    for number in 0..COUNT {
        let source = Buffer::Owned((number as u64).to_ne_bytes().into());
        // SAFETY: the place is in the block, to which nobody holds references.
        let request = unsafe { fabric.issue_put(next, block.at(next, place(number)), source) };
        assert_eq!(request.image(), next);
        if number % 1000 == 0 {
            fabric.wait(&request);
            assert!(request.is_complete());
        }
    }
    fabric.fence(next);
    assert!(!fabric.progress());
    let mut requests = Vec::new();
    for number in 0..COUNT {
        let offset = block.at(next, place(number));
        // SAFETY: as above.
        requests.push(unsafe { fabric.issue_get(next, offset, Buffer::with_length(8)) });
    }
    while fabric.progress() {}
    for (number, mut request) in requests.into_iter().enumerate() {
        assert!(request.is_complete());
        let Some(Buffer::Owned(bytes)) = request.take() else {
            panic!("there is no result");
        };
        assert_eq!(bytes[..], (number as u64).to_ne_bytes());
    }
    fabric.quiet();
    let mut here = [0_u64; 100];
    // SAFETY: the target lives until the operation is complete, which is waited for.
    let request = unsafe {
        let target = Buffer::Lent(here.as_mut_ptr().cast(), 800);
        fabric.issue_get(next, block.at(next, 8 * COUNT * me), target)
    };
    fabric.wait(&request);
    assert!((0..100).all(|number| here[number] as usize * 7 % COUNT == number));
    all_meet();
}

/// Many small puts in a row, and scattered ones, to all images in turn, without any wait.
pub fn rows() {
    const COUNT: usize = 10_000;
    let images = coarray_runtime::num_images();
    let block = Block::new(8 * COUNT * images);
    let me = block.image.index();
    let slot = |number: usize| {
        if number.is_multiple_of(2) {
            number
        } else {
            number * 31 % COUNT / 2 * 2 + 1
        }
    };
    for number in 0..COUNT {
        for image in 0..images {
            let place = 8 * (COUNT * me + slot(number));
            block.put(image, place, &(number + image).to_ne_bytes());
        }
    }
    block.image.fabric().quiet();
    all_meet();
    let mut expected = vec![0_usize; COUNT];
    for number in 0..COUNT {
        expected[slot(number)] = number + me;
    }
    let expected: Vec<u8> = expected
        .iter()
        .flat_map(|number| number.to_ne_bytes())
        .collect();
    for from in 0..images {
        let found = block.own(8 * COUNT * from, 8 * COUNT);
        let wrong = (0..8 * COUNT).find(|&at| found[at] != expected[at]);
        assert_eq!(wrong, None, "from {from}, slots of 8 bytes");
    }
    all_meet();
}
