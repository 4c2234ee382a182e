//! Correct programs in which images wait for each other for long: nothing in them is a deadlock.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use coarray::locks::critical;
use coarray::prelude::*;
use coarray::sync_team;

/// How many operations one job of [`random_steps`] does.
pub const STEPS: usize = 12_500;

/// The variable with the seed of the steps.
pub const SEED: &str = "SEED";

/// How long an image keeps the others waiting on purpose: many of their checks for deadlocks.
const LONG: Duration = Duration::from_millis(1000);

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    /// Takes a random time, seldom long and often none.
    fn delay(&mut self) {
        let images = num_images();
        let busy = self.below(2) == 0;
        let time = match self.below(1000 * images) {
            0 => Duration::from_millis(self.below(200) as u64),
            1..10 => Duration::from_micros(self.below(2000) as u64),
            10..100 => Duration::from_micros(self.below(30) as u64),
            _ => return,
        };
        if busy {
            compute(time);
        } else {
            thread::sleep(time);
        }
    }
}

fn compute(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// The objects of the random steps.
struct World {
    own: Random,
    halves: Team,
    pairs: Team,
    events: Coarray<Coevent>,
    numbers: Coarray<Coatomic<u64>>,
    crowd: Coarray<Coevent>,
    counts: Coarray<Comutex<u64>>,
    critical: Coarray<Coatomic<u64>>,
    mail: Coarray<[u64; 2]>,
    told: u64,
    locked: u64,
    entered: u64,
}

/// Does one random operation after another; each image enters each operation early or late, and some stay inside
/// for a while.
pub fn random_steps() {
    let seed: u64 = std::env::var(SEED).unwrap().parse().unwrap();
    let mut common = Random(seed);
    let mut world = World {
        own: Random(seed ^ (this_image() as u64 + 1) << 40),
        halves: Team::form(2 * this_image() as u64 / num_images() as u64),
        pairs: Team::form(this_image() as u64 / 2),
        events: Coarray::new(Coevent::new()),
        numbers: Coarray::new(Coatomic::new(0)),
        crowd: Coarray::new(Coevent::new()),
        counts: Coarray::new(Comutex::new(0)),
        critical: Coarray::new(Coatomic::new(0)),
        mail: Coarray::<[u64; 2]>::zeroed(),
        told: 0,
        locked: 0,
        entered: 0,
    };
    for step in 0..STEPS {
        let kind = common.below(13);
        let chosen = common.below(num_images());
        world.own.delay();
        world.step(kind, chosen, step as u64);
    }
    sync_all();
    let images = num_images();
    let locked: u64 = (0..images)
        .map(|image| world.counts.at(image).lock().get())
        .sum();
    assert_eq!(locked, world.locked * images as u64);
    assert_eq!(world.critical.at(0).load(), world.entered * images as u64);
}

impl World {
    fn step(&mut self, kind: usize, chosen: usize, step: u64) {
        let (me, images) = (this_image(), num_images());
        let (left, right) = ((me + images - 1) % images, (me + 1) % images);
        match kind {
            0 => sync_all(),
            1 => {
                let mut sum = step + me as u64;
                co_sum(&mut sum);
                let numbers = images * (images - 1) / 2;
                assert_eq!(sum, step * images as u64 + numbers as u64);
            }
            2 => {
                let mut value = if me == chosen { step } else { 0 };
                co_broadcast(&mut value, chosen);
                assert_eq!(value, step);
            }
            3 => {
                self.events.at(right).post();
                self.own.delay();
                self.events.wait();
            }
            4 => {
                self.crowd.at(chosen).post();
                if me == chosen {
                    self.crowd.wait_for(images as u64);
                }
            }
            5 => {
                // Each image waits for the image before it, the first for nobody.
                if me != chosen {
                    self.events.wait();
                }
                self.own.delay();
                if right != chosen {
                    self.events.at(right).post();
                }
            }
            6 if left == right => sync_images(&[left]),
            6 => sync_images(&[left, right]),
            7 => {
                let mut members = 1;
                self.halves.change(|| {
                    self.own.delay();
                    co_sum(&mut members);
                });
                assert_eq!(members, self.halves.num_images());
            }
            8 => sync_team(&self.pairs),
            9 => {
                let mut guard = self.counts.at(chosen).lock();
                self.own.delay();
                guard.update(|count| *count += 1);
                self.locked += 1;
            }
            10 => {
                critical(|| {
                    let count = self.critical.at(0).load();
                    self.own.delay();
                    self.critical.at(0).store(count + 1);
                });
                self.entered += 1;
            }
            11 => {
                self.numbers.at(right).add(1);
                self.told += 1;
                self.own.delay();
                self.numbers.wait_until(|number| number >= self.told);
            }
            _ => {
                let mail = self.mail.open();
                mail.at(right)[0].put(step);
                self.own.delay();
                drop(mail);
                assert_eq!(self.mail[0], step);
            }
        }
    }
}

/// Image 0 gives up waiting again and again while all others sleep.
pub fn timeouts() {
    let event = Coarray::new(Coevent::new());
    if this_image() == 0 {
        let start = Instant::now();
        while start.elapsed() < LONG {
            assert_eq!(event.wait_timeout(Duration::from_millis(130)), Ok(false));
        }
        (1..num_images()).for_each(|image| event.at(image).post());
    } else {
        event.wait();
    }
}

/// Image 0 waits for a thread of its own while all other images sleep.
pub fn helper_thread() {
    if this_image() == 0 {
        let helper = thread::spawn(|| {
            compute(LONG / 2);
            thread::sleep(LONG / 2);
            42
        });
        assert_eq!(helper.join().unwrap(), 42);
    }
    sync_all();
}

/// All images sleep while a thread of one of them is about to change what image 0 waits for.
pub fn changing_thread() {
    let word = Coarray::new(Coatomic::new(0));
    for image in 0..2 {
        thread::scope(|scope| {
            if this_image() == image {
                let word = word.at(0).as_local().unwrap();
                scope.spawn(|| {
                    thread::sleep(LONG);
                    word.add(1);
                });
            }
            if this_image() == 0 {
                word.wait_until(|word| word > image);
            }
            sync_all();
        });
    }
}

/// Image 0 writes much more than a pipe holds while all others wait for it.
pub fn much_output() {
    if this_image() == 0 {
        for line in 0..OUTPUT_LINES {
            println!("{line:0127}");
        }
    }
    sync_all();
    let mut images = 1;
    co_sum(&mut images);
    assert_eq!(images, num_images());
}

/// Lines of 128 bytes.
pub const OUTPUT_LINES: usize = 20_000;

/// All images print their process numbers and work together until the input ends.
pub fn until_the_input_ends() {
    let goes_on = Arc::new(AtomicBool::new(true));
    if this_image() == 0 {
        let goes_on = Arc::clone(&goes_on);
        thread::spawn(move || {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            goes_on.store(false, Ordering::Relaxed);
        });
    }
    println!("{}", std::process::id());
    let event = Coarray::new(Coevent::new());
    loop {
        let mut go_on = goes_on.load(Ordering::Relaxed);
        co_broadcast(&mut go_on, 0);
        if !go_on {
            return;
        }
        event.at((this_image() + 1) % num_images()).post();
        event.wait();
        if this_image() == 0 {
            thread::sleep(Duration::from_micros(500));
        }
    }
}
