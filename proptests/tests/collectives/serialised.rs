//! Values of any type that `serde` knows arrive as they were sent.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use coarray::asynchronous::{
    co_allgather_values_async, co_broadcast_value_async, co_gather_values_async,
};
use coarray::collectives::{
    Algorithm, Collective, co_allgather_values, co_broadcast_value, co_gather_values,
};
use coarray::prelude::*;
use coarray_proptests::{Setting, config};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// With all that decks of input have, and what formats trip over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Deck {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    steps: u32,
    #[serde(flatten)]
    limits: Limits,
    materials: BTreeMap<String, Vec<Material>>,
    points: HashMap<(i8, char), f32>,
    wide: (u64, i64, u128, i128),
    end: (),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Limits {
    lower: f64,
    upper: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Material {
    Named { name: String, density: f64 },
    Number(u16),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Solver {
    Direct,
    Iterative { tolerance: f64 },
    Chain(Box<Solver>, Box<Solver>),
}

prop_compose! {
    fn decks()(
        name: String,
        comment: Option<String>,
        steps: u32,
        limits in (prop::num::f64::NORMAL, prop::option::of(prop::num::f64::NORMAL)),
        densities in prop::collection::vec(prop::num::f64::NORMAL, 0..400),
        points in prop::collection::hash_map(any::<(i8, char)>(), prop::num::f32::NORMAL, 0..9),
        wide: (u64, i64, u128, i128),
    ) -> Deck {
        let material = |(index, density)| match index % 3 {
            0 => Material::Number(index as u16),
            _ => Material::Named { name: format!("{name} {index}"), density },
        };
        let materials: Vec<_> = densities.into_iter().enumerate().map(material).collect();
        let materials = BTreeMap::from([(name.clone(), materials), ("".into(), vec![])]);
        let limits = Limits { lower: limits.0, upper: limits.1 };
        Deck { name, comment, steps, limits, materials, points, wide, end: () }
    }
}

proptest! {
    #![proptest_config(config(32))]

    #[test]
    fn decks_arrive_as_they_were_read_on_the_root_only(
        setting in Setting::anywhere(),
        root: prop::sample::Index,
        deck in decks(),
    ) {
        let root = root.index(setting.images);
        setting.run(|| {
            let read = || {
                assert_eq!(this_image(), root);
                deck.clone()
            };
            assert_eq!(co_broadcast_value(read, root), deck);
            assert_eq!(co_broadcast_value_async(read, root).wait(), deck);
        });
    }

    #[test]
    fn values_of_different_lengths_are_gathered_in_the_order_of_the_images(
        setting in Setting::anywhere(),
        root: prop::sample::Index,
        lengths in prop::collection::vec(0usize..30_000, 17),
    ) {
        let root = root.index(setting.images);
        setting.run(|| {
            let of = |image: usize| (image, "ß".repeat(lengths[image]), Some(-0.5));
            let all: Vec<_> = (0..num_images()).map(of).collect();
            let mine = of(this_image());
            let gathered = co_gather_values(&mine, root);
            let for_root = if this_image() == root { all.clone() } else { vec![] };
            assert_eq!(gathered, for_root);
            assert_eq!(co_allgather_values(&mine), all);
            let later = (co_gather_values_async(&mine, root), co_allgather_values_async(&mine));
            drop(mine);
            assert_eq!(later.1.wait(), all);
            assert_eq!(later.0.wait(), for_root);
        });
    }
}

#[test]
fn enums_floats_without_a_value_and_what_has_no_bytes_arrive() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let step = |inner| Solver::Chain(Box::new(Solver::Direct), Box::new(inner));
            let solver = step(step(Solver::Iterative { tolerance: 1e-300 }));
            assert_eq!(co_broadcast_value(|| solver.clone(), 0), solver);
            let nan = f64::from_bits(0x7ff8_dead_beef_0001);
            assert_eq!(co_broadcast_value(|| nan, 0).to_bits(), nan.to_bits());
            co_broadcast_value(|| (), 0);
            assert_eq!(co_allgather_values(&()).len(), num_images());
            let by_tree = Collective::new().algorithm(Algorithm::Binomial);
            let long = vec![this_image(); 50_000];
            assert_eq!(
                by_tree.co_broadcast_value(|| long.clone(), num_images() - 1)[7],
                num_images() - 1
            );
            assert_eq!(by_tree.co_allgather_values(&long)[0][0], 0);
        });
    }
}

/// Of another length when it is read than when it is written.
#[derive(Serialize, Deserialize)]
struct Lopsided(#[serde(serialize_with = "as_text")] u32);

fn as_text<S: serde::Serializer>(number: &u32, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&number.to_string())
}

