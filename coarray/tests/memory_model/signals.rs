//! Rules 5 to 8 and 14: an image signals another, or waits for its own operations.

use coarray::asynchronous::Cofuture;
use coarray::locks::critical;
use coarray::prelude::*;

use crate::message::{Message, ROUNDS, left, right};

/// Rule 5. The message is on the right neighbour, and also on the image after that, which gets no post about it.
pub fn what_is_before_a_post_is_visible_after_the_wait() {
    let came = Coarray::new(Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[Message; 2]>::from_fn(|_| Message::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Message::new(round, this_image()).put(&x.at(right(1))[0]);
        Message::new(round, this_image()).put(&x.at(right(2))[1]);
        came.at(right(1)).post();
        came.wait();
        Message::new(round, left(1)).assert_in(&x.here()[0]);
        Message::new(round, left(1)).assert_in(&x.at(right(1))[1]);
        seen.at(left(1)).post();
        seen.wait();
    }
}

/// Rule 5, with many posters and one wait.
pub fn a_wait_for_several_posts_is_after_all_of_them() {
    let images = num_images();
    let came = Coarray::new(Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[Message]>::from_fn(images, |_| Message::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Message::new(round, this_image()).put(&x.at(0)[this_image()]);
        came.at(0).post();
        if this_image() == 0 {
            came.wait_for(images as u64);
            for from in 0..images {
                Message::new(round, from).assert_in(&x.here()[from]);
                seen.at(from).post();
            }
        }
        seen.wait();
    }
}

/// Rule 5: order is transitive. The image that checks the message gets no post from its writer.
pub fn order_is_transitive() {
    let turn = Coarray::new(Coevent::new());
    let mut x = Coarray::new(Message::none());
    let x = x.open();
    for round in 1..ROUNDS {
        let writer = round as usize % num_images();
        let distance = (this_image() + num_images() - writer) % num_images();
        if distance == 0 {
            Message::new(round, writer).put(x.at(left(1)));
        } else {
            turn.wait();
        }
        if distance + 1 < num_images() {
            turn.at(right(1)).post();
        } else {
            Message::new(round, writer).assert_in(x.here());
        }
        sync_all();
    }
}

/// Rule 6.
pub fn what_put_notify_puts_is_visible_after_the_wait() {
    let came = Coarray::new(Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::new(Message::none());
    let mut row = Coarray::<[u64; 300]>::zeroed();
    let (x, row) = coarray::open((&mut x, &mut row));
    for round in 1..ROUNDS {
        x.at(right(1))
            .put_notify(Message::new(round, this_image()), came.at(right(1)));
        row.at(right(1))[1..].put_from_notify(&[round; 299], came.at(right(1)));
        came.wait();
        Message::new(round, left(1)).assert_in(x.here());
        came.wait();
        assert_eq!(row.here()[1..].to_vec(), [round; 299]);
        seen.at(left(1)).post();
        seen.wait();
    }
}

/// Rule 7. The message is on another image than the mutex.
pub fn what_is_before_an_unlock_is_visible_after_the_next_lock() {
    let images = num_images();
    let last = Coarray::new(Comutex::new([0, 0]));
    let mut x = Coarray::<[Message]>::from_fn(images, |_| Message::none());
    let x = x.open();
    for round in 1..ROUNDS {
        let place = round as usize % images;
        let message = &x.at((place + 1) % images)[place];
        let mut last = last.at(place).lock();
        let [count, from] = last.get();
        Message::new(count, from as usize).assert_in(message);
        Message::new(count + 1, this_image()).put(message);
        last.put([count + 1, this_image() as u64]);
    }
}

/// Rule 8. Of several messages to an image, only the last one is waited for.
pub fn a_wait_completes_an_operation_and_those_before_it() {
    let came = Coarray::new(Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[Message; 5]>::from_fn(|_| Message::none());
    let x = x.open();
    for round in 1..ROUNDS {
        let message = Message::new(round, this_image());
        let places = x.at(right(1));
        let puts: Vec<_> = places
            .iter()
            .map(|place| place.put_async(message))
            .collect();
        places[0].get_async().wait();
        // Each question advances only the oldest operation.
        assert!(puts.iter().rev().all(Cofuture::is_ready));
        came.at(right(1)).post();
        came.wait();
        let gets: Vec<_> = x.here().iter().map(Coref::get_async).collect();
        for get in gets.into_iter().rev() {
            assert_eq!(get.wait(), Message::new(round, left(1)));
        }
        seen.at(left(1)).post();
        seen.wait();
    }
}

/// Rule 14.
pub fn what_is_in_a_critical_section_is_visible_in_the_next() {
    let mut count = Coarray::new([0, 0]);
    let mut x = Coarray::new(Message::none());
    let (count, x) = coarray::open((&mut count, &mut x));
    for _ in 1..ROUNDS {
        critical(|| {
            let [round, from] = count.at(0).get();
            let message = x.at(num_images() - 1);
            Message::new(round, from as usize).assert_in(message);
            Message::new(round + 1, this_image()).put(message);
            count.at(0).put([round + 1, this_image() as u64]);
        });
    }
    sync_all();
    assert_eq!(count.at(0).get()[0], num_images() as u64 * (ROUNDS - 1));
}
