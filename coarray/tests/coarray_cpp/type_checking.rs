//! Section 4: static and dynamic checking of shapes, and `shape_cast`.

use coarray::places::MismatchedExtentError;
use coarray::prelude::*;

fn rows(x: &Coarray<[[i32; 20]]>) -> usize {
    x.len()
}

fn last(x: &Coarray<[[i32; 20]; 10]>) -> i32 {
    x[9][19]
}

/// 4.1, second listing. The first one, where the extents differ, is `compile_fail/argument_of_another_shape.rs`.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_bounded_type_converts_to_an_unbounded_type() {
    let y = Coarray::<[[i32; 20]; 10]>::zeroed();
    assert_eq!(rows((&y).into()), 10);
    assert_eq!(rows(y.as_unbounded()), 10);
}

/// 4.2, the listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn an_unbounded_type_converts_to_a_bounded_type_if_the_extents_match() {
    for n in 9..12 {
        let y = Coarray::<[[i32; 20]]>::from_fn(n, |row| [row as i32; 20]);
        match <&Coarray<[[i32; 20]; 10]>>::try_from(&y) {
            Ok(y) => assert_eq!((n, last(y)), (10, 9)),
            Err(error) => {
                assert!(n != 10);
                let mismatch = MismatchedExtentError {
                    expected: 10,
                    found: n,
                };
                assert_eq!(error, mismatch);
            }
        }
    }
}

/// 4.2, on another image's part.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn corefs_convert_like_coarrays() {
    let mut y = Coarray::<[[i32; 20]]>::zeroed(10);
    let y = y.open();
    let place: &Coref<[[i32; 20]]> = y.at(num_images() - 1);
    assert_eq!(
        <&Coref<[[i32; 20]; 10]>>::try_from(place).unwrap()[9][19].get(),
        0
    );
    assert!(<&Coref<[[i32; 20]; 11]>>::try_from(place).is_err());
}

/// 4.3, line 4 of the listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn shape_cast_reinterprets_a_shape() {
    let y = Coarray::<[i32; 200]>::from_fn(|i| i as i32);
    assert_eq!(last(y.shape_cast::<[[i32; 20]; 10]>()), 199);
}

/// 4.3, line 4 of the listing, on another image's part.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn shape_cast_reinterprets_the_shape_of_a_coref() {
    let other = (this_image() + 1) % num_images();
    let mut y = Coarray::<[i32; 200]>::from_fn(|i| (1000 * this_image() + i) as i32);
    let y = y.open();
    let place = y.at(other).shape_cast::<[[i32; 20]; 10]>();
    assert_eq!(place[9][19].get(), (1000 * other + 199) as i32);
}

/// 4.3, line 5 of the listing, with an extent that is known only at run time. If it is known before, the cast does
/// not compile, see `compile_fail/shape_cast_too_large.rs`; nor does a cast to other elements, see
/// `compile_fail/shape_cast_to_another_element.rs`.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn shape_cast_refuses_a_shape_with_more_elements() {
    let z = Coarray::<[i32]>::zeroed(50);
    let refused = z.shape_cast::<[[i32; 20]; 10]>().map(|_| ()).unwrap_err();
    let mismatch = MismatchedExtentError {
        expected: 200,
        found: 50,
    };
    assert_eq!(refused, mismatch);
}
