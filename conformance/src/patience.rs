//! Waiting that ends: a broken fabric gives a finding and not a hang.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use coarray::events::Coevent;

use crate::check::Check;

/// The environment variable that sets [`patience`], in seconds.
pub const VARIABLE: &str = "CONFORMANCE_PATIENCE";

/// The default.
const SECONDS: u64 = 20;

/// How long an image waits for another one before it notes a finding.
#[must_use]
pub fn patience() -> Duration {
    static PATIENCE: OnceLock<Duration> = OnceLock::new();
    *PATIENCE.get_or_init(|| {
        let seconds = std::env::var(VARIABLE).ok();
        Duration::from_secs(
            seconds
                .and_then(|text| text.parse().ok())
                .unwrap_or(SECONDS),
        )
    })
}

/// Waits for `posts` posts and consumes them; returns whether they came.
#[track_caller]
pub fn came(check: &mut Check, event: &Coevent, posts: u64) -> bool {
    let came = event.wait_for_timeout(posts, patience());
    check.that(came == Ok(true), || {
        format!("waited in vain for {posts} posts: {came:?}")
    });
    came == Ok(true)
}

/// Waits until `condition` holds; returns whether it does.
#[track_caller]
pub fn until(check: &mut Check, what: &str, condition: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + patience();
    let mut holds = condition();
    while !holds && Instant::now() < deadline {
        std::thread::yield_now();
        holds = condition();
    }
    check.that(holds, || format!("waited in vain until {what}"));
    holds
}
