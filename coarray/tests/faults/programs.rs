//! The SPMD programs whose images are killed.
//!
//! Each repeats some operations until one tells it of a failure, says so, and goes on with the survivors.

use std::process::ExitCode;
use std::time::Duration;

use coarray::AllocError;
use coarray::collectives::{try_co_broadcast, try_co_max, try_co_sum};
use coarray::failure::{
    ImageFailed, fail_image, failed_images, try_sync_all, try_sync_images, try_sync_team,
};
use coarray::image_fence;
use coarray::locks::LockError;
use coarray::prelude::*;

use crate::job::nanos;

/// Runs the program called `name`.
pub fn run(name: &str) -> ExitCode {
    match name {
        "barriers" => coarray::launch(barriers),
        "events" => coarray::launch(events),
        "values" => coarray::launch(values),
        "pairs" => coarray::launch(pairs),
        "collectives" => coarray::launch(collectives),
        "teams" => coarray::launch(teams),
        "phases" => coarray::launch(phases),
        "creations" => coarray::launch(creations),
        "alone" => coarray::launch(alone),
        "coatomics" => coarray::launch(coatomics),
        "mutexes" => coarray::launch(mutexes),
        "algorithms" => coarray::launch(crate::algorithms::program),
        "halves" => coarray::launch(crate::algorithms::halves_program),
        "posted" => coarray::launch(crate::posted::posted),
        "exhausting" => coarray::launch(crate::posted::exhausting),
        "posting" => coarray::launch(crate::posted::posting),
        "long_values" => coarray::launch(crate::long_values::program),
        "plain" => coarray::launch(crate::plain::program),
        "transfers" => coarray::launch(crate::transfers::program),
        "section" => coarray::launch(crate::status::section_program),
        "status" => coarray::launch(crate::status::program),
        _ => panic!("there is no program {name}"),
    }
}

/// From now on images are killed.
pub fn ready() {
    println!("ready {} {}", this_image(), std::process::id());
    // The first may be dead by now, as the next operation will tell.
    let _ = try_sync_all();
}

/// Names an image, and the turn in which it fails by itself: `IMAGE@TURN`.
pub const DOOM: &str = "FAULTS_DOOM";

/// Fails if this image is doomed to, in this turn or, if that was skipped, a later one.
pub fn live_until(turn: u64) {
    if is_doomed(this_image(), turn) {
        fail_image();
    }
}

/// Whether that image is doomed to fail in this turn, or was before.
pub fn is_doomed(number: usize, turn: u64) -> bool {
    let doom = std::env::var(DOOM).unwrap_or_default();
    let doom = doom.split_once('@').map(|(image, turn)| {
        let image: usize = image.parse().unwrap();
        let turn: u64 = turn.parse().unwrap();
        (image, turn)
    });
    doom.is_some_and(|(image, last)| image == number && turn >= last)
}

/// An operation told this image that others have failed.
pub fn learn(turn: u64, failed: &ImageFailed) {
    let now = nanos();
    println!("learned {} {now} {turn} {:?}", this_image(), failed.images);
}

/// Does in each turn what `pass` does, which may take several, until it tells of a failure.
fn until_told(mut pass: impl FnMut(&mut u64) -> Result<(), ImageFailed>) {
    let mut turn = 0;
    let failed = loop {
        turn += 1;
        live_until(turn);
        if let Err(failed) = pass(&mut turn) {
            break failed;
        }
    };
    learn(turn, &failed);
}

/// The survivors form a team and work in it.
pub fn go_on() {
    while !matches!(Team::form_survivors(1).try_change(work), Ok(Ok(()))) {}
    println!("survived {}", this_image());
}

fn work() -> Result<(), ImageFailed> {
    let images = num_images();
    for round in 0..100 {
        try_sync_all()?;
        let mut sum = this_image() + round;
        try_co_sum(&mut sum)?;
        assert_eq!(sum, images * (images - 1) / 2 + images * round);
    }
    Ok(())
}

const WORDS: usize = 200;

