//! Section 3: coarrays, local access, corefs, traits, copointers, coarrays of pointers.

use coarray::places::{Access, ReadOnly, RemoteClone};
use coarray::prelude::*;

/// The image that a listing calls `number`, modulo the number of images.
fn image(number: usize) -> usize {
    number % num_images()
}

/// 3.1, first listing: the template and its three specialisations.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn coarrays_are_of_values_runs_arrays_and_coatomics() {
    let me = this_image();
    let single = Coarray::new(me as i64);
    let run = Coarray::<[i64]>::from_fn(3, |i| i as i64);
    let array = Coarray::<[i64; 3]>::from_fn(|i| i as i64);
    let atomic = Coarray::new(Coatomic::new(me as i64));
    assert_eq!(*single, me as i64);
    assert_eq!(run[..], array[..]);
    let neighbour = image(me + 1);
    assert_eq!(atomic.at(neighbour).load(), neighbour as i64);
}

/// 3.1, second listing. All extents but the leftmost are part of the type; two that are known at run time
/// only do not compile, see `compile_fail/two_extents_at_run_time.rs`.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn the_leftmost_extent_is_given_at_run_time() {
    let n = num_images() + 2;
    let i = Coarray::<i32>::zeroed();
    let x = Coarray::<[[i32; 20]; 10]>::zeroed();
    let y = Coarray::<[[i32; 20]]>::zeroed(n);
    assert_eq!(*i, 0);
    assert_eq!((x.len(), x[0].len()), (10, 20));
    assert_eq!((y.len(), y[0].len()), (n, 20));
}

/// 3.2, first listing. A function of a plain array takes a coarray as well.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_coarray_behaves_like_the_local_object() {
    fn corner(array: &[[i32; 20]; 10]) -> i32 {
        array[1][2]
    }
    let me = this_image() as i32;
    let mut i = Coarray::new(-1);
    let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
    let mut y = Coarray::<[[i32; 20]]>::zeroed(4);
    *i = me;
    x[1][2] = *i;
    y[3][4] = x[1][2];
    assert_eq!((corner(&x), y[3][4]), (me, me));
    assert_eq!(
        y.iter().flatten().filter(|&&item| item != 0).count(),
        usize::from(me != 0)
    );
}

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Point {
    x: i32,
    y: i32,
}

/// 3.2, second listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn members_are_accessed_locally() {
    let mut pt = Coarray::new(Point { x: 0, y: 0 });
    pt.x = 1;
    pt.y = pt.x;
    assert_eq!(*pt, Point { x: 1, y: 1 });
}

/// 3.3, first listing: corefs to values, runs, arrays, and to events, mutexes and coatomics, whose operations
/// the sections below test. A copointer in a coarray gives access to its target.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn corefs_are_to_every_kind_of_place() {
    let me = this_image();
    let mut value = Coarray::new(7);
    let mut run = Coarray::<[i32]>::from_fn(3, |i| i as i32);
    let mut array = Coarray::new([4, 5]);
    let mut pointer = Coarray::new(Coptr::<i32>::null());
    let atomic = Coarray::new(Coatomic::new(8));
    let event = Coarray::new(Coevent::new());
    let (value, run, array, pointer) =
        coarray::open((&mut value, &mut run, &mut array, &mut pointer));
    pointer.here().put(value.here().address());
    sync_all();
    let other = image(me + 1);
    let value: &Coref<i32> = value.at(other);
    let run: &Coref<[i32]> = run.at(other);
    let array: &Coref<[i32; 2]> = array.at(other);
    let pointer: &Coref<Coptr<i32>> = pointer.at(other);
    let atomic: &Coref<Coatomic<i32>> = atomic.at(other);
    let event: &Coref<Coevent> = event.at(other);
    assert_eq!((value.get(), run.to_vec()), (7, vec![0, 1, 2]));
    assert_eq!((array.get(), atomic.load()), ([4, 5], 8));
    assert_eq!((pointer.get(), event.query()), (value.address(), 0));
}

