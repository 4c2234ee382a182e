//! Panics are reported with the line of the program that is wrong, not with a line of the library.

use std::mem::forget;

use coarray::Launch;
use coarray::places::{Section, Symmetric};
use coarray::prelude::*;

use crate::invalid::tear;

/// Runs the expression on one image, and checks that it panics in the line in which it stands.
macro_rules! panics_here {
    ($wrong:expr) => {
        let failure = Launch::new(1).heap(1 << 16).run(|| _ = $wrong).unwrap_err();
        let place = format!("panicked at {}:{}:", file!(), line!());
        let wrong = stringify!($wrong);
        assert!(
            failure.text.starts_with(&place),
            "{wrong}: not {place}: {failure}"
        );
    };
}

/// An open list of nine numbers.
fn list(body: impl FnOnce(&Coref<[u16]>)) {
    let mut list = Coarray::<[u16]>::zeroed(9);
    body(list.open().here());
}

/// All items of a list, one by one.
fn all<T: Symmetric>(list: &Coref<[T]>) -> Section<'_, T> {
    list.section(.., 1)
}

/// An open list of three truth values, of which the second was torn by a race.
fn torn(body: impl FnOnce(&Coref<[bool; 3]>)) {
    let mut list = Coarray::new([true; 3]);
    let open = list.open();
    tear(&open.here()[1], 0, 7);
    body(open.here());
}

#[test]
fn wrong_indices_ranges_and_lengths_panic_where_they_are_written() {
    panics_here!(list(|list| _ = list[9].get()));
    panics_here!(list(|list| _ = list[3..10].to_vec()));
    panics_here!(list(|list| _ = list.section(3..10, 1)));
    panics_here!(list(|list| _ = list.section(.., 0)));
    panics_here!(list(|list| _ = list.section(.., 2)[5].get()));
    panics_here!(list(|list| _ = list.shape_cast::<[[u16; 3]]>().column(3)));
    panics_here!(list(|list| list.put_from(&[0; 8])));
    panics_here!(list(|list| list.get_into(&mut [0; 8])));
    panics_here!(list(|list| list.copy_from(&list[1..])));
    panics_here!(list(|list| list.section(.., 1).put_from(&[0; 8])));
    panics_here!(list(|list| list.section(.., 1).get_into(&mut [0; 8])));
    panics_here!(list(|list| all(list).copy_from(&all(&list[1..]))));
    panics_here!(list(|list| _ = list.region((3..10,))));
    panics_here!(list(|list| _ = list.region(((..).every(0),))));
    panics_here!(list(|list| list.region((1..,)).put_from(&[0; 9])));
    panics_here!(list(|list| list.region((1..,)).get_into(&mut [0; 9])));
    panics_here!(list(|l| l.region((1..,)).copy_from(&l.region((2..,)))));
    panics_here!(list(|list| list.gather_from(&[8, 9], &mut [0; 2])));
    panics_here!(list(|list| list.scatter_to(&[8, 9], &[0; 2])));
}

#[test]
fn torn_values_panic_where_they_are_fetched() {
    panics_here!(torn(|list| _ = list[1].get()));
    panics_here!(torn(|list| _ = list.get()));
    panics_here!(torn(|list| _ = list[..].to_vec()));
    panics_here!(torn(|list| list.get_into(&mut [true; 3])));
    panics_here!(torn(|list| _ = list.section(.., 1).to_vec()));
    panics_here!(torn(|list| list.section(.., 1).get_into(&mut [true; 3])));
    panics_here!(torn(|list| _ = list.region((1..,)).to_vec()));
    panics_here!(torn(|list| _ = list[..].remote_clone()));
}

#[test]
fn images_that_are_none_panic_where_they_are_written() {
    panics_here!(Coarray::new(0).open().at(1).get());
    panics_here!(Coarray::new(0).publish().at(1).get());
    panics_here!(Coarray::new(0).publish().try_ref(1).copied());
    panics_here!(Ragged::from_fn(1, |_| 0).open().at(1).to_vec());
    panics_here!(Ragged::from_fn(1, |_| 0).publish().try_ref(1).is_some());
    panics_here!(RaggedRows::<u8>::empty(1).open().at(1).len());
    panics_here!(RaggedRows::<u8>::empty(1).publish().at(1).len());
    panics_here!(Coarray::new(Coatomic::new(0u32)).at(1).load());
    panics_here!(co_broadcast(&mut 0, 1));
}

#[test]
fn coarrays_that_do_not_fit_panic_where_they_are_created() {
    panics_here!(Coarray::<[u64]>::zeroed(10_000));
    panics_here!(Coarray::<[u64]>::from_fn(10_000, |_| 0));
    panics_here!(Coarray::<[u64; 10_000]>::zeroed());
    panics_here!(Coarray::new([0u64; 10_000]));
    panics_here!(Coarray::<[u64; 10_000]>::from_fn(|_| 0));
    panics_here!(Ragged::from_fn(10_000, |_| 0u64));
    panics_here!(Ragged::empty().replace(10_000, |_| 0u64));
    panics_here!(RaggedRows::<u64>::empty(10_000));
    panics_here!(RaggedRows::from_fn(1, |_| vec![0u64; 10_000]));
    panics_here!(RaggedRows::empty(1).replace(0, 10_000, |_| 0u64));
}

#[test]
fn rows_that_are_none_panic_where_they_are_written() {
    let rows = || RaggedRows::from_fn(2, |_| [0u64]);
    panics_here!(rows()[2].len());
    panics_here!(rows()[2].fill(1));
    panics_here!(rows().replace(2, 0, |_| 0));
    panics_here!(rows().try_replace(2, 0, |_| 0).is_ok());
    panics_here!(rows().open().here().row(2).len());
    panics_here!(rows().publish()[2].len());
    panics_here!(rows().publish().at(0).try_ref(2).is_some());
}

#[test]
fn coarrays_that_are_still_open_panic_where_they_are_used() {
    fn leaked(body: impl FnOnce(&mut Coarray<[i32; 4]>)) {
        let mut coarray = Coarray::new([0; 4]);
        forget(coarray.open());
        body(&mut coarray);
    }
    panics_here!(leaked(|coarray| _ = coarray[0]));
    panics_here!(leaked(|coarray| coarray[0] = 1));
    panics_here!(leaked(|coarray| coarray.open().close()));
    panics_here!(leaked(|coarray| coarray.publish().close()));
}
