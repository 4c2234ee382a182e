//! Packets that come while an image looks for them.

use std::cell::RefCell;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use coarray::irregular::{Conveyor, ConveyorOptions, Hops};
use coarray::prelude::*;
use coarray_proptests::Setting;

/// Of an image: that it may send, and that all was sent to it.
type Events = [Coarray<Coevent>; 2];

thread_local! {
    static EVENTS: RefCell<Option<Events>> = const { RefCell::new(None) };
}

/// A waker of image 0.
struct AtWork {
    /// Whether it lets image 1 send first, and returns when all is there.
    lets_send: bool,
    is_armed: AtomicBool,
}

impl Wake for AtWork {
    fn wake(self: Arc<Self>) {
        let was_armed = self.is_armed.swap(false, Ordering::Relaxed);
        if !was_armed || !self.lets_send {
            return;
        }
        EVENTS.with_borrow(|events| {
            let [may_send, sent] = events.as_ref().unwrap();
            may_send.at(1).post();
            sent.wait();
        });
    }
}

/// Begins a put, polls the network so many times, and calls `body`. Returns how many polls more it took until the network had completed the put, which
/// it does at every so many polls only, and called the waker.
fn with_put(place: &Coref<u64>, lets_send: bool, polls: usize, body: impl FnOnce()) -> usize {
    let at_work = Arc::new(AtWork {
        lets_send,
        is_armed: AtomicBool::new(false),
    });
    let waker = Waker::from(Arc::clone(&at_work));
    // Whoever asks for the second completes the first.
    let _first = place.put_async(1);
    let mut put = pin!(place.put_async(2));
    let polled = put.as_mut().poll(&mut Context::from_waker(&waker));
    assert_eq!(polled, Poll::Pending);
    // Until now it was only asked to poll again.
    at_work.is_armed.store(true, Ordering::Relaxed);
    let poll = || {
        // An event that nobody posts.
        EVENTS.with_borrow(|events| assert_eq!(events.as_ref().unwrap()[0].query(), 0));
    };
    (0..polls).for_each(|_| poll());
    body();
    let mut more = 0;
    while at_work.is_armed.load(Ordering::Relaxed) {
        poll();
        more += 1;
    }
    more
}

/// The record is in several packets. They come between two looks of image 0, at a poll of the network in its wait, of which a wait has a few:
/// it must not take the first packet only and then sleep, for no bell rings any more.
#[test]
fn a_record_that_comes_in_the_middle_of_a_wait_is_seen_whole() {
    let setting = Setting {
        nodes: 2,
        ..Setting::of(2)
    };
    for poll in 1..6 {
        setting.run(|| {
            let mut conveyor = Conveyor::<[u64]>::with_options(ConveyorOptions {
                packet_bytes: 64,
                hops: Hops::One,
            });
            let events = || Coarray::new(Coevent::new());
            EVENTS.set(Some([events(), events()]));
            let mut place = Coarray::new(0u64);
            let place = place.open();
            let mut open = conveyor.open();
            if this_image() == 1 {
                (0..5).for_each(|_| open.push(0, &[1]).unwrap());
                // Its length fills the first packet, which the push after it sends.
                open.push(0, &[7; 20]).unwrap();
                open.push(0, &[8]).unwrap();
                EVENTS.with_borrow(|events| events.as_ref().unwrap()[0].wait());
                open.finish();
                EVENTS.with_borrow(|events| events.as_ref().unwrap()[1].at(0).post());
            } else {
                assert!(open.wait());
                let short = std::iter::from_fn(|| open.pull());
                assert!(short.eq(std::iter::repeat_n((1, vec![1]), 5)));
                let there = place.at(1);
                with_put(there, false, 0, || ());
                let period = with_put(there, false, 0, || ());
                with_put(there, true, period - poll, || {
                    assert!(open.wait());
                    assert_eq!(open.pull(), Some((1, vec![7; 20])));
                    assert_eq!(open.pull(), Some((1, vec![8])));
                });
            }
            drop(open);
            drop(place);
            EVENTS.take();
        });
    }
}