/// 3.3, second listing. The synchronisations order its three lines, which involve several images.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn corefs_put_and_get() {
    let me = this_image();
    let mut i = Coarray::new(me as i32 + 1);
    let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
    let mut y = Coarray::<[[i32; 20]]>::zeroed(4);
    let (i, x, y) = coarray::open((&mut i, &mut x, &mut y));
    if me == 0 {
        i.at(image(7)).put(0);
    }
    sync_all();
    x.here()[1][2].put(i.at(image(6)).get());
    sync_all();
    if me == image(3) {
        y.at(0)[3][4].put(x.at(image(5))[1][2].get());
    }
    sync_all();
    let expected = if image(6) == image(7) {
        0
    } else {
        image(6) as i32 + 1
    };
    assert_eq!(i.at(image(7)).get(), 0);
    assert_eq!(x.here()[1][2].get(), expected);
    assert_eq!(y.at(0)[3][4].get(), expected);
}

/// 3.3: places of a constant coarray are not modified, see `compile_fail/put_through_published.rs`.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn published_coarrays_give_corefs_that_only_get() {
    let mut x = Coarray::new([this_image(); 4]);
    let x = x.publish();
    let other = image(this_image() + 5);
    let place: &Coref<[usize; 4], ReadOnly> = x.at(other);
    assert_eq!(place[3].get(), other);
}

/// 3.3, third listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn members_are_accessed_on_other_images() {
    let mut pt = Coarray::new(Point { x: 5, y: 6 });
    {
        let pt = pt.open();
        if this_image() == 0 {
            pt.at(image(5)).member(|point| point.x).put(1);
            assert_eq!(field!(pt.at(image(5)), x).get(), 1);
        }
    }
    let x = if this_image() == image(5) { 1 } else { 5 };
    assert_eq!(*pt, Point { x, y: 6 });
}

/// A word of any length: only its length and the address of its letters are trivially gettable.
#[derive(Clone, Copy, Remote)]
#[repr(C)]
struct Word {
    letters: Coptr<u8>,
    length: usize,
}

impl RemoteClone for Word {
    type Local = String;

    fn remote_clone<A: Access>(place: &Coref<Self, A>) -> String {
        let word = place.get();
        let bytes = (0..word.length).map(|letter| {
            // SAFETY: the letters are in a coarray that is open when words are cloned in this test.
            let letter = unsafe { word.letters.offset(letter as isize).as_coref() };
            letter.unwrap().get()
        });
        String::from_utf8(bytes.collect()).unwrap()
    }
}

/// 3.3: as a `coref` converts to a `const_coref`.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn corefs_that_only_get_are_made_of_those_that_put() {
    fn second(x: &Coref<[i32; 3], ReadOnly>) -> i32 {
        x[1].get()
    }
    let mut x = Coarray::new([this_image() as i32, 7, 0]);
    let x = x.open();
    let place = x.at(image(2));
    assert_eq!(
        (second(place.read_only()), place[0].read_only().get()),
        (7, image(2) as i32)
    );
}

/// 3.4: a type that defines how it is fetched. Types that cannot be put do not live in coarrays, see
/// `compile_fail/coarray_of_string.rs`.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_type_that_is_not_trivial_has_a_remote_copy_constructor() {
    let text = |image: usize| "coarray".repeat(image + 1);
    let mine = text(this_image()).into_bytes();
    let mut letters = Coarray::<[u8]>::zeroed(7 * num_images());
    letters[..mine.len()].copy_from_slice(&mine);
    let mut words = Coarray::new(Word {
        letters: Coptr::null(),
        length: mine.len(),
    });
    let (letters, words) = coarray::open((&mut letters, &mut words));
    field!(words.here(), letters).put(letters.here()[0].address());
    sync_all();
    for image in 0..num_images() {
        assert_eq!(words.at(image).remote_clone(), text(image));
    }
}

/// 3.5, the listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn copointers_fill_the_array_on_another_image() {
    let mut x = Coarray::<[i32; 100]>::zeroed();
    {
        let x = x.open();
        if this_image() == 0 {
            let begin = x.at(image(2))[0].address();
            let end = x.at(image(2))[99].address().offset(1);
            let mut place = begin;
            while place != end {
                // SAFETY: `x` is open, and the place lies between two of its items.
                unsafe { place.as_coref() }.unwrap().put(42);
                place = place.offset(1);
            }
            assert_eq!(end.offset_from(begin), Some(100));
            assert_eq!(place.image(), Some(image(2)));
        }
    }
    let expected = if this_image() == image(2) { 42 } else { 0 };
    assert_eq!(*x, [expected; 100]);
}

