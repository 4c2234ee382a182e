//! No image sees or spoils what another one is about to do.

use std::time::Duration;

use coarray::locks::LockError;
use coarray::prelude::*;
use coarray_proptests::{Setting, config};
use proptest::prelude::*;

/// How an image adds.
#[derive(Clone, Copy, Debug)]
enum Way {
    Lock,
    TryLock,
    LockTimeout(u64),
}

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![
        3 => Just(Way::Lock),
        1 => Just(Way::TryLock),
        1 => (0u64..300).prop_map(Way::LockTimeout),
    ]
}

/// Adds 1 in that way; returns whether it got the lock.
fn add(place: &Coref<Comutex<[u64; 9]>>, way: Way) -> bool {
    let guard = match way {
        Way::Lock => Ok(place.lock()),
        Way::TryLock => place.try_lock(),
        Way::LockTimeout(micros) => place.lock_timeout(Duration::from_micros(micros)),
    };
    match guard {
        Ok(mut guard) => {
            let value = guard.get();
            assert_eq!(value, [value[0]; 9]);
            guard.put([value[0] + 1; 9]);
            assert_eq!(guard.get(), [value[0] + 1; 9]);
            true
        }
        Err(LockError::Busy { holder }) => {
            assert!(matches!(way, Way::TryLock) && holder != this_image());
            false
        }
        Err(error) => {
            assert_eq!(error, LockError::TimedOut);
            assert!(matches!(way, Way::LockTimeout(_)));
            false
        }
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn counters_on_all_images_count_exactly_who_got_the_lock(
        setting in Setting::anywhere(),
        ways in prop::collection::vec((0usize..8, way()), 1..60),
    ) {
        let added = setting.run(|| {
            let counters = Coarray::new(Comutex::new([0; 9]));
            let mut added = vec![0; num_images()];
            for &(target, way) in ways.iter().cycle().take(3 * ways.len()) {
                let target = (target + this_image()) % num_images();
                added[target] += u64::from(add(counters.at(target), way));
            }
            sync_all();
            (counters.lock().get()[0], added)
        });
        for (image, (count, _)) in added.iter().enumerate() {
            let expected: u64 = added.iter().map(|(_, added)| added[image]).sum();
            prop_assert_eq!(*count, expected);
        }
    }
}

#[test]
fn eight_images_lose_nothing_under_one_mutex() {
    const TURNS: u64 = 500;
    for setting in Setting::everywhere() {
        setting.run(|| {
            let counter = Coarray::new(Comutex::new(0u64));
            for _ in 0..TURNS {
                counter.at(0).lock().update(|count| *count += 1);
            }
            sync_all();
            assert_eq!(counter.at(0).lock().get(), TURNS * num_images() as u64);
        });
    }
}

#[test]
fn a_mutex_of_no_value_excludes_others_from_what_lies_elsewhere() {
    const TURNS: u64 = 100;
    for setting in Setting::everywhere() {
        setting.run(|| {
            let door = Coarray::new(Comutex::new(()));
            let mut count = Coarray::new(0u64);
            {
                let count = count.open();
                let count = count.at(num_images() - 1);
                for _ in 0..TURNS {
                    let _alone = door.at(0).lock();
                    count.put(count.get() + 1);
                }
            }
            if this_image() + 1 == num_images() {
                assert_eq!(*count, TURNS * num_images() as u64);
            }
        });
    }
}

#[test]
fn what_was_put_elsewhere_under_the_lock_is_seen_under_the_lock() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let lock = Coarray::new(Comutex::new(0u64));
            let mut data = Coarray::<[u64; 100]>::zeroed();
            let data = data.open();
            let last = data.at(num_images() - 1);
            for _ in 0..50 {
                let mut guard = lock.at(0).lock();
                let round = guard.get();
                assert_eq!(last.get(), [round; 100]);
                last.put_from(&[round + 1; 100]);
                guard.put(round + 1);
            }
        });
    }
}
