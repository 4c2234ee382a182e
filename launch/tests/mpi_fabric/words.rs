//! Atomic operations.

use coarray_fabric::{AtomicOperation, Word};

use crate::block::{Block, all_meet, rounds};

impl Block {
    fn atomic(&self, image: usize, byte: usize, word: Word, operation: AtomicOperation) -> u64 {
        let offset = self.at(image, byte);
        // SAFETY: the word is in the block, aligned, and used by atomic operations only.
        unsafe { self.image.fabric().atomic(image, offset, word, operation) }
    }
}

/// Every operation does what it says, on words of both widths, and on nothing beside them.
pub fn operations() {
    use AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap, Xor};
    let images = coarray_runtime::num_images();
    let block = Block::new(16 * images);
    let me = block.image.index();
    let next = (me + 1) % images;
    let exchange = |current, new| CompareExchange { current, new };
    let byte = 16 * me;
    let steps = [
        (Swap(0b1100), 0),
        (And(0b0110), 0b1100),
        (Or(0b0011), 0b0100),
        (Xor(0b0101), 0b0111),
        (Add(u64::MAX), 0b0010),
        (exchange(7, 9), 1),
        (exchange(1, 9), 1),
        (Load, 9),
    ];
    for (operation, former) in steps {
        for (word, byte) in [(Word::Bits32, byte + 4), (Word::Bits64, byte + 8)] {
            assert_eq!(
                block.atomic(next, byte, word, operation),
                former,
                "{operation:?} {word:?}"
            );
        }
    }
    assert_eq!(block.get(next, byte, 4), [0; 4]);
    all_meet();
    let from = (me + images - 1) % images;
    let expected = [0_u32, 9, 9, 0].map(u32::to_ne_bytes).concat();
    assert_eq!(block.own(16 * from, 16), expected);
    all_meet();
}

/// No image's operation is lost among those of others, of the same kind or of another one.
pub fn contention() {
    use AtomicOperation::{Add, CompareExchange, Load, Xor};
    let block = Block::new(64);
    let me = block.image.index() as u64;
    let images = block.image.images() as u64;
    let rounds = rounds(300) as u64;
    for round in 0..rounds {
        block.atomic(0, 0, Word::Bits64, Add(1));
        let mut seen = block.atomic(0, 0, Word::Bits64, Load);
        loop {
            let new = seen + (1 << 32);
            let exchange = CompareExchange { current: seen, new };
            let former = block.atomic(0, 0, Word::Bits64, exchange);
            if former == seen {
                break;
            }
            seen = former;
        }
        block.atomic(0, 8, Word::Bits32, Xor(1 << me));
        if round % 3 == 0 {
            block.atomic(0, 8, Word::Bits32, Add(1 << 16));
        }
    }
    all_meet();
    let both = (images * rounds) << 32 | (images * rounds);
    assert_eq!(block.atomic(0, 0, Word::Bits64, Load), both);
    let thirds = images * rounds.div_ceil(3);
    assert_eq!(block.atomic(0, 8, Word::Bits32, Load), thirds << 16);
    all_meet();
}
