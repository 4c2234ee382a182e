//! Events, notified puts and `sync_images` against plain counting.

mod apart;
mod counts;
mod notified;
mod pairs;
mod sets;
mod strangers;
