//! Active messages between images that share no memory: sending and counting them. The handlers are in
//! `lifecycle/dispatch.rs`, above everything that they use.

pub(crate) mod ends;
pub(crate) mod failing;
pub(crate) mod liveness;
pub(crate) mod locate;
pub(crate) mod messaging;
pub(crate) mod notices;
pub(crate) mod pairs;
pub(crate) mod quiet;
