//! Puts with signal.

use coarray_fabric::{Buffer, Signal, SignalOperation};

use crate::block::{Block, all_meet, rounds};

/// None, one that is staged where puts are, a page, and too much for any buffer.
const LENGTHS: [usize; 4] = [0, 8, 4096, 1 << 20];

const MOST: usize = 1 << 20;

/// Where in the block of each image the signal word is, what is put with it, and what is put to a third image.
const WORD: usize = 0;
const BYTES: usize = 64;
const LONG: usize = 128 + MOST;

/// The bytes are there when the signal is seen, while a long put to a third image is in flight.
pub fn with_bytes() {
    let block = Block::new(LONG + MOST);
    let fabric = block.image.fabric();
    let (me, images) = (block.image.index(), block.image.images());
    let [next, third] = [1, 2].map(|distance| (me + distance) % images);
    let operations = [SignalOperation::Set, SignalOperation::Add];
    let calls = LENGTHS.map(|length| operations.map(|operation| (length, operation)));
    let mut value = 0;
    for (length, operation) in calls.as_flattened().repeat(rounds(30)) {
        let amount = match operation(0) {
            SignalOperation::Set(_) => value + 3,
            SignalOperation::Add(_) => 3,
        };
        value += 3;
        let mut source = vec![value as u8; length];
        // SAFETY: the places are in the block, to which nobody holds references; the buffer is the operation's own. The word is aligned,
        // and only signals change it.
        unsafe {
            let long = Buffer::Owned(vec![value as u8; MOST].into());
            drop(fabric.issue_put(third, block.at(third, LONG), long));
            let (start, place) = (source.as_ptr(), block.at(next, BYTES));
            let word = block.at(next, WORD);
            fabric.put_signal(next, place, start, length, word, operation(amount));
        }
        // It may be used again.
        source.fill(!(value as u8));
        wait_for(&block, value);
        assert!(block.own(BYTES, length) == vec![value as u8; length]);
        all_meet();
    }
    fabric.quiet();
    fabric.quiet_signals();
    all_meet();
    assert!(block.own(LONG, MOST) == vec![value as u8; MOST]);
}

/// A put with signal follows what was put to the same place before, and what is put or got there later follows it.
pub fn in_order() {
    use SignalOperation::{Add, Set};
    let block = Block::new(LONG);
    let fabric = block.image.fabric();
    let (me, images) = (block.image.index(), block.image.images());
    let next = (me + 1) % images;
    let put_signal = |source: &[u8], operation| {
        let (place, word) = (block.at(next, BYTES), block.at(next, WORD));
        // SAFETY: as above.
        unsafe {
            let (start, length) = (source.as_ptr(), source.len());
            fabric.put_signal(next, place, start, length, word, operation);
        }
    };
    for round in 0..rounds(500) as u64 {
        let byte = round as u8;
        for length in [8, 3000] {
            block.put(next, BYTES, &vec![byte ^ 1; length]);
            put_signal(&vec![byte ^ 2; length], Add(5));
            assert!(block.get(next, BYTES, length) == vec![byte ^ 2; length]);
            put_signal(&vec![byte ^ 3; length], Set(round << 8));
            block.put(next, BYTES, &vec![byte; length]);
            put_signal(&[], Add(2));
            put_signal(&[], Add(length as u64));
            wait_for(&block, (round << 8) + 2 + length as u64);
            assert!(block.own(BYTES, length) == vec![byte; length]);
            all_meet();
        }
    }
    fabric.quiet_signals();
    all_meet();
}

/// Words that are set arrive whole, however many there are.
pub fn of_words() {
    let block = Block::new(LONG);
    let fabric = block.image.fabric();
    let next = (block.image.index() + 1) % block.image.images();
    for round in 1..=rounds(500) as u64 {
        let values: Vec<u64> = (0..round % 80)
            .map(|at| (round << 32 | at) * 0x0101)
            .collect();
        // SAFETY: the words are in the block, aligned, and only signals change them.
        unsafe { fabric.set_signals(&[(next, &values)], block.at(next, BYTES)) };
        for (at, &value) in values.iter().enumerate() {
            wait_for_word(&block, BYTES + size_of::<u64>() * at, value);
        }
        fabric.quiet_signals();
        all_meet();
    }
}

fn wait_for(block: &Block, value: u64) {
    wait_for_word(block, WORD, value);
}

fn wait_for_word(block: &Block, place: usize, value: u64) {
    let start = block.image.heap(block.image.index());
    // SAFETY: the word is in the block, aligned, and others change it as a signal.
    let word = unsafe { &*start.add(block.start(place)).cast::<Signal>() };
    while word.sum() != value {
        // SAFETY: messages of the library, from images that waited long at the start, need no answer.
        let _ = unsafe { block.image.fabric().receive() };
    }
}
