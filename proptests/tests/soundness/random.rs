//! Random programs.

use std::env;

use proptest::prelude::*;
use proptest::sample::select;

use crate::program::{
    ALL, Access, Action, Blow, Collective, End, Fate, Interrupted, KINDS, Kind, Program, SLOTS,
    Shared, Step, Twist, Waker,
};

impl Program {
    pub fn any() -> impl Strategy<Value = Self> {
        let kinds = prop::collection::vec(select(&KINDS[..]), 1..4);
        let length = prop_oneof![6 => 1usize..9, 2 => 20usize..60, 1 => 400usize..900];
        let lengths = prop::collection::vec(length, 1..3);
        (kinds, lengths).prop_flat_map(|(kinds, lengths)| Self::of(Palette { kinds, lengths }))
    }

    fn of(palette: Palette) -> impl Strategy<Value = Self> {
        let images = select(&[1usize, 2, 2, 3, 4, 7][..]);
        let ways = vec![(true, 1), (false, 1), (false, 1), (true, 2), (false, 2)];
        let created = prop::collection::vec(twisted(creation(&palette), create_twist()), 2..=SLOTS);
        let steps = prop::collection::vec(steps(palette), 1..12);
        let may_race = env::var("SOUNDNESS_RACES").map_or(true, |races| races != "0");
        let races = prop::bool::weighted(if may_race { 0.8 } else { 0.0 });
        let flags = (prop::bool::weighted(0.4), prop::bool::weighted(0.1), races);
        // Programs without a mistake go on to their end, and those with many soon end.
        let mistakes = prop::bool::weighted(0.75);
        let parts = (images, select(ways), flags, created, steps, mistakes);
        parts.prop_map(
            |(images, (direct, per_node), flags, created, rest, mistakes)| {
                let mut steps = created;
                for (slot, step) in steps.iter_mut().enumerate() {
                    if let Action::Create { slot: place, .. } = &mut step.action {
                        *place = slot;
                    }
                }
                steps.extend(rest);
                if !mistakes {
                    steps.iter_mut().for_each(Step::put_right);
                }
                Self {
                    images,
                    direct,
                    nodes: if per_node == 2 { images.div_ceil(2) } else { 1 },
                    // On several nodes no job goes on.
                    keep_going: flags.0 && per_node == 1,
                    stubborn: flags.1,
                    races: flags.2,
                    steps,
                }
            },
        )
    }
}

/// What a program makes objects of: the fewer kinds and lengths, the more there is to be confused.
#[derive(Clone, Debug)]
struct Palette {
    kinds: Vec<Kind>,
    lengths: Vec<usize>,
}

impl Palette {
    fn kind(&self) -> impl Strategy<Value = Kind> + use<> {
        select(self.kinds.clone())
    }

    fn length(&self) -> impl Strategy<Value = usize> + use<> {
        select(self.lengths.clone())
    }
}

/// A step in which an image may make one of these mistakes, or one that can be made in any.
fn twisted(
    action: impl Strategy<Value = Action> + 'static,
    twist: impl Strategy<Value = Twist> + 'static,
) -> BoxedStrategy<Step> {
    let twist = prop_oneof![1 => any_twist(), 1 => twist];
    let twist = prop::option::weighted(0.12, (0..=ALL, twist));
    let step = (action, twist).prop_map(|(action, twist)| Step { action, twist });
    // Where strategies are large, so are the values that they are made of.
    step.boxed()
}

fn any_twist() -> impl Strategy<Value = Twist> {
    let blow = prop_oneof![
        5 => Just(Blow::Caught),
        2 => Just(Blow::Panic),
        2 => Just(Blow::Fail),
        1 => Just(Blow::Stop),
    ];
    prop_oneof![
        1 => Just(Twist::Skip),
        2 => Just(Twist::Swap),
        6 => (0usize..6, blow).prop_map(|(fuse, blow)| Twist::Blow(fuse, blow)),
    ]
}

fn create_twist() -> impl Strategy<Value = Twist> {
    prop_oneof![any_twist(), select(&KINDS[..]).prop_map(Twist::Kind)]
}

fn phase_twist() -> impl Strategy<Value = Twist> {
    let end = select(&[End::Forget, End::Panic][..]);
    prop_oneof![end.prop_map(Twist::End), (0..SLOTS).prop_map(Twist::Slot)]
}

fn waker_twist() -> impl Strategy<Value = Twist> {
    use Interrupted::{Collective, Creation, None};
    use Waker::{Collects, Creates, Panics};
    let waker = select(&[Panics, Panics, Creates, Collects][..]);
    let interrupted = select(&[None, Creation, Collective][..]);
    (waker, interrupted).prop_map(|(waker, after)| Twist::Waker(waker, after))
}

fn creation(palette: &Palette) -> impl Strategy<Value = Action> + use<> {
    let within = prop::option::weighted(0.1, (0..SLOTS, palette.kind()));
    (0..SLOTS, palette.kind(), palette.length(), within).prop_map(|(slot, kind, length, within)| {
        Action::Create {
            slot,
            kind,
            length,
            within,
        }
    })
}

fn collective(palette: &Palette) -> impl Strategy<Value = Action> + use<> {
    use Collective::{Allgather, AllgatherAsync, Alltoallv, Reduce, ReduceAsync, Scan};
    let all = [
        Allgather,
        Allgather,
        Reduce,
        Scan,
        Alltoallv,
        AllgatherAsync,
        ReduceAsync,
    ];
    (select(all.to_vec()), palette.length(), 0usize..8).prop_map(|(which, length, root)| {
        Action::Collective {
            which,
            length,
            root,
        }
    })
}

