//! Copies long enough to take other paths than short ones, in coarrays large enough for huge pages.

use coarray::prelude::*;

/// 24 MB: more than half of the caches of many machines, and several huge pages.
const LENGTH: usize = 3_000_001;

fn values(image: usize) -> Vec<u64> {
    let value = |index| (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ image as u64;
    (0..LENGTH).map(value).collect()
}

#[coarray::test(images = [1, 2, 3])]
fn long_runs_arrive_whole_and_leave_their_neighbours_alone() {
    let (me, images) = (this_image(), num_images());
    let (left, right) = ((me + images - 1) % images, (me + 1) % images);
    let mut received = Coarray::<[u64]>::zeroed(LENGTH + 2);
    assert!(received.iter().all(|&value| value == 0));
    let open = received.open();
    open.at(right)[1..=LENGTH].put_from(&values(me));
    sync_all();
    let mut back = vec![0; LENGTH];
    open.at(right)[1..=LENGTH].get_into(&mut back);
    assert!(back == values(me));
    drop(open);
    assert_eq!([received[0], received[LENGTH + 1]], [0, 0]);
    assert!(received[1..=LENGTH] == values(left));
}

/// 160 kB, so that a few dozen of them fill a stack; not all of its bytes are valid.
#[derive(Clone, Copy, PartialEq, Remote)]
#[repr(C)]
struct Large {
    mark: bool,
    bytes: [u8; 159_999],
}

#[test]
fn elements_that_are_large_beside_a_stack_are_copied_and_replicated() {
    for direct in [true, false] {
        let outcome = coarray::Launch::new(2).direct(direct).run(|| {
            let large = |byte| Large {
                mark: true,
                bytes: [byte; 159_999],
            };
            let mut x = Coarray::<[Large]>::zeroed(3);
            let open = x.open();
            open.at(1 - this_image()).fill(large(7));
            sync_all();
            assert!(open.here().to_vec() == vec![large(7); 3]);
            drop(open);
            assert!(x.iter().all(|value| *value == large(7)));
        });
        outcome.unwrap();
    }
}

#[coarray::test(images = 2)]
fn a_long_copy_of_a_place_to_itself_is_a_move() {
    let mut x = Coarray::<[u64]>::from_fn(LENGTH, |index| index as u64);
    let open = x.open();
    let here = open.here();
    here[1..].copy_from(&here[..LENGTH - 1]);
    assert_eq!(here[1].get(), 0);
    here[..LENGTH - 1].copy_from(&here[1..]);
    drop(open);
    let moved = x.iter().take(LENGTH - 1).enumerate();
    assert!(
        moved
            .into_iter()
            .all(|(index, &value)| value == index as u64)
    );
}

#[coarray::test(images = [1, 2])]
fn sections_of_step_one_are_runs() {
    let mut x = Coarray::<[u32; 100]>::from_fn(|index| index as u32);
    let open = x.open();
    let last = open.at(num_images() - 1);
    let before = last.section(10..20, 1).to_vec();
    assert_eq!(before, (10..20).collect::<Vec<_>>());
    sync_all();
    if this_image() == 0 {
        last.section(10..20, 1).put_from(&[7; 10]);
    }
    sync_all();
    let mut after = [0; 12];
    last.section(9..21, 1).get_into(&mut after);
    assert_eq!(after[0], 9);
    assert_eq!(after[1..11], [7; 10]);
    assert_eq!(after[11], 20);
    assert!(last.section(50..50, 1).to_vec().is_empty());
}

#[coarray::test(images = [1, 3])]
fn large_coarrays_begin_where_copies_from_ordinary_buffers_are_fast() {
    let into_page = |words| {
        let local = Coarray::<[u64]>::zeroed(words);
        local.as_ptr().addr() % 4096
    };
    // The place must not depend on an earlier coarray.
    let _small = Coarray::<[u64; 11]>::zeroed();
    for words in [2048, 5000, 300_000] {
        assert_eq!(into_page(words), 512);
    }
    assert!(into_page(2047) % 64 == 0);
}
