//! A test for each rule of `coarray::memory_model`.
//!
//! Each rule is a program whose images race many times, and check the rule's promise each time. It runs on threads
//! and on processes, with memory that is reached by load and store and with memory that is reached through the
//! fabric's operations.
//!
//! The images of a process job are this test binary with `--program NAME`.

mod barriers;
mod failure;
mod message;
mod order;
mod signals;

use std::process::{Command, ExitCode};

use coarray::Launch;
use testing::harness;

/// Numbers of images at which a rule is tried.
const COUNTS: [usize; 3] = [2, 3, 4];

/// A rule's number, its statement, and the program that tests it.
type Rule = (u8, &'static str, fn());

macro_rules! rules {
    ($($number:literal: $module:ident::$check:ident,)*) => {
        [$(($number, stringify!($check), $module::$check)),*]
    };
}

const RULES: &[Rule] = &rules![
    1: order::accesses_of_one_image_to_a_place_happen_in_program_order,
    2: order::fence_orders_puts_to_one_image,
    3: order::what_was_put_before_quiet_is_visible_everywhere_before_what_is_put_after,
    3: order::fences_of_all_images_are_in_one_order,
    3: order::fenced_gets_see_independent_puts_in_one_order,
    4: barriers::sync_all_orders_everything_before_it_before_everything_after_it,
    4: barriers::phases_order_what_is_before_them_and_in_them,
    5: signals::what_is_before_a_post_is_visible_after_the_wait,
    5: signals::a_wait_for_several_posts_is_after_all_of_them,
    5: signals::order_is_transitive,
    6: signals::what_put_notify_puts_is_visible_after_the_wait,
    7: signals::what_is_before_an_unlock_is_visible_after_the_next_lock,
    8: signals::a_wait_completes_an_operation_and_those_before_it,
    9: barriers::collectives_agree_and_let_nobody_leave_before_all_have_entered,
    10: order::coatomics_have_one_order_for_each_place,
    10: order::coatomics_of_any_size_are_never_torn,
    11: order::races_disturb_no_other_place_and_end_with_one_value,
    12: barriers::in_a_team_the_rules_hold_among_its_images,
    13: barriers::sync_images_orders_pairs_of_images,
    14: signals::what_is_in_a_critical_section_is_visible_in_the_next,
    15: failure::what_a_failed_image_completed_stays_visible,
];

/// The rule about failure needs jobs that go on without the image that fails.
const FAILURE: u8 = 15;

fn main() -> ExitCode {
    if let Some(program) = harness::asked_program() {
        let mut rules = RULES.iter();
        let (_, _, check) = rules.find(|(_, rule, _)| *rule == program).expect("a rule");
        return coarray::launch(*check);
    }
    let trials = RULES.iter().flat_map(|&rule| {
        [("direct", true), ("through_the_fabric", false)].map(|(path, direct)| {
            let (number, name, _) = rule;
            harness::trial(format!("rule_{number}::{name}::{path}"), move || {
                for images in COUNTS {
                    on_threads(rule, images, direct);
                    on_processes(rule, images, direct);
                }
            })
        })
    });
    harness::run(trials)
}

fn on_threads((number, _, check): Rule, images: usize, direct: bool) {
    let launch = Launch::new(images)
        .direct(direct)
        .keep_going(number == FAILURE);
    if let Err(failure) = launch.run(check) {
        panic!("{images} threads: {failure}");
    }
}

fn on_processes((number, name, _): Rule, images: usize, direct: bool) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--program", name])
        .env("COARRAY_IMAGES", images.to_string())
        .env("COARRAY_SHARED_MEMORY", u8::from(direct).to_string())
        .env(
            "COARRAY_FAULT_TOLERANT",
            u8::from(number == FAILURE).to_string(),
        );
    let end = testing::run(command);
    assert_eq!(end.code, Some(0), "{images} processes: {}", end.stderr);
}
