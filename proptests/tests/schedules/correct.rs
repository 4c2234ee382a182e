//! Small programs without a mistake.

mod failures;
mod memory;
mod messages;
mod shared;

/// A program that works in every schedule.
#[derive(Clone, Copy)]
pub struct Correct {
    pub name: &'static str,
    pub images: usize,
    /// Whether images of it may fail.
    pub keeps_going: bool,
    pub program: fn(),
}

macro_rules! programs {
    ($($module:ident::$name:ident($images:literal $(, $fails:ident)?),)*) => {
        &[$(Correct {
            name: stringify!($name),
            images: $images,
            keeps_going: !concat!($(stringify!($fails))?).is_empty(),
            program: $module::$name,
        }),*]
    };
}

pub const PROGRAMS: &[Correct] = programs![
    messages::token_that_goes_round(3),
    messages::posts_round_a_ring(3),
    messages::two_buffers_and_notified_puts(2),
    messages::pipeline_of_sync_images(3),
    messages::flag_behind_a_fence(2),
    messages::any_of_several_events(3),
    messages::puts_and_gets_in_flight(3),
    messages::parts_in_flight_and_what_announces_them(3),
    messages::flags_that_need_not_be_seen(2),
    memory::heat_in_one_dimension(3),
    memory::life_in_two_dimensions(4),
    memory::histogram_of_adds(3),
    memory::conveyor_of_small_packets(3),
    memory::teams_that_compute_apart(4),
    memory::collectives_one_after_the_other(3),
    memory::phases_and_barriers(3),
    shared::counter_in_a_mutex(3),
    shared::counter_in_a_critical_section(3),
    shared::philosophers_who_eat(3),
    shared::ticket_lock(3),
    shared::stack_with_tags(3),
    shared::work_from_a_counter(3),
    shared::work_that_is_stolen(3),
    shared::barrier_of_ones_own(3),
    shared::sequence_lock(2),
    shared::lock_of_readers_and_writers(3),
    shared::queue_of_many_producers(3),
    shared::tasks_that_make_tasks(3),
    shared::atomic_operations_in_flight(3),
    failures::work_that_is_done_again_by_those_left(3, Fails),
    failures::waits_that_end_without_who_has_failed(3, Fails),
];
