//! Gets and puts of items on several images: each image's as those of a list on it, and all on their way at the same time.

use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr;
use std::slice;

use coarray_fabric::{Buffer, Fabric, Request, attribute_to, note_issue};
use coarray_runtime::Image;

use crate::access::{Access, MayPut};
use crate::cofuture::Cofuture;
use crate::coref::Coref;
use crate::region::fetch::fetch_runs_of_each;
use crate::region::issued::AllIssued;
use crate::region::runs::Run;
use crate::region::send::send_runs_to_each;
use crate::remote::Remote;
use crate::scope::AsyncScope;
use crate::transfer::check_value;

/// An item on an image, and its position in a list.
#[doc(hidden)]
#[derive(Debug)]
pub struct Listed<'a, T, A: Access> {
    pub place: &'a Coref<T, A>,
    pub position: usize,
}

impl<T, A: Access> Listed<'_, T, A> {
    /// By image, and there by place: this image sees the heaps of all one after the other.
    fn order(&self) -> usize {
        self.place.local_address()
    }
}

/// Fetches the items through the fabric into their positions in `target`.
///
/// # Panics
/// If a position is out of bounds; or if bytes are no valid values, as images wrote to the items at the same time.
///
/// # Safety
/// Those items that are on one image lie in one array.
#[doc(hidden)]
#[cold]
#[inline(never)]
#[track_caller]
pub unsafe fn gather_listed<T: Remote, A: Access>(
    mut items: Vec<Listed<'_, T, A>>,
    target: &mut [T],
) {
    const { T::CHECK };
    let _at = attribute_to(Location::caller());
    items.sort_unstable_by_key(Listed::order);
    let mut values = Vec::<MaybeUninit<T>>::with_capacity(items.len());
    let runs = |number: usize, first: &Coref<T, A>, item: &Listed<'_, T, A>| Run {
        to: (number * size_of::<T>()) as isize,
        from: distance(first, item.place),
    };
    on_each_image(&items, runs, |places| {
        let start = values.as_mut_ptr().cast();
        // SAFETY: each run is an item of the array that its place is a part of: they are on one image, and so, as the caller vouches,
        // in one array, with all bytes between them. The values have room for an item each.
        unsafe { fetch_runs_of_each(places, start, size_of::<T>()) };
    });
    // SAFETY: the capacity is as large, and `MaybeUninit` needs no value.
    unsafe { values.set_len(items.len()) };
    for (item, value) in items.iter().zip(values) {
        // SAFETY: all bytes have arrived.
        target[item.position] = unsafe { check_value(value, item.place.image()) };
    }
}

/// Puts the values at their positions in `values` to the items, through the fabric. Of values for the same item the last stays.
///
/// # Panics
/// If a position is out of bounds.
///
/// # Safety
/// As [`gather_listed`].
#[doc(hidden)]
#[cold]
#[inline(never)]
#[track_caller]
pub unsafe fn scatter_listed<T: Remote, A: MayPut>(mut items: Vec<Listed<'_, T, A>>, values: &[T]) {
    const { T::CHECK };
    assert!(items.iter().all(|item| item.position < values.len()));
    let _at = attribute_to(Location::caller());
    keep_last(&mut items);
    let runs = |_, first: &Coref<T, A>, item: &Listed<'_, T, A>| Run {
        to: distance(first, item.place),
        from: (item.position * size_of::<T>()) as isize,
    };
    on_each_image(&items, runs, |places| {
        let start = values.as_ptr().cast();
        // SAFETY: each run is an item of the array that its place is a part of, as in `gather_listed`. There is a value at each
        // position, which has no padding.
        unsafe { send_runs_to_each(places, start, size_of::<T>()) };
    });
}

