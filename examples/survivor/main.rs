//! Heat spreads over a plate, and the computation outlives the images that compute it.
//!
//! ```text
//! cargo run --release --example survivor -- --kill 1@700
//! ```
//!
//! Shows: a program that asks to keep going, `try_` forms that say which images died, a team of the survivors, and
//! checkpoints in the memory of a neighbour, from which the rows of a dead image come back. The result is
//! compared, bit by bit, with an undisturbed computation. `options.rs` reads the options.

mod options;

use std::ops::Range;

use coarray::collectives::try_co_sum;
use coarray::failure::{ImageFailed, try_sync_all};
use coarray::prelude::*;

use options::Options;
use program::command_line::{fail, refuse};
use program::death;

const WIDTH: usize = 256;
const HEIGHT: usize = 256;

type Row = [f64; WIDTH];

/// The upper edge is hot, the others are cold.
const HOT: Row = [1.0; WIDTH];
const COLD: Row = [0.0; WIDTH];

#[coarray::main(keep_going)]
fn main() {
    let Some(options) = Options::from_command_line() else {
        return;
    };
    if num_images() > HEIGHT {
        let why = format!("more images than the {HEIGHT} rows of the plate");
        refuse(why);
    }
    let mut notes = Notes::new(num_images());
    loop {
        let team = Team::form_survivors(1);
        let crew: Vec<usize> = (0..team.num_images())
            .map(|image| team.in_parent(image))
            .collect();
        let computed = team.try_change(|| compute(&crew, &options, &mut notes));
        // If images died, all others learn of it here, together.
        if let Ok(Ok(())) = computed {
            return;
        }
    }
}

/// What an image knows of the work done so far.
struct Notes {
    /// The images that computed last.
    crew: Vec<usize>,
    /// The step that they reached.
    step: usize,
    checkpoint: Option<Checkpoint>,
}

/// The rows that all images kept after the same step.
struct Checkpoint {
    step: usize,
    /// The images that computed, in the order of their rows.
    crew: Vec<usize>,
    /// The rows of this image.
    mine: Vec<Row>,
    /// The rows of the image before this one.
    before: Vec<Row>,
}

impl Notes {
    fn new(images: usize) -> Self {
        Self {
            crew: (0..images).collect(),
            step: 0,
            checkpoint: None,
        }
    }

    /// Prints which images died and how the crew begins without them.
    fn begin(&mut self, crew: &[usize], start: usize) {
        let lost = |image: &usize| !crew.contains(image);
        let dead: Vec<usize> = self.crew.iter().copied().filter(lost).collect();
        let (step, crew_names) = (self.step, names(crew));
        if this_image() == 0 {
            match (dead.is_empty(), start) {
                (true, _) => println!("step {start}: begin: {crew_names}"),
                (_, 0) => println!(
                    "step {step}: {} died, and the checkpoint with them; begin again: {crew_names}",
                    names(&dead)
                ),
                _ => println!(
                    "step {step}: {} died; go on from the checkpoint of step {start}, {} steps again: {crew_names}",
                    names(&dead),
                    step - start
                ),
            }
        }
        self.crew = crew.to_vec();
        self.step = start;
    }

    /// The checkpoint, if each of its rows is still held by an image of `crew`.
    fn usable_by(&self, crew: &[usize]) -> Option<&Checkpoint> {
        let complete = |saved: &&Checkpoint| {
            (0..saved.crew.len()).all(|part| saved.holder(part, crew).is_some())
        };
        self.checkpoint.as_ref().filter(complete)
    }
}

impl Checkpoint {
    /// The image that has the rows of part `part`: the one that computed them, or the next.
    fn holder(&self, part: usize, crew: &[usize]) -> Option<usize> {
        let next = (part + 1) % self.crew.len();
        let mut holders = [self.crew[part], self.crew[next]].into_iter();
        holders.find(|image| crew.contains(image))
    }

    /// The rows that image `me` has to give to `crew`, in pieces: the first row of each on the plate, and its rows.
    fn given_by(&self, me: usize, crew: &[usize]) -> Vec<(usize, &[Row])> {
        let parts = self.crew.len();
        let held = (0..parts).filter(|&part| self.holder(part, crew) == Some(me));
        held.map(|part| {
            let rows = if self.crew[part] == me {
                &self.mine
            } else {
                &self.before
            };
            (rows_of(part, parts).start, &rows[..])
        })
        .collect()
    }
}

/// The rows of the plate that image `image` of `images` computes.
fn rows_of(image: usize, images: usize) -> Range<usize> {
    HEIGHT * image / images..HEIGHT * (image + 1) / images
}

