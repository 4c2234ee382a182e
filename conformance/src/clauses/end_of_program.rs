//! 15. The end of the program.

use std::process::ExitCode;

use coarray::asynchronous::{co_broadcast_async, co_sum_async};
use coarray::prelude::*;

use crate::clause::{Clause, OwnJob, Section};
use crate::end::End;
use crate::ring::right;

/// The section.
pub const SECTION: Section = Section {
    number: 15,
    title: "the end of the program",
    clauses: &[
        Clause::about_end(
            "15.1",
            "a job whose images all return ends with success",
            job(nothing, |end, _| end.with_code(0)),
        ),
        Clause::about_end(
            "15.2",
            "what was printed last comes out, also without the end of a line",
            job(last_words, |end, images| {
                end.with_code(0)?;
                let missing = (0..images).find(|image| !end.stdout.contains(&format!("<{image}>")));
                match missing {
                    None => Ok(()),
                    Some(image) => Err(format!("the words of image {image} are missing")),
                }
            }),
        ),
        Clause::about_end(
            "15.3",
            "an image that has returned is still reached by the others",
            job(reached_after_return, well_done),
        ),
        Clause::about_end(
            "15.4",
            "coarrays that are never dropped do not disturb the end",
            job(leaked, well_done),
        ),
        Clause::about_end(
            "15.5",
            "transfers and collectives that nobody waited for do not disturb the end",
            job(under_way, well_done),
        ),
        Clause::about_end(
            "15.6",
            "an image that stops within a function ends as one that returns, and is still reached",
            job(stopped_within, well_done),
        ),
    ],
};

const fn job(body: fn() -> ExitCode, judge: fn(&End, usize) -> Result<(), String>) -> OwnJob {
    OwnJob {
        images: 1,
        body,
        judge,
    }
}

/// What an image prints when all is well.
const DONE: &str = "all is well";

fn well_done(end: &End, _images: usize) -> Result<(), String> {
    end.with_code(0)?;
    match end.stdout.contains(DONE) {
        true => Ok(()),
        false => Err(format!("it printed: {}", end.stdout.trim())),
    }
}

fn nothing() -> ExitCode {
    ExitCode::SUCCESS
}

fn last_words() -> ExitCode {
    print!("<{}>", this_image());
    ExitCode::SUCCESS
}

fn reached_after_return() -> ExitCode {
    const TIMES: u64 = 2000;
    let counts = Coarray::new(Coatomic::new(0_u64));
    let through = Coarray::new(Coatomic::new(1_u64));
    sync_all();
    let last = num_images() - 1;
    if this_image() == 0 && last > 0 {
        return ExitCode::SUCCESS;
    }
    for _ in 0..TIMES {
        counts.at(0).add(1);
    }
    // The last image to get here prints the result; the image that has returned counts as the first.
    let number = through.at(0).fetch_add(1);
    if number == last as u64 || last == 0 {
        let expected = TIMES * last.max(1) as u64;
        match counts.at(0).load() {
            count if count == expected => println!("{DONE}"),
            count => println!("of {expected} additions only {count} are there"),
        }
    }
    ExitCode::SUCCESS
}

fn stopped_within() -> ExitCode {
    fn add_and_stop(counts: &Coarray<Coatomic<usize>>, last: usize) {
        counts.at(last).add(1);
        if this_image() < last {
            coarray::stop(0);
        }
    }
    let counts = Coarray::new(Coatomic::new(0));
    let last = num_images() - 1;
    add_and_stop(&counts, last);
    // Only the last image comes here.
    let all = counts.wait_until(|count| count == num_images());
    counts.at(0).store(all);
    if this_image() == last && counts.at(0).load() == num_images() {
        println!("{DONE}");
    }
    ExitCode::SUCCESS
}

fn leaked() -> ExitCode {
    let mut x = Coarray::new(0);
    x.open().at(right(1)).put(1);
    std::mem::forget(x);
    std::mem::forget(Coarray::<[Comutex<u32>]>::from_fn(3, |_| Comutex::new(1)));
    std::mem::forget(Team::form(this_image() as u64));
    sync_all();
    if this_image() == 0 {
        println!("{DONE}");
    }
    ExitCode::SUCCESS
}

fn under_way() -> ExitCode {
    let mut x = Coarray::<[u64; 100]>::zeroed();
    {
        let x = x.open();
        for place in x.at(right(1)).iter() {
            drop(place.put_async(7));
        }
    }
    if *x == [7; 100] && this_image() == 0 {
        println!("{DONE}");
    }
    std::mem::forget(co_sum_async(vec![1.5; 1000]));
    drop(co_broadcast_async([1; 50], 0));
    ExitCode::SUCCESS
}
