//! Locks, coatomics, and what programs make of them.

use coarray::atomics::{AsyncCoatomicPlace, CoatomicList};
use coarray::image_fence;
use coarray::locks::critical;
use coarray::prelude::*;

use crate::program::until;

pub fn counter_in_a_mutex() {
    const TURNS: usize = 3;
    let counter = Coarray::new(Comutex::new([0; 4]));
    for _ in 0..TURNS {
        let mut counter = counter.at(0).lock();
        let value = counter.get();
        counter.put(value.map(|value| value + 1));
    }
    sync_all();
    assert_eq!(counter.at(0).lock().get(), [TURNS * num_images(); 4]);
}

pub fn counter_in_a_critical_section() {
    let mut count = Coarray::new(0);
    let count = count.open();
    let place = count.at(num_images() - 1);
    (0..2).for_each(|_| critical(|| place.put(place.get() + 1)));
    sync_all();
    assert_eq!(place.get(), 2 * num_images());
}

/// Who takes the lower fork first never waits in a circle.
pub fn philosophers_who_eat() {
    let forks = Coarray::new(Comutex::new(0));
    let (left, right) = (this_image(), (this_image() + 1) % num_images());
    for _ in 0..2 {
        let mut first = forks.at(left.min(right)).lock();
        let mut second = forks.at(left.max(right)).lock();
        first.update(|meals| *meals += 1);
        second.update(|meals| *meals += 1);
    }
    sync_all();
    assert_eq!(forks.lock().get(), 4);
}

/// T. E. Anderson, 1990: tickets are served in turn. What was put before the end of a turn is there in the next.
pub fn ticket_lock() {
    let (next, serving) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::new(Coatomic::new(0)),
    );
    let (next, serving) = (next.at(0), serving.at(0));
    let mut count = Coarray::new(0);
    let count = count.open();
    let place = count.at(num_images() - 1);
    for _ in 0..2 {
        let ticket = next.fetch_add(1);
        until(|| serving.load() == ticket);
        image_fence();
        place.put(place.get() + 1);
        image_fence();
        serving.store(ticket + 1);
    }
    sync_all();
    assert_eq!(place.get(), 2 * num_images());
}

/// Treiber's stack: the head counts its changes in the upper half. Each image pushes and pops nodes of its own and of others.
pub fn stack_with_tags() {
    let (me, images) = (this_image(), num_images());
    let head = Coarray::new(Coatomic::new(0u64));
    let next = Coarray::<[Coatomic<u64>]>::from_fn(1 + images, |_| Coatomic::new(0));
    let (head, next) = (head.at(0), next.at(0));
    let changed = |old: u64, node: u64| node | ((old >> 32) + 1) << 32;
    let push = |node: u64| loop {
        let old = head.load();
        next[node as usize].store(u64::from(old as u32));
        image_fence();
        if head.compare_exchange(old, changed(old, node)).is_ok() {
            return;
        }
    };
    let pop = || loop {
        let old = head.load();
        let node = u64::from(old as u32);
        if node == 0 {
            return None;
        }
        image_fence();
        let following = next[node as usize].load();
        if head.compare_exchange(old, changed(old, following)).is_ok() {
            return Some(node);
        }
    };
    push(me as u64 + 1);
    let one = pop().expect("every image pushes before it pops");
    push(one);
    let sum = co_sum_of(pop().unwrap_or(0));
    assert_eq!(sum, (1..=images as u64).sum());
    sync_all();
    assert_eq!(pop(), None);
}

/// As `examples/work_queue`: a counter hands out the items.
pub fn work_from_a_counter() {
    const ITEMS: usize = 5;
    let next = Coarray::new(Coatomic::new(0));
    let mut done = Coarray::<[usize; ITEMS]>::zeroed();
    {
        let done = done.open();
        loop {
            let item = next.at(0).fetch_add(1);
            if item >= ITEMS {
                break;
            }
            done.at(0)[item].put(item + 1);
        }
    }
    if this_image() == 0 {
        assert_eq!(*done, [1, 2, 3, 4, 5]);
    }
}

/// As `examples/work_queue`: who is done takes half of what another one has left.
pub fn work_that_is_stolen() {
    let (me, images) = (this_image(), num_images());
    let queues = Coarray::new(Comutex::new([
        4 * me,
        4 * me + 3 * usize::from(me == 0) + 1,
    ]));
    let take = || {
        queues.at(me).lock().update(|[first, end]| {
            let item = (first < end).then_some(*first)?;
            *first += 1;
            Some(item)
        })
    };
    let steal = || {
        let [item, end] = (1..images).find_map(|distance| {
            queues
                .at((me + distance) % images)
                .lock()
                .update(|[first, end]| {
                    let middle = *first + (*end - *first) / 2;
                    let stolen = (middle < *end).then_some([middle, *end]);
                    *end = middle;
                    stolen
                })
        })?;
        queues.at(me).lock().put([item + 1, end]);
        Some(item)
    };
    let mut sum = 0;
    while let Some(item) = take().or_else(steal) {
        sum += item;
    }
    let others: usize = (1..images).map(|image| 4 * image).sum();
    assert_eq!(co_sum_of(sum), 1 + 2 + 3 + others);
}

/// The last image to come begins the next turn, for which the others wait.
pub fn barrier_of_ones_own() {
    let images = num_images();
    let (count, turn) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::new(Coatomic::new(0)),
    );
    let (count, turn) = (count.at(0), turn.at(0));
    let mut x = Coarray::<[usize; 3]>::zeroed();
    let x = x.open();
    let next = (this_image() + 1) % images;
    for step in 0..3 {
        x.at(next)[step].put(step + 1);
        image_fence();
        let now = turn.load();
        if count.fetch_add(1) + 1 == images {
            count.store(0);
            image_fence();
            turn.add(1);
        } else {
            until(|| turn.load() != now);
        }
        image_fence();
        assert_eq!(x.here()[step].get(), step + 1);
    }
}

