//! Who sends which arrivals to whom in a barrier among the leaders of nodes.
//!
//! Such a barrier is an allgather: a leader begins with the arrivals of its own node and ends with those of all nodes.
//! Each algorithm is a list of steps for each leader, which it takes one after the other. No node's arrivals come twice,
//! and a leader forwards only arrivals that it has. With `n` nodes:
//!
//! | | messages one after the other | in all | sent by one leader |
//! |-|-|-|-|
//! | flat | 1 | n (n - 1) | n - 1 |
//! | dissemination | log2 n | n log2 n | log2 n |
//! | tree | 2 log4 n | 2 (n - 1) | 5 |
//! | central | 2 | 2 (n - 1) | n - 1 |
//!
//! # Source
//! The dissemination is that of J. Bruck and others, *Efficient algorithms for all-to-all communications in multiport
//! message-passing systems*, IEEE Transactions on Parallel and Distributed Systems 8 (1997); for the barriers see
//! [`Barrier`].

use crate::lockfree::barrier::Barrier;
use crate::lockfree::checked_barrier::CHILDREN;

/// One step of a leader. Nodes are numbered within the team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relay {
    pub(crate) direction: Direction,
    /// The position among the receiver's steps of that direction.
    pub(crate) slot: usize,
    /// The nodes whose arrivals are sent or received.
    pub(crate) nodes: Box<[usize]>,
}

/// What a leader does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Sends to the leader of this node.
    To(usize),
    /// Waits for what the leader of this node sends.
    From(usize),
}

/// The steps of the leader of node `me` among so many nodes.
pub(crate) fn relays(barrier: Barrier, me: usize, nodes: usize) -> Box<[Relay]> {
    match barrier {
        Barrier::Flat => flat(me, nodes),
        Barrier::Dissemination => dissemination(me, nodes),
        Barrier::Tree => tree::<CHILDREN>(me, nodes),
        Barrier::Central => central(me, nodes),
    }
}

fn send(to: usize, slot: usize, nodes: impl IntoIterator<Item = usize>) -> Relay {
    Relay {
        direction: Direction::To(to),
        slot,
        nodes: nodes.into_iter().collect(),
    }
}

fn receive(from: usize, slot: usize, nodes: impl IntoIterator<Item = usize>) -> Relay {
    Relay {
        direction: Direction::From(from),
        slot,
        nodes: nodes.into_iter().collect(),
    }
}

/// Every leader sends to every other, beginning with the next one, and receives in that order.
fn flat(me: usize, nodes: usize) -> Box<[Relay]> {
    let distances = 1..nodes;
    let sends = distances.clone().map(|distance| {
        // The receiver finds this leader at the rest of the way around.
        send((me + distance) % nodes, nodes - distance - 1, [me])
    });
    let receives = distances.map(|distance| {
        let from = (me + distance) % nodes;
        receive(from, distance - 1, [from])
    });
    sends.chain(receives).collect()
}

/// Before the round of distance `d` a leader has the arrivals of `d` nodes, from its own downwards. It sends them to the
/// leader `d` above, and receives the next `d` from the leader `d` below; in the last round only those that are missing.
fn dissemination(me: usize, nodes: usize) -> Box<[Relay]> {
    let down_from =
        |first: usize, count| (0..count).map(move |step| (first + nodes - step) % nodes);
    let distances = std::iter::successors(Some(1), |distance| Some(2 * distance));
    let round = |(round, distance): (usize, usize)| {
        let count = distance.min(nodes - distance);
        let (above, below) = ((me + distance) % nodes, (me + nodes - distance) % nodes);
        [
            send(above, round, down_from(me, count)),
            receive(below, round, down_from(below, count)),
        ]
    };
    let distances = distances.take_while(|&distance| distance < nodes);
    distances.enumerate().flat_map(round).collect()
}

/// The arrivals of each subtree go up, and all others down into it. The children of a node are consecutive.
fn tree<const CHILDREN: usize>(me: usize, nodes: usize) -> Box<[Relay]> {
    let parent = |node: usize| (node - 1) / CHILDREN;
    let is_below = |mut node: usize, root: usize| {
        while node > root {
            node = parent(node);
        }
        node == root
    };
    let subtree = |root| (0..nodes).filter(move |&node| is_below(node, root));
    let outside = |root| (0..nodes).filter(move |&node| !is_below(node, root));
    let children = |node: usize| {
        let first = CHILDREN * node + 1;
        first.min(nodes)..(first + CHILDREN).min(nodes)
    };
    let mut steps: Vec<Relay> = children(me)
        .enumerate()
        .map(|(slot, child)| receive(child, slot, subtree(child)))
        .collect();
    if me > 0 {
        let above = parent(me);
        steps.push(send(above, me - children(above).start, subtree(me)));
        steps.push(receive(above, children(me).len(), outside(me)));
    }
    steps.extend(children(me).map(|child| send(child, children(child).len(), outside(child))));
    steps.into()
}

