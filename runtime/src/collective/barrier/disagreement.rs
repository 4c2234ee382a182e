//! What is reported when images are in different collective operations.

use crate::call::OBJECT;
use crate::call::operation::Operation;
use crate::collective::describe::describe_recorded;
use crate::collective::posts::check_posts;
use crate::image::team::Team;
use crate::lockfree::arrival::Signature;
use crate::lockfree::barrier::Barrier;

/// Ends the job because the signatures of this image and of `other` differ.
#[cold]
pub(crate) fn disagree_by_signatures(
    team: &Team,
    mine: Signature,
    other: usize,
    theirs: Signature,
) -> ! {
    let signatures = [mine, theirs];
    check_posts(team, other, |index| {
        let is_mine = index == team.index();
        describe_call(team, index, &signatures[usize::from(!is_mine)]).1
    });
    let [(barrier, _), (other_barrier, _)] = signatures.each_ref().map(Barrier::of);
    // The signatures differ in nothing but the number of the new object.
    let is_other_object = creates(&mine) && mine[..OBJECT] == theirs[..OBJECT];
    let describe = |index: usize, signature| {
        let (by, _) = Barrier::of(&signature);
        let (image, mut words) = describe_call(team, index, &signature);
        if barrier != other_barrier {
            words += &format!(", by the {} barrier", by.name());
        }
        if is_other_object {
            words += &format!(", its object number {}", signature[OBJECT]);
        }
        (image, words)
    };
    disagree(
        team,
        [
            describe(team.index(), signatures[0]),
            describe(other, signatures[1]),
        ],
    )
}

/// The call with this signature in which the image with this index is, as text, and the image's number.
pub(crate) fn describe_call(team: &Team, index: usize, signature: &Signature) -> (usize, String) {
    let image = team.members()[index] as usize;
    team.image().refresh_call(image);
    let (_, plain) = Barrier::of(signature);
    let texts = team.image().control(image).calls.last();
    (image, describe_recorded(plain, texts, team))
}

/// Ends the job because two images, given by their numbers, are in these different calls.
#[cold]
pub(crate) fn disagree(team: &Team, mut both: [(usize, String); 2]) -> ! {
    both.sort_unstable();
    let [(low, calls), (high, other_calls)] = both;
    team.image().fail_silently(
        1,
        format!(
            "and image {high} are in different collective operations\n  image {low}: {calls}\n  image {high}: {other_calls}\n\
             every image must make the same collective calls in the same order",
        ),
        low,
    );
    team.image().unwind()
}

/// Whether `signature` is of an operation that creates an object.
fn creates(signature: &Signature) -> bool {
    use Operation::{Create, CreatePart, FormTeam};
    [Create, CreatePart, FormTeam]
        .iter()
        .any(|one| one.is_in(signature))
}
