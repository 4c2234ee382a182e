//! Who is where after images divided into teams, and what collectives say about it.

use coarray::prelude::*;
use coarray::{sync_team, team_number};
use coarray_proptests::{Setting, config};
use proptest::prelude::*;

use crate::{choice, companions};

/// Divides the current team again and again. `path` holds, for each level, the images of the job that are in
/// this image's team there.
fn divide(seeds: &[u64], teams: u64, everyone: &[usize], job_image: usize) {
    let Some((&seed, deeper)) = seeds.split_first() else {
        return;
    };
    let me = this_image();
    assert_eq!(everyone[me], job_image);
    let number = choice(seed, me, teams);
    let mine = companions(seed, everyone.len(), me, teams);
    let team = Team::form(number);
    let members: Vec<usize> = mine.iter().map(|&index| everyone[index]).collect();
    let expected_index = mine.iter().position(|&index| index == me).unwrap();
    assert_eq!(team.this_image(), expected_index);
    assert_eq!(team.num_images(), mine.len());
    for (index, &in_parent) in mine.iter().enumerate() {
        assert_eq!(team.in_parent(index), in_parent);
    }
    for sibling in team.siblings() {
        let images: Vec<usize> = (0..everyone.len())
            .filter(|&image| choice(seed, image, teams) == sibling)
            .collect();
        for (index, &image) in images.iter().enumerate() {
            assert_eq!(team.sibling_in_parent(sibling, index), image);
        }
    }
    let outside = (this_image(), num_images(), team_number());
    team.change(|| {
        assert_eq!(this_image(), expected_index);
        assert_eq!(num_images(), mine.len());
        assert_eq!(team_number(), Some(number));
        let parent = Team::current().parent().map(|team| team.num_images());
        assert_eq!(parent, Some(everyone.len()));
        assert_eq!(Team::initial().this_image(), job_image);
        assert!(Team::initial().parent().is_none());
        let mut sum = job_image;
        co_sum(&mut sum);
        assert_eq!(sum, members.iter().sum::<usize>());
        let mut last = vec![job_image; 300];
        co_broadcast(&mut last, num_images() - 1);
        assert_eq!(last, [members[members.len() - 1]; 300]);
        sync_all();
        divide(deeper, teams, &members, job_image);
    });
    assert_eq!((this_image(), num_images(), team_number()), outside);
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn images_find_themselves_and_their_companions_at_every_level(
        setting in Setting::anywhere(),
        seeds in prop::collection::vec(any::<u64>(), 1..4),
        teams in 1u64..4,
    ) {
        setting.run(|| {
            let everyone: Vec<usize> = (0..num_images()).collect();
            divide(&seeds, teams, &everyone, this_image());
        });
    }

    #[test]
    fn images_get_the_indices_they_ask_for(setting in Setting::anywhere(), seed: u64) {
        setting.run(|| {
            let mine = companions(seed, num_images(), this_image(), 2);
            let place = mine.iter().position(|&image| image == this_image()).unwrap();
            let wish = mine.len() - 1 - place;
            let team = Team::form_with_index(choice(seed, this_image(), 2), wish);
            assert_eq!(team.this_image(), wish);
            let mut order = vec![usize::MAX; mine.len()];
            order[wish] = this_image();
            team.change(|| co_min(&mut order));
            assert!(order.iter().rev().eq(mine.iter()), "{order:?}");
        });
    }

    #[test]
    fn any_team_can_be_synchronised_from_within_another(setting in Setting::anywhere(), seed: u64) {
        setting.run(|| {
            let half = Team::form(choice(seed, this_image(), 2));
            let other = Team::form(choice(seed ^ 1, this_image(), 2));
            let all = Team::current();
            let visits = Coarray::<[Coatomic<usize>; 3]>::from_fn(|_| Coatomic::new(0));
            half.change(|| {
                for image in 0..other.num_images() {
                    visits.at(other.in_parent(image))[0].add(1);
                }
                sync_team(&other);
                assert_eq!(visits[0].load(), other.num_images());
                for image in 0..all.num_images() {
                    visits.at(image)[1].add(1);
                }
                sync_team(&all);
                assert_eq!(visits[1].load(), all.num_images());
                for image in 0..num_images() {
                    visits.at(half.in_parent(image))[2].add(1);
                }
                sync_all();
                assert_eq!(visits[2].load(), num_images());
            });
        });
    }
}
