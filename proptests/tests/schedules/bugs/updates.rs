//! Values that are read and written in two steps, between which others come.

use coarray::image_fence;
use coarray::locks::critical;
use coarray::prelude::*;

use crate::program::Version;

pub fn get_add_and_put_without_a_lock(version: Version) {
    let lock = Coarray::new(Comutex::new(()));
    let mut count = Coarray::new(0);
    let count = count.open();
    let place = count.at(0);
    let alone = version.is_right().then(|| lock.at(0).lock());
    place.put(place.get() + 1);
    drop(alone);
    sync_all();
    assert_eq!(place.get(), num_images());
}

pub fn load_and_store_of_a_coatomic(version: Version) {
    let count = Coarray::new(Coatomic::new(0));
    let place = count.at(0);
    match version {
        Version::Wrong => place.store(place.load() + 1),
        Version::Right => place.add(1),
    }
    sync_all();
    assert_eq!(place.load(), num_images());
}

/// Sections exclude the images of their own team only.
pub fn critical_sections_of_two_teams(version: Version) {
    let team = Team::form(this_image() as u64 / 2);
    let mut count = Coarray::new(0);
    let count = count.open();
    let place = count.at(0);
    let add = || critical(|| place.put(place.get() + 1));
    match version {
        Version::Wrong => team.change(add),
        Version::Right => add(),
    }
    sync_all();
    assert_eq!(place.get(), 4);
}

pub fn balance_looked_at_before_the_lock(version: Version) {
    let account = Coarray::new(Comutex::new(100));
    let account = account.at(0);
    match version {
        Version::Wrong => {
            let balance = account.lock().get();
            if balance >= 80 {
                account.lock().update(|balance| *balance -= 80);
            }
        }
        Version::Right => account.lock().update(|balance| {
            if *balance >= 80 {
                *balance -= 80;
            }
        }),
    }
    sync_all();
    assert_eq!(account.lock().get(), 20);
}

/// Whoever comes first computes the value, and says that it is there.
pub fn value_said_to_be_there_before_it_is(version: Version) {
    let lock = Coarray::new(Comutex::new(()));
    let there = Coarray::new(Coatomic::new(false));
    let value = Coarray::new(Coatomic::new(0));
    if !there.at(0).load() {
        let _alone = lock.at(0).lock();
        if !there.at(0).load() {
            match version {
                Version::Wrong => {
                    there.at(0).store(true);
                    value.at(0).store(42);
                }
                Version::Right => {
                    value.at(0).store(42);
                    image_fence();
                    there.at(0).store(true);
                }
            }
        }
    }
    image_fence();
    assert_eq!(value.at(0).load(), 42);
}
