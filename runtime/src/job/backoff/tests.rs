//! The policy, fed with moments and counts: no clock, no scheduler.

use super::*;

const MOST: u32 = 4000;

/// A policy that is told of the time as it goes on.
struct Told {
    policy: Policy,
    now: Duration,
    is_crowded: bool,
    switches: u64,
}

impl Told {
    fn new() -> Self {
        Self {
            policy: Policy::new(MOST),
            now: Duration::ZERO,
            is_crowded: false,
            switches: 0,
        }
    }

    /// Spun in vain, so long after the last time; meanwhile others had the core so often. Returns whether that was enough.
    fn spun_after(&mut self, time: Duration, switches: u64) -> bool {
        self.now += time;
        self.switches += switches;
        self.policy
            .spun(self.now, self.is_crowded, || self.switches)
    }

    /// Spins in vain on a shared core until that is enough; returns how often.
    fn spin_until_enough(&mut self) -> u32 {
        let mut times = 1;
        while !self.spun_after(Duration::from_micros(200), 1) {
            times += 1;
            assert!(times < 100, "spinning in vain does not end");
        }
        times
    }

    /// Goes through as many short waits as it takes until it is to spin long again; returns how many.
    fn wait_shortly(&mut self) -> u32 {
        let mut waits = 0;
        while self.policy.spins() == MOMENT {
            assert!(!self.spun_after(Duration::from_micros(10), 1));
            waits += 1;
        }
        waits
    }
}

#[test]
fn spinning_in_vain_on_a_shared_core_is_given_up_and_tried_again_ever_more_seldom() {
    let mut told = Told::new();
    assert_eq!(told.policy.spins(), MOST);
    assert_eq!(told.spin_until_enough(), 1 + VAIN);
    let [first, most] = RETRIES;
    let mut expected = first;
    for _ in 0..10 {
        assert_eq!(told.policy.spins(), MOMENT);
        assert_eq!(told.wait_shortly(), expected);
        assert_eq!(told.policy.spins(), MOST);
        // Once in vain is enough now.
        assert_eq!(told.spin_until_enough(), 1);
        expected = (2 * expected).min(most);
    }
    assert_eq!(expected, most);
}

#[test]
fn spinning_that_pays_again_is_taken_up_as_if_it_had_never_failed() {
    let mut told = Told::new();
    told.spin_until_enough();
    told.wait_shortly();
    // Nothing is said of waits that spinning ended. The next vain one comes much later.
    assert!(!told.spun_after(SOON, 1));
    assert_eq!(told.spin_until_enough(), VAIN);
    assert_eq!(told.wait_shortly(), RETRIES[0]);
}

#[test]
fn who_has_its_core_alone_spins_on() {
    let mut told = Told::new();
    for _ in 0..1000 {
        assert!(!told.spun_after(Duration::from_micros(200), 0));
    }
    assert_eq!(told.policy.spins(), MOST);
}

#[test]
fn who_sleeps_instead_of_offering_its_core_need_not_lose_it_to_know_that_it_is_shared() {
    let mut told = Told::new();
    told.is_crowded = true;
    let enough = [(); 4].map(|()| told.spun_after(Duration::from_micros(200), 0));
    assert_eq!(enough, [false, false, false, true]);
}

#[test]
fn spinning_that_is_seldom_in_vain_goes_on() {
    let mut told = Told::new();
    for _ in 0..1000 {
        assert!(!told.spun_after(SOON, 7));
    }
    assert_eq!(told.policy.spins(), MOST);
}

#[test]
fn waits_one_after_the_other_that_did_not_spin_count_once() {
    let mut told = Told::new();
    told.spun_after(Duration::ZERO, 1);
    let (now, switches) = (told.now, told.switches);
    for _ in 0..1000 {
        assert!(!told.policy.spun(now + SHORTEST / 2, false, || switches + 1));
    }
}

#[test]
fn who_hardly_spins_does_not_ask_for_switches() {
    assert!(!Policy::new(1).minds_spinning());
}
