//! The heap under asynchronous collectives: contributions stay only as long as some image may read them, and an error
//! says when there is no room for one.

use coarray::asynchronous::{
    co_allgather_async, co_alltoallv_async, co_broadcast_async, co_gather_async, co_gatherv_async,
    co_max_async, co_scan_async, co_scatterv_async, co_sum_async, co_sum_to_async,
};
use coarray::prelude::*;
use coarray::{AllocError, Launch};

const MIB: usize = 1 << 20;

fn launch(images: usize, mebibytes: usize) -> Launch {
    Launch::new(images).heap(mebibytes * MIB)
}

/// Values of this length.
fn values(mebibytes: usize) -> Vec<u64> {
    vec![this_image() as u64 + 1; mebibytes * MIB / 8]
}

/// Whether a coarray of that size fits the heap of every image.
fn fits(mebibytes: usize) -> Result<(), AllocError> {
    Coarray::<[u8]>::try_zeroed(mebibytes * MIB).map(drop)
}

/// Calls `check` for each operation; its last argument begins the operation with long contributions and waits for it.
fn each(check: impl Fn(&'static str, fn(Vec<u64>))) {
    check("sum", |values| drop(co_sum_async(values).wait()));
    check("sum to one", |values| {
        drop(co_sum_to_async(values, 1).wait())
    });
    check("broadcast", |values| {
        drop(co_broadcast_async(values, 0).wait())
    });
    check("gather", |values| drop(co_gather_async(values, 1).wait()));
    check("gatherv", |values| drop(co_gatherv_async(values, 0).wait()));
    check("allgather", |values| {
        drop(co_allgather_async(values).wait())
    });
    check("scan", |values| {
        drop(co_scan_async(values, |a, b| a + b).wait())
    });
    check("alltoallv", |values| {
        let mut parts = vec![Vec::new(); num_images()];
        parts[(this_image() + 1) % num_images()] = values;
        drop(co_alltoallv_async(parts).wait());
    });
    check("scatterv", |values| {
        let mut parts = vec![Vec::new(); num_images()];
        parts[1] = values;
        drop(co_scatterv_async(parts, 0).wait());
    });
    check("nobody waits", |values| drop(co_max_async(values)));
}

#[test]
fn the_last_contribution_makes_room_as_soon_as_all_have_read_it() {
    each(|name, operation| {
        let run = launch(3, 16).run(|| {
            operation(values(9));
            // Before this barrier, all images have released the contribution.
            sync_all();
            fits(12).unwrap_or_else(|error| panic!("{name}: {error}"));
        });
        run.unwrap();
    });
}

#[test]
fn any_number_of_long_contributions_pass_through_a_small_heap() {
    each(|name, operation| {
        let run = launch(2, 6).run(|| {
            for _ in 0..20 {
                operation(values(3));
                sync_all();
            }
            fits(4).unwrap_or_else(|error| panic!("{name}: {error}"));
        });
        run.unwrap();
    });
}

/// An image is at most one sum ahead of another.
#[test]
fn nobody_need_synchronise_where_all_wait_for_each_other() {
    let run = launch(3, 7).run(|| {
        for _ in 0..50 {
            assert_eq!(co_sum_async(values(2)).wait()[0], 6);
        }
    });
    run.unwrap();
}

#[test]
fn what_a_team_has_read_makes_room_for_another_and_for_all() {
    let run = launch(4, 16).run(|| {
        let teams = [1, 2].map(|number| Team::form(number));
        for _ in 0..5 {
            for team in &teams {
                team.change(|| {
                    drop(co_allgather_async(values(5)).wait());
                    sync_all();
                });
            }
            fits(10).unwrap();
        }
        let gone = Team::form(3);
        gone.change(|| drop(co_allgather_async(values(5)).wait()));
        drop((gone, teams));
        sync_all();
        fits(10).unwrap();
    });
    run.unwrap();
}

/// The others go on although one image enters the collective late.
#[test]
fn what_is_not_yet_read_stays() {
    let run = launch(3, 16).run(|| {
        let late = (this_image() < 2).then(|| co_sum_async(values(4)));
        // Neither these barriers nor the creation may reclaim the contributions.
        sync_all();
        fits(8).unwrap();
        sync_all();
        let late = late.unwrap_or_else(|| co_sum_async(values(4)));
        assert!(late.wait().iter().all(|&sum| sum == 6));
    });
    run.unwrap();
}

#[test]
fn where_there_is_no_room_the_report_says_what_it_was_for_and_where() {
    for (length, requested) in [(20, "20.0 MiB"), (9, "9.0 MiB")] {
        let failure = launch(2, 16)
            .run(|| {
                let under_way = [co_sum_async(values(length)), co_sum_async(values(length))];
                under_way.map(|sum| sum.wait().len())
            })
            .unwrap_err();
        let text = failure.to_string();
        assert!(
            failure.code != 0
                && text.contains(": co_sum_async of ")
                && text.contains(" x u64 at coarray/tests/asynchronous_memory.rs:")
                && text.contains(&format!(
                    ": cannot allocate {requested} for values of an asynchronous collective: image "
                ))
                && text.contains("set COARRAY_HEAP to more than "),
            "{requested}: {text}"
        );
    }
}
