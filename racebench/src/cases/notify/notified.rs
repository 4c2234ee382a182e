//! Rule 6: puts that notify.

use coarray::prelude::*;

use crate::case::cases;

cases!("notified.rs":
    clean value_and_its_post;
    clean runs_and_their_posts;
    clean earlier_puts_to_the_same_image;
    clean what_others_told_before.from(3);
    clean block_and_its_post;
    clean value_in_flight_and_its_post;
    clean values_of_two_images_and_their_posts.from(3);
    clean there_and_back;
    racy value_without_a_wait;
    racy value_that_waits_for_another_event;
    racy earlier_put_to_another_image;
    clean earlier_get_of_the_same_image;
    racy later_put_to_the_same_image;
    racy earlier_put_and_a_value_in_flight;
    racy item_beside_the_block;
    racy values_of_two_images_at_one_place;
    racy one_post_of_two_values.from(3);
    clean answer_that_is_a_put;
    racy second_value_before_the_first_was_read;
    racy run_read_before_its_post;
    racy what_was_told_before_to_a_third_image.from(3);
);

fn value_and_its_post() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    x.at(right).put_notify([7; 50], came.at(right));
    came.wait();
    assert_eq!(x.here().get(), [7; 50]);
}

fn runs_and_their_posts() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[u8]>::zeroed(50);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    x.at(right)[..21].put_from_notify(&[7; 21], came.at(right));
    x.at(right)[21..].put_from_notify(&[8; 29], came.at(right));
    came.wait_for(2);
    assert_eq!(x.here()[20..22].to_vec(), [7, 8]);
}

fn earlier_puts_to_the_same_image() {
    let came = Coarray::new(Coevent::new());
    let (mut x, mut y) = (Coarray::new([0; 50]), Coarray::new(0));
    let (x, y) = coarray::open((&mut x, &mut y));
    let right = (this_image() + 1) % num_images();
    y.at(right).put(6);
    drop(x.at(right)[9].put_async(5));
    x.at(right)[8].put_notify(7, came.at(right));
    came.wait();
    assert_eq!((x.here()[9].get(), y.here().get()), (5, 6));
}

fn what_others_told_before() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]);
    let x = x.open();
    match this_image() {
        0 => {
            came.wait();
            x.at(1)[0].put_notify(7, came.at(1));
        }
        1 => {
            came.wait();
            assert_eq!(x.here().get(), [7, 6]);
        }
        2 => {
            x.at(1)[1].put(6);
            came.at(0).post();
        }
        _ => x.here().put([8; 2]),
    }
}

fn block_and_its_post() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[[u16; 8]; 10]>::zeroed();
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    let block = x.at(right).region((2.., 7));
    block.put_from_notify(&[7; 8], came.at(right));
    came.wait();
    assert_eq!(x.here()[9][7].get(), 7);
}

fn value_in_flight_and_its_post() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    drop(x.at(right).put_notify_async([7; 50], came.at(right)));
    came.wait();
    assert_eq!(x.here().get(), [7; 50]);
}

fn values_of_two_images_and_their_posts() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 3]);
    let x = x.open();
    match this_image() {
        sender @ (0 | 2) => x.at(1)[sender].put_notify(7, came.at(1)),
        1 => {
            came.wait_for(2);
            assert_eq!(x.here().get(), [7, 0, 7]);
        }
        _ => x.here().put([8; 3]),
    }
}

fn there_and_back() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    for round in 1..4 {
        match this_image() {
            0 => {
                x.at(1).put_notify(round, came.at(1));
                came.wait();
            }
            1 => {
                came.wait();
                assert_eq!(x.here().get(), round);
                came.at(0).post();
            }
            _ => x.here().put(round),
        }
    }
}

