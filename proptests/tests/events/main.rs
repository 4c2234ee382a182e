//! Events, notified puts and `sync_images` against plain counting.

mod any;
mod apart;
mod counts;
mod in_flight;
mod notified;
mod pairs;
mod sets;
mod strangers;
