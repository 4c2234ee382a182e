//! Puts with signal, between images that are threads here, or processes in the tests of a fabric.

use std::ptr::NonNull;
use std::sync::{Arc, Barrier};
use std::thread;

use super::{Signal, SignalOperation};
use crate::memory::nodes::Nodes;
use crate::memory::region::{Areas, Region, RegionOwner};
use crate::transport::fabric::Fabric;
use crate::transport::request::Buffer;
use crate::transport::shared_memory::SharedMemory;

/// None, a word, a page, and too much for any buffer.
const LENGTHS: [usize; 4] = [0, 8, 4096, 1 << 20];

const MOST: usize = 1 << 20;

/// Where in the heap of each image the signal word is, what is put with it, and what is put to a third image.
const WORD: usize = 0;
const BYTES: usize = 64;
const LONG: usize = 128 + MOST;

/// Bytes of the heap that are used.
const HEAP: usize = LONG + MOST;

/// One image of a ring.
pub(crate) struct Member<'a> {
    pub(crate) fabric: &'a dyn Fabric,
    pub(crate) me: usize,
    pub(crate) images: usize,
    /// The offset of the heap in each part.
    pub(crate) heap: usize,
    /// This image's own heap.
    pub(crate) own: NonNull<u8>,
    pub(crate) barrier: &'a dyn Fn(),
}

impl Member<'_> {
    fn word(&self) -> u64 {
        // SAFETY: the word lies in the heap, aligned, and is accessed as a signal only.
        unsafe { self.own.add(WORD).cast::<Signal>().as_ref() }.sum()
    }

    fn has(&self, start: usize, length: usize, byte: u8) -> bool {
        // SAFETY: the bytes lie in the heap, and who has put there waits in a barrier.
        (start..start + length).all(|at| unsafe { self.own.add(at).read_volatile() } == byte)
    }
}

/// Collective. Each image puts with signal to the next, while a long put to the one after that is in flight.
pub(crate) fn bytes_are_there_when_the_signal_is_seen(member: &Member<'_>, rounds: usize) {
    let &Member { fabric, heap, .. } = member;
    let [next, third] = [1, 2].map(|distance| (member.me + distance) % member.images);
    let operations = [SignalOperation::Set, SignalOperation::Add];
    let calls = LENGTHS.map(|length| operations.map(|operation| (length, operation)));
    let mut value = 0;
    for (length, operation) in calls.as_flattened().repeat(rounds) {
        let amount = match operation(0) {
            SignalOperation::Set(_) => value + 3,
            SignalOperation::Add(_) => 3,
        };
        value += 3;
        let byte = value as u8;
        let mut source = vec![byte; length];
        // SAFETY: the places lie in heaps, which only the fabric uses; the buffer is the operation's own. The word is aligned, and only
        // signals change it.
        unsafe {
            let long = Buffer::Owned(vec![byte; MOST].into());
            drop(fabric.issue_put(third, heap + LONG, long));
            let (start, place) = (source.as_ptr(), heap + BYTES);
            fabric.put_signal(next, place, start, length, heap + WORD, operation(amount));
        }
        // It may be used again.
        source.fill(!byte);
        while member.word() != value {
            // SAFETY: no messages are sent.
            assert_eq!(unsafe { fabric.receive() }, None);
            thread::yield_now();
        }
        assert!(member.has(BYTES, length, byte), "{length} bytes");
        (member.barrier)();
    }
    fabric.quiet();
    fabric.quiet_signals();
    (member.barrier)();
    assert!(member.has(LONG, MOST, value as u8));
}

