//! Rule 2: `fence`, a word that another image sees, and its `image_fence`. The words are coatomics.

use coarray::image_fence;
use coarray::prelude::*;

use crate::case::cases;

cases!("fences.rs":
    clean fence_and_image_fence;
    clean fence_after_puts_of_all_kinds;
    clean fence_and_addition;
    clean fence_after_what_others_told.from(3);
    racy no_fence_before_the_flag;
    racy no_image_fence_after_the_flag;
    racy neither_fence;
    racy fence_after_the_flag;
    racy image_fence_before_the_flag;
    racy fence_instead_of_image_fence;
    racy fence_for_another_image;
    racy data_on_another_image;
    racy flag_on_another_image;
    racy put_between_fence_and_flag;
    clean get_before_the_fence;
    clean fence_of_a_get_in_flight;
);

fn fence_and_image_fence() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put([7; 50]);
            fence(1);
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            assert_eq!(x.here().get(), [7; 50]);
        }
        _ => x.here().put([8; 50]),
    }
}

fn fence_after_puts_of_all_kinds() {
    let there = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::<[[u16; 20]; 5]>::zeroed();
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1)[0].put_from(&[1; 20]);
            x.at(1)[1].fill(2);
            x.at(1).region((2, ..)).copy_from(&x.at(0).region((0, ..)));
            drop(x.at(1)[3][7].put_async(3));
            x.at(1)[4][..].scatter_to(&[19, 0], &[4, 5]);
            fence(1);
            there.at(1).store(1);
        }
        1 => {
            there.wait_until(|there| there == 1);
            image_fence();
            assert_eq!((x.here()[3][7].get(), x.here()[4][19].get()), (3, 4));
            assert_eq!(x.here()[1..3].to_vec(), [[2; 20], [0; 20]]);
        }
        _ => assert_eq!(x.at(0)[0][0].get(), 0),
    }
}

fn fence_and_addition() {
    let puts = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::<[usize; 8]>::zeroed();
    let x = x.open();
    x.at(0)[this_image()].put(7);
    fence(0);
    puts.at(0).add(1);
    if this_image() == 0 {
        puts.wait_until(|puts| puts == num_images());
        image_fence();
        assert!(x.here().get()[..num_images()].iter().all(|&item| item == 7));
    }
}

fn fence_after_what_others_told() {
    let there = Coarray::new(Coatomic::new(false));
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[usize; 3]>::zeroed();
    let x = x.open();
    match this_image() {
        0 => {
            came.wait();
            x.at(1)[0].put(6);
            fence(1);
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            assert_eq!(x.here().get(), [6, 0, 7]);
        }
        2 => {
            x.at(1)[2].put(7);
            came.at(0).post();
        }
        _ => assert_eq!(x.at(0).get(), [0; 3]),
    }
}

fn no_fence_before_the_flag() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put([7; 50]); //~ race: put
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put([8; 50]),
    }
}

fn no_image_fence_after_the_flag() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put([7; 50]); //~ race: put
            fence(1);
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put([8; 50]),
    }
}

fn neither_fence() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put([7; 50]); //~ race: put
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put([8; 50]),
    }
}

fn fence_after_the_flag() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            there.at(1).store(true);
            fence(1);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn image_fence_before_the_flag() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            fence(1);
            there.at(1).store(true);
        }
        1 => {
            image_fence();
            there.wait_until(|there| there);
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn fence_instead_of_image_fence() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            fence(1);
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            fence(0);
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn fence_for_another_image() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            fence(0);
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn data_on_another_image() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.here().put(7); //~ race: put
            fence(1);
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            let _ = x.at(0).get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn flag_on_another_image() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            fence(1);
            there.store(true);
        }
        1 => {
            while !there.at(0).load() {
                std::thread::yield_now();
            }
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn put_between_fence_and_flag() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 2]); //~ place: [1]
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1)[0].put(7);
            fence(1);
            x.at(1)[1].put(7); //~ race: put
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            assert_eq!(x.here()[0].get(), 7);
            let _ = x.here()[1].get(); //~ race: get
        }
        _ => x.here().put([8; 2]),
    }
}

fn get_before_the_fence() {
    let read = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    match this_image() {
        0 => {
            assert_eq!(x.at(1).get(), [0; 50]);
            fence(1);
            read.at(1).store(true);
        }
        1 => {
            read.wait_until(|read| read);
            image_fence();
            x.here().put([7; 50]);
        }
        _ => x.here().put([8; 50]),
    }
}

fn fence_of_a_get_in_flight() {
    let read = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    match this_image() {
        0 => {
            drop(x.at(1).get_async());
            fence(1);
            read.at(1).store(true);
        }
        1 => {
            read.wait_until(|read| read);
            image_fence();
            x.here().put([7; 50]);
        }
        _ => x.here().put([8; 50]),
    }
}
