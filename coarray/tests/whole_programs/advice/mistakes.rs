//! Programs with one mistake each, which the environment can say is repaired.

use std::hint::black_box;
use std::thread::sleep;
use std::time::Duration;

use coarray::asynchronous::co_sum_async;
use coarray::collectives::co_sum;
use coarray::prelude::*;

use super::REPAIRED;

fn is_repaired() -> bool {
    std::env::var_os(REPAIRED).is_some()
}

/// How many times, and for how long: many times longer than other programs of the machine hold a core, which is no imbalance.
const TIMES: u32 = 8;
const WORK: Duration = Duration::from_millis(100);

/// Prints the line of the mistake, once.
fn print_line(line: u32) {
    if this_image() == 0 {
        println!("{line}");
    }
}

/// One image has all the work.
pub fn imbalance() {
    for _ in 0..TIMES {
        if is_repaired() {
            sleep(WORK / num_images() as u32);
        } else if this_image() == 1 {
            sleep(WORK);
        }
        sync_all();
    }
    print_line(line!() - 2);
}

/// Images hold a lock while they work.
pub fn lock() {
    let mutex = Coarray::new(Comutex::new(0_u32));
    for _ in 0..TIMES {
        if is_repaired() {
            sleep(WORK);
        }
        let mut sum = mutex.at(0).lock();
        if !is_repaired() {
            sleep(WORK);
        }
        let next = sum.get() + 1;
        sum.put(next);
    }
    print_line(line!() - 7);
}

/// Many sums where one would do.
pub fn small_sums() {
    let mut values = vec![1_u64; 30_000];
    if is_repaired() {
        co_sum(&mut values[..]);
    } else {
        for value in &mut values {
            co_sum(value);
        }
    }
    print_line(line!() - 3);
}

/// A phase for each value.
pub fn short_phases() {
    let mut x = Coarray::<[u64; 1]>::zeroed();
    if is_repaired() {
        let x = x.open();
        (0..20_000).for_each(|value| x.at(0)[0].put(value));
    } else {
        for _ in 0..20_000 {
            drop(x.open());
        }
    }
    print_line(line!() - 3);
}

/// Sums that take as long as the image which is late takes, one now, the other then.
pub fn no_overlap() {
    for time in 0..2 * TIMES as usize {
        let is_late = this_image() == time % 2;
        let sum = co_sum_async(1);
        if is_repaired() {
            sleep(WORK / 2);
        }
        sum.wait();
        if is_late && !is_repaired() {
            sleep(WORK);
        }
    }
    print_line(line!() - 9);
}

/// A row that is put item by item.
pub fn fine_puts() {
    let mut x = Coarray::<[u64; 400]>::zeroed();
    let x = x.open();
    let there = x.at((this_image() + 1) % num_images());
    let row = [this_image() as u64; 400];
    for _ in 0..10 {
        if is_repaired() {
            there.put_from(&row);
        } else {
            for i in 0..row.len() {
                there[i].put(row[i]);
            }
        }
    }
    print_line(line!() - 4);
}

/// A column that is got item by item.
pub fn fine_column() {
    let mut x = Coarray::<[[u64; 8]; 2000]>::zeroed();
    let x = x.open();
    let there = x.at((this_image() + 1) % num_images());
    let mut all = vec![[0; 8]; 2000];
    if is_repaired() {
        there[..].get_into(&mut all[..]);
    } else {
        for i in 0..all.len() {
            all[i][3] = there[i][3].get();
        }
    }
    black_box(all);
    print_line(line!() - 4);
}

/// A count of all in one word.
pub fn hot_word() {
    let total = Coarray::new(Coatomic::new(0_u64));
    let mut own = 0;
    for _ in 0..3000 {
        if is_repaired() {
            own += 1;
        } else {
            total.at(0).add(1);
        }
    }
    print_line(line!() - 3);
    co_sum(&mut own);
}

/// An image's own part, as if it were another's.
pub fn own_part() {
    let mut x = Coarray::<[u64; 64]>::zeroed();
    if is_repaired() {
        for i in 0..2_000_000 {
            x[i % 64] += 1;
        }
        black_box(&x[..]);
        return print_line(0);
    }
    let x = x.open();
    for i in 0..2_000_000 {
        x.at(this_image())[i % 64].put(1);
    }
    print_line(line!() - 2);
}

/// Fails if it does not find a line in its input; and in a run that counts, if it is asked to.
pub fn read_and_print() {
    let mut input = String::new();
    if this_image() == 0 {
        std::io::stdin().read_line(&mut input).unwrap();
        assert_eq!(input, "something\n");
        println!("printed once");
        eprintln!("said once");
    }
    let counts = std::env::var("COARRAY_PROFILE").is_ok_and(|profile| profile == "puts");
    if counts && is_repaired() {
        coarray::error_stop(9);
    }
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(1);
}
