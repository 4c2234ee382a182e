//! x
use coarray::prelude::*;
use coarray::{Launch, image_fence};

fn show(name: &str, images: usize, body: fn()) {
    match Launch::new(images).heap(1 << 20).check(true).run(body) {
        Ok(_) => println!("{name}: clean"),
        Err(failure) => println!("{name}: {} {}", failure.code, failure.text),
    }
}

#[test]
fn all() {
    show("conflict", 2, || {
        let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
        let x = x.open();
        if this_image() == 0 {
            x.at(1)[3][4].put(7);
        } else {
            let _ = x.here()[3][4].get();
        }
    });
    show("sync", 2, || {
        let mut x = Coarray::new(0);
        let x = x.open();
        if this_image() == 0 {
            x.at(1).put(7);
        }
        sync_all();
        if this_image() == 1 {
            let _ = x.here().get();
        }
    });
    show("event", 3, || {
        let came = Coarray::new(Coevent::new());
        let mut x = Coarray::<[usize; 3]>::zeroed();
        let x = x.open();
        x.at(0)[this_image()].put(this_image() + 1);
        came.at(0).post();
        if this_image() == 0 {
            came.wait_for(3);
            let _ = x.here().get();
        }
    });
    show("event too few", 3, || {
        let came = Coarray::new(Coevent::new());
        let mut x = Coarray::<[usize; 3]>::zeroed();
        let x = x.open();
        x.at(0)[this_image()].put(this_image() + 1);
        came.at(0).post();
        if this_image() == 0 {
            came.wait_for(2);
            let _ = x.here().get();
        }
    });
    show("flag", 2, || {
        let (mut data, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
        let (data, there) = coarray::open((&mut data, &mut there));
        if this_image() == 0 {
            data.at(1).put([7; 50]);
            fence(1);
            there.at(1).put(true);
        } else {
            while !there.here().get() {
                std::thread::yield_now();
            }
            image_fence();
            assert_eq!(data.here().get(), [7; 50]);
        }
    });
    show("flag without fence", 2, || {
        let (mut data, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
        let (data, there) = coarray::open((&mut data, &mut there));
        if this_image() == 0 {
            data.at(1).put([7; 50]);
            there.at(1).put(true);
        } else {
            while !there.here().get() {
                std::thread::yield_now();
            }
            image_fence();
            let _ = data.here().get();
        }
    });
    show("flag without image_fence", 2, || {
        let (mut data, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
        let (data, there) = coarray::open((&mut data, &mut there));
        if this_image() == 0 {
            data.at(1).put([7; 50]);
            fence(1);
            there.at(1).put(true);
        } else {
            while !there.here().get() {
                std::thread::yield_now();
            }
            let _ = data.here().get();
        }
    });
    show("fence for another", 3, || {
        let (mut data, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
        let (data, there) = coarray::open((&mut data, &mut there));
        if this_image() == 0 {
            data.at(2).put([7; 50]);
            fence(1);
            there.at(1).put(true);
        } else if this_image() == 1 {
            while !there.here().get() {
                std::thread::yield_now();
            }
            image_fence();
            let _ = data.at(2).get();
        }
    });
    show("coatomic", 2, || {
        let there = Coarray::new(Coatomic::new(0));
        let mut data = Coarray::new([0; 50]);
        let data = data.open();
        if this_image() == 0 {
            data.at(1).put([7; 50]);
            image_fence();
            there.at(1).store(1);
        } else {
            there.wait_until(|x| x == 1);
            image_fence();
            let _ = data.here().get();
        }
    });
    show("coatomic without", 2, || {
        let there = Coarray::new(Coatomic::new(0));
        let mut data = Coarray::new([0; 50]);
        let data = data.open();
        if this_image() == 0 {
            data.at(1).put([7; 50]);
            there.at(1).store(1);
        } else {
            there.wait_until(|x| x == 1);
            image_fence();
            let _ = data.here().get();
        }
    });
    show("collective", 2, || {
        let mut x = Coarray::new(0);
        let x = x.open();
        x.at(1 - this_image()).put(7);
        image_fence();
        let mut sum = this_image();
        co_sum(&mut sum);
        image_fence();
        let _ = x.here().get();
    });
    show("collective without", 2, || {
        let mut x = Coarray::new(0);
        let x = x.open();
        x.at(1 - this_image()).put(7);
        let mut sum = this_image();
        co_sum(&mut sum);
        let _ = x.here().get();
    });
    show("mutex", 4, || {
        let last = Coarray::new(Comutex::new(0));
        let mut x = Coarray::<[usize; 50]>::zeroed();
        let x = x.open();
        let mut last = last.at(2).lock();
        assert_eq!(x.at(3).get(), [last.get(); 50]);
        last.put(this_image());
        x.at(3).put([this_image(); 50]);
    });
    show("notify", 2, || {
        let came = Coarray::new(Coevent::new());
        let mut x = Coarray::new([0; 50]);
        let x = x.open();
        if this_image() == 0 {
            x.at(1).put_notify([7; 50], came.at(1));
        } else {
            came.wait();
            assert_eq!(x.here().get(), [7; 50]);
        }
    });
    show("notify other", 3, || {
        let came = Coarray::new(Coevent::new());
        let mut x = Coarray::new([0; 50]);
        let x = x.open();
        if this_image() == 0 {
            x.at(2).put([7; 50]);
            x.at(1).put_notify([7; 50], came.at(1));
        } else if this_image() == 1 {
            came.wait();
            let _ = x.at(2).get();
        }
    });
    show("pairs", 4, || {
        let mut x = Coarray::new(0);
        let x = x.open();
        let partner = this_image() ^ 1;
        x.at(partner).put(7);
        sync_images(&[partner]);
        assert_eq!(x.here().get(), 7);
    });
    show("lost update", 4, || {
        let mut x = Coarray::new(0);
        let x = x.open();
        x.at(2).put(x.at(2).get() + 1);
    });
    show("bools", 4, || {
        let mut x = Coarray::new([false; 8]);
        let x = x.open();
        x.at(0)[this_image()].put(true);
        x.at(0)[this_image() + 4].put(true);
        let _ = x.at(0)[this_image()].get();
    });
}
