//! Learning that an image of another node has come to the end of the program.
//!
//! Few images ever want to know that of few others: an image asks the other one, once, and that answers when it has come there. So ends cost
//! no messages among all. The answer comes after all that the other one has sent before.

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing};
use crate::image::network::Network;
use crate::job::control::Stage;
use crate::messages::messaging::send_message;

impl Image {
    /// Whether that image has come to the end of the program, and all its signals and messages before that have arrived
    /// here. Of an image on another node the first call only asks.
    pub(crate) fn has_stopped(&self, image: usize) -> bool {
        match &self.network {
            Some(network) if !self.job.nodes.share(self.index, image) => {
                if network.asked.borrow_mut().insert(image) {
                    send_message(self, image, &Outgoing::new(MessageKind::AskEnd));
                }
                network.stopped.borrow().contains(&image)
            }
            _ => is_at_end(self, image),
        }
    }
}

fn is_at_end(here: &Image, image: usize) -> bool {
    let stage = here.control(image).stage();
    matches!(stage, Stage::Stopped | Stage::Finished)
}

/// Records that this image has come to the end of the program, and tells those that have asked.
pub(crate) fn announce_end(here: &Image) {
    let (job, control) = (here.job.region.job(), here.control(here.index));
    match job.keeps_going() {
        true => job.declare_stopped(control),
        false => control.set_stage(Stage::Stopped),
    }
    if let Some(network) = &here.network {
        let asking = network.asking.take();
        asking.into_iter().for_each(|image| tell_end(here, image));
    }
}

fn tell_end(here: &Image, image: usize) {
    send_message(here, image, &Outgoing::new(MessageKind::Stopped));
}

/// Handles the question of an image.
pub(crate) fn handle_question(here: &Image, network: &Network, from: usize) {
    if is_at_end(here, here.index) {
        tell_end(here, from);
    } else {
        network.asking.borrow_mut().push(from);
    }
}

/// Handles the answer of an image.
pub(crate) fn handle_end(here: &Image, network: &Network, from: usize) {
    network.stopped.borrow_mut().insert(from);
    note_stage(here, from, Stage::Stopped);
}

/// Records the stage of an image on another node, for reports.
pub(crate) fn note_stage(here: &Image, image: usize, stage: Stage) {
    // Another image of this node may have recorded a later one already.
    if stage as u32 > here.control(image).stage() as u32 {
        here.control(image).set_stage(stage);
    }
}

#[cfg(all(test, feature = "simulated"))]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::testing::run;

    #[test]
    fn a_job_begins_and_ends_with_the_messages_of_one_barrier() {
        println!("images  nodes  messages  start and end");
        for (images, nodes) in [(2, 2), (3, 3), (7, 7), (8, 4), (64, 64), (256, 8_usize)] {
            let start = Instant::now();
            let messages = run(images, nodes, || ());
            let time = start.elapsed();
            println!("{images:6} {nodes:6} {messages:9}  {time:.1?}");
            let rounds = nodes.next_power_of_two().ilog2() as usize;
            let barrier = nodes * rounds.max(nodes.min(6) - 1);
            let table = images;
            assert!(messages <= (barrier + table) as u64, "{messages}");
        }
    }

    #[test]
    fn who_asks_is_told_after_everything_else() {
        run(3, 3, || {
            Image::with_current(|image| {
                if image.index > 0 {
                    return;
                }
                for other in [1, 2] {
                    assert!(image.index != other && !image.has_stopped(other));
                    while !image.has_stopped(other) {
                        image.poll();
                    }
                    assert_eq!(image.control(other).stage(), Stage::Stopped);
                }
            });
        });
    }
}