/// Computes from the last usable checkpoint to the end, as a team in which image `i` is image `crew[i]` of all.
fn compute(crew: &[usize], options: &Options, notes: &mut Notes) -> Result<(), ImageFailed> {
    let (me, images) = (this_image(), num_images());
    let most = HEIGHT.div_ceil(images);
    let (mut plate, start) = restore(crew, notes)?;
    notes.begin(crew, start);
    // The images with the rows above and below.
    let (above, below) = (me.checked_sub(1), Some(me + 1).filter(|&i| i < images));
    // For steps of either parity, the rows from above and from below.
    let mut edges = failing(Coarray::<[[Row; 2]; 2]>::try_zeroed())?;
    let mut kept = failing(Coarray::<[Row]>::try_zeroed(most))?;
    let edges = edges.try_open()?;
    let kept = kept.try_open()?;

    for step in start..options.steps {
        notes.step = step;
        if options.dies(crew[me], step) {
            death::die();
        }
        if step.is_multiple_of(options.every) {
            kept.at((me + 1) % images)[..plate.len()].put_from(&plate);
            try_sync_all()?;
            let length = rows_of((me + images - 1) % images, images).len();
            notes.checkpoint = Some(Checkpoint {
                step,
                crew: crew.to_vec(),
                mine: plate.clone(),
                before: kept.here()[..length].to_vec(),
            });
        }
        let parity = step % 2;
        if let Some(above) = above {
            edges.at(above)[parity][1].put(plate[0]);
        }
        if let Some(below) = below {
            edges.at(below)[parity][0].put(plate[plate.len() - 1]);
        }
        try_sync_all()?;
        let here = &edges.here()[parity];
        let top = above.map_or(HOT, |_| here[0].get());
        let bottom = below.map_or(COLD, |_| here[1].get());
        plate = relaxed(&plate, &top, &bottom);
    }
    notes.step = options.steps;
    report(options.steps, &plate)
}

/// One step: each point becomes the mean of its neighbours.
fn relaxed(plate: &[Row], top: &Row, bottom: &Row) -> Vec<Row> {
    let row = |index: usize| -> Row {
        let above = index.checked_sub(1).map_or(top, |index| &plate[index]);
        let below = plate.get(index + 1).unwrap_or(bottom);
        let here = &plate[index];
        std::array::from_fn(|x| {
            let left = if x > 0 { here[x - 1] } else { 0.0 };
            let right = if x + 1 < WIDTH { here[x + 1] } else { 0.0 };
            0.25 * (above[x] + below[x] + (left + right))
        })
    };
    (0..plate.len()).map(row).collect()
}

/// This image's rows and their step: from the last checkpoint if all of it is left.
fn restore(crew: &[usize], notes: &Notes) -> Result<(Vec<Row>, usize), ImageFailed> {
    let (me, images) = (this_image(), num_images());
    let rows = rows_of(me, images);
    let Some(saved) = notes.usable_by(crew) else {
        return Ok((vec![COLD; rows.len()], 0));
    };
    let mut plate = failing(Coarray::<[Row]>::try_zeroed(HEIGHT.div_ceil(images)))?;
    let open = plate.try_open()?;
    for (first, given) in saved.given_by(crew[me], crew) {
        for to in 0..images {
            let wanted = rows_of(to, images);
            let shared = wanted.start.max(first)..wanted.end.min(first + given.len());
            if !shared.is_empty() {
                let place = shared.start - wanted.start..shared.end - wanted.start;
                let given = &given[shared.start - first..shared.end - first];
                open.at(to)[place].put_from(given);
            }
        }
    }
    try_sync_all()?;
    drop(open);
    Ok((plate[..rows.len()].to_vec(), saved.step))
}

/// Compares the result with an undisturbed computation.
fn report(steps: usize, plate: &[Row]) -> Result<(), ImageFailed> {
    let mut expected = vec![COLD; HEIGHT];
    for _ in 0..steps {
        expected = relaxed(&expected, &HOT, &COLD);
    }
    let expected = &expected[rows_of(this_image(), num_images())];
    let differing = plate
        .iter()
        .zip(expected)
        .filter(|(row, other)| row != other);
    let mut differing = differing.count();
    let mut heat: f64 = plate.iter().flatten().sum();
    try_co_sum(&mut differing)?;
    try_co_sum(&mut heat)?;
    if this_image() == 0 {
        let mean = heat / (WIDTH * HEIGHT) as f64;
        println!("step {steps}: mean temperature {mean:.6}");
    }
    if differing > 0 {
        let why = format!("{differing} rows differ from the undisturbed result");
        fail(why);
    }
    if this_image() == 0 {
        println!("the plate matches the undisturbed result");
    }
    Ok(())
}

/// Returns the failure of an image in a creation; other errors end the job.
fn failing<T>(created: Result<T, coarray::AllocError>) -> Result<T, ImageFailed> {
    created.map_err(|error| match error {
        coarray::AllocError::ImageFailed(failed) => failed,
        error => fail(error),
    })
}

/// "image 3", "images 3 and 5".
fn names(images: &[usize]) -> String {
    let names: Vec<String> = images.iter().map(usize::to_string).collect();
    match names.split_last() {
        Some((last, [])) => format!("image {last}"),
        Some((last, others)) => format!("images {} and {last}", others.join(", ")),
        None => "no image".into(),
    }
}
