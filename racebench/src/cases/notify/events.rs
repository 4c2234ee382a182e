//! Rule 5: posts and waits.

use coarray::events::Coevents;
use coarray::prelude::*;

use crate::case::cases;

cases!("events.rs":
    clean post_and_wait;
    clean post_to_a_third_image.from(3);
    clean posts_passed_on;
    clean wait_for_the_posts_of_all;
    clean two_posts_of_one_image;
    clean wait_in_flight;
    clean wait_until_it_is_there;
    clean events_of_two_images;
    clean turns;
    racy no_wait;
    racy no_post.from(3);
    racy post_before_the_put;
    racy wait_after_the_get;
    racy wait_for_another_event;
    racy query_instead_of_wait;
    racy first_of_two_posts;
    racy one_post_of_two_images.from(3);
    racy one_post_of_two_images_at_any_time.from(3).by_luck();
    racy posts_of_all_but_one;
    racy post_left_over;
    racy post_to_another_image.from(3);
    racy next_value_put_before_it_was_read;
    racy any_of_two_events.from(3);
    racy wait_in_flight_and_get;
);

/// Looks until so many posts are there, which orders nothing: from then on, nobody knows which a wait takes.
fn until_there_are(posts: u64, event: &Coevent) {
    while event.query() < posts {
        std::thread::yield_now();
    }
}

fn post_and_wait() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7);
    came.at((this_image() + 1) % num_images()).post();
    came.wait();
    assert_eq!(x.here().get(), 7);
}

fn post_to_a_third_image() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7);
    came.at((this_image() + 2) % num_images()).post();
    came.wait();
    assert_eq!(
        x.at((this_image() + num_images() - 1) % num_images()).get(),
        7
    );
}

fn posts_passed_on() {
    let turn = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == 0 {
        x.at(num_images() - 1).put(7);
    } else {
        turn.wait();
    }
    if this_image() + 1 < num_images() {
        turn.at(this_image() + 1).post();
    } else {
        assert_eq!(x.here().get(), 7);
    }
}

fn wait_for_the_posts_of_all() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    x.at(0)[this_image()].put(7);
    came.at(0).post();
    if this_image() == 0 {
        came.wait_for(num_images() as u64);
        assert!(x.here().get()[..num_images()].iter().all(|&item| item == 7));
    }
}

fn two_posts_of_one_image() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]);
    let x = x.open();
    match this_image() {
        0 => {
            for i in 0..2 {
                x.at(1)[i].put(7);
                came.at(1).post();
            }
        }
        1 => {
            came.wait();
            assert_eq!(x.here()[0].get(), 7);
            came.wait();
            assert_eq!(x.here()[1].get(), 7);
        }
        _ => x.here().put([8; 2]),
    }
}

fn wait_in_flight() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    let wait = came.wait_async();
    x.at((this_image() + 1) % num_images()).put(7);
    came.at((this_image() + 1) % num_images()).post();
    wait.wait();
    assert_eq!(x.here().get(), 7);
}

fn wait_until_it_is_there() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7);
    came.at((this_image() + 1) % num_images()).post();
    while !came.try_wait().unwrap() {
        std::thread::yield_now();
    }
    assert_eq!(x.here().get(), 7);
}

fn events_of_two_images() {
    let came = Coarray::<[Coevent; 8]>::from_fn(|_| Coevent::new());
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    x.at(0)[this_image()].put(7);
    came.at(0)[this_image()].post();
    if this_image() == 0 {
        for _ in 0..num_images() {
            let from = came.wait_any();
            assert_eq!(x.here()[from].get(), 7);
        }
    }
}

fn turns() {
    let (full, empty) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
    let mut x = Coarray::new(0);
    let x = x.open();
    for round in 0..3 {
        match this_image() {
            0 => {
                x.at(1).put(round);
                full.at(1).post();
                empty.wait();
            }
            1 => {
                full.wait();
                assert_eq!(x.here().get(), round);
                empty.at(0).post();
            }
            _ => x.here().put(round),
        }
    }
}

fn no_wait() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    came.at((this_image() + 1) % num_images()).post();
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn no_post() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.at(1).put(7), //~ race: put
        1 => {
            came.wait();
            assert!([0, 7].contains(&x.here().get())); //~ race: get
        }
        2 => came.at(1).post(),
        _ => x.here().put(8),
    }
}

fn post_before_the_put() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    came.at((this_image() + 1) % num_images()).post();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    came.wait();
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn wait_after_the_get() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    came.at((this_image() + 1) % num_images()).post();
    assert!([0, 7].contains(&x.here().get())); //~ race: get
    came.wait();
}

fn wait_for_another_event() {
    let (one, other) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            other.at(1).post();
            x.at(1).put(7); //~ race: put
            one.at(1).post();
        }
        1 => {
            other.wait();
            assert!([0, 7].contains(&x.here().get())); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn query_instead_of_wait() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            came.at(1).post();
        }
        1 => {
            while came.query() == 0 {
                std::thread::yield_now();
            }
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn first_of_two_posts() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]); //~ place: [1]
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1)[0].put(7);
            came.at(1).post();
            x.at(1)[1].put(7); //~ race: put
            came.at(1).post();
        }
        1 => {
            came.wait();
            assert_eq!(x.here()[0].get(), 7);
            let _ = x.here()[1].get(); //~ race: get
        }
        _ => x.here().put([8; 2]),
    }
}

fn one_post_of_two_images() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            came.at(1).post();
        }
        1 => {
            until_there_are(2, &came);
            came.wait();
            let _ = x.here().get(); //~ race: get
        }
        2 => came.at(1).post(),
        _ => x.here().put(8),
    }
}

fn one_post_of_two_images_at_any_time() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            came.at(1).post();
        }
        1 => {
            came.wait(); // not of image 0, if the other was earlier
            let _ = x.here().get(); //~ race: get
        }
        2 => came.at(1).post(),
        _ => x.here().put(8),
    }
}

fn posts_of_all_but_one() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    x.at(0)[this_image()].put(7); //~ race: put
    came.at(0).post();
    if this_image() == 0 {
        until_there_are(num_images() as u64, &came);
        came.wait_for(num_images() as u64 - 1);
        let _ = x.here().get(); //~ race: get
    }
}

fn post_left_over() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => (0..2).for_each(|_| came.at(1).post()), // once too often
        1 => came.wait(),
        _ => {}
    }
    sync_all();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            came.at(1).post();
        }
        1 => {
            came.wait();
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn post_to_another_image() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            came.at(2).post();
        }
        1 => assert!([0, 7].contains(&x.here().get())), //~ race: get
        2 => came.wait(),
        _ => x.here().put(8),
    }
}

fn next_value_put_before_it_was_read() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(1);
            came.at(1).post();
            x.at(1).put(2); //~ race: put
        }
        1 => {
            came.wait();
            assert!([1, 2].contains(&x.here().get())); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn any_of_two_events() {
    let came = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            came.at(1)[0].post();
        }
        1 => {
            came[1].wait();
            assert!([0, 7].contains(&x.here().get())); //~ race: get
            assert_eq!(came.wait_any(), 0);
        }
        2 => came.at(1)[1].post(),
        _ => x.here().put(8),
    }
}

fn wait_in_flight_and_get() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    let wait = came.wait_async();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    came.at((this_image() + 1) % num_images()).post();
    assert!([0, 7].contains(&x.here().get())); //~ race: get
    wait.wait();
}