/// 3.5: iterators with the algorithms of the standard library, and `const_coptr`.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn copointers_are_iterators() {
    let mut x = Coarray::<[i32; 100]>::zeroed();
    let x = x.open();
    let begin = x.at(image(2))[0].address();
    let end = begin + 100;
    if this_image() == 0 {
        // SAFETY: `x` is open, and the places lie in it.
        let places = begin.up_to(end).map(|place| unsafe { place.as_coref() });
        places.flatten().for_each(|place| place.put(42));
    }
    sync_all();
    let mut p: Coptr<i32, ReadOnly> = begin.into();
    while p < end.read_only() {
        // SAFETY: `x` is open, and the place lies in it.
        assert_eq!(unsafe { p.as_coref() }.unwrap().get(), 42);
        p += 1;
    }
    assert_eq!((p - begin.read_only(), end - begin), (100, 100));
}

/// 3.5: null, and the way back to local pointers.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn copointers_are_null_or_convert_to_local_pointers() {
    let mut x = Coarray::new(this_image());
    let x = x.open();
    for image in 0..num_images() {
        let place = x.at(image);
        match place.address().to_local() {
            // SAFETY: the place lives while `x` is open, and nobody writes to it.
            Some(local) => assert_eq!(unsafe { local.read() }, image),
            None => assert!(image != this_image() && !place.is_direct()),
        }
    }
    assert!(Coptr::<usize>::null().to_local().is_none());
}

/// 3.6, first listing. It writes to image 0, too, which has no items; this test does not.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_coarray_of_pointers_holds_a_different_amount_on_each_image() {
    let me = this_image();
    let mut x = Ragged::from_fn(me * 10, |_| 0);
    if me > 0 {
        x[0] = me;
        x[4] = me;
    }
    let x = x.open();
    assert_eq!(x.at(image(2)).len(), image(2) * 10);
    if image(2) > 0 && image(3) > 0 {
        let mut y = x.at(image(2))[0].get();
        y += x.at(image(3))[4].get();
        assert_eq!(y, image(2) + image(3));
    }
}

/// 3.6, of several pointers: `coarray<int*[3]>`.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_coarray_of_several_pointers_holds_as_many_runs_on_each_image() {
    let me = this_image();
    let mut x = RaggedRows::from_fn(3, |row| vec![row; me * row]);
    if me > 0 {
        x[2][me] = me;
    }
    let x = x.open();
    for image in 0..num_images() {
        let lengths = x.at(image).rows().into_iter().map(Coref::len);
        assert!(lengths.eq([0, image, 2 * image]));
    }
    if image(2) > 0 {
        let y = x.at(image(2)).row(2)[image(2)].get() + x.at(image(2)).row(1)[0].get();
        assert_eq!(y, image(2) + 1);
    }
}

/// 3.6, second listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn the_extra_read_is_hoisted_by_a_copointer() {
    let mut x = Ragged::from_fn(30 + this_image() * 10, |i| 100 * this_image() + i);
    let x = x.open();
    let p: Coptr<usize> = x.at(image(3))[0].address();
    for i in 0..30 {
        // SAFETY: `x` is open, and has at least 30 items everywhere.
        let item = unsafe { p.offset(i).as_coref() }.unwrap();
        assert_eq!(item.get(), 100 * image(3) + i as usize);
    }
}

/// 3.7. Passing by value gives the coarray away, see `compile_fail/used_after_move.rs`; a copy of it would
/// be an array, see `compile_fail/cloned.rs`.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn coarrays_are_passed_to_functions_by_reference() {
    fn sum(x: &Coarray<[usize; 4]>) -> usize {
        x.iter().sum()
    }
    fn increment(x: &mut Coarray<[usize; 4]>) {
        let x = x.open();
        x.at(image(this_image() + 1))[0].put(1);
    }
    let mut x = Coarray::<[usize; 4]>::zeroed();
    assert_eq!(sum(&x), 0);
    increment(&mut x);
    assert_eq!(sum(&x), 1);
}
