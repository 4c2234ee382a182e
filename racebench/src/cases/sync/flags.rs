//! Rules 2 and 3 with plain words as flags, which are put, and polled by `get`.
//!
//! A flag that no fence orders never has to come, so polling ends after a while. Whether it saw the flag or not, the data are
//! not ordered; whether the flag itself is reported depends on that.

use coarray::image_fence;
use coarray::prelude::*;

use crate::case::cases;

cases!("flags.rs":
    clean flag_polled;
    clean flag_polled_after_quiet;
    clean flag_read_once;
    clean flags_of_two_images_and_one_fence.from(3);
    clean flags_there_and_back;
    clean flags_polled_and_got_together;
    clean flags_before_another_fence;
    racy flag_without_a_fence_before_it;
    racy flag_without_a_fence_after_it;
    racy flag_without_fences;
    racy flag_and_a_fence_for_another_image;
    racy flag_alone_without_a_fence;
    clean flag_back_after_a_get_and_a_fence;
    racy flag_back_without_a_fence;
    racy flag_of_two_images;
    racy flags_polled_but_one_and_got_together;
);

/// How often a flag is looked for that may never come.
const PATIENCE: usize = 1000;

/// Flags in one array, so many that one in the middle is in a block of the shadow that they fill: all have the same stamp there.
const MANY: usize = 192;

/// One in the middle.
const UNSEEN: usize = 100;

