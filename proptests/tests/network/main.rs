//! What collective operations would send through a network: how many messages, between whom, and how long.
//!
//! Here images share memory, but in `apart` and `links`; [`record_messages`] counts what they read from each other.

mod apart;
mod broadcasts;
mod counting;
mod links;
mod movement;
mod posts;
mod reductions;

use coarray::Launch;
use coarray::testing::{Message, record_messages};

/// Image counts from one to more than six to the power of two, and many.
fn image_counts() -> impl Iterator<Item = usize> {
    (1..=40).chain([128])
}

/// All messages of a collective operation that so many images call, of which each `per_node` share a node.
#[track_caller]
fn messages(images: usize, per_node: usize, operation: impl Fn() + Sync) -> Vec<Message> {
    let launch = Launch::new(images).images_per_node(per_node).heap(1 << 16);
    let received = launch.run(|| record_messages(&operation).1);
    match received {
        Ok(received) => received.concat(),
        Err(failure) => panic!("{images} images: {failure}"),
    }
}

/// The messages of several operations, one after the other, told apart by where they begin.
#[track_caller]
fn messages_of_each<S: Copy + Sync>(
    images: usize,
    per_node: usize,
    subjects: &[S],
    operation: impl Fn(S) + Sync,
) -> Vec<(S, Vec<Message>)> {
    let launch = Launch::new(images).images_per_node(per_node).heap(1 << 16);
    let record = |&subject: &S| record_messages(|| operation(subject)).1;
    let received = launch.run(|| subjects.iter().map(record).collect::<Vec<_>>());
    let received = match received {
        Ok(received) => received,
        Err(failure) => panic!("{images} images: {failure}"),
    };
    let of = |number: usize| {
        received
            .iter()
            .flat_map(move |of_image| of_image[number].clone())
    };
    let with = |(number, &subject)| (subject, of(number).collect());
    subjects.iter().enumerate().map(with).collect()
}

/// How many other images read from each image.
fn readers(images: usize, messages: &[Message]) -> Vec<usize> {
    let mut pairs: Vec<(usize, usize)> = messages.iter().map(|one| (one.from, one.to)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let from = |image| pairs.iter().filter(|pair| pair.0 == image).count();
    (0..images).map(from).collect()
}

/// How many bytes an image receives.
fn received(messages: &[Message], image: usize) -> usize {
    let to_it = messages.iter().filter(|message| message.to == image);
    to_it.map(|message| message.bytes).sum()
}

/// The first image, the last, and some between.
fn some_roots(images: usize) -> Vec<usize> {
    let mut roots = vec![0, 1 % images, images / 3, images / 2, images - 1];
    roots.sort_unstable();
    roots.dedup();
    roots
}
