//! The divisions of images among nodes that tests try.

use coarray_launch::Launch;

/// Images in nodes of one machine and, if they are few, in nodes that share no memory.
pub fn launches(images: usize) -> Vec<Launch> {
    let counted = Launch::new(images).images_per_node(3);
    let nodes = match images {
        1 | 9.. => None,
        _ if images.is_multiple_of(2) => Some(2),
        _ => Some(images.min(4)),
    };
    let apart = nodes.map(|nodes| Launch::new(images).simulated_nodes(nodes));
    [counted].into_iter().chain(apart).collect()
}

/// Runs `body` on this number of images in each of these divisions.
#[track_caller]
pub fn run_everywhere(images: usize, body: impl Fn() + Sync) {
    for launch in launches(images) {
        if let Err(failure) = launch.clone().run(&body) {
            panic!("{launch:?}: {failure}");
        }
    }
}