fn value_without_a_wait() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    x.at(right).put_notify(7, came.at(right)); //~ race: put_notify
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn value_that_waits_for_another_event() {
    let (one, other) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    other.at(right).post();
    x.at(right).put_notify(7, one.at(right)); //~ race: put_notify
    other.wait();
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn earlier_put_to_another_image() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]); //~ place: [1]
    let x = x.open();
    match this_image() {
        0 => {
            x.here()[1].put(6); //~ race: put
            x.at(1)[0].put_notify(7, came.at(1));
        }
        1 => {
            came.wait();
            assert_eq!(x.here()[0].get(), 7);
            assert!([0, 6].contains(&x.at(0)[1].get())); //~ race: get
        }
        _ => x.here().put([8; 2]),
    }
}

fn earlier_get_of_the_same_image() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]);
    let x = x.open();
    match this_image() {
        0 => {
            assert_eq!(x.at(1)[1].get(), 0);
            x.at(1)[0].put_notify(7, came.at(1));
        }
        1 => {
            came.wait();
            x.here()[1].put(6);
        }
        _ => x.here().put([8; 2]),
    }
}

fn later_put_to_the_same_image() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]); //~ place: [1]
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1)[0].put_notify(7, came.at(1));
            x.at(1)[1].put(6); //~ race: put
        }
        1 => {
            came.wait();
            assert_eq!(x.here()[0].get(), 7);
            assert!([0, 6].contains(&x.here()[1].get())); //~ race: get
        }
        _ => x.here().put([8; 2]),
    }
}

fn earlier_put_and_a_value_in_flight() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]); //~ place: [1]
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1)[1].put(6); //~ race: put
            drop(x.at(1)[0].put_notify_async(7, came.at(1)));
        }
        1 => {
            came.wait();
            assert_eq!(x.here()[0].get(), 7);
            assert!([0, 6].contains(&x.here()[1].get())); //~ race: get
        }
        _ => x.here().put([8; 2]),
    }
}

fn item_beside_the_block() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[[u16; 8]; 10]>::zeroed(); //~ place: [0][7]
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1)
                .region((2.., 7))
                .put_from_notify(&[7; 8], came.at(1));
            x.at(1).region((..2, 7)).fill(6); //~ race: put
        }
        1 => {
            came.wait();
            assert_eq!(x.here()[9][7].get(), 7);
            assert!([0, 6].contains(&x.here()[0][7].get())); //~ race: get
        }
        _ => x.here()[0].fill(8),
    }
}

fn values_of_two_images_at_one_place() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at(0).put_notify(this_image(), came.at(0)); //~ race: put_notify
    if this_image() == 0 {
        came.wait_for(num_images() as u64);
        assert!(x.here().get() < num_images());
    }
}

fn one_post_of_two_values() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 3]);
    let x = x.open();
    match this_image() {
        sender @ (0 | 2) => x.at(1)[sender].put_notify(7, came.at(1)), //~ race: put_notify
        1 => {
            while came.query() < 2 {
                std::thread::yield_now();
            }
            came.wait();
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put([8; 3]),
    }
}

fn answer_that_is_a_put() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    for round in 1..4 {
        match this_image() {
            0 => {
                x.at(1).put_notify(round, came.at(1));
                came.wait();
                assert_eq!(x.here().get(), round);
            }
            1 => {
                came.wait();
                let seen = x.here().get();
                x.at(0).put_notify(seen, came.at(0));
            }
            _ => x.here().put(round),
        }
    }
}

fn second_value_before_the_first_was_read() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put_notify(1, came.at(1));
            x.at(1).put_notify(2, came.at(1)); //~ race: put_notify
        }
        1 => {
            came.wait();
            assert!([1, 2].contains(&x.here().get())); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn run_read_before_its_post() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[u64]>::zeroed(50);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    x.at(right)[..30].put_from_notify(&[7; 30], came.at(right)); //~ race: put_notify
    let _ = x.here()[29..].to_vec(); //~ race: get
    came.wait();
}

fn what_was_told_before_to_a_third_image() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]); //~ place: [1]
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1)[0].put_notify(7, came.at(1));
            came.wait();
        }
        1 => {
            came.wait();
            assert_eq!(x.here()[0].get(), 7);
            let _ = x.here()[1].get(); //~ race: get
        }
        2 => {
            x.at(1)[1].put(6); //~ race: put
            came.at(0).post();
        }
        _ => x.here().put([8; 2]),
    }
}