fn flag_polled() {
    let (mut x, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
    let (x, there) = coarray::open((&mut x, &mut there));
    match this_image() {
        0 => {
            x.at(1).put([7; 50]);
            fence(1);
            there.at(1).put(true);
        }
        1 => {
            while !there.here().get() {
                std::thread::yield_now();
            }
            image_fence();
            assert_eq!(x.here().get(), [7; 50]);
        }
        _ => there.here().put(true),
    }
}

fn flag_polled_after_quiet() {
    let (mut x, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
    let (x, there) = coarray::open((&mut x, &mut there));
    match this_image() {
        0 => {
            x.at(1).put([7; 50]);
            quiet();
            there.at(1).put(true);
        }
        1 => {
            while !there.here().get() {
                std::thread::yield_now();
            }
            image_fence();
            assert_eq!(x.here().get(), [7; 50]);
        }
        _ => there.here().put(true),
    }
}

fn flag_read_once() {
    let (mut x, mut there) = (Coarray::new(0), Coarray::new(false));
    let (x, there) = coarray::open((&mut x, &mut there));
    if this_image() == 0 {
        x.at(1).put(7);
        fence(1);
        there.at(1).put(true);
    } else if there.here().get() {
        image_fence();
        assert_eq!(x.here().get(), 7);
    } else {
        assert_eq!(x.at(0).get(), 0);
    }
}

fn flags_of_two_images_and_one_fence() {
    let mut x = Coarray::new([0; 3]);
    let mut there = Coarray::new([false; 3]);
    let (x, there) = coarray::open((&mut x, &mut there));
    match this_image() {
        sender @ (0 | 2) => {
            x.at(1)[sender].put(7);
            fence(1);
            there.at(1)[sender].put(true);
        }
        1 => {
            while !(there.here()[0].get() && there.here()[2].get()) {
                std::thread::yield_now();
            }
            image_fence();
            assert_eq!(x.here().get(), [7, 0, 7]);
        }
        _ => there.here().put([true; 3]),
    }
}

fn flags_there_and_back() {
    let mut x = Coarray::new(0);
    let (mut there, mut back) = (Coarray::new(0), Coarray::new(0));
    let (x, there, back) = coarray::open((&mut x, &mut there, &mut back));
    for round in 1..4 {
        match this_image() {
            0 => {
                x.at(1).put(round);
                fence(1);
                there.at(1).put(round);
                while back.here().get() < round {
                    std::thread::yield_now();
                }
                image_fence();
            }
            1 => {
                while there.here().get() < round {
                    std::thread::yield_now();
                }
                image_fence();
                assert_eq!(x.here().get(), round);
                quiet();
                back.at(0).put(round);
            }
            _ => x.here().put(round),
        }
    }
}

fn flags_polled_and_got_together() {
    let mut there = Coarray::new([0; MANY]);
    let there = there.open();
    match this_image() {
        0 => {
            fence(1);
            for flag in (0..MANY).rev() {
                there.at(1)[flag].put(1_usize);
            }
        }
        1 => {
            for flag in 0..MANY {
                while there.here()[flag].get() == 0 {
                    std::thread::yield_now();
                }
            }
            image_fence();
            assert_eq!(there.here().get(), [1; MANY]);
        }
        _ => there.here()[0].put(1),
    }
}

fn flags_before_another_fence() {
    let (mut there, mut last) = (Coarray::new([0; MANY]), Coarray::new(false));
    let (there, last) = coarray::open((&mut there, &mut last));
    match this_image() {
        0 => {
            fence(1);
            for flag in (0..MANY).rev() {
                there.at(1)[flag].put(1_usize);
            }
            fence(1);
            last.at(1).put(true);
        }
        1 => {
            while !last.here().get() {
                std::thread::yield_now();
            }
            image_fence();
            assert_eq!(there.here().get(), [1; MANY]);
        }
        _ => last.here().put(true),
    }
}

fn flag_without_a_fence_before_it() {
    let (mut x, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
    let (x, there) = coarray::open((&mut x, &mut there));
    match this_image() {
        0 => {
            x.at(1).put([7; 50]); //~ race: put
            there.at(1).put(true); //~ flag?: put
        }
        1 => {
            for _ in 0..PATIENCE {
                let seen = there.here().get(); //~ flag?: get
                if seen {
                    break;
                }
                std::thread::yield_now();
            }
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        _ => there.here().put(true),
    }
}

fn flag_without_a_fence_after_it() {
    let (mut x, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
    let (x, there) = coarray::open((&mut x, &mut there));
    match this_image() {
        0 => {
            x.at(1).put([7; 50]); //~ race: put
            fence(1);
            there.at(1).put(true); //~ flag?: put
        }
        1 => {
            for _ in 0..PATIENCE {
                let seen = there.here().get(); //~ flag?: get
                if seen {
                    break;
                }
                std::thread::yield_now();
            }
            let _ = x.here().get(); //~ race: get
        }
        _ => there.here().put(true),
    }
}

fn flag_without_fences() {
    let (mut x, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
    let (x, there) = coarray::open((&mut x, &mut there));
    match this_image() {
        0 => {
            x.at(1).put([7; 50]); //~ race: put
            there.at(1).put(true); //~ flag?: put
        }
        1 => {
            for _ in 0..PATIENCE {
                let seen = there.here().get(); //~ flag?: get
                if seen {
                    break;
                }
                std::thread::yield_now();
            }
            let _ = x.here().get(); //~ race: get
        }
        _ => there.here().put(true),
    }
}

fn flag_and_a_fence_for_another_image() {
    let (mut x, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
    let (x, there) = coarray::open((&mut x, &mut there));
    match this_image() {
        0 => {
            x.at(1).put([7; 50]); //~ race: put
            fence(0);
            there.at(1).put(true); //~ flag?: put
        }
        1 => {
            for _ in 0..PATIENCE {
                let seen = there.here().get(); //~ flag?: get
                if seen {
                    break;
                }
                std::thread::yield_now();
            }
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        _ => there.here().put(true),
    }
}

fn flag_alone_without_a_fence() {
    let mut there = Coarray::new(false);
    let there = there.open();
    match this_image() {
        0 => there.at(1).put(true), //~ race: put
        1 => {
            for _ in 0..PATIENCE {
                let seen = there.here().get(); //~ race: get
                if seen {
                    break;
                }
                std::thread::yield_now();
            }
        }
        _ => there.here().put(true),
    }
}

fn flag_back_after_a_get_and_a_fence() {
    let (mut x, mut back) = (Coarray::new([0; 50]), Coarray::new(false));
    let (x, back) = coarray::open((&mut x, &mut back));
    match this_image() {
        0 => {
            while !back.here().get() {
                std::thread::yield_now();
            }
            image_fence();
            x.at(1).put([7; 50]);
        }
        1 => {
            assert_eq!(x.here().get(), [0; 50]);
            fence(0);
            back.at(0).put(true);
        }
        _ => back.here().put(true),
    }
}

fn flag_back_without_a_fence() {
    let (mut x, mut back) = (Coarray::new([0; 50]), Coarray::new(false));
    let (x, back) = coarray::open((&mut x, &mut back));
    match this_image() {
        0 => {
            for _ in 0..PATIENCE {
                let seen = back.here().get(); //~ flag?: get
                if seen {
                    break;
                }
                std::thread::yield_now();
            }
            image_fence();
            x.at(1).put([7; 50]); //~ race: put
        }
        1 => {
            let _ = x.here().get(); //~ race: get
            back.at(0).put(true); //~ flag?: put
        }
        _ => back.here().put(true),
    }
}

fn flag_of_two_images() {
    let mut there = Coarray::new([false; 8]);
    let there = there.open();
    fence(0);
    there.at(0)[this_image() / 2].put(true); //~ race: put
}

fn flags_polled_but_one_and_got_together() {
    let mut there = Coarray::new([0; MANY]);
    let there = there.open();
    match this_image() {
        0 => {
            fence(1);
            // The first one is put last.
            for flag in (0..MANY).rev() {
                there.at(1)[flag].put(1_usize); //~ race: put
            }
        }
        1 => {
            for flag in (0..MANY).filter(|&flag| flag != UNSEEN) {
                while there.here()[flag].get() == 0 {
                    std::thread::yield_now();
                }
            }
            image_fence();
            let _ = there.here().get(); //~ race: get
        }
        _ => there.here()[0].put(1),
    }
}
