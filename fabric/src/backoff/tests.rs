//! The policy, fed with moments and counts: no clock, no scheduler.

use super::*;

const MOST: Patience = Patience {
    spins: 4000,
    yields: 200,
};

/// A policy that is told of the time as it goes on.
struct Told {
    policy: Policy,
    now: Instant,
    switches: u64,
}

impl Told {
    fn new() -> Self {
        Self {
            policy: Policy::new(MOST),
            now: Instant::now(),
            switches: 0,
        }
    }

    /// Spun in vain, so long after the last time; meanwhile others had the core so often. Returns whether that was enough.
    fn spun_after(&mut self, time: Duration, switches: u64) -> bool {
        self.now += time;
        self.switches += switches;
        self.policy.spun(self.now, || self.switches)
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
        while self.policy.patience().spins == MOMENT {
            assert!(!self.spun_after(Duration::from_micros(10), 1));
            waits += 1;
        }
        waits
    }
}

#[test]
fn spinning_in_vain_on_a_shared_core_is_given_up_and_tried_again_ever_more_seldom() {
    let mut told = Told::new();
    assert_eq!(told.policy.patience(), MOST);
    assert_eq!(told.spin_until_enough(), 1 + VAIN);
    let [first, most] = RETRIES;
    let mut expected = first;
    for _ in 0..10 {
        assert_eq!(told.policy.patience().spins, MOMENT);
        assert_eq!(told.wait_shortly(), expected);
        assert_eq!(told.policy.patience(), MOST);
        // Twice in vain is enough now.
        assert_eq!(told.spin_until_enough(), 2);
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
    assert!(!told.spun_after(Duration::from_micros(200), 1));
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
    assert_eq!(told.policy.patience(), MOST);
}

#[test]
fn who_sleeps_instead_of_offering_its_core_need_not_lose_it_to_know_that_it_is_shared() {
    let mut told = Told::new();
    assert!(!told.policy.offered(told.now, told.now + LONG));
    let enough = [(); 4].map(|()| told.spun_after(Duration::from_micros(200), 0));
    assert_eq!(enough, [false, false, false, true]);
}

#[test]
fn spinning_that_is_seldom_in_vain_goes_on() {
    let mut told = Told::new();
    for _ in 0..1000 {
        assert!(!told.spun_after(SOON, 7));
    }
    assert_eq!(told.policy.patience(), MOST);
}

#[test]
fn waits_one_after_the_other_that_did_not_spin_count_once() {
    let mut told = Told::new();
    told.spun_after(Duration::ZERO, 1);
    let (now, switches) = (told.now, told.switches);
    for _ in 0..1000 {
        assert!(!told.policy.spun(now + SHORTEST / 2, || switches + 1));
    }
}

#[test]
fn who_hardly_spins_does_not_ask_for_switches() {
    let few = Policy::new(Patience {
        spins: 1,
        yields: 20,
    });
    assert!(!few.minds_spinning());
}

#[test]
fn short_offers_may_be_as_many_as_they_like() {
    let mut policy = Policy::new(MOST);
    let start = Instant::now();
    for count in 0..100_000 {
        let before = start + count * LONG;
        assert!(policy.offered(before, before + LONG - Duration::from_nanos(1)));
    }
    assert_eq!(policy.patience(), MOST);
}

#[test]
fn an_offer_that_took_long_is_the_last_for_a_while() {
    let mut policy = Policy::new(MOST);
    let end = Instant::now() + LONG;
    assert!(!policy.offered(end - LONG, end));
    let sleeps = Patience { yields: 0, ..MOST };
    assert_eq!(policy.patience(), sleeps);
    let [first, _] = PAUSES;
    policy.come_back(end + first - Duration::from_nanos(1));
    assert_eq!(policy.patience(), sleeps);
    policy.come_back(end + first);
    assert_eq!(policy.patience(), MOST);
}

#[test]
fn pauses_grow_while_offers_take_long_and_begin_anew_when_they_did_not() {
    let mut policy = Policy::new(MOST);
    let mut now = Instant::now();
    let mut take_long = |policy: &mut Policy, later: Duration| {
        let before = now + later;
        now = before + LONG;
        assert!(!policy.offered(before, now));
        let Offering::Crowded { until, pause } = policy.offering else {
            panic!("{policy:?}");
        };
        assert_eq!(until, now + pause);
        policy.come_back(until);
        now = until;
        pause
    };
    let [first, most] = PAUSES;
    let mut expected = first;
    for _ in 0..12 {
        assert_eq!(take_long(&mut policy, Duration::ZERO), expected);
        expected = (2 * expected).min(most);
    }
    assert_eq!(expected, most);
    // Nobody wanted the core for longer than the last pause.
    assert_eq!(take_long(&mut policy, most), first);
}
