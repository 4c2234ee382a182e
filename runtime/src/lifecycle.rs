//! How a thread becomes an image, what an image does for others while it is one, and how it fails or ends.

pub(crate) mod dispatch;
pub(crate) mod failure;
pub(crate) mod fork;
pub(crate) mod presence;
pub(crate) mod run_image;
pub(crate) mod status;
pub(crate) mod stop;