/// Signals of one image to one word take effect in order.
pub(crate) fn signals_of_an_image_keep_their_order(member: &Member<'_>, rounds: u64) {
    use SignalOperation::{Add, Set};
    let next = (member.me + 1) % member.images;
    for round in 0..rounds {
        for operation in [Add(5), Set(round << 8), Add(2), Add(3)] {
            // SAFETY: the word lies in the heap, aligned, and only signals change it.
            unsafe { member.fabric.signal(next, member.heap + WORD, operation) };
        }
        while member.word() != (round << 8) + 5 {
            // SAFETY: no messages are sent.
            assert_eq!(unsafe { member.fabric.receive() }, None);
            thread::yield_now();
        }
        member.fabric.quiet_signals();
        (member.barrier)();
    }
}

/// Words that are set arrive whole, however many there are.
pub(crate) fn words_that_are_set_arrive_whole(member: &Member<'_>, rounds: u64) {
    let next = (member.me + 1) % member.images;
    for round in 1..=rounds {
        let values: Vec<u64> = (0..round % 80)
            .map(|at| (round << 32 | at) * 0x0101)
            .collect();
        // SAFETY: the words lie in the heap, aligned, and only signals change them.
        unsafe {
            let place = member.heap + BYTES;
            member.fabric.set_signals(&[(next, &values)], place);
        }
        for (at, &value) in values.iter().enumerate() {
            // SAFETY: as above.
            let word = unsafe { member.own.add(BYTES).cast::<Signal>().add(at).as_ref() };
            let before = word.sum();
            while word.sum() != value {
                assert!([before, value].contains(&word.sum()));
                // SAFETY: no messages are sent.
                assert_eq!(unsafe { member.fabric.receive() }, None);
                thread::yield_now();
            }
        }
        member.fabric.quiet_signals();
        (member.barrier)();
    }
}

#[derive(Debug)]
struct Memory {
    region: Region,
    nodes: Nodes,
}

// SAFETY: the region is the same all the time.
unsafe impl RegionOwner for Memory {
    fn region(&self) -> &Region {
        &self.region
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }
}

fn memory(images: usize, nodes: Nodes) -> Arc<dyn RegionOwner> {
    let areas = Areas {
        job: 64,
        image: 64,
        sparse: 0,
    };
    let region = Region::create(areas, 0, images, HEAP, false).unwrap();
    (0..images).for_each(|image| region.commit_heap(image, 0, HEAP, 1).unwrap());
    Arc::new(Memory { region, nodes })
}

/// Runs all tests on threads, whose heaps are in these regions.
fn on_threads(
    by_image: &[&Arc<dyn RegionOwner>],
    fabric: impl Fn(usize) -> Box<dyn Fabric> + Sync,
) {
    let images = by_image.len();
    let barrier = Barrier::new(images);
    thread::scope(|scope| {
        for (me, owner) in by_image.iter().enumerate() {
            let (fabric, barrier) = (&fabric, &barrier);
            scope.spawn(move || {
                let (fabric, region) = (fabric(me), owner.region());
                let member = Member {
                    fabric: &*fabric,
                    me,
                    images,
                    heap: region.heap_offset(),
                    own: NonNull::new(region.heap(me)).unwrap(),
                    barrier: &|| {
                        barrier.wait();
                    },
                };
                bytes_are_there_when_the_signal_is_seen(&member, 3);
                signals_of_an_image_keep_their_order(&member, 100);
                words_that_are_set_arrive_whole(&member, 100);
            });
        }
    });
}

#[test]
fn in_memory_that_all_map() {
    let memory = memory(3, Nodes::counted(3, 3));
    on_threads(&[&memory; 3], |_| {
        Box::new(SharedMemory::new(Arc::clone(&memory)))
    });
}

#[cfg(feature = "simulated")]
#[test]
fn on_a_simulated_network() {
    use crate::transport::simulated::{Exchange, Fault, Simulated};

    let memories = [0; 3].map(|_| memory(3, Nodes::separate(0..3)));
    let exchange = Arc::new(Exchange::new(memories.to_vec(), 3, Fault::None));
    on_threads(&memories.each_ref(), |me| {
        Box::new(Simulated::new(Arc::clone(&exchange), me))
    });
}
