//! Coarrays are made without being told their types, where the program says them elsewhere.

use coarray::prelude::*;
use coarray::{OwnedOpen, Shared};
use coarray_proptests::{Setting, config};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn coarrays_of_slices_are_inferred(
        setting in Setting::anywhere(),
        items in prop::collection::vec(any::<i32>(), 0..200),
    ) {
        setting.run(|| {
            let read = Coarray::from_slice(&items);
            let mut zeros = Coarray::zeroed(items.len()); // of what the next line puts there
            zeros.copy_from_slice(&read);
            let numbers: Coarray<[u64]> = Coarray::from_fn(items.len(), |i| i as u64);
            assert_eq!((&read[..], &zeros[..]), (&items[..], &items[..]));
            assert!(numbers.iter().copied().eq(0..items.len() as u64));
        });
    }
}

/// What one struct has of each kind of coarray.
#[derive(Default)]
struct All {
    single: Coarray<f64>,
    array: Coarray<[u16; 5]>,
    posts: Coarray<[Coevent; 4]>,
    counts: Coarray<[Coatomic<i32>; 3]>,
    door: Coarray<Comutex<()>>,
    balance: Coarray<Comutex<i64>>,
    inboxes: Coarray<[Inbox<u32>; 2]>,
}

#[derive(Default, Shared)]
struct Inbox<T: Remote> {
    letters: [Coatomic<T>; 3],
    arrived: Coevent,
}

#[coarray::test(images = [1, 2, 3])]
fn coarrays_are_made_by_the_defaults_of_their_values() {
    let all = All::default();
    assert_eq!((*all.single, *all.array), (0.0, [0; 5]));
    let right = (this_image() + 1) % num_images();
    let left = (this_image() + num_images() - 1) % num_images();
    all.counts.at(right)[2].sub(1 + this_image() as i32);
    all.posts.at(right)[3].post();
    all.balance.at(right).lock().put(7);
    {
        let _alone = all.door.at(0).lock();
        let theirs = &all.inboxes.at(right)[1];
        field!(theirs, letters)[2].store(this_image() as u32);
        theirs.member(|inbox| inbox.arrived).post();
    }
    all.posts[3].wait();
    assert_eq!(all.counts[2].load(), -1 - left as i32);
    all.inboxes[1].arrived.wait();
    assert_eq!(all.inboxes[1].letters[2].load(), left as u32);
    assert_eq!(all.balance.lock().get(), 7);
}

/// Functions for arrays of any extent need not say more than that.
fn largest<const N: usize>(x: &Coarray<[f64; N]>) -> f64 {
    x.iter().copied().fold(f64::MIN, f64::max)
}

fn shifted<const ROWS: usize, const COLUMNS: usize>(
    x: &Open<'_, [[f64; COLUMNS]; ROWS]>,
    image: usize,
) -> [f64; COLUMNS] {
    x.at(image)[ROWS - 1].get()
}

fn made<const N: usize>(first: f64) -> OwnedOpen<Coarray<[[f64; N]; 2]>> {
    Coarray::<[[f64; N]; 2]>::from_fn(|row| [first + row as f64; N]).into_open()
}

#[coarray::test(images = [1, 2, 3])]
fn functions_are_for_arrays_of_any_extent() {
    assert_eq!(largest(&Coarray::new([1.0, 3.0, 2.0])), 3.0);
    assert_eq!(largest(&Coarray::<[f64; 70]>::zeroed()), 0.0);
    let (three, four) = (made::<3>(this_image() as f64), made::<4>(10.0));
    let last = num_images() - 1;
    assert_eq!(shifted(&three, last), [1.0 + last as f64; 3]);
    assert_eq!(shifted(&four, 0), [11.0; 4]);
}
