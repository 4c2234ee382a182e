//! Every algorithm of every reduction and broadcast against what a single image computes.

#[path = "shared/launches.rs"]
mod launches;

use coarray_collectives::{Collective, Kind};
use coarray_runtime::{num_images, this_image};

use crate::launches::run_everywhere;

const IMAGES: [usize; 9] = [1, 2, 3, 4, 5, 7, 8, 13, 17];

const LENGTHS: [usize; 5] = [0, 1, 7, 1000, 20_000];

/// A value of one image that no other image has.
fn value(image: usize, index: usize) -> u64 {
    (image * 1_000_003 + index * 17 + 1) as u64
}

#[test]
fn broadcasts() {
    for images in IMAGES {
        run_everywhere(images, || {
            for &algorithm in Kind::Broadcast.algorithms() {
                for length in LENGTHS {
                    for root in [0, num_images() / 2, num_images() - 1] {
                        let mut values: Vec<u64> =
                            (0..length).map(|i| value(this_image(), i)).collect();
                        let one = Collective::new().algorithm(algorithm);
                        one.co_broadcast(&mut values, root);
                        let expected = (0..length).map(|i| value(root, i));
                        assert!(expected.eq(values), "{algorithm} {length} {root}");
                    }
                }
            }
        });
    }
}

#[test]
fn reductions() {
    for images in IMAGES {
        run_everywhere(images, || {
            let (me, n) = (this_image(), num_images());
            for &algorithm in Kind::Reduce.algorithms() {
                for length in LENGTHS {
                    let one = Collective::new().algorithm(algorithm);
                    let mut values: Vec<u64> = (0..length).map(|i| value(me, i)).collect();
                    one.co_sum(&mut values);
                    let sum = |i| (0..n).map(|image| value(image, i)).sum::<u64>();
                    assert!((0..length).map(sum).eq(values), "{algorithm} {length}");
                }
            }
            for &algorithm in Kind::ReduceTo.algorithms() {
                for length in LENGTHS {
                    for root in [0, n / 2, n - 1] {
                        let one = Collective::new().algorithm(algorithm);
                        let mut values: Vec<u64> = (0..length).map(|i| value(me, i)).collect();
                        one.co_max_to(&mut values, root);
                        let of = if me == root { n - 1 } else { me };
                        let expected = (0..length).map(|i| value(of, i));
                        assert!(expected.eq(values), "{algorithm} {length} {root}");
                    }
                }
            }
        });
    }
}
