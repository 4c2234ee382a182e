//! What the images of a team do together: meetings, steps of a turn, asynchronous posts, and the creation of what they share.

pub(crate) mod adoption;
pub(crate) mod allocation;
pub(crate) mod awaiting;
pub(crate) mod form_team;
pub(crate) mod interference;
pub(crate) mod lack;
pub(crate) mod meeting;
pub(crate) mod meeting_apart;
pub(crate) mod posted;
pub(crate) mod posting;
pub(crate) mod posting_apart;
pub(crate) mod steps;
pub(crate) mod steps_apart;
pub(crate) mod tuning;
pub(crate) mod wording;
