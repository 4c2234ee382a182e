//! 12. Ragged data and copointers.

use coarray::image_fence;
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::ring::right;

/// The section.
pub const SECTION: Section = Section {
    number: 12,
    title: "ragged data and copointers",
    clauses: &[
        Clause::new(
            "12.1",
            "each image has a run of its own length, which all know",
            lengths,
        ),
        Clause::new("12.2", "items of runs are put and got", items),
        Clause::new(
            "12.3",
            "an image replaces its run without the others, while it is closed",
            replace,
        ),
        Clause::new(
            "12.4",
            "runs are read by all while they are published",
            publish,
        ),
        Clause::new(
            "12.5",
            "runs that were replaced leave no memory behind",
            reuse,
        ),
        Clause::new("12.6", "a run is fetched whole", remote_clone),
        Clause::new(
            "12.7",
            "a copointer means the same place on every image",
            copointers_travel,
        ),
        Clause::new(
            "12.8",
            "arithmetic of copointers stays on the image",
            arithmetic,
        ),
        Clause::new("12.9", "lists linked by copointers span images", lists),
        Clause::new(
            "12.10",
            "copointers are exchanged as atomic words",
            atomic_copointers,
        ),
        Clause::new(
            "12.11",
            "copointers of one image are ordered as their places are, those of different images are not",
            order,
        ),
        Clause::new(
            "12.12",
            "each image has several rows, each of its own length, which it replaces by itself and all reach",
            rows,
        ),
    ],
};

/// The length of the run of `image`; image 1 has none.
fn length(image: usize) -> usize {
    if image == 1 { 0 } else { 100 * image + 3 }
}

fn lengths(check: &mut Check) {
    let mut x = Ragged::from_fn(length(this_image()), |i| i as u32);
    check.same("own length", x.len(), length(this_image()));
    let x = x.open();
    for image in 0..num_images() {
        check.same("a length", x.at(image).len(), length(image));
        check.same("whether it is empty", x.at(image).is_empty(), image == 1);
    }
}

fn items(check: &mut Check) {
    let me = this_image();
    let mut x = Ragged::from_fn(length(me) + num_images(), |i| (1000 * me + i) as u64);
    {
        let x = x.open();
        for image in 0..num_images() {
            let place = x.at(image);
            if image != 1 {
                let last = place.len() - num_images() - 1;
                check.same("an item", place[last].get(), (1000 * image + last) as u64);
            }
            place[place.len() - 1 - me].put(me as u64);
        }
        sync_all();
        let seen = x.at(right(1)).to_vec();
        check.same("the last item", seen.last().copied(), Some(0));
    }
    let mut expected: Vec<u64> = (0..length(me)).map(|i| (1000 * me + i) as u64).collect();
    expected.extend((0..num_images() as u64).rev());
    check.same_items("the run", &x, &expected);
}

fn replace(check: &mut Check) {
    let mut x = Ragged::<u16>::empty();
    for round in 0..20 {
        let new_length = |image: usize| (image * 37 + round * 11) % 200;
        if round % 3 != this_image() % 3 || round == 0 {
            x.replace(new_length(this_image()), |i| (i + round) as u16);
        }
        let mut lengths = Coarray::new(x.len());
        let lengths = lengths.publish();
        let x = x.open();
        for image in 0..num_images() {
            check.same("a length", x.at(image).len(), lengths.at(image).get());
            let items = x.at(image).to_vec();
            let rising = items.windows(2).all(|pair| pair[1] == pair[0] + 1);
            check.that(rising, || format!("the run of image {image}: {items:?}"));
        }
    }
}

fn publish(check: &mut Check) {
    let mut x = Ragged::from_fn(length(this_image()), |i| i as f64);
    for round in 0..5 {
        if let Some(first) = x.first_mut() {
            *first = f64::from(round);
        }
        let x = x.publish();
        for image in (0..num_images()).filter(|&image| image != 1) {
            let last = length(image) - 1;
            check.same("the first", x.at(image)[0].get(), f64::from(round));
            check.same("the last", x.at(image)[last].get(), last as f64);
            if let Some(run) = x.try_ref(image) {
                check.same_items("the run itself", run, &x.at(image).to_vec());
            }
        }
    }
}

