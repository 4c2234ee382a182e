//! Locks that are never released.

use coarray::locks::critical;
use coarray::prelude::*;

use crate::Program;

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "mutex_cycle",
        images: 2,
        mistake: "two images lock two mutexes in different orders",
        body: cycle,
    },
    Program {
        name: "mutex_ring",
        images: 3,
        mistake: "everyone holds a mutex and wants that of the right neighbour",
        body: ring,
    },
    Program {
        name: "mutex_and_sync_all",
        images: 2,
        mistake: "image 0 holds a mutex in sync_all, and image 1 wants it before it comes there",
        body: and_sync_all,
    },
    Program {
        name: "mutex_and_event",
        images: 2,
        mistake: "image 0 waits with a mutex for a post that needs the mutex",
        body: and_event,
    },
    Program {
        name: "mutex_leaked",
        images: 2,
        mistake: "a guard is leaked, and its image has come to the end of the program",
        body: leaked,
    },
    Program {
        name: "critical_and_sync_all",
        images: 2,
        mistake: "a barrier in a critical section, into which only one image gets",
        body: critical_and_sync_all,
    },
];

fn cycle() {
    let account = Coarray::new(Comutex::new(100));
    if this_image() > 1 {
        return;
    }
    let (mine, other) = (this_image(), 1 - this_image());
    let from = account.at(mine).lock();
    // Now and then this happens without the next line, too.
    sync_images(&[other]);
    let mut to = account.at(other).lock(); // [cycle]
    to.update(|balance| *balance += from.get());
}

fn ring() {
    let forks = Coarray::new(Comutex::new(0u32));
    let right = (this_image() + 1) % num_images();
    let _left_fork = forks.lock();
    sync_all();
    let _right_fork = forks.at(right).lock(); // [ring.lock]
}

fn and_sync_all() {
    let table = Coarray::new(Comutex::new([0u8; 16]));
    match this_image() {
        0 => {
            let _guard = table.at(0).lock();
            sync_images(&[1]);
            sync_all(); // [mutex.sync_all]
        }
        1 => {
            sync_images(&[0]);
            table.at(0).lock().put([1; 16]); // [mutex.sync_all.lock]
            sync_all();
        }
        _ => sync_all(), // [mutex.sync_all.others]
    }
}

fn and_event() {
    let queue = Coarray::new(Comutex::new(0u64));
    let filled = Coarray::new(Coevent::new());
    match this_image() {
        0 => {
            let guard = queue.at(0).lock();
            sync_images(&[1]);
            filled.wait(); // [mutex.event]
            assert_eq!(guard.get(), 1);
        }
        1 => {
            sync_images(&[0]);
            queue.at(0).lock().put(1); // [mutex.event.lock]
            filled.at(0).post();
        }
        _ => {}
    }
}

fn leaked() {
    let table = Coarray::new(Comutex::new(0u64));
    if this_image() == 1 {
        std::mem::forget(table.at(0).lock());
    }
    sync_all();
    if this_image() == 0 {
        table.at(0).lock().put(1); // [leaked]
    }
}

fn critical_and_sync_all() {
    let inside = Coarray::new(Coevent::new());
    let first = this_image() == 0;
    if !first {
        inside.wait();
    }
    let body = || {
        if first {
            (1..num_images()).for_each(|image| inside.at(image).post());
        }
        sync_all(); // [critical.sync]
    };
    critical(body); // [critical.enter]
}
