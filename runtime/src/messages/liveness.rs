//! Noticing that another node is lost.
//!
//! Networks report late, or never, that a machine or a link is gone. With `COARRAY_PEER_TIMEOUT=SECONDS` an image that
//! waits for images of other nodes pings them now and then, and ends the job when one has not answered for this time.
//! Images answer in every call of the library, so the limit must be longer than any image computes without one. That is
//! why there is none by default.
//!
//! An operation of the fabric itself may hang in the same way: see `watchdog.rs`.

use std::cell::Cell;
use std::time::Instant;

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing};
use crate::messages::messaging::send_uncounted;

/// Whether it is time to check whether peers are lost.
#[inline]
pub(crate) fn is_time_to_check_peers(image: &Image) -> bool {
    let peer_timeout = image
        .network
        .as_ref()
        .and_then(|network| network.peer_timeout.as_ref());
    peer_timeout.is_some_and(|peer_timeout| {
        peer_timeout.last_ping.get().elapsed() >= peer_timeout.limit / 4
    })
}

/// Pings the image `awaited` on another node, or all other nodes, now and then, if there is a peer timeout. `since` is
/// when this image began to wait.
///
/// If one has not answered for too long, the job ends with a report.
pub(crate) fn check_peers(here: &Image, since: &Cell<Option<Instant>>, awaited: Option<usize>) {
    let Some(peer_timeout) = here
        .network
        .as_ref()
        .and_then(|network| network.peer_timeout.as_ref())
    else {
        return;
    };
    if since.get().is_none() {
        since.set(Some(Instant::now()));
        peer_timeout.restart();
    }
    peer_timeout.last_ping.set(Instant::now());
    let is_there = |image: &usize| !here.job.nodes.share(here.index, *image);
    let asked: Vec<usize> = match awaited.filter(is_there) {
        Some(image) => vec![image],
        None => other_leaders(here).collect(),
    };
    let silent =
        |image: &&usize| peer_timeout.last_heard.borrow()[**image].elapsed() >= peer_timeout.limit;
    if let Some(image) = asked.iter().find(silent) {
        let text = format!(
            "has heard nothing from image {image}, which is on another node, for {:.1} s (COARRAY_PEER_TIMEOUT): that node or \
             the way to it is lost, or the image computes for longer than that without calling the library",
            peer_timeout.limit.as_secs_f64()
        );
        here.fail_silently(1, text, here.index);
        return;
    }
    for image in asked {
        send_uncounted(here, image, &Outgoing::new(MessageKind::Ping));
    }
}

/// The lowest image of each other node.
pub(crate) fn other_leaders(here: &Image) -> impl Iterator<Item = usize> {
    let nodes = &here.job.nodes;
    let mine = nodes.of(here.index);
    (0..here.images).filter(move |&image| nodes.of(image) == image && image != mine)
}
