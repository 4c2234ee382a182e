//! Images that wait in vain.

use coarray::failure::try_sync_all;
use coarray::prelude::*;

use crate::Mistake;

pub const MISTAKES: &[Mistake] = &[
    ("missed_post", missed_post),
    ("ring_of_pairs", ring_of_pairs),
    ("early_return", early_return),
    ("locks_in_two_orders", locks_in_two_orders),
    ("locked_twice", locked_twice),
    ("notified_elsewhere", notified_elsewhere),
    ("poisoned", poisoned),
];

// ANCHOR: missed_post
fn missed_post() {
    let done = Coarray::new(Coevent::new());
    if this_image() == 0 {
        done.wait_for(num_images() as u64);
    } else {
        done.at(0).post();
    }
}
// ANCHOR_END: missed_post

// ANCHOR: ring_of_pairs
fn ring_of_pairs() {
    sync_images(&[(this_image() + 1) % num_images()]);
}
// ANCHOR_END: ring_of_pairs

// ANCHOR: early_return
fn early_return() {
    let ready = Coarray::new(Coevent::new());
    if this_image() == 0 && !std::path::Path::new("settings.toml").exists() {
        return;
    }
    ready.at((this_image() + 1) % num_images()).post();
    ready.wait();
}
// ANCHOR_END: early_return

// ANCHOR: locks_in_two_orders
fn locks_in_two_orders() {
    let accounts = Coarray::new(Comutex::new(100));
    let _mine = accounts.lock();
    sync_all();
    let _other = accounts.at(1 - this_image()).lock();
}
// ANCHOR_END: locks_in_two_orders

// ANCHOR: locked_twice
fn locked_twice() {
    let accounts = Coarray::new(Comutex::new(100));
    if this_image() == 2 {
        let first = accounts.at(0).lock();
        let second = accounts.at(0).lock();
        println!("{}", first.get() + second.get());
    }
}
// ANCHOR_END: locked_twice

// ANCHOR: notified_elsewhere
fn notified_elsewhere() {
    let arrived = Coarray::new(Coevent::new());
    let mut x = Coarray::<[f64; 10]>::zeroed();
    let x = x.open();
    if this_image() == 2 {
        x.at(0)[1].put_notify(1.0, arrived.at(1));
    }
}
// ANCHOR_END: notified_elsewhere

// ANCHOR: poisoned
fn poisoned() {
    let account = Coarray::new(Comutex::new(100));
    if this_image() == 1 {
        let balance = account.at(0).lock();
        assert!(balance.get() > 1000, "too little money");
    }
    assert!(try_sync_all().is_err());
    if this_image() == 0 {
        account.lock().update(|balance| *balance += 10);
    }
}
// ANCHOR_END: poisoned
