//! 13. Published coarrays.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::ring::right;

/// The section.
pub const SECTION: Section = Section {
    number: 13,
    title: "published coarrays",
    clauses: &[
        Clause::new("13.1", "all images read all parts", all_read_all),
        Clause::new(
            "13.2",
            "what an image wrote before is there, in each phase anew",
            anew,
        ),
        Clause::new("13.3", "its own part is read as memory meanwhile", own_part),
        Clause::new(
            "13.4",
            "a part that is mapped is the same as what is got",
            mapped_parts,
        ),
        Clause::new(
            "13.5",
            "rows, columns, sections and asynchronous gets work as in an open coarray",
            forms,
        ),
    ],
};

fn table(image: usize, round: usize) -> [[u32; 12]; 9] {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (10_000 * image + 1000 * round + 12 * row + column) as u32)
    })
}

fn all_read_all(check: &mut Check) {
    let mut x = Coarray::new(table(this_image(), 0));
    let x = x.publish();
    for image in 0..num_images() {
        check.same("a part", x.at(image).get(), table(image, 0));
    }
}

fn anew(check: &mut Check) {
    let mut x = Coarray::new(table(this_image(), 0));
    for round in 1..30 {
        *x = table(this_image(), round);
        let x = x.publish();
        let image = (this_image() + round) % num_images();
        check.same("a part", x.at(image).get(), table(image, round));
        // If the end of the phase did not wait, other images could still read when this image writes again.
        check.same(
            "a neighbour's",
            x.at(right(1))[8][11].get(),
            table(right(1), round)[8][11],
        );
    }
}

fn own_part(check: &mut Check) {
    let mut x = Coarray::new(table(this_image(), 3));
    {
        let x = x.publish();
        let theirs = x.at(right(1)).get();
        let sum: u32 = x.as_flattened().iter().sum();
        let expected: u32 = table(this_image(), 3).as_flattened().iter().sum();
        check.same("the sum of the own part", sum, expected);
        check.same("a neighbour's part", theirs, table(right(1), 3));
    }
    x[0][0] = 1;
    check.same("the own part afterwards", x[0][0], 1);
}

fn mapped_parts(check: &mut Check) {
    let mut x = Coarray::new(table(this_image(), 5));
    let x = x.publish();
    for image in 0..num_images() {
        if let Some(part) = x.try_ref(image) {
            check.same("a part as memory", *part, table(image, 5));
            check.same("the same, got", x.at(image).get(), *part);
        }
    }
}

fn forms(check: &mut Check) {
    let mut x = Coarray::new(table(this_image(), 6));
    let x = x.publish();
    let theirs = table(right(1), 6);
    let place = x.at(right(1));
    check.same("a row", place[4].get(), theirs[4]);
    check.same("rows", place[2..4].to_vec(), theirs[2..4].to_vec());
    check.same(
        "a column",
        place.column(7).to_vec(),
        theirs.map(|row| row[7]).to_vec(),
    );
    let section = place[3].section(1.., 4).to_vec();
    check.same(
        "a section",
        section,
        vec![theirs[3][1], theirs[3][5], theirs[3][9]],
    );
    let (row, item) = (place[5].get_async(), place[6][7].get_async());
    check.same("an item, asynchronously", item.wait(), theirs[6][7]);
    check.same("a row, asynchronously", row.wait(), theirs[5]);
    let mut target = [[0; 12]; 9];
    async_scope(|scope| drop(place.get_into_async(&mut target, scope)));
    check.same("the part, asynchronously", target, theirs);
}
