//! Members of structs, and shapes that are cast while closed.

use coarray::prelude::*;
use coarray_proptests::{Kind, Particle, Sample, Setting, bits, config, mix};
use proptest::prelude::*;

/// A struct in a struct.
#[derive(Clone, Copy, Debug, Remote)]
#[repr(C)]
struct Pair {
    left: Particle,
    weight: u32,
    right: Particle,
}

fn pair(seed: u64) -> Pair {
    Pair {
        left: Particle::sample(seed),
        weight: mix(seed, 9) as u32,
        right: Particle::sample(mix(seed, 1)),
    }
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn members_are_put_and_got_without_their_neighbours(
        setting in Setting::anywhere(),
        seed: u64,
        changes in prop::collection::vec((0usize..7, 0usize..5, any::<u64>()), 1..30),
    ) {
        setting.run(|| {
            let mut expected: Vec<Pair> = (0..5).map(|index| pair(mix(seed, index))).collect();
            let mut coarray = Coarray::<[Pair]>::from_fn(5, |index| pair(mix(seed, index as u64)));
            let right = (this_image() + 1) % num_images();
            let open = coarray.open();
            for &(member, index, seed) in &changes {
                let (place, model, value) = (&open.at(right)[index], &mut expected[index], pair(seed));
                match member {
                    0 => {
                        field!(place, weight).put(value.weight);
                        model.weight = value.weight;
                    }
                    1 => {
                        place.member(|pair| pair.left).put(value.left);
                        model.left = value.left;
                    }
                    2 => {
                        field!(place, left.kind).put(value.left.kind);
                        model.left.kind = value.left.kind;
                    }
                    3 => {
                        field!(place, right.position).put_from(&value.right.position);
                        model.right.position = value.right.position;
                    }
                    4 => {
                        field!(place, right.position)[1].put(value.right.position[0]);
                        model.right.position[1] = value.right.position[0];
                    }
                    5 => {
                        field!(place, right.alive).fill(value.right.alive);
                        model.right.alive = value.right.alive;
                    }
                    _ => {
                        let source = field!(place, left.position);
                        field!(place, right.position).copy_from(source);
                        model.right.position = model.left.position;
                    }
                }
                let kind: Kind = field!(place, left.kind).get();
                assert_eq!(kind, model.left.kind);
                assert_eq!(bits(&field!(place, right).get()), bits(&model.right));
            }
            open.close();
            assert_eq!(bits(&coarray), bits(&expected));
        });
    }

    #[test]
    fn a_cast_coarray_has_the_same_elements_in_the_same_order(
        setting in Setting::anywhere(),
        extent in 0usize..40,
        seed: u64,
    ) {
        setting.run(|| {
            let value = |index: usize| mix(mix(seed, this_image() as u64), index as u64);
            let mut flat = Coarray::<[u64]>::from_fn(extent, value);
            let rows = flat.shape_cast::<[[u64; 3]]>();
            assert_eq!(rows.len(), extent / 3);
            assert!((0..rows.len() * 3).all(|index| rows[index / 3][index % 3] == value(index)));
            assert_eq!(flat.shape_cast::<[u64; 12]>().is_ok(), extent >= 12);
            assert_eq!(flat.as_bounded::<12>().is_ok(), extent == 12);
            {
                let open = flat.shape_cast_mut::<[[u64; 3]]>().open();
                let left = (this_image() + num_images() - 1) % num_images();
                (0..extent / 3).for_each(|row| open.at(left)[row].put([row as u64; 3]));
            }
            let whole_rows = extent / 3 * 3;
            let put = |index| if index < whole_rows { index as u64 / 3 } else { value(index) };
            assert!(flat.iter().copied().eq((0..extent).map(put)));
        });
    }
}

#[test]
fn a_coarray_that_opens_in_a_shorter_shape_is_no_longer_than_that_shape() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let right = (this_image() + 1) % num_images();
            let mut coarray = Coarray::<[u16; 9]>::from_fn(|index| index as u16);
            let open = coarray.shape_cast_mut::<[u16; 4]>().open();
            open.at(right).put_from(&[10, 11, 12, 13]);
            let mut values = [0; 4];
            open.at(right).get_into(&mut values);
            assert_eq!(values, [10, 11, 12, 13]);
            open.close();
            assert_eq!(*coarray, [10, 11, 12, 13, 4, 5, 6, 7, 8]);
            let open = coarray.shape_cast_mut::<[[u16; 2]; 2]>().open();
            open.at(right).fill(20);
            open.close();
            assert_eq!(*coarray, [20, 20, 20, 20, 4, 5, 6, 7, 8]);
            let open = coarray.shape_cast_mut::<u16>().open();
            open.at(right).put_from(&30);
            open.at(right).fill(31);
            open.close();
            assert_eq!(*coarray, [31, 20, 20, 20, 4, 5, 6, 7, 8]);
            let rows = coarray.shape_cast_mut::<[[u16; 4]]>().publish();
            assert_eq!(rows.at(right).to_vec(), [[31, 20, 20, 20], [4, 5, 6, 7]]);
        });
    }
}
