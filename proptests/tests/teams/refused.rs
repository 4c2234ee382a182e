//! What cannot be done with teams ends the job with a message that names the image and the line.

use coarray::failure::image_status;
use coarray::irregular::Conveyor;
use coarray::prelude::*;
use coarray::{Launch, sync_team};

#[track_caller]
fn refusal(images: usize, body: impl Fn() + Sync) -> String {
    refusal_of(Launch::new(images), body)
}

#[track_caller]
fn refusal_of(launch: Launch, body: impl Fn() + Sync) -> String {
    let text = launch.run(body).unwrap_err().to_string();
    assert!(text.contains("teams/refused.rs:"), "{text}");
    assert!(text.contains("image "), "{text}");
    text
}

#[test]
fn a_team_is_changed_to_only_where_it_was_formed() {
    let text = refusal(2, || {
        let outer = Team::form(1);
        let other = Team::form(2);
        outer.change(|| other.change(|| ()));
    });
    assert!(
        text.contains("team 2 was not formed by the current team, team 1"),
        "{text}"
    );
}

#[test]
fn a_team_ends_with_its_parent() {
    let inner = || {
        let outer = Team::form(1);
        outer.change(|| Team::form(5))
    };
    let text = refusal(2, || inner().change(|| ()));
    assert!(
        text.contains("team 5 was not formed by the current team"),
        "{text}"
    );
    let text = refusal(2, || sync_team(&inner()));
    assert!(
        text.contains("team 5 has ended with the team that formed it"),
        "{text}"
    );
}

#[test]
fn indices_that_cannot_be_given_are_told_with_the_images_that_want_them() {
    let text = refusal(3, || drop(Team::form_with_index(4, 1)));
    assert!(text.contains("both want index 1 in team 4"), "{text}");
    let text = refusal(3, || drop(Team::form_with_index(4, this_image() + 1)));
    assert!(
        text.contains("image 2 wants index 3 in team 4, which has 3 images"),
        "{text}"
    );
}

#[test]
fn no_index_is_too_large_to_be_refused() {
    let text = refusal(2, || drop(Team::form_with_index(4, usize::MAX)));
    assert!(
        text.contains("wants index 18446744073709551615 in team 4"),
        "{text}"
    );
}

#[test]
fn images_outside_the_team_of_a_coarray_do_not_exist() {
    let text = refusal(4, || {
        let team = Team::form(this_image() as u64 % 2);
        let mut x = team.change(|| Coarray::new(0));
        x.open().at(2).put(1);
    });
    assert!(
        text.contains(
            "there is no image 2 in this team of 2 of the 4 images: in the team they are numbered 0 to 1"
        ),
        "{text}"
    );
}

#[test]
fn images_beyond_a_team_are_told_how_many_it_has() {
    let none = "there is no image 3 in this team of 2 of the 4 images: in the team they are numbered 0 to 1";
    let root = "co_broadcast with image 3 as root, but this is a team of 2 of the 4 images";
    let of_team = |call: fn()| {
        refusal(4, move || {
            Team::form(this_image() % 2).change(call);
        })
    };
    for (call, expected) in [
        ((|| sync_images(&[3])) as fn(), none),
        (|| _ = image_status(3), none),
        (|| _ = Team::current().image_status(3), none),
        (|| coarray::fence(3), none),
        (|| co_broadcast(&mut 1, 3), root),
        (|| Conveyor::<i32>::new().convey([(3, 1)], |_, _| ()), none),
    ] {
        let text = of_team(call);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn siblings_that_do_not_exist_are_named() {
    let text = refusal(2, || {
        let team = Team::form(3);
        let _ = team.sibling_in_parent(4, 0);
    });
    assert!(
        text.contains("there is no team 4 beside this one: the teams are [3]"),
        "{text}"
    );
    let text = refusal(2, || {
        let team = Team::form(3);
        let _ = team.in_parent(2);
    });
    assert!(
        text.contains("there is no image 2 in team 3: its images are numbered 0 to 1"),
        "{text}"
    );
}

#[test]
fn coarrays_of_different_teams_are_not_opened_together() {
    let text = refusal(2, || {
        let team = Team::form(1);
        let mut inside = team.change(|| Coarray::new(1));
        let mut outside = Coarray::new(2);
        drop(coarray::open((&mut inside, &mut outside)));
    });
    assert!(
        text.contains("must have been created in the same team"),
        "{text}"
    );
}

#[test]
fn sync_images_names_what_is_wrong_with_its_images() {
    let text = refusal(2, || sync_images(&[7]));
    assert!(
        text.contains("there is no image 7: the images are numbered 0 to 1"),
        "{text}"
    );
    let text = refusal(2, || sync_images(&[1, 0, 1]));
    assert!(text.contains("sync_images names image 1 twice"), "{text}");
}

#[test]
fn different_operations_on_a_team_are_told_apart() {
    let text = refusal(3, || {
        let team = Team::form(8);
        if this_image() == 1 {
            team.change(|| ());
        } else {
            sync_team(&team);
        }
    });
    assert!(
        text.contains("sync_team of team 8") && text.contains("Team::change of team 8"),
        "{text}"
    );
}

#[test]
fn a_team_that_does_not_fit_is_an_error_that_says_where_and_how_much() {
    let text = refusal_of(Launch::new(2).heap(64 << 10), || drop(Team::form(1)));
    assert!(
        text.contains("KiB for a team: image ") && text.contains(" has no room"),
        "{text}"
    );
}