fn reuse(check: &mut Check) {
    let mut x = Ragged::<u64>::empty();
    for round in 0..100_usize {
        let length = 1000 + 4000 * ((round + this_image()) % 7);
        // Together more than the heap of any job of the driver.
        if let Err(error) = x.try_replace(40 * length, |i| i as u64) {
            check.that(false, || format!("in round {round}: {error}"));
        }
    }
    check.same(
        "the last item",
        x.last().copied(),
        x.len().checked_sub(1).map(|last| last as u64),
    );
}

fn remote_clone(check: &mut Check) {
    let mut x = Ragged::from_fn(length(this_image()), |i| i % 3 == 0);
    let x = x.open();
    for image in 0..num_images() {
        let expected: Vec<bool> = (0..length(image)).map(|i| i % 3 == 0).collect();
        check.same_items("the run", &x.at(image).remote_clone(), &expected);
    }
}

fn rows(check: &mut Check) {
    let me = this_image();
    let length = |image: usize, row: usize, round: usize| (image * 5 + row * 3 + round) % 7;
    let mut x = RaggedRows::<u32>::empty(4);
    for round in 0..5 {
        // Each round other rows are replaced, on each image others.
        let of = |image: usize, row: usize| match (image + row + round) % 2 {
            0 => length(image, row, round),
            _ if round == 0 => 0,
            _ => length(image, row, round - 1),
        };
        for row in (0..4).filter(|row| (me + row + round).is_multiple_of(2)) {
            x.replace(row, of(me, row), |i| (100 * me + 10 * row + i) as u32);
        }
        let expected = |image: usize, row: usize| -> Vec<u32> {
            let first = (100 * image + 10 * row) as u32;
            (first..first + of(image, row) as u32).collect()
        };
        let published = x.publish();
        for image in 0..num_images() {
            for row in 0..4 {
                let part = published.at(image);
                check.same_items("a row", &part.row(row).to_vec(), &expected(image, row));
                if let Some(lent) = part.try_ref(row) {
                    check.same_items("the row itself", lent, &expected(image, row));
                }
            }
        }
        published.close();
        let open = x.open();
        for (row, place) in open.at(right(1)).rows().into_iter().enumerate() {
            let doubled: Vec<u32> = place.to_vec().iter().map(|item| 2 * item).collect();
            check.same("a length", place.len(), of(right(1), row));
            place.put_from(&doubled);
        }
        open.close();
        for (row, items) in x.iter_mut().enumerate() {
            let doubled: Vec<u32> = expected(me, row).iter().map(|item| 2 * item).collect();
            check.same_items("what was put", items, &doubled);
            items.iter_mut().for_each(|item| *item /= 2);
        }
    }
}

fn copointers_travel(check: &mut Check) {
    let mut x = Coarray::<[u64; 10]>::zeroed();
    let mut pointers = Coarray::<[Coptr<u64>]>::from_fn(num_images(), |_| Coptr::null());
    check.that(pointers[0].is_null(), || "it is not null".into());
    let (x, pointers) = coarray::open((&mut x, &mut pointers));
    // Every image gets a pointer to the neighbour's item.
    let item = &x.at(right(1))[this_image() % 10];
    for to in 0..num_images() {
        pointers.at(to)[this_image()].put(item.address());
    }
    sync_all();
    for from in 0..num_images() {
        let pointer = pointers.here()[from].get();
        let image = (from + 1) % num_images();
        check.same("the image pointed to", pointer.image(), Some(image));
        let expected = x.at(image)[from % 10].address();
        check.same("the pointer", pointer, expected);
        if image == this_image() {
            check.that(pointer.to_local().is_some(), || {
                "its own is not local".into()
            });
        }
    }
}

