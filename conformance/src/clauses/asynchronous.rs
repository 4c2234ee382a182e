//! 4. Asynchronous transfers.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use coarray::asynchronous::{Cofuture, CofutureSet, async_scope};
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::parcel::Parcel;
use crate::patience::patience;
use crate::ring::{left, right};

/// The section.
pub const SECTION: Section = Section {
    number: 4,
    title: "asynchronous transfers",
    clauses: &[
        Clause::new(
            "4.1",
            "a get that was waited for has the value of the place",
            gets,
        ),
        Clause::new(
            "4.2",
            "a put that was waited for has stored its value",
            puts,
        ),
        Clause::new(
            "4.3",
            "many transfers may be under way, and be waited for in any order",
            many,
        ),
        Clause::new(
            "4.4",
            "a set of cofutures gives each result once, under its index",
            sets,
        ),
        Clause::new(
            "4.5",
            "a transfer gets ready while its image only asks whether it is",
            readiness,
        ),
        Clause::new("4.6", "a cofuture is a future of std", futures),
        Clause::new(
            "4.7",
            "a put whose cofuture was dropped is done when the phase ends",
            dropped,
        ),
        Clause::new(
            "4.8",
            "buffers lent to a scope are filled and read when the scope ends",
            scopes,
        ),
        Clause::new(
            "4.9",
            "asynchronous transfers of an image at a place are in order",
            order,
        ),
        Clause::new(
            "4.10",
            "a wait completes what was issued to the same image before",
            earlier_ones,
        ),
        Clause::new("4.11", "long transfers arrive whole", long),
    ],
};

fn gets(check: &mut Check) {
    let mut x = Coarray::new(Parcel::of(3, this_image()));
    let x = x.open();
    for image in 0..num_images() {
        let got = x.at(image).get_async().wait();
        check.same("a parcel", got, Parcel::of(3, image));
    }
}

fn puts(check: &mut Check) {
    let mut x = Coarray::<[Parcel]>::from_fn(num_images(), |_| Parcel::none());
    let x = x.open();
    for image in 0..num_images() {
        let place = &x.at(image)[this_image()];
        place.put_async(Parcel::of(1, this_image())).wait();
        Parcel::of(1, this_image()).look_for(check, place);
    }
    sync_all();
    for from in 0..num_images() {
        Parcel::of(1, from).look_for(check, &x.here()[from]);
    }
}

fn many(check: &mut Check) {
    const MANY: usize = 300;
    let mut x = Coarray::<[u64; MANY]>::zeroed();
    let x = x.open();
    let places = x.at(right(1));
    let puts: Vec<_> = (0..MANY)
        .map(|i| places[i].put_async(7 * i as u64))
        .collect();
    for put in puts.into_iter().rev() {
        put.wait();
    }
    let gets: Vec<_> = (0..MANY).map(|i| places[i].get_async()).collect();
    for (i, get) in gets.into_iter().enumerate().rev() {
        check.same(format_args!("item {i}"), get.wait(), 7 * i as u64);
    }
}

fn sets(check: &mut Check) {
    let mut x = Coarray::<[usize; 20]>::from_fn(|i| 100 * this_image() + i);
    let x = x.open();
    let place = x.at(right(1));
    let mut set: CofutureSet<usize> = place.iter().map(Coref::get_async).collect();
    let mut came = [0; 20];
    while let Some((index, value)) = set.wait_any() {
        came[index] += 1;
        check.same(format_args!("item {index}"), value, 100 * right(1) + index);
    }
    check.same("how often each came", came, [1; 20]);
    let set: CofutureSet<usize> = place.iter().map(Coref::get_async).collect();
    let expected: Vec<usize> = (0..20).map(|i| 100 * right(1) + i).collect();
    check.same_items("all", &set.wait_all(), &expected);
}

fn readiness(check: &mut Check) {
    let mut x = Coarray::<[[u64; 1000]; 2]>::from_fn(|_| [this_image() as u64; 1000]);
    let x = x.open();
    let get = x.at(right(1))[0].get_async();
    let put = x.at(right(1))[1].put_async([7; 1000]);
    let deadline = Instant::now() + patience();
    while !(get.is_ready() && put.is_ready()) && Instant::now() < deadline {
        std::thread::yield_now();
    }
    check.that(get.is_ready(), || "the get never got ready".into());
    check.that(put.is_ready(), || "the put never got ready".into());
    check.same_items("what came", &get.wait(), &[right(1) as u64; 1000]);
}

