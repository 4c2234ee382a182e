//! What images do for each other that share no memory: messages, sent, counted and acknowledged. What a message has its receiver
//! do is in `lifecycle/dispatch.rs`, on top of all that it may ask for.

pub(crate) mod acks;
pub(crate) mod failing;
pub(crate) mod liveness;
pub(crate) mod locate;
pub(crate) mod messaging;
pub(crate) mod pairs;
pub(crate) mod quiet;