fn arithmetic(check: &mut Check) {
    let mut x = Coarray::<[u32; 100]>::zeroed();
    let x = x.open();
    for image in 0..num_images() {
        let first = x.at(image)[0].address();
        let last = x.at(image)[99].address();
        check.same("99 further on", first.offset(99), last);
        check.same("99 back", last.offset(-99), first);
        check.same("the distance", last.offset_from(first), Some(99));
        check.same("the image", last.offset(-50).image(), Some(image));
        if image > 0 {
            let other = x.at(0)[0].address();
            check.same(
                "the distance between images",
                first.offset_from(other),
                None,
            );
        }
    }
}

fn order(check: &mut Check) {
    let mut x = Coarray::<[u32; 100]>::zeroed();
    let x = x.open();
    for image in 0..num_images() {
        let first = x.at(image)[0].address();
        let rising = first.up_to(first + 100).is_sorted();
        check.that(rising, || format!("those of image {image} do not rise"));
        let (some, end) = (first + 57, first + 100);
        check.same("the distance", end - some, 43);
        check.that(first < some && end > some, || "57 is not between".into());
        let other = x.at((image + 1) % num_images())[0].address();
        let compared = some.partial_cmp(&other).is_some();
        check.same("whether they compare", compared, num_images() == 1);
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Node {
    value: u64,
    next: Coptr<Node>,
}

fn lists(check: &mut Check) {
    const LENGTH: usize = 20;
    let null = Coptr::null();
    let mut nodes = Coarray::<[Node; LENGTH]>::from_fn(|_| Node {
        value: 0,
        next: null,
    });
    let nodes = nodes.open();
    // The nodes with the same number form a list through all images.
    for number in 0..LENGTH {
        let next = match this_image() + 1 == num_images() {
            true => null,
            false => nodes.at(right(1))[number].address(),
        };
        let value = (100 * number + this_image()) as u64;
        nodes.here()[number].put(Node { value, next });
    }
    sync_all();
    for number in (0..LENGTH).filter(|number| number % num_images() == this_image()) {
        let mut values = Vec::new();
        let mut pointer = nodes.at(0)[number].address();
        // SAFETY: the pointers are null, or were made from places in `nodes`, which is open; the only operation on
        // the coref is a get that completes at once.
        while let Some(node) = unsafe { pointer.as_coref() } {
            let node = node.get();
            values.push(node.value);
            pointer = node.next;
        }
        let expected: Vec<u64> = (0..num_images())
            .map(|image| (100 * number + image) as u64)
            .collect();
        check.same_items("the values of a list", &values, &expected);
    }
}

fn atomic_copointers(check: &mut Check) {
    const NODES: usize = 20;
    let null = Coptr::null();
    let head = Coarray::new(Coatomic::new(Coptr::<Node>::null()));
    let mut nodes = Coarray::<[Node; NODES]>::from_fn(|_| Node {
        value: 0,
        next: null,
    });
    let nodes = nodes.open();
    // All images push their nodes to one stack.
    for number in 0..NODES {
        let node = &nodes.here()[number];
        let value = (this_image() * NODES + number) as u64;
        let mut next = head.at(0).load();
        loop {
            node.put(Node { value, next });
            image_fence();
            match head.at(0).compare_exchange(next, node.address()) {
                Ok(_) => break,
                Err(other) => next = other,
            }
        }
    }
    sync_all();
    let all = NODES * num_images();
    let mut seen = vec![0; all];
    let mut pointer = head.at(0).load();
    for _ in 0..=all {
        // SAFETY: the pointer is null, or was made from a place in `nodes`, which is open; the only operation on the
        // coref is a get that completes at once.
        let Some(node) = (unsafe { pointer.as_coref() }) else {
            break;
        };
        let Node { value, next } = node.get();
        if let Some(times) = seen.get_mut(value as usize) {
            *times += 1;
        }
        pointer = next;
    }
    check.same_items("how often each node is on the stack", &seen, &vec![1; all]);
}