/// What one writes, others read whole.
pub fn sequence_lock() {
    let number = Coarray::new(Coatomic::new(0));
    let words = Coarray::<[Coatomic<u32>; 2]>::from_fn(|_| Coatomic::new(0));
    let number = number.at(0);
    if this_image() == 0 {
        for value in 1..3 {
            number.add(1);
            image_fence();
            words.iter().for_each(|word| word.store(value));
            image_fence();
            number.add(1);
        }
        return;
    }
    let mut last = 0;
    while last < 2 {
        let before = number.load();
        image_fence();
        let seen = [0, 1].map(|index| words.at(0)[index].load());
        image_fence();
        if before % 2 == 0 && number.load() == before {
            assert!(
                seen[0] == seen[1] && seen[0] >= last,
                "{seen:?} after {last}"
            );
            last = seen[0];
        }
    }
}

/// Many readers, or one writer (-1).
pub fn lock_of_readers_and_writers() {
    let inside = Coarray::new(Coatomic::new(0));
    let inside = inside.at(0);
    let mut x = Coarray::new([0; 2]);
    let x = x.open();
    let x = x.at(0);
    let reads = || {
        until(|| {
            let readers = inside.load();
            readers >= 0 && inside.compare_exchange(readers, readers + 1).is_ok()
        });
        image_fence();
        let [one, other] = x.get();
        assert_eq!(one, other);
        image_fence();
        inside.sub(1);
    };
    reads();
    until(|| inside.compare_exchange(0, -1).is_ok());
    image_fence();
    let [value, _] = x.get();
    x[0].put(value + 1);
    x[1].put(value + 1);
    image_fence();
    inside.store(0);
    reads();
    sync_all();
    assert_eq!(x.get(), [num_images(); 2]);
}

/// D. Vyukov's bounded queue: a number in each slot says whose turn it is.
pub fn queue_of_many_producers() {
    const SLOTS: usize = 2;
    const EACH: usize = 2;
    let tail = Coarray::new(Coatomic::new(0));
    let turns = Coarray::<[Coatomic<usize>; SLOTS]>::from_fn(Coatomic::new);
    let values = Coarray::<[Coatomic<usize>; SLOTS]>::from_fn(|_| Coatomic::new(0));
    let (me, images) = (this_image(), num_images());
    if me > 0 {
        for item in 0..EACH {
            let position = tail.at(0).fetch_add(1);
            let slot = position % SLOTS;
            until(|| turns.at(0)[slot].load() == position);
            image_fence();
            values.at(0)[slot].store(10 * me + item);
            image_fence();
            turns.at(0)[slot].store(position + 1);
        }
        return;
    }
    let mut next = vec![0; images];
    for position in 0..EACH * (images - 1) {
        let slot = position % SLOTS;
        turns[slot].wait_until(|turn| turn == position + 1);
        image_fence();
        let value = values[slot].load();
        image_fence();
        turns[slot].store(position + SLOTS);
        assert_eq!(
            value % 10,
            next[value / 10],
            "in the order of each producer"
        );
        next[value / 10] += 1;
    }
    assert!(next[1..].iter().all(|&count| count == EACH));
}

/// A task makes two others, for other images; all end when none is unfinished.
pub fn tasks_that_make_tasks() {
    let (me, images) = (this_image(), num_images());
    let tasks = Coarray::<[Coatomic<u64>; 3]>::from_fn(|depth| {
        Coatomic::new(u64::from(depth == 2 && this_image() == 0))
    });
    let unfinished = Coarray::new(Coatomic::new(1));
    let unfinished = unfinished.at(0);
    let mut done = 0;
    while unfinished.load() > 0 {
        let Some(depth) = (0..3).find(|&depth| tasks[depth].load() > 0) else {
            continue;
        };
        tasks[depth].sub(1);
        if depth > 0 {
            unfinished.add(2);
            image_fence();
            (1..3).for_each(|child| tasks.at((me + child) % images)[depth - 1].add(1));
        }
        done += 1;
        unfinished.sub(1);
    }
    assert_eq!(co_sum_of(done), 7);
}

/// Asynchronous operations on one coatomic take effect in the order of their image, each once; what they return is known when they are waited for.
pub fn atomic_operations_in_flight() {
    let (next, mine) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::<[Coatomic<usize>]>::from_fn(3, |_| Coatomic::new(0)),
    );
    let (me, images) = (this_image(), num_images());
    let tickets = [0; 2].map(|_| next.at(0).fetch_add_async(1));
    let place = &mine.at((me + 1) % images)[0];
    place.store_async(me + 1);
    place.add_async(10);
    let before = place.swap_async(7);
    mine.at(me).add_at_async(&[1, 2, 1], &[1, 1, 1]);
    assert_eq!(mine[1].load(), 2, "one's own come first");
    let [first, second] = tickets.map(|ticket| ticket.wait());
    assert!(first < second && second < 2 * images);
    assert!(
        next.at(0).load() > second,
        "what is waited for has taken effect"
    );
    assert_eq!(before.wait(), me + 11);
    sync_all();
    let values = [0, 1, 2].map(|index| mine[index].load());
    assert_eq!((next.at(0).load(), values), (2 * images, [7, 2, 1]));
}
