//! No post is lost or counted twice, whoever posts and however the waits take them.

use std::time::{Duration, Instant};

use coarray::Launch;
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

/// A way to take posts.
#[derive(Clone, Copy, Debug)]
enum Take {
    Wait,
    WaitFor(u64),
    TryWait,
    Timeout,
}

fn takes() -> impl Strategy<Value = Vec<Take>> {
    let take = prop_oneof![
        Just(Take::Wait),
        (1u64..20).prop_map(Take::WaitFor),
        Just(Take::TryWait),
        Just(Take::Timeout),
    ];
    prop::collection::vec(take, 1..8)
}

/// Takes exactly so many posts.
fn take(event: &Coevent, posts: u64, takes: &[Take]) {
    let mut left = posts;
    for way in takes.iter().cycle() {
        if left == 0 {
            break;
        }
        left -= match *way {
            Take::Wait => {
                event.wait();
                1
            }
            Take::WaitFor(count) => {
                let count = count.min(left);
                event.wait_for(count);
                count
            }
            Take::TryWait => u64::from(event.try_wait().unwrap()),
            Take::Timeout => u64::from(event.wait_timeout(Duration::from_micros(50)).unwrap()),
        };
    }
}

/// What an image does to its own event.
#[derive(Clone, Copy, Debug)]
enum Act {
    Post,
    PostPlace,
    TryWait,
    WaitFor(u64),
    WaitForTimeout(u64),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => Just(Act::Post),
        3 => Just(Act::PostPlace),
        2 => Just(Act::TryWait),
        1 => (0u64..6).prop_map(Act::WaitFor),
        1 => (0u64..6).prop_map(Act::WaitForTimeout),
    ];
    prop::collection::vec(act, 1..60)
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn an_event_that_one_image_uses_counts_as_a_number_does(
        setting in Setting::anywhere(),
        acts in acts(),
    ) {
        setting.run(|| {
            let event = Coarray::new(Coevent::new());
            let place = event.at(this_image());
            let mut posts = 0_u64;
            for act in &acts {
                match *act {
                    Act::Post => {
                        event.post();
                        posts += 1;
                    }
                    Act::PostPlace => {
                        place.post();
                        posts += 1;
                    }
                    Act::TryWait => {
                        assert_eq!(event.try_wait(), Ok(posts > 0));
                        posts = posts.saturating_sub(1);
                    }
                    Act::WaitFor(count) => {
                        let count = count.min(posts);
                        event.wait_for(count);
                        posts -= count;
                    }
                    Act::WaitForTimeout(count) => {
                        let enough = event.wait_for_timeout(count, Duration::ZERO);
                        assert_eq!(enough, Ok(posts >= count));
                        posts -= if posts >= count { count } else { 0 };
                    }
                }
                assert_eq!((event.query(), place.query()), (posts, posts), "after {act:?}");
            }
        });
    }

    #[test]
    fn every_post_is_taken_once(
        setting in Setting::anywhere(),
        seed: u64,
        takes in takes(),
    ) {
        setting.run(|| {
            let posts = |from: usize, to: usize| mix(seed, (from * 64 + to) as u64) % 40;
            let events = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
            for to in 0..num_images() {
                for post in 0..posts(this_image(), to) {
                    events.at(to)[post as usize % 2].post();
                }
            }
            for (parity, event) in events.iter().enumerate() {
                let due = |from| (posts(from, this_image()) + 1 - parity as u64) / 2;
                take(event, (0..num_images()).map(due).sum(), &takes);
            }
            sync_all();
            assert!(events.iter().all(|event| event.query() == 0));
            assert_eq!(events[0].try_wait(), Ok(false));
        });
    }
}

#[test]
fn a_wait_with_a_time_limit_ends_in_time_and_takes_nothing() {
    Launch::new(2)
        .run(|| {
            let event = Coarray::new(Coevent::new());
            event.post();
            let start = Instant::now();
            assert_eq!(
                event.wait_for_timeout(2, Duration::from_millis(120)),
                Ok(false)
            );
            let waited = start.elapsed();
            assert!(waited >= Duration::from_millis(120), "{waited:?}");
            assert!(waited < Duration::from_secs(5), "{waited:?}");
            assert_eq!(event.query(), 1);
            assert_eq!(event.wait_timeout(Duration::MAX), Ok(true));
        })
        .unwrap();
}

#[test]
fn more_posts_than_can_ever_come_are_waited_for_in_vain() {
    coarray::run(1, || {
        let event = Coarray::new(Coevent::new());
        event.post();
        event.wait();
        for posts in [u64::MAX, 1 << 63] {
            let waited = event.wait_for_timeout(posts, Duration::from_millis(1));
            assert_eq!(waited, Ok(false));
        }
        event.post();
        assert_eq!(event.query(), 1);
    });
}

#[test]
fn who_asks_from_afar_counts_the_posts_of_one_moment() {
    for (images, nodes, turns) in [(3, 1, 200_000), (3, 2, 20_000), (3, 3, 20_000)] {
        count_from_afar(Launch::new(images).simulated_nodes(nodes), turns);
    }
}

fn count_from_afar(launch: Launch, turns: usize) {
    let outcome = launch.run(|| {
        let event = Coarray::new(Coevent::new());
        let done = Coarray::new(Coatomic::new(false));
        if this_image() == 0 {
            for _ in 0..turns {
                event.post();
                event.wait();
            }
            done.at(0).store(true);
        } else {
            while !done.at(0).load() {
                let posts = event.at(0).query();
                assert!(posts <= 1, "{posts}");
            }
        }
    });
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[test]
fn threads_that_are_no_images_cannot_post() {
    let failure = Launch::new(1)
        .run(|| {
            let event = Coarray::new(Coevent::new());
            let event: &Coevent = &event;
            std::thread::scope(|scope| scope.spawn(|| event.post()).join()).unwrap();
        })
        .unwrap_err();
    assert_eq!(failure.image, 0);
}
