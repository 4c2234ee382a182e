//! Posts between images that share no memory.

use coarray::Launch;
use coarray::prelude::*;
use coarray_proptests::{Setting, mix};

#[test]
fn all_posts_are_there_for_who_has_met_the_posters() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let events = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
            let (me, images) = (this_image(), num_images());
            for round in 0..60 {
                // Each meeting takes another way through the nodes than the posts.
                for to in 0..images {
                    events.at((me + to) % images)[round % 2].post();
                }
                sync_all();
                assert_eq!(events[round % 2].query(), images as u64);
                assert_eq!(events[round % 2].try_wait(), Ok(true));
                events[round % 2].wait_for(images as u64 - 1);
                sync_all();
            }
        });
    }
}

#[test]
fn an_image_counts_what_it_has_posted_itself() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let events = Coarray::<[Coevent; 8]>::from_fn(|_| Coevent::new());
            let right = (this_image() + 1) % num_images();
            let event = &events.at(right)[this_image()];
            for posts in 1..100 {
                event.post();
                assert_eq!(event.query(), posts);
            }
            sync_all();
            let left = (this_image() + num_images() - 1) % num_images();
            events[left].wait_for(99);
        });
    }
}

#[test]
fn an_image_that_only_looks_for_posts_finds_them() {
    for setting in Setting::apart() {
        setting.run(|| {
            let event = Coarray::new(Coevent::new());
            let (me, images) = (this_image(), num_images());
            if me == 0 {
                event.at(images - 1).post();
                while event.query() == 0 {}
                event.wait();
            } else if me == images - 1 {
                while event.try_wait() == Ok(false) {}
                event.at(0).post();
            }
        });
    }
}

#[test]
fn storms_of_posts_and_puts_in_all_directions_lose_nothing() {
    for setting in Setting::apart() {
        setting.run(|| {
            let mut data = Coarray::<[[u64; 16]; 8]>::zeroed();
            let events = Coarray::<[Coevent; 8]>::from_fn(|_| Coevent::new());
            let taken = Coarray::<[Coevent; 8]>::from_fn(|_| Coevent::new());
            let (me, images) = (this_image(), num_images());
            let data = data.open();
            let value = |from: usize, to: usize, round| mix(round, (from * 8 + to) as u64);
            for round in 0..40 {
                for to in 0..images {
                    if round > 0 {
                        taken[to].wait();
                    }
                    let row = [value(me, to, round); 16];
                    data.at(to)[me].put_from_notify(&row, &events.at(to)[me]);
                }
                for from in 0..images {
                    events[from].wait();
                    let mut seen = [0; 16];
                    data.here()[from].get_into(&mut seen);
                    assert_eq!(seen, [value(from, me, round); 16]);
                    taken.at(from)[me].post();
                }
            }
            taken.iter().take(images).for_each(Coevent::wait);
        });
    }
}

#[test]
fn waiting_for_the_event_of_another_image_is_an_error() {
    let failure = Launch::new(4).simulated_nodes(2).run(|| {
        let event = Coarray::new(Coevent::new());
        let neighbours = (0..num_images()).filter_map(|image| event.at(image).as_local());
        let of_others = neighbours.filter(|there| !std::ptr::eq(*there, &*event));
        of_others.for_each(Coevent::wait);
    });
    let text = failure.unwrap_err().to_string();
    assert!(text.contains("only that image can wait for it"), "{text}");
}
