//! 11. Collectives.

mod algorithms;
mod asynchronous;
mod combining;
mod in_place;
mod kinds;
mod moving;
mod rules;
mod sums;

use crate::clause::{Clause, Section};

/// The section.
pub const SECTION: Section = Section {
    number: 11,
    title: "collectives",
    clauses: &[
        Clause::new(
            "11.1",
            "co_sum gives all images the sums, of any type and length",
            combining::sum,
        ),
        Clause::new(
            "11.2",
            "co_min and co_max give the extremes, and NaN if there is one",
            combining::extremes,
        ),
        Clause::new(
            "11.3",
            "co_reduce joins values in the order of the images",
            combining::reduce,
        ),
        Clause::new(
            "11.4",
            "the forms for one image leave the values of the others as they are",
            combining::to_one_image,
        ),
        Clause::new(
            "11.5",
            "co_all, co_any and co_count tell where a condition holds",
            combining::conditions,
        ),
        Clause::new(
            "11.6",
            "co_scan joins the values up to this image, co_exscan those before",
            combining::scan,
        ),
        Clause::new(
            "11.7",
            "co_reduce_scatter joins the blocks of each image",
            combining::reduce_scatter,
        ),
        Clause::new(
            "11.8",
            "co_broadcast gives all images the values of any root",
            moving::broadcast,
        ),
        Clause::new(
            "11.9",
            "co_gather and co_allgather give the values of all, in order",
            moving::gather,
        ),
        Clause::new(
            "11.10",
            "co_scatter deals the values of any root out",
            moving::scatter,
        ),
        Clause::new(
            "11.11",
            "co_alltoall gives every image other values",
            moving::alltoall,
        ),
        Clause::new(
            "11.12",
            "the forms with v move runs of unequal lengths, also of no length",
            moving::ragged,
        ),
        Clause::new(
            "11.13",
            "values of any type that travels are moved",
            moving::types,
        ),
        Clause::new(
            "11.14",
            "closed coarrays take part as values do",
            moving::coarrays,
        ),
        Clause::new(
            "11.15",
            "every algorithm of every operation gives the same values",
            algorithms::all,
        ),
        Clause::new("11.16", "all images get the same bits", sums::same_bits),
        Clause::new(
            "11.17",
            "co_sum_reproducible is exact up to one rounding, in any order",
            sums::reproducible,
        ),
        Clause::new(
            "11.18",
            "co_total_reproducible does not depend on how numbers are divided",
            sums::total,
        ),
        Clause::new(
            "11.19",
            "every asynchronous form gives what the other form gives",
            asynchronous::results,
        ),
        Clause::new(
            "11.20",
            "an asynchronous collective waits for nobody when it is called",
            asynchronous::waits_for_nobody,
        ),
        Clause::new(
            "11.21",
            "many may be under way, and be waited for in any order",
            asynchronous::many,
        ),
        Clause::new(
            "11.22",
            "no image leaves a collective before all have entered whose values it gets",
            rules::nobody_leaves_early,
        ),
        Clause::new(
            "11.23",
            "the forms that return errors work as the others while nobody fails",
            rules::with_errors,
        ),
        Clause::new(
            "11.24",
            "one collective after the other does not disturb it",
            rules::in_a_row,
        ),
        Clause::new(
            "11.25",
            "long values in coarrays, on all or some images, are joined",
            in_place::reductions,
        ),
        Clause::new(
            "11.26",
            "and are broadcast, and can be changed at once",
            in_place::broadcasts,
        ),
        Clause::new(
            "11.27",
            "and are gathered, dealt out, exchanged and joined by blocks",
            in_place::moves,
        ),
        Clause::new(
            "11.28",
            "co_min_loc and co_max_loc tell where the extremes are",
            combining::located,
        ),
        Clause::new(
            "11.29",
            "structs and complex numbers are added, and travel",
            kinds::structs,
        ),
        Clause::new(
            "11.30",
            "values of any type that serde knows are broadcast and gathered",
            kinds::serialised,
        ),
        Clause::new(
            "11.31",
            "long values in coarrays, on all or some images, are scanned, and joined for one image",
            in_place::ordered,
        ),
        Clause::new(
            "11.32",
            "the network's own collectives move values in teams, whatever the order of their images",
            algorithms::in_teams,
        ),
        Clause::new(
            "11.33",
            "the forms that return their results give what the others leave in their argument",
            combining::by_value,
        ),
    ],
};

/// Numbers of values: short, medium and long.
const LENGTHS: [usize; 8] = [0, 1, 2, 3, 5, 17, 1000, 20_000];

/// Value `index` of image `image`.
fn value(image: usize, index: usize) -> i64 {
    (image as i64 + 1) * 1_000_003 - (index as i64) * 17
}

/// The values of image `image`.
fn values(image: usize, length: usize) -> Vec<i64> {
    (0..length).map(|index| value(image, index)).collect()
}