/// The first leader gathers all arrivals and sends them to the others.
fn central(me: usize, nodes: usize) -> Box<[Relay]> {
    let but = |node| (0..nodes).filter(move |&other| other != node);
    if me > 0 {
        return [send(0, me - 1, [me]), receive(0, 0, but(me))].into();
    }
    let gathers = (1..nodes).map(|from| receive(from, from - 1, [from]));
    gathers
        .chain((1..nodes).map(|to| send(to, 0, but(to))))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Lets all leaders take their steps, in an order that `choose` picks; returns how many messages each sent.
    fn run(barrier: Barrier, nodes: usize, choose: impl Fn(usize) -> usize) -> Vec<usize> {
        let lists: Vec<_> = (0..nodes).map(|me| relays(barrier, me, nodes)).collect();
        let mut next = vec![0; nodes];
        let mut has: Vec<Vec<bool>> = (0..nodes)
            .map(|me| (0..nodes).map(|node| node == me).collect())
            .collect();
        let mut messages = vec![VecDeque::new(); nodes * nodes];
        let (mut sent, mut received) = (vec![0; nodes], vec![0; nodes]);
        loop {
            let can_go_on = |&me: &usize| match lists[me].get(next[me]) {
                None => false,
                Some(Relay { direction, .. }) => match direction {
                    Direction::To(_) => true,
                    Direction::From(from) => !messages[from * nodes + me].is_empty(),
                },
            };
            let able: Vec<usize> = (0..nodes).filter(can_go_on).collect();
            let Some(&me) = able.get(choose(able.len().max(1)) % able.len().max(1)) else {
                break;
            };
            let Relay {
                direction,
                slot,
                nodes: these,
            } = &lists[me][next[me]];
            match *direction {
                Direction::To(to) => {
                    assert!(
                        these.iter().all(|&node| has[me][node]),
                        "{barrier:?}: {me} has not all"
                    );
                    messages[me * nodes + to].push_back((*slot, these.clone()));
                    sent[me] += 1;
                }
                Direction::From(from) => {
                    assert_eq!(
                        messages[from * nodes + me].pop_front(),
                        Some((*slot, these.clone()))
                    );
                    assert_eq!(*slot, received[me]);
                    received[me] += 1;
                    for &node in these {
                        assert!(
                            !std::mem::replace(&mut has[me][node], true),
                            "{node} comes twice"
                        );
                    }
                }
            }
            next[me] += 1;
        }
        assert!(
            has.iter().flatten().all(|&has| has),
            "{barrier:?} of {nodes}: an arrival is missing"
        );
        assert!(
            messages.iter().all(VecDeque::is_empty),
            "{barrier:?}: nobody takes a message"
        );
        assert!((0..nodes).all(|me| next[me] == lists[me].len()));
        sent
    }

    #[test]
    fn every_leader_ends_with_all_arrivals_after_as_few_messages_as_are_promised() {
        for nodes in (2..=17_usize).chain([31, 32, 33, 64, 100, 128]) {
            let rounds = nodes.next_power_of_two().ilog2() as usize;
            for barrier in Barrier::ALL {
                let sent = run(barrier, nodes, |_| 0);
                let (all, most) = (sent.iter().sum::<usize>(), *sent.iter().max().unwrap());
                match barrier {
                    Barrier::Flat => assert_eq!((all, most), (nodes * (nodes - 1), nodes - 1)),
                    Barrier::Dissemination => assert_eq!((all, most), (nodes * rounds, rounds)),
                    Barrier::Tree => assert!(all == 2 * (nodes - 1) && most <= CHILDREN + 1),
                    Barrier::Central => assert_eq!((all, most), (2 * (nodes - 1), nodes - 1)),
                }
            }
        }
    }

    #[test]
    fn no_order_of_events_stops_them() {
        for nodes in [2, 3, 5, 8, 13] {
            for seed in 0..20_usize {
                let state = std::cell::Cell::new(seed);
                let choose = |able: usize| {
                    // A linear congruential generator (Knuth's MMIX).
                    let next = state
                        .get()
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    state.set(next);
                    (next >> 33) % able
                };
                for barrier in Barrier::ALL {
                    run(barrier, nodes, choose);
                }
            }
        }
    }
}