fn burst() -> impl Strategy<Value = Step> {
    let waker = select(&[Waker::Plain, Waker::Plain, Waker::None, Waker::Panics][..]);
    let action =
        (0usize..3, 0usize..8, 2usize..6, waker).prop_map(|(phase, image, count, waker)| {
            Action::Burst {
                phase,
                image,
                count,
                waker,
            }
        });
    twisted(action, waker_twist())
}

/// Steps in a phase that are about it.
fn reaching() -> impl Strategy<Value = Step> {
    use Access::{Copy, Fill, Get, GetAll, Put, PutAll, Swap};
    let access = select(&[Get, Put, PutAll, GetAll, Copy, Fill, Swap][..]);
    let access =
        (0usize..3, 0usize..8, 0usize..1000, access).prop_map(|(phase, image, index, access)| {
            Action::Access {
                phase,
                image,
                index,
                access,
            }
        });
    let fate = select(&[Fate::Wait, Fate::Drop, Fate::Forget, Fate::Ask][..]);
    let settle = (0usize..3, fate).prop_map(|(phase, fate)| Action::Settle { phase, fate });
    prop_oneof![
        8 => twisted(access, any_twist()),
        4 => burst(),
        1 => twisted(settle, any_twist()),
    ]
}

fn shared() -> impl Strategy<Value = Action> {
    use Shared::{Atomics, MakeAtomics, MakeEvents, MakeMutex, Mutex, Ring, Stranger};
    let all = [
        MakeAtomics,
        MakeAtomics,
        MakeMutex,
        MakeEvents,
        Atomics,
        Mutex,
        Ring,
        Stranger,
    ];
    (select(all.to_vec()), 0usize..8).prop_map(|(which, image)| Action::Shared { which, image })
}

/// Steps that contain no others.
fn simple(palette: &Palette) -> impl Strategy<Value = Step> + use<> {
    let slots = || (0..SLOTS, 0..SLOTS);
    let action = prop_oneof![
        1 => (0..SLOTS).prop_map(Action::Drop),
        2 => (0..SLOTS).prop_map(Action::Write),
        2 => slots().prop_map(|(one, other)| Action::Replace(one, other)),
        1 => slots().prop_map(|(one, other)| Action::Swap(one, other)),
        4 => collective(palette),
        1 => (0..SLOTS, 0usize..8).prop_map(|(slot, root)| Action::Broadcast(slot, root)),
        3 => (0..SLOTS, 0usize..8, 0usize..3).prop_map(|(slot, root, which)| {
            Action::Global { slot, root, which }
        }),
        4 => shared(),
        1 => Just(Action::Sync),
    ];
    prop_oneof![
        1 => twisted(creation(palette), create_twist()),
        4 => twisted(action, any_twist()),
    ]
}

/// Begins a phase's body with something that leaves operations under way, for the steps after it to complete.
fn under_way(palette: &Palette) -> impl Strategy<Value = Vec<Step>> + use<> {
    let next = prop_oneof![
        twisted(creation(palette), create_twist()),
        twisted(collective(palette), any_twist()),
    ];
    let burst = (burst(), 0..=ALL, waker_twist()).prop_map(|(mut burst, who, twist)| {
        burst.twist = Some((who, twist));
        burst
    });
    (burst, prop::collection::vec(next, 1..4)).prop_map(|(burst, mut body)| {
        body.insert(0, burst);
        body
    })
}

/// Lets a team move the cells of a long halo array while some image may end the job.
fn moving() -> impl Strategy<Value = Step> {
    let create = |slot| Action::Create {
        slot,
        kind: Kind::Line,
        length: 1000,
        within: None,
    };
    let blow = select(&[Blow::Panic, Blow::Stop, Blow::Fail][..]);
    let fatal = (0..ALL, blow).prop_map(|(who, blow)| (who, Twist::Blow(0, blow)));
    let moves = prop::collection::vec((0usize..8, 0usize..3), 2..5);
    (0..SLOTS, any::<u64>(), moves, 0usize..4, fatal).prop_map(
        move |(slot, colours, moves, last, fatal)| {
            let global = |(root, which)| Action::Global { slot, root, which };
            let actions = [create(slot)]
                .into_iter()
                .chain(moves.into_iter().map(global));
            let mut body: Vec<Step> = actions
                .map(|action| Step {
                    action,
                    twist: None,
                })
                .collect();
            let last = 1 + last % (body.len() - 1);
            body[last].twist = Some(fatal);
            let action = Action::Team { colours, body };
            Step {
                action,
                twist: None,
            }
        },
    )
}

fn steps(palette: Palette) -> impl Strategy<Value = Step> {
    simple(&palette).prop_recursive(3, 24, 6, move |inner| {
        let within = prop_oneof![3 => reaching(), 2 => inner.clone()];
        let within = prop::collection::vec(within, 0..7);
        let body = prop_oneof![3 => within.clone(), 1 => under_way(&palette)];
        let end = prop_oneof![
            12 => Just(End::Drop),
            1 => Just(End::Forget),
            1 => Just(End::Panic),
        ];
        let slots = (0..SLOTS, prop::option::weighted(0.2, 0..SLOTS));
        let phase = (slots, any::<bool>(), body, end).prop_map(|(slots, publish, body, end)| {
            Action::Phase {
                slots,
                publish,
                body,
                end,
            }
        });
        let scope = (0usize..3, 0usize..8, within).prop_map(|(phase, image, body)| Action::Scope {
            phase,
            image,
            body,
        });
        let team = (any::<u64>(), prop::collection::vec(inner, 0..6))
            .prop_map(|(colours, body)| Action::Team { colours, body });
        prop_oneof![
            40 => twisted(phase, phase_twist()),
            4 => twisted(scope, any_twist()),
            8 => twisted(team, any_twist()),
            1 => moving(),
        ]
    })
}