/// Counts images, panics or is an error while it is serialised.
#[derive(Deserialize)]
struct Busy(usize);

impl Serialize for Busy {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            77 => panic!("the deck has a hole"),
            78 => return Err(serde::ser::Error::custom("it is too wide")),
            _ => {}
        }
        let mut count = self.0;
        Team::form(0).change(|| co_sum(&mut count));
        to.serialize_u64(count as u64)
    }
}

/// What the report of three images says.
fn report(body: impl Fn() + Sync) -> String {
    Setting::of(3).launch().run(body).unwrap_err().to_string()
}

#[test]
fn functions_of_the_program_may_call_collectives_where_all_images_do() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let counts = co_allgather_values(&Busy(1));
            assert!(counts.iter().all(|count| count.0 == num_images()));
        });
    }
    let text = report(|| {
        co_broadcast_value(|| Busy(1), 0);
    });
    assert!(text.contains("Team::form at"), "{text}");
    assert!(
        text.contains("Busy from image 0 at proptests/tests/collectives/serialised.rs"),
        "{text}"
    );
}

#[test]
fn failures_of_the_program_are_told_with_the_function_the_type_and_the_line() {
    let cases: [(&str, fn()); 10] = [
        ("no such file", || {
            drop(co_broadcast_value(
                || -> String { panic!("no such file") },
                1,
            ))
        }),
        ("Busy: `Serialize` fails: it is too wide", || {
            drop(co_allgather_values(&Busy(78)))
        }),
        ("the deck has a hole", || {
            drop(co_gather_values(&Busy(77), 0))
        }),
        (
            "Lopsided: `Deserialize` does not take what `Serialize` has made on image 0",
            || {
                co_broadcast_value(|| Lopsided(3), 0);
            },
        ),
        ("co_allgather_values of", || {
            drop(co_allgather_values(&Lopsided(3)))
        }),
        (
            "co_broadcast_value with image 3 as root, but there are 3 images",
            || {
                co_broadcast_value(|| (), 3);
            },
        ),
        ("Busy: `Serialize` fails: it is too wide", || {
            drop(co_gather_values_async(&Busy(78), 1))
        }),
        (
            "Lopsided: `Deserialize` does not take what `Serialize` has made on image 0",
            || {
                co_broadcast_value_async(|| Lopsided(3), 0).wait();
            },
        ),
        ("co_allgather_values_async at", || {
            drop(co_allgather_values_async(&Lopsided(3)).wait())
        }),
        (
            "co_broadcast_value_async from image 3, but there are 3 images",
            || {
                co_broadcast_value_async(|| (), 3).wait();
            },
        ),
    ];
    for (expected, case) in cases {
        let text = report(case);
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("tests/collectives/serialised.rs"), "{text}");
    }
}

#[test]
fn different_types_and_roots_are_told_apart() {
    let text = report(|| match this_image() {
        0 => drop(co_broadcast_value(|| 1_u32, 0)),
        _ => drop(co_broadcast_value(|| 1_u64, 0)),
    });
    assert!(
        text.contains("co_broadcast_value of u32 from image 0 at"),
        "{text}"
    );
    assert!(
        text.contains("co_broadcast_value of u64 from image 0 at"),
        "{text}"
    );
    let text = report(|| drop(co_gather_values(&1.5, this_image() % 2)));
    assert!(
        text.contains("co_gather_values of f64 to image 0 at"),
        "{text}"
    );
    let text = report(|| match this_image() {
        0 => drop(co_allgather_values(&String::new())),
        _ => drop(co_gather_values(&String::new(), 0)),
    });
    assert!(
        text.contains("co_allgather_values of alloc::string::String at"),
        "{text}"
    );
    let text = report(|| match this_image() {
        0 => drop(co_allgather_values_async(&1_u8).wait()),
        _ => drop(co_allgather_values_async(&1_i8).wait()),
    });
    assert!(
        text.contains("co_allgather_values_async of u8 at"),
        "{text}"
    );
}

#[test]
fn an_image_whose_panic_is_caught_is_told_apart_from_those_that_go_on() {
    let text = report(|| {
        let is_first = Cell::new(true);
        let make = || match is_first.replace(false) {
            true => panic!("once"),
            false => vec![1_u8; 100],
        };
        let call = || drop(co_broadcast_value(make, 0));
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err() {
            co_sum(&mut 1);
        }
    });
    assert!(
        text.contains("co_sum of i32 at") && text.contains("co_broadcast_value of"),
        "{text}"
    );
}
