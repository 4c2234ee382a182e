//! Section 6: `sync_all`, events and mutexes.

use coarray::prelude::*;

/// 6.1, which has no listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn sync_all_synchronises_all_images_and_implies_a_fence() {
    let (me, n) = (this_image(), num_images());
    let mut x = Coarray::<[usize]>::zeroed(n);
    let x = x.open();
    for round in 1..100 {
        for image in 0..n {
            x.at(image)[me].put(round * (me + 1));
        }
        sync_all();
        for image in 0..n {
            assert_eq!(x.here()[image].get(), round * (image + 1));
        }
        sync_all();
    }
}

/// 6.2, the listing. Waiting for the event of another image does not compile, see
/// `compile_fail/wait_for_the_event_of_another_image.rs`. A single image posts to itself.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn one_image_posts_an_event_and_another_waits_for_it() {
    let receiver = 1 % num_images();
    let events = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    if this_image() == 0 {
        x.at(receiver).put([42; 50]);
        events.at(receiver).post();
    }
    if this_image() == receiver {
        events.wait();
        assert_eq!(x.here().get(), [42; 50]);
    }
}

/// 6.3, the listing. The mutex on an image guards the data on that image. The guard unlocks it at its end.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_comutex_excludes_other_images() {
    let n = num_images();
    let m = Coarray::new(Comutex::new(0));
    let mut data = Coarray::new([0; 20]);
    {
        let data = data.open();
        for i in (0..n).cycle().take(20 * n) {
            let mut count = m.at(i).lock();
            let old = data.at(i).get();
            data.at(i).put(old.map(|item| item + 1));
            count.update(|count| *count += 1);
        }
    }
    assert_eq!(m.lock().get(), 20 * n);
    assert_eq!(*data, [20 * n; 20]);
}
