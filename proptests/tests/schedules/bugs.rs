//! Programs with one mistake each, and the same without it.

mod buffers;
mod counting;
mod deadlocks;
mod failures;
mod flags;
mod in_flight;
mod lock_free;
mod polling;
mod results;
mod termination;
mod updates;

use crate::program::Version;

/// How a program says that something is wrong.
#[derive(Clone, Copy)]
pub enum Program {
    /// It asserts what it keeps, or cannot end.
    Asserts(fn(Version)),
    /// Its result is not the same in every schedule.
    Returns(fn(Version) -> f64),
}

/// What a schedule must be able to do to show a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Switch at synchronisations, and between accesses that race.
    BySwitches,
    /// Let puts and asynchronous atomic operations be late.
    ByLatePuts,
    /// Let images fail, and operations be late.
    ByFailures,
    /// Nothing: whatever arrives late here is in time, and that it need not be is a race.
    AsARace,
}

/// A program with a mistake.
#[derive(Clone, Copy)]
pub struct Bug {
    pub name: &'static str,
    pub images: usize,
    pub shown: Shown,
    pub program: Program,
}

macro_rules! bugs {
    ($($module:ident::$name:ident($images:literal, $shown:ident, $program:ident),)*) => {
        &[$(Bug {
            name: stringify!($name),
            images: $images,
            shown: Shown::$shown,
            program: Program::$program($module::$name),
        }),*]
    };
}

/// A mistake that is found, but whose schedule is not made small enough yet: it is shrunk to 14 switches.
pub const BEYOND: [&str; 1] = ["conveyor_finished_before_the_question_came"];

pub const BUGS: &[Bug] = bugs![
    flags::flag_without_a_fence(2, ByLatePuts, Asserts),
    flags::fence_of_another_image(3, ByLatePuts, Asserts),
    flags::notified_put_for_data_elsewhere(3, ByLatePuts, Asserts),
    flags::collective_taken_for_a_barrier(3, AsARace, Asserts),
    flags::both_see_nothing_without_an_image_fence(2, ByLatePuts, Asserts),
    flags::message_by_way_of_a_third_image(3, ByLatePuts, Asserts),
    flags::data_read_without_an_image_fence(2, AsARace, Asserts),
    flags::barrier_of_half_the_images(4, BySwitches, Asserts),
    flags::spin_lock_without_a_fence(3, ByLatePuts, Asserts),
    in_flight::waited_for_but_not_fenced(2, ByLatePuts, Asserts),
    in_flight::flag_in_flight_overtakes_the_data(2, ByLatePuts, Asserts),
    in_flight::put_in_flight_that_announces_another_one(2, ByLatePuts, Asserts),
    in_flight::put_issued_before_the_place_is_free(2, BySwitches, Asserts),
    in_flight::counter_read_before_it_is_waited_for(2, ByLatePuts, Asserts),
    in_flight::notification_taken_as_sent(2, ByLatePuts, Asserts),
    in_flight::list_taken_for_done(2, ByLatePuts, Asserts),
    in_flight::task_counted_by_a_fence_of_another_image(3, ByLatePuts, Asserts),
    buffers::buffer_used_again_without_asking(2, BySwitches, Asserts),
    buffers::one_credit_more_than_slots(2, BySwitches, Asserts),
    buffers::halo_filled_before_it_was_read(3, BySwitches, Asserts),
    buffers::halo_that_waits_for_one_side_only(3, BySwitches, Asserts),
    counting::post_of_another_image_taken_for_this_one(3, BySwitches, Asserts),
    counting::rounds_that_share_an_event(3, BySwitches, Asserts),
    updates::get_add_and_put_without_a_lock(2, BySwitches, Asserts),
    updates::load_and_store_of_a_coatomic(2, BySwitches, Asserts),
    updates::critical_sections_of_two_teams(4, BySwitches, Asserts),
    updates::balance_looked_at_before_the_lock(2, BySwitches, Asserts),
    updates::value_said_to_be_there_before_it_is(2, BySwitches, Asserts),
    lock_free::stack_whose_head_comes_back(2, BySwitches, Asserts),
    lock_free::last_item_taken_and_stolen(2, BySwitches, Asserts),
    lock_free::sequence_lock_read_while_it_is_odd(2, BySwitches, Asserts),
    lock_free::barrier_used_again_too_early(2, BySwitches, Asserts),
    lock_free::two_writers_see_that_nobody_is_in(2, BySwitches, Asserts),
    lock_free::way_given_before_it_is_asked_for(2, BySwitches, Asserts),
    results::sum_in_order_of_arrival(3, BySwitches, Returns),
    results::parts_taken_as_they_come(3, BySwitches, Returns),
    results::log_in_order_of_arrival(3, BySwitches, Returns),
    results::first_of_equals_wins(3, BySwitches, Returns),
    deadlocks::two_locks_in_two_orders(2, BySwitches, Asserts),
    deadlocks::philosophers_who_all_take_the_left_fork(3, BySwitches, Asserts),
    deadlocks::lock_held_while_waiting_for_who_needs_it(2, BySwitches, Asserts),
    deadlocks::sleeper_who_looked_before_saying_so(2, BySwitches, Asserts),
    deadlocks::both_wait_for_room_at_the_other(2, BySwitches, Asserts),
    deadlocks::loop_that_images_leave_in_different_steps(3, BySwitches, Asserts),
    polling::polled_for_one_value_that_goes_by(2, BySwitches, Asserts),
    polling::spin_locks_in_two_orders(2, BySwitches, Asserts),
    polling::two_readers_that_want_to_write(2, BySwitches, Asserts),
    termination::task_finished_before_its_children_are_counted(2, BySwitches, Asserts),
    termination::letter_counted_before_it_is_passed_on(3, BySwitches, Asserts),
    termination::letters_sent_looked_at_before_those_received(3, BySwitches, Asserts),
    termination::conveyor_finished_before_the_question_came(3, BySwitches, Asserts),
    failures::copy_that_the_failed_image_had_not_finished(2, ByFailures, Asserts),
    failures::recovery_begun_by_who_has_seen_the_failure(3, ByFailures, Asserts),
];
