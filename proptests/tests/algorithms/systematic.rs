//! Every operation by every algorithm on up to so many images, with few elements and with many.

use coarray::collectives::{Collective, co_all, co_any, co_count};
use coarray::prelude::*;
use coarray_proptests::{Particle, mix};

use crate::MOST_IMAGES;
use crate::division::Division;
use crate::subject::{Case, Check, Subject};
use crate::values::{Colour, Element, Maps};

/// Few elements, and many.
const LENGTHS: [usize; 4] = [0, 1, 7, 1000];

/// So many bytes pass at once.
const TURN: usize = 64 << 10;

/// Elements for which it takes several turns, so that memory of earlier ones is used again; of bytes, two.
const fn most<T>() -> usize {
    let elements = 2 * TURN / size_of::<T>() + 1;
    if elements > TURN { TURN + 1 } else { elements }
}

/// Elements for which every type takes several turns.
const MOST: usize = TURN + 1;

/// Powers of two, what lies around them, and odd numbers. Types of one size, and lengths, differ in nothing that other numbers
/// of images have to do with; `all_lengths_on_all_numbers_of_images` tries that.
const SOME_COUNTS: [usize; 9] = [1, 2, 3, 4, 5, 7, 8, 9, MOST_IMAGES];

/// What takes several turns does in each what fewer elements do in one.
const FEW_COUNTS: [usize; 5] = [1, 2, 3, 5, 8];

/// The first image, the last, and one between.
fn roots(images: usize) -> Vec<usize> {
    let mut roots = vec![0, images / 2, images - 1];
    roots.dedup();
    roots
}

/// All calls on so many elements by so many images.
fn cases<T: Element>(images: usize, length: usize, roots: &[usize]) -> Vec<Box<dyn Check>> {
    let of = |subject: Subject<T>| {
        let all = if subject.is_rooted {
            roots
        } else {
            &roots[..1]
        };
        // An image has elements for each other: as many in all.
        let length = if subject.is_dealt && length > LENGTHS[3] {
            length / images
        } else {
            length
        };
        let case = move |&root: &usize| -> Box<dyn Check> {
            let seed = mix(length as u64, root as u64);
            Box::new(Case::new(subject, images, length, root, seed))
        };
        all.iter().map(case).collect::<Vec<_>>()
    };
    T::subjects().into_iter().flat_map(of).collect()
}

/// Ways to divide so many images among nodes: on one machine and, for some, on several that share no memory.
fn divisions(images: usize) -> impl Iterator<Item = Division> {
    let counted = Division::counted(images, 1 + images / 3);
    let nodes = [(2, 2), (3, 2), (3, 3), (5, 4), (8, 3), (8, 8)];
    let apart = nodes.into_iter().filter(move |&(count, _)| count == images);
    let apart = apart.map(|(images, nodes)| Division::apart(images, nodes));
    [counted].into_iter().chain(apart)
}

/// Runs all cases on so many images, in nodes of all kinds.
#[track_caller]
fn check(images: usize, cases: &[Box<dyn Check>]) {
    for division in divisions(images) {
        let all = || cases.iter().for_each(|case| case.check_all());
        if let Err(failure) = division.launch().run(all) {
            panic!("{division:?}: {failure}");
        }
    }
}

macro_rules! every_algorithm {
    ($($name:ident: $type:ty, $images:expr;)*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn elements_that_pass_at_once() {
                for images in $images {
                    let of = |&length: &usize| cases::<$type>(images, length, &roots(images));
                    let cases: Vec<_> = LENGTHS.iter().flat_map(of).collect();
                    check(images, &cases);
                }
            }

            #[test]
            fn more_elements_than_pass_at_once() {
                for images in FEW_COUNTS {
                    check(images, &cases::<$type>(images, most::<$type>(), &[images / 2]));
                }
            }

            #[test]
            #[ignore = "takes minutes: cargo test --release -p coarray-proptests --test algorithms -- --ignored"]
            fn all_lengths_on_all_numbers_of_images() {
                for images in 1..=MOST_IMAGES {
                    for length in LENGTHS.into_iter().chain([MOST]) {
                        check(images, &cases::<$type>(images, length, &roots(images)));
                    }
                }
            }
        }
    )* };
}

every_algorithm! {
    bytes: u8, 1..=MOST_IMAGES;
    signed_integers: i32, 1..=MOST_IMAGES;
    unsigned_integers: u64, SOME_COUNTS;
    floats: f32, SOME_COUNTS;
    double_floats: f64, SOME_COUNTS;
    truth_values: bool, SOME_COUNTS;
    colours: Colour, SOME_COUNTS;
    structs: Particle, 1..=MOST_IMAGES;
    maps_that_are_joined_in_order: Maps, 1..=MOST_IMAGES;
}

#[test]
fn every_image_is_a_root_of_every_operation() {
    for images in [4, 9, MOST_IMAGES] {
        let roots: Vec<usize> = (0..images).collect();
        check(images, &cases::<Maps>(images, 3, &roots));
        check(images, &cases::<u64>(images, 3, &roots));
    }
}

#[test]
fn conditions_are_those_of_all_images_by_every_algorithm() {
    for images in 1..=MOST_IMAGES {
        for division in divisions(images) {
            let outcome = division.launch().run(|| {
                // None, all, one, all but one, and some.
                let some = mix(images as u64, 7);
                let one = 1 << (images / 2);
                for set in [0, u64::MAX, one, !one, some] {
                    let holds = |image: usize| set >> image & 1 == 1;
                    let count = (0..images).filter(|&image| holds(image)).count();
                    let mine = holds(this_image());
                    for &algorithm in coarray::collectives::Kind::Reduce.algorithms() {
                        let how = Collective::new().algorithm(algorithm);
                        assert_eq!(how.co_all(mine), count == images, "{algorithm} {set:b}");
                        assert_eq!(how.co_any(mine), count > 0, "{algorithm} {set:b}");
                        assert_eq!(how.co_count(mine), count, "{algorithm} {set:b}");
                    }
                    assert_eq!(
                        (co_all(mine), co_any(mine), co_count(mine)),
                        (count == images, count > 0, count)
                    );
                }
            });
            if let Err(failure) = outcome {
                panic!("{division:?}: {failure}");
            }
        }
    }
}
