//! The policy, fed with moments and counts: no clock, no scheduler.

use super::*;

const MOST: Patience = Patience {
    spins: 4000,
    yields: 200,
};

fn tick(count: u64) -> Ticks {
    Ticks::at(Ticks::length() * count as u32)
}

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
    assert!(!told.policy.offered(tick(1), tick(4)));
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
fn a_tick_that_comes_by_in_a_short_offer_means_nothing() {
    let mut policy = Policy::new(MOST);
    for count in 0..1000 {
        assert!(policy.offered(tick(count), tick(count + 1)));
        for _ in 0..DOUBTFUL {
            assert!(policy.offered(tick(count + 1), tick(count + 1)));
        }
    }
    assert_eq!(policy.patience(), MOST);
}

#[test]
fn two_offers_that_last_a_tick_or_one_that_lasts_two_are_the_last_for_a_while() {
    let mut twice = Policy::new(MOST);
    assert!(twice.offered(tick(1), tick(2)));
    assert!(twice.offered(tick(2), tick(2)));
    assert!(!twice.offered(tick(2), tick(3)));
    let mut once = Policy::new(MOST);
    assert!(!once.offered(tick(1), tick(3)));
    for mut policy in [twice, once] {
        let sleeps = Patience { yields: 0, ..MOST };
        assert_eq!(policy.patience(), sleeps);
        let [first, _] = PAUSES;
        policy.come_back(Ticks::at(first));
        assert_eq!(policy.patience(), sleeps);
        policy.come_back(tick(3).after(first));
        assert_eq!(policy.patience(), MOST);
    }
}

#[test]
fn one_tick_is_enough_soon_after_a_pause() {
    for quick in [0, DOUBTFUL - 1, DOUBTFUL] {
        let mut policy = Policy::new(MOST);
        assert!(!policy.offered(tick(1), tick(3)));
        let end = tick(3).after(PAUSES[0]);
        policy.come_back(end);
        for _ in 0..quick {
            assert!(policy.offered(end, end));
        }
        let goes_on = policy.offered(end, end.after(Ticks::length()));
        assert_eq!(goes_on, quick == DOUBTFUL);
    }
}

#[test]
fn pauses_grow_while_offers_take_long_and_begin_anew_when_they_did_not() {
    let mut policy = Policy::new(MOST);
    let mut now = tick(1);
    let mut take_long = |policy: &mut Policy, later: Duration| {
        let before = now.after(later);
        now = before.after(Ticks::length() * 2);
        assert!(!policy.offered(before, now));
        let Offering::Crowded { until, pause } = policy.offering else {
            panic!("{policy:?}");
        };
        assert_eq!(until, now.after(pause));
        policy.come_back(until);
        now = until;
        pause
    };
    let [first, most] = PAUSES;
    let pauses = [(); 6].map(|()| take_long(&mut policy, Duration::ZERO));
    assert_eq!(
        pauses,
        [first, 2 * first, 4 * first, 8 * first, most, most].map(|pause| pause.min(most))
    );
    // Nobody wanted the core for longer than the last pause.
    assert_eq!(take_long(&mut policy, most), first);
}
