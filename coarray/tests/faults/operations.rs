//! Every operation that moves values, by any algorithm, and what comes out of it.

use coarray::collectives::{Algorithm, Collective, Kind};
use coarray::failure::ImageFailed;
use coarray::prelude::*;

/// What image `image` contributes in a turn: integers that a float has exactly, also summed up.
fn values(image: usize, turn: u64, length: usize) -> Vec<u64> {
    let start = 1000 * image as u64 + 17 * turn;
    (0..length as u64)
        .map(|i| start + i * (image as u64 + 1))
        .collect()
}

/// The sums of what images `range` contribute.
fn sums(images: std::ops::Range<usize>, turn: u64, length: usize) -> Vec<u64> {
    let mut sums = vec![0; length];
    for image in images {
        for (sum, value) in sums.iter_mut().zip(values(image, turn, length)) {
            *sum += value;
        }
    }
    sums
}

/// What image `from` has for image `to` where every image has something else for each.
fn letter(from: usize, to: usize, turn: u64, length: usize) -> Vec<u64> {
    values(from * num_images() + to, turn, length)
}

/// How much image `image` has where images have different numbers of elements.
fn ragged(image: usize, turn: u64, length: usize) -> usize {
    (image + turn as usize) % 3 * length / 2
}

fn add(a: u64, b: u64) -> u64 {
    a + b
}

/// Carries out an operation of that kind, and checks what comes out.
pub fn carry_out(
    kind: Kind,
    algorithm: Algorithm,
    length: usize,
    turn: u64,
) -> Result<(), ImageFailed> {
    let by = Collective::new().algorithm(algorithm);
    let (me, images) = (this_image(), num_images());
    let root = turn as usize % images;
    let mut mine = values(me, turn, length);
    let is_even = turn.is_multiple_of(2);
    match kind {
        Kind::Broadcast => {
            by.try_co_broadcast(&mut mine, root)?;
            assert_eq!(mine, values(root, turn, length));
        }
        Kind::Reduce => reduce(by, length, turn)?,
        Kind::ReduceTo => {
            match turn % 3 {
                0 => by.try_co_sum_to(&mut mine, root)?,
                1 => by.try_co_reduce_to(&mut mine, root, add)?,
                _ => by.try_co_max_to(&mut mine, root)?,
            }
            let expected = match turn % 3 {
                _ if me != root => values(me, turn, length),
                2 => values(images - 1, turn, length),
                _ => sums(0..images, turn, length),
            };
            assert_eq!(mine, expected);
        }
        Kind::Gather if is_even => {
            let mut gathered = vec![0; if me == root { images * length } else { 0 }];
            by.try_co_gather(&mine, &mut gathered, root)?;
            for (image, block) in gathered.chunks(length).enumerate() {
                assert_eq!(block, values(image, turn, length));
            }
        }
        Kind::Gather => {
            mine.truncate(ragged(me, turn, length));
            let gathered = by.try_co_gatherv(&mine, root)?;
            check_ragged(&gathered, if me == root { images } else { 0 }, turn, length);
        }
        Kind::Allgather if is_even => {
            let mut gathered = vec![0; images * length];
            by.try_co_allgather(&mine, &mut gathered)?;
            for (image, block) in gathered.chunks(length).enumerate() {
                assert_eq!(block, values(image, turn, length));
            }
        }
        Kind::Allgather => {
            mine.truncate(ragged(me, turn, length));
            check_ragged(&by.try_co_allgatherv(&mine)?, images, turn, length);
        }
        Kind::Scatter => {
            let parts: Vec<_> = (0..images)
                .map(|to| letter(root, to, turn, length))
                .collect();
            if is_even {
                let parts = if me == root {
                    parts.concat()
                } else {
                    Vec::new()
                };
                by.try_co_scatter(&parts, &mut mine, root)?;
            } else {
                let parts = if me == root { parts } else { Vec::new() };
                mine = by.try_co_scatterv(&parts, root)?;
            }
            assert_eq!(mine, letter(root, me, turn, length));
        }
        Kind::Alltoall => {
            let send: Vec<_> = (0..images).map(|to| letter(me, to, turn, length)).collect();
            let expected: Vec<_> = (0..images)
                .map(|from| letter(from, me, turn, length))
                .collect();
            if is_even {
                let mut received = vec![0; images * length];
                by.try_co_alltoall(&send.concat(), &mut received)?;
                assert_eq!(received, expected.concat());
            } else {
                assert_eq!(by.try_co_alltoallv(&send)?, expected);
                let lengths = vec![length; images];
                let mut received = vec![7; turn as usize % 5];
                let from = by.try_co_alltoallv_into(&send.concat(), &lengths, &mut received)?;
                assert_eq!((received, from), (expected.concat(), lengths));
            }
        }
        Kind::ReduceScatter => {
            let all = values(me, turn, images * length);
            by.try_co_reduce_scatter(&all, &mut mine, add)?;
            let sums = sums(0..images, turn, images * length);
            assert_eq!(mine, sums[me * length..][..length]);
        }
        Kind::Scan if is_even => {
            by.try_co_scan(&mut mine, add)?;
            assert_eq!(mine, sums(0..me + 1, turn, length));
        }
        Kind::Scan => {
            by.try_co_exscan(&mut mine, 0, add)?;
            assert_eq!(mine, sums(0..me, turn, length));
        }
        Kind::SumReproducible => {
            let mut floats: Vec<f64> = mine.iter().map(|&value| value as f64).collect();
            by.try_co_sum_reproducible(&mut floats)?;
            let expected = sums(0..images, turn, length)
                .into_iter()
                .map(|sum| sum as f64);
            assert!(expected.eq(floats));
        }
        Kind::TotalReproducible => {
            let floats: Vec<f64> = mine.iter().map(|&value| value as f64).collect();
            let total = by.try_co_total_reproducible(&floats)?;
            let sums = sums(0..images, turn, length);
            assert_eq!(total, sums.iter().sum::<u64>() as f64);
        }
    }
    Ok(())
}

fn reduce(by: Collective, length: usize, turn: u64) -> Result<(), ImageFailed> {
    let (me, images) = (this_image(), num_images());
    let mut mine = values(me, turn, length);
    let expected = match turn % 5 {
        0 => {
            by.try_co_sum(&mut mine)?;
            sums(0..images, turn, length)
        }
        1 => {
            by.try_co_reduce(&mut mine, add)?;
            sums(0..images, turn, length)
        }
        2 => {
            by.try_co_min(&mut mine)?;
            values(0, turn, length)
        }
        3 => {
            by.try_co_max(&mut mine)?;
            values(images - 1, turn, length)
        }
        _ => {
            let odd = me % 2 == 1;
            assert_eq!(by.try_co_count(odd)?, images / 2);
            assert!(!by.try_co_all(odd)?);
            assert_eq!(by.try_co_any(odd)?, images > 1);
            mine.clone()
        }
    };
    assert_eq!(mine, expected);
    Ok(())
}

fn check_ragged(gathered: &[Vec<u64>], images: usize, turn: u64, length: usize) {
    assert_eq!(gathered.len(), images);
    for (image, block) in gathered.iter().enumerate() {
        let mut expected = values(image, turn, length);
        expected.truncate(ragged(image, turn, length));
        assert_eq!(*block, expected);
    }
}