fn futures(check: &mut Check) {
    let mut x = Coarray::<[usize; 2]>::from_fn(|i| 10 * this_image() + i);
    let x = x.open();
    let place = x.at(right(1));
    let mut sum = pin!(async { place[0].get_async().await + place[1].get_async().await });
    let deadline = Instant::now() + patience();
    let seen = loop {
        match sum.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(seen) => break Some(seen),
            Poll::Pending if Instant::now() >= deadline => break None,
            Poll::Pending => std::thread::yield_now(),
        }
    };
    check.same("the sum of both", seen, Some(20 * right(1) + 1));
}

fn dropped(check: &mut Check) {
    for round in 1..=20 {
        let mut x = Coarray::<[Parcel]>::from_fn(num_images(), |_| Parcel::none());
        {
            let x = x.open();
            for image in 0..num_images() {
                drop(x.at(image)[this_image()].put_async(Parcel::of(round, this_image())));
            }
        }
        for from in 0..num_images() {
            check.same("a parcel", x[from], Parcel::of(round, from));
        }
    }
}

fn scopes(check: &mut Check) {
    let mut x = Coarray::<[[char; 50]; 2]>::from_fn(|_| ['a'; 50]);
    {
        let x = x.open();
        let place = x.at(right(1));
        let (mut waited, mut left_alone, source) = (['-'; 25], ['-'; 25], ['ß'; 50]);
        async_scope(|scope| {
            let get = place[0][..25].get_into_async(&mut waited[..], scope);
            drop(place[0][25..].get_into_async(&mut left_alone[..], scope));
            drop(place[1].put_from_async(&source, scope));
            check.same_items("what was waited for", get.wait(), &['a'; 25]);
        });
        check.same_items("what nobody waited for", &left_alone, &['a'; 25]);
    }
    check.same_items(
        "what was put",
        x.as_flattened(),
        [['a'; 50], ['ß'; 50]].as_flattened(),
    );
}

fn order(check: &mut Check) {
    let mut x = Coarray::<[[u64; 2]]>::zeroed(num_images());
    {
        let x = x.open();
        let place = &x.at(right(1))[this_image()];
        for round in (1..60).map(|round| 10 * round) {
            drop(place[0].put_async(round));
            drop(place.put_async([round + 1, round + 2]));
            let get = place.get_async();
            drop(place[1].put_async(round + 3));
            check.same(
                "what was there meanwhile",
                get.wait(),
                [round + 1, round + 2],
            );
        }
    }
    check.same("what stayed", x[left(1)], [591, 593]);
}

fn earlier_ones(check: &mut Check) {
    let mut x = Coarray::<[[u64; 6]]>::zeroed(num_images());
    let x = x.open();
    let places = &x.at(right(1))[this_image()];
    for round in 1..60 {
        let puts: Vec<_> = places.iter().map(|place| place.put_async(round)).collect();
        places[0].get_async().wait();
        check.that(puts.iter().rev().all(Cofuture::is_ready), || {
            "a put that was issued before is not complete".into()
        });
        check.same("the values", places.get(), [round; 6]);
    }
}

fn long(check: &mut Check) {
    const WORDS: usize = 1 << 15;
    let values =
        |image: usize| -> Vec<u64> { (0..WORDS).map(|i| (i << 8 | image) as u64).collect() };
    let mut x = Coarray::<[u64]>::zeroed(WORDS);
    {
        let x = x.open();
        let source = values(this_image());
        let mut target = vec![0; WORDS];
        async_scope(|scope| x.at(right(1)).put_from_async(&source[..], scope).wait());
        sync_all();
        async_scope(|scope| drop(x.at(right(2)).get_into_async(&mut target[..], scope)));
        check.same_items("what was got", &target, &values(right(1)));
    }
    check.same_items("what was put", &x, &values(left(1)));
}