/// What image `from` sends in a turn: words that nothing but the whole message fits.
fn message(from: usize, turn: u64) -> [u64; WORDS] {
    let start = (from as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ turn;
    std::array::from_fn(|word| start.wrapping_mul(2 * word as u64 + 1))
}

fn right() -> usize {
    (this_image() + 1) % num_images()
}

fn left() -> usize {
    (this_image() + num_images() - 1) % num_images()
}

/// Messages to the right, each followed by a barrier.
fn barriers() {
    let mut inbox = Coarray::<[[u64; WORDS]; 2]>::zeroed();
    let inbox = inbox.open();
    ready();
    until_told(|&mut turn| {
        let parity = turn as usize % 2;
        inbox.at(right())[parity].put_from(&message(this_image(), turn));
        try_sync_all()?;
        assert_eq!(inbox.here()[parity].get(), message(left(), turn));
        Ok(())
    });
    drop(inbox);
    go_on();
}

/// Messages to the right, of which events tell; other events tell that they were read.
fn events() {
    let mut inbox = Coarray::<[u64; WORDS]>::zeroed();
    let (sent, read) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
    let inbox = inbox.open();
    ready();
    until_told(|&mut turn| {
        let message_to_right = message(this_image(), turn);
        inbox
            .at(right())
            .put_from_notify(&message_to_right, sent.at(right()));
        assert!(sent.wait_timeout(Duration::MAX)?);
        assert_eq!(inbox.here().get(), message(left(), turn));
        read.at(left()).post();
        assert!(read.wait_timeout(Duration::MAX)?);
        Ok(())
    });
    drop(inbox);
    go_on();
}

/// The same with values in place of events, and fences.
fn values() {
    let mut inbox = Coarray::<[u64; WORDS]>::zeroed();
    let [sent, read] = [(); 2].map(|()| Coarray::new(Coatomic::new(0)));
    let inbox = inbox.open();
    ready();
    until_told(|&mut turn| {
        inbox.at(right()).put_from(&message(this_image(), turn));
        fence(right());
        sent.at(right()).store(turn);
        let is_there = |seen| seen >= turn;
        sent.wait_until_timeout(Duration::MAX, is_there)?;
        image_fence();
        assert_eq!(inbox.here().get(), message(left(), turn));
        read.at(left()).fetch_max(turn);
        read.wait_until_timeout(Duration::MAX, is_there)?;
        Ok(())
    });
    drop(inbox);
    go_on();
}

/// Messages to everyone, with `sync_images` of all pairs.
///
/// Two images may be told of a failure by different turns. Who is told first says so in its next message, and
/// that turn is the last for all.
fn pairs() {
    let me = this_image();
    let all: Vec<usize> = (0..num_images()).collect();
    let mut inbox = Coarray::<[[[u64; WORDS]; 2]]>::zeroed(num_images());
    let inbox = inbox.open();
    ready();
    let (mut turn, mut knows) = (0, false);
    loop {
        turn += 1;
        live_until(turn);
        let parity = turn as usize % 2;
        let mut letter = message(me, turn);
        letter[0] = u64::from(knows);
        for &to in &all {
            inbox.at(to)[me][parity].put_from(&letter);
        }
        let told = try_sync_images(&all);
        let failed = told
            .clone()
            .map_or_else(|failed| failed.images, |()| Vec::new());
        let mut others_know = false;
        for &from in all.iter().filter(|from| !failed.contains(from)) {
            let letter = inbox.here()[from][parity].get();
            others_know |= letter[0] != 0;
            assert_eq!(letter[1..], message(from, turn)[1..]);
        }
        match told {
            Err(failed) if !knows => {
                learn(turn, &failed);
                knows = true;
            }
            told => assert!(told.is_err() || !knows),
        }
        if others_know {
            break;
        }
    }
    drop(inbox);
    go_on();
}

/// Sums of few and of many values, maxima, and broadcasts from all images in turn.
fn collectives() {
    ready();
    until_told(combine);
    go_on();
}

fn combine(turn: &mut u64) -> Result<(), ImageFailed> {
    let (me, images) = (this_image() as u64, num_images() as u64);
    let ranks = images * (images - 1) / 2;
    let mut few = [me, *turn];
    try_co_sum(&mut few)?;
    assert_eq!(few, [ranks, images * *turn]);

    *turn += 1;
    let mut many: Vec<u64> = (0..20_000).map(|i| me * i + *turn).collect();
    try_co_sum(&mut many)?;
    let expected = |(i, &sum): (usize, &u64)| sum == ranks * i as u64 + images * *turn;
    assert!(many.iter().enumerate().all(expected));

    *turn += 1;
    let mut largest = [me + *turn; 3];
    try_co_max(&mut largest)?;
    assert_eq!(largest, [images - 1 + *turn; 3]);

    *turn += 1;
    let root = *turn as usize % num_images();
    let mut words = message(this_image(), *turn).repeat(60);
    try_co_broadcast(&mut words, root)?;
    assert_eq!(words, message(root, *turn).repeat(60));
    Ok(())
}

/// All form pairs of teams, and change to them.
fn teams() {
    ready();
    until_told(|turn| {
        let number = (this_image() as u64 + *turn) % 2;
        let team = Team::try_form(number)?;
        // A failure here matters to half of the images. All hear of it when they form the next teams.
        let _ = team.try_change(|| {
            let mut one = 1;
            try_co_sum(&mut one)?;
            assert_eq!(one, num_images());
            try_sync_all()
        });
        let _ = try_sync_team(&team);
        Ok(())
    });
    go_on();
}

/// Open phases, one after the other.
fn phases() {
    let mut inbox = Coarray::<[u64; WORDS]>::zeroed();
    ready();
    until_told(|&mut turn| {
        let open = inbox.try_open()?;
        open.at(right()).put_from(&message(this_image(), turn));
        let arrived = try_sync_all();
        drop(open);
        if arrived.is_ok() {
            assert_eq!(*inbox, message(left(), turn));
        }
        Ok(())
    });
    // Local for ever.
    inbox[0] = 1;
    go_on();
}

/// Coarrays of all kinds come and go.
fn creations() {
    ready();
    let create = |turn| -> Result<(), AllocError> {
        let kept = Coarray::<[u64]>::try_zeroed(100 * (turn as usize % 7))?;
        let shared = Coarray::try_new(Coatomic::new(turn))?;
        let large = Coarray::<[u8]>::try_zeroed(1 << 16)?;
        assert!(kept.iter().all(|&word| word == 0) && large.iter().all(|&byte| byte == 0));
        assert_eq!(shared.at(right()).load(), turn);
        Ok(())
    };
    until_told(|&mut turn| match create(turn) {
        Ok(()) => Ok(()),
        Err(AllocError::ImageFailed(failed)) => Err(failed),
        Err(error) => panic!("{error}"),
    });
    go_on();
}

/// Image 1 stays in an open phase that the others have left.
fn alone() {
    let mut shared = Coarray::<[u64; WORDS]>::zeroed();
    let open = shared.open();
    ready();
    if this_image() == 1 {
        loop {
            open.at(right()).put_from(&message(1, 1));
        }
    }
    drop(open);
    shared[0] = 1;
    if let Err(failed) = try_sync_all() {
        learn(1, &failed);
    }
    assert_eq!(shared[0], 1);
    go_on();
}

/// All change a coatomic that takes a lock.
fn coatomics() {
    let cell = Coarray::new(Coatomic::new([0u64; 4]));
    let advance = || {
        let mut seen = cell.at(0).load();
        loop {
            assert_eq!(seen, [1, 3, 5, 7].map(|factor| factor * seen[0]));
            let next = [1, 3, 5, 7].map(|factor| factor * (seen[0] + 1));
            match cell.at(0).compare_exchange(seen, next) {
                Ok(_) => break,
                Err(other) => seen = other,
            }
        }
    };
    ready();
    until_told(|_| {
        (0..50).for_each(|_| advance());
        try_sync_all()
    });
    let before = cell.at(0).load()[0];
    (0..500).for_each(|_| advance());
    assert!(cell.at(0).load()[0] >= before + 500);
    go_on();
}

/// All change a value in a comutex, and two places that it guards: on image 0, and when that has failed, on the
/// first image that has not.
fn mutexes() {
    let pair = Coarray::new(Comutex::new([0u64; 2]));
    let mut guarded = Coarray::<[u64; 2]>::zeroed();
    let guarded = guarded.open();
    let advance_on = |home: usize| {
        let mut pair = pair.at(home).lock_timeout(Duration::MAX)?;
        pair.update(|[one, three]| {
            assert_eq!(*three, 3 * *one);
            *one += 1;
            *three += 3;
        });
        let guarded = guarded.at(home);
        let [one, seven] = guarded.get();
        assert_eq!(seven, 7 * one);
        guarded[0].put(one + 1);
        guarded[1].put(7 * (one + 1));
        Ok(())
    };
    ready();
    let mut turn = 0;
    while failed_images().is_empty() {
        turn += 1;
        live_until(turn);
        if let Err(error) = advance_on(0) {
            let failed = failed_images();
            match error {
                LockError::Poisoned { by } => assert!(failed.contains(&by)),
                LockError::ImageFailed(lost) => assert_eq!(lost.images, [0]),
                error => panic!("{error}"),
            }
        }
    }
    learn(turn, &ImageFailed::new(failed_images()));
    let survivor = (0..num_images()).find(|image| !failed_images().contains(image));
    let home = survivor.unwrap();
    let poisoned = pair.at(home).lock_timeout(Duration::MAX).is_err();
    assert_eq!(try_sync_all().unwrap_err().images, failed_images());
    if poisoned {
        // The pair is whole; the places may not be.
        pair.at(home).clear_poison();
        guarded.at(home).put_from(&[0; 2]);
    }
    assert_eq!(try_sync_all().unwrap_err().images, failed_images());
    for _ in 0..200 {
        advance_on(home).unwrap();
    }
    drop(guarded);
    go_on();
}