/// Begins to fetch the items through the fabric into their positions in `target`.
///
/// # Panics
/// As [`gather_listed`].
///
/// # Safety
/// As [`gather_listed`].
#[doc(hidden)]
#[track_caller]
pub unsafe fn gather_listed_async<'a, 'scope, T: Remote, A: Access>(
    items: Vec<Listed<'a, T, A>>,
    target: &'scope mut [T],
    _scope: &'a AsyncScope<'scope, '_>,
) -> Cofuture<'a, &'scope mut [T]> {
    const { T::CHECK };
    if !T::ANY_BITS {
        // They would arrive elsewhere first, and be checked one by one.
        // SAFETY: the caller vouches for the items.
        unsafe { gather_listed(items, target) };
        return Cofuture::complete(Ok(target));
    }
    assert!(items.iter().all(|item| item.position < target.len()));
    let target = ptr::from_mut(target);
    let issued = issue(&items, |fabric, image, offset, position| {
        let value = target.cast::<T>().wrapping_add(position);
        let buffer = Buffer::Lent(value.cast(), size_of::<T>());
        // SAFETY: the target is borrowed until the end of the scope, which completes the operations, and has such a position. The
        // contract of `Coref::new`: until this image has completed its operations, the owner holds no exclusive reference.
        unsafe { fabric.issue_get(image, offset, buffer) }
    });
    // SAFETY: `target` comes from a reference that is borrowed for `'scope`, and only these operations use it until this is called,
    // when they are complete. Any bytes are a valid `T`.
    let give_back = move || Ok(unsafe { &mut *target });
    match issued {
        Some(all) => all.cofuture(give_back),
        None => Cofuture::complete(give_back()),
    }
}

/// Begins to put copies of the values at their positions in `values` to the items, through the fabric. Of values for the same item
/// the last stays.
///
/// # Panics
/// As [`scatter_listed`].
#[doc(hidden)]
#[track_caller]
pub fn scatter_listed_async<'a, T: Remote, A: MayPut>(
    mut items: Vec<Listed<'a, T, A>>,
    values: &[T],
) -> Cofuture<'a, ()> {
    const { T::CHECK };
    keep_last(&mut items);
    let issued = issue(&items, |fabric, image, offset, position| {
        let value = ptr::from_ref(&values[position]).cast();
        // SAFETY: all bytes of the value are initialised: a `Remote` type has no padding.
        let bytes: &[u8] = unsafe { slice::from_raw_parts(value, size_of::<T>()) };
        let buffer = Buffer::Owned(bytes.into());
        // SAFETY: the request owns the buffer, which is as long as the place. The contract of `Coref::new`: until this image has
        // completed its operations, the owner holds no reference.
        unsafe { fabric.issue_put(image, offset, buffer) }
    });
    AllIssued::cofuture_of_puts(issued)
}

/// Issues an operation for each item, with its image, offset and position.
#[track_caller]
fn issue<T, A: Access>(
    items: &[Listed<'_, T, A>],
    issue: impl Fn(&dyn Fabric, usize, usize, usize) -> Request,
) -> Option<AllIssued> {
    if items.is_empty() {
        return None;
    }
    let here = Image::current();
    note_issue(Location::caller());
    let one = |item: &Listed<'_, T, A>| {
        let image = item.place.image();
        let offset = here.offset_of(image, item.place.local_address());
        issue(here.fabric_for_program(), image, offset, item.position)
    };
    let requests = items.iter().map(one).collect();
    AllIssued::of(here, requests)
}

/// Of items at the same place, keeps that with the last position.
fn keep_last<T, A: Access>(items: &mut Vec<Listed<'_, T, A>>) {
    items.reverse();
    items.sort_by_key(Listed::order);
    items.dedup_by_key(|item| item.order());
}

/// Calls `transfer` with the first item of each image and the runs of all items there.
fn on_each_image<T, A: Access>(
    items: &[Listed<'_, T, A>],
    run: impl Fn(usize, &Coref<T, A>, &Listed<'_, T, A>) -> Run,
    transfer: impl FnOnce(&[(&Coref<T, A>, &[Run])]),
) {
    if size_of::<T>() == 0 {
        return;
    }
    let mut runs = Vec::with_capacity(items.len());
    let chunks = || items.chunk_by(|one, next| one.place.is_beside(next.place));
    for items in chunks() {
        let first = items[0].place;
        for item in items {
            runs.push(run(runs.len(), first, item));
        }
    }
    let mut rest = &runs[..];
    let places: Vec<_> = chunks()
        .map(|items| {
            let (of_image, others) = rest.split_at(items.len());
            rest = others;
            (items[0].place, of_image)
        })
        .collect();
    transfer(&places);
}

/// In bytes, from one item to another on the same image.
fn distance<T, A: Access>(from: &Coref<T, A>, to: &Coref<T, A>) -> isize {
    to.local_address().wrapping_sub(from.local_address()) as isize
}
