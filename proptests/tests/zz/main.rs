//! x
use coarray::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
#[test]
fn cast_put() {
    coarray::run(1, || {
        let mut x = Coarray::<[i32; 8]>::zeroed();
        let x = x.shape_cast_mut::<[i32; 4]>().open();
        x.at(0).put_from(&[1; 4]);
    });
}
#[test]
fn cast_fill() {
    coarray::run(1, || {
        let mut y = Coarray::<[i32; 8]>::zeroed();
        let x = y.shape_cast_mut::<[i32; 4]>().open();
        x.at(0).fill(1);
        drop(x);
        assert_eq!(*y, [1, 1, 1, 1, 0, 0, 0, 0]);
    });
}
#[test]
fn cast_get() {
    coarray::run(1, || {
        let mut y = Coarray::<[i32; 8]>::zeroed();
        let x = y.shape_cast_mut::<[i32; 4]>().publish();
        let mut t = [0; 4];
        x.at(0).get_into(&mut t);
    });
}
#[test]
fn retry_reduce() {
    let r = coarray::Launch::new(2).run(|| {
        let mut v = vec![1u64 + this_image() as u64; 1000];
        if this_image() == 0 {
            let r = catch_unwind(AssertUnwindSafe(|| co_reduce(&mut v, |_, _| panic!("no"))));
            assert!(r.is_err());
            v.fill(1);
        }
        co_reduce(&mut v, |a, b| a + b);
        if this_image() == 1 {
            eprintln!("image 1 got {:?}", (v[0], v[999]));
        }
        if this_image() == 1 {
            v.fill(2);
            co_reduce(&mut v, |a, b| a + b);
            eprintln!("image 1 got {:?}", (v[0], v[999]));
        }
        v[0]
    });
    eprintln!("{r:?}");
}
#[test]
fn retry_create() {
    let r = coarray::Launch::new(2).run(|| {
        if this_image() == 0 {
            let r = catch_unwind(AssertUnwindSafe(|| {
                let _ = Coarray::<[Coatomic<u64>; 3]>::from_fn(|_| panic!("no"));
            }));
            assert!(r.is_err());
        }
        let x = Coarray::<[Coatomic<u64>; 3]>::from_fn(|i| Coatomic::new(i as u64 + 1));
        if this_image() == 1 {
            eprintln!(
                "image 1 {:?} {:?} {:?}",
                x.as_ptr_range(),
                x.at(0)[2].load(),
                x.at(0)
            )
        } else {
            eprintln!("image 0 {:?}", x.at(0))
        };
        let y = Coarray::<[Coatomic<u64>; 3]>::from_fn(|i| Coatomic::new(i as u64 + 1));
        if this_image() == 1 {
            eprintln!("image 1 {:?} {:?}", y.as_ptr_range(), y.at(0))
        } else {
            eprintln!("image 0 {:?}", y.at(0))
        };
    });
    eprintln!("{r:?}");
}
#[test]
fn stale_panic() {
    let r = coarray::Launch::new(1).run(|| {
        let _ = catch_unwind(|| panic!("first"));
        std::panic::resume_unwind(Box::new("second"));
    });
    eprintln!("{r:?}");
}
