//! Images fail or stop before any step: every `try_` form tells all others alike which ones, and these go on as a team.

use coarray::collectives::{
    co_count, try_co_all, try_co_allgather, try_co_allgather_values, try_co_allgatherv,
    try_co_alltoall, try_co_alltoallv, try_co_alltoallv_into, try_co_any, try_co_broadcast,
    try_co_broadcast_of, try_co_broadcast_value, try_co_count, try_co_exscan, try_co_exscan_of,
    try_co_gather, try_co_gather_values, try_co_gatherv, try_co_max, try_co_max_loc,
    try_co_max_loc_of, try_co_max_loc_to, try_co_max_of, try_co_max_to, try_co_min, try_co_min_loc,
    try_co_min_loc_of, try_co_min_loc_to, try_co_min_of, try_co_min_to, try_co_reduce,
    try_co_reduce_of, try_co_reduce_scatter, try_co_reduce_to, try_co_scan, try_co_scan_of,
    try_co_scatter, try_co_scatterv, try_co_sum, try_co_sum_of, try_co_sum_reproducible,
    try_co_sum_to, try_co_total_reproducible,
};
use coarray::failure::{
    ImageFailed, fail_image, failed_images, try_sync_all, try_sync_images, try_sync_team,
};
use coarray::grid::{Blocks, GridError, HaloArray, ImageGrid, try_gmove};
use coarray::irregular::{Conveyor, ConveyorOptions};
use coarray::ndarray::Array;
use coarray::prelude::*;
use coarray::{AllocError, try_into_open, try_open};
use coarray_proptests::{IMAGE_COUNTS, Setting, config, mix};
use proptest::prelude::*;

/// What was made before any image failed.
struct Before {
    team: Team,
    coarray: Coarray<u64>,
    ragged: Ragged<u8>,
    rows: RaggedRows<u8>,
    matrix: NdCoarray<u8, 2>,
    /// Put back by whoever takes them.
    kept: Option<(Coarray<u8>, Ragged<u64>)>,
    conveyor: Conveyor<u32>,
    runs: Conveyor<[u16]>,
    /// Of one dimension, divided among all images.
    array: HaloArray<u16, 1>,
    other: HaloArray<u16, 1>,
    root: usize,
}

type Outcome = Result<(), ImageFailed>;

/// One of an operation's forms that return an error.
type Form = (&'static str, fn(&mut Before) -> Outcome);

/// Numbers for each image.
fn all(number: usize) -> Vec<usize> {
    vec![number; num_images()]
}

fn creation<T>(created: Result<T, AllocError>) -> Outcome {
    match created {
        Ok(_) => Ok(()),
        Err(AllocError::ImageFailed(failed)) => Err(failed),
        Err(other) => panic!("{other}"),
    }
}

fn on_grid(done: Result<(), GridError>) -> Outcome {
    match done {
        Ok(()) => Ok(()),
        Err(GridError::ImageFailed(failed)) => Err(failed),
        Err(other) => panic!("{other}"),
    }
}

const FORMS: [Form; 77] = [
    ("try_sync_all", |_| try_sync_all()),
    ("try_sync_team", |before| try_sync_team(&before.team)),
    ("try_sync_images", |_| {
        try_sync_images(&Vec::from_iter(0..num_images()))
    }),
    ("try_form", |_| Team::try_form(1).map(drop)),
    ("try_form_with_index", |_| {
        // As many as there are give another index each, whoever is there.
        Team::try_form_with_index(this_image(), 0).map(drop)
    }),
    ("try_change", |before| before.team.try_change(|| ())),
    ("try_new", |_| creation(Coarray::try_new(1))),
    ("try_zeroed", |_| creation(Coarray::<u8>::try_zeroed())),
    ("try_zeroed of a run", |_| {
        creation(Coarray::<[u8]>::try_zeroed(9))
    }),
    ("try_from_fn", |_| {
        creation(Coarray::<[usize]>::try_from_fn(9, |i| i))
    }),
    ("try_new of coatomics", |_| {
        creation(Coarray::try_new(Coatomic::new(1)))
    }),
    ("try_open", |before| {
        before.coarray.try_open().map(|open| open.close())
    }),
    ("try_publish", |before| {
        before.coarray.try_publish().map(|guard| guard.close())
    }),
    ("try_open of a ragged one", |before| {
        before.ragged.try_open().map(drop)
    }),
    ("try_publish of a ragged one", |before| {
        before.ragged.try_publish().map(|guard| guard.close())
    }),
    ("try_open of rows", |before| {
        before.rows.try_open().map(drop)
    }),
    ("try_publish of rows", |before| {
        before.rows.try_publish().map(|guard| guard.close())
    }),
    ("try_open of a matrix", |before| {
        before.matrix.try_open().map(drop)
    }),
    ("try_publish of a matrix", |before| {
        before.matrix.try_publish().map(|guard| guard.close())
    }),
    ("try_open of several", |before| {
        try_open((&mut before.ragged, &mut before.matrix)).map(drop)
    }),
    ("try_into_open of several", |before| {
        let coarrays = before.kept.take().expect("it is put back");
        let (kept, outcome) = match try_into_open(coarrays) {
            Ok((one, other)) => ((one.close(), other.close()), Ok(())),
            Err((coarrays, failed)) => (coarrays, Err(failed)),
        };
        before.kept = Some(kept);
        outcome
    }),
    ("try_from_slice", |_| {
        creation(Coarray::try_from_slice(&[1; 9]))
    }),
    ("try_empty", |_| creation(Ragged::<u8>::try_empty())),
    ("try_empty of rows", |_| {
        creation(RaggedRows::<u8>::try_empty(3))
    }),
    ("try_with_options of a conveyor", |_| {
        creation(Conveyor::<u8>::try_with_options(ConveyorOptions::default()))
    }),
    ("try_beside_with of a conveyor", |before| {
        let options = ConveyorOptions::default();
        creation(Conveyor::<u8>::try_beside_with(&before.conveyor, options))
    }),
    ("try_open of a conveyor", |before| {
        before.conveyor.try_open().map(drop)
    }),
    ("try_convey", |before| {
        before.conveyor.try_convey([(before.root, 1)], |_, _| ())
    }),
    ("try_convey_slices", |before| {
        let items = [(before.root, 1)];
        before.conveyor.try_convey_slices(items, |_, _| ())
    }),
    ("try_convey of runs", |before| {
        before.runs.try_convey([(before.root, [1; 9])], |_, _| ())
    }),
    ("try_gather_global", |before| {
        before.array.try_gather_global(before.root).map(drop)
    }),
    ("try_gather_slice", |before| {
        let first = 0..1;
        before
            .array
            .try_gather_slice(before.root, [first])
            .map(drop)
    }),
    ("try_scatter_global", |before| {
        let whole = Array::from_elem(before.array.blocks().shape(), 5);
        on_grid(
            before
                .array
                .try_scatter_global(before.root, Some(whole.view())),
        )
    }),
    ("try_gmove", |before| {
        on_grid(try_gmove(&before.array, &mut before.other))
    }),
    ("try_co_broadcast", |before| {
        try_co_broadcast(&mut [1; 5], before.root)
    }),
    ("try_co_sum", |_| try_co_sum(&mut [1; 5])),
    ("try_co_sum of much", |_| try_co_sum(&mut [1; 150_000])),
    ("try_co_sum_to", |before| {
        try_co_sum_to(&mut [1; 5], before.root)
    }),
    ("try_co_min", |_| try_co_min(&mut 1)),
    ("try_co_min_to", |before| try_co_min_to(&mut 1, before.root)),
    ("try_co_max", |_| try_co_max(&mut 1)),
    ("try_co_max_to", |before| try_co_max_to(&mut 1, before.root)),
    ("try_co_min_loc", |_| try_co_min_loc(&mut 1, &mut 2)),
    ("try_co_max_loc", |_| try_co_max_loc(&mut 1, &mut 2)),
    ("try_co_min_loc_to", |before| {
        try_co_min_loc_to(&mut 1, &mut 2, before.root)
    }),
    ("try_co_max_loc_to", |before| {
        try_co_max_loc_to(&mut 1, &mut 2, before.root)
    }),
    ("try_co_broadcast_value", |before| {
        try_co_broadcast_value(|| 1, before.root).map(drop)
    }),
    ("try_co_gather_values", |before| {
        try_co_gather_values(&1, before.root).map(drop)
    }),
    ("try_co_allgather_values", |_| {
        try_co_allgather_values(&vec![1; 100_000]).map(drop)
    }),
    ("try_co_reduce", |_| try_co_reduce(&mut 1, |a, b| a * b)),
    ("try_co_reduce_to", |before| {
        try_co_reduce_to(&mut 1, before.root, |a, b| a * b)
    }),
    ("try_co_reduce_scatter", |_| {
        try_co_reduce_scatter(&all(1), &mut 0_usize, |a, b| a + b)
    }),
    ("try_co_scan", |_| try_co_scan(&mut 1, |a, b| a + b)),
    ("try_co_exscan", |_| try_co_exscan(&mut 1, 0, |a, b| a + b)),
    ("try_co_gather", |before| {
        try_co_gather(&1_usize, &mut all(0), before.root)
    }),
    ("try_co_gatherv", |before| {
        try_co_gatherv(&1, before.root).map(drop)
    }),
    ("try_co_allgather", |_| {
        try_co_allgather(&1_usize, &mut all(0))
    }),
    ("try_co_allgatherv", |_| try_co_allgatherv(&1).map(drop)),
    ("try_co_scatter", |before| {
        try_co_scatter(&all(1), &mut 0_usize, before.root)
    }),
    ("try_co_scatterv", |before| {
        try_co_scatterv(&vec![[1]; num_images()], before.root).map(drop)
    }),
    ("try_co_alltoall", |_| try_co_alltoall(&all(1), &mut all(0))),
    ("try_co_alltoallv", |_| {
        try_co_alltoallv(&vec![[1]; num_images()]).map(drop)
    }),
    ("try_co_alltoallv_into", |_| {
        try_co_alltoallv_into(&all(1), &all(1), &mut vec![]).map(drop)
    }),
    ("try_co_broadcast_of", |before| {
        try_co_broadcast_of([1; 5], before.root).map(drop)
    }),
    ("try_co_sum_of", |_| try_co_sum_of([1; 5]).map(drop)),
    ("try_co_min_of", |_| try_co_min_of(1).map(drop)),
    ("try_co_max_of", |_| try_co_max_of(1).map(drop)),
    ("try_co_min_loc_of", |_| try_co_min_loc_of(1, 2).map(drop)),
    ("try_co_max_loc_of", |_| try_co_max_loc_of(1, 2).map(drop)),
    ("try_co_reduce_of", |_| {
        try_co_reduce_of(vec![1; 150_000], |a, b| a * b).map(drop)
    }),
    ("try_co_scan_of", |_| {
        try_co_scan_of(1, |a, b| a + b).map(drop)
    }),
    ("try_co_exscan_of", |_| {
        try_co_exscan_of(1, 0, |a, b| a + b).map(drop)
    }),
    ("try_co_all", |_| try_co_all(true).map(drop)),
    ("try_co_any", |_| try_co_any(true).map(drop)),
    ("try_co_count", |_| try_co_count(true).map(drop)),
    ("try_co_sum_reproducible", |_| {
        try_co_sum_reproducible(&mut 0.5)
    }),
    ("try_co_total_reproducible", |_| {
        try_co_total_reproducible(&0.5).map(drop)
    }),
];

/// The step before which each image fails, later than all steps for those that do not; at least one does not.
fn doom(images: usize, seed: u64) -> Vec<usize> {
    let mut steps: Vec<usize> = (0..images)
        .map(|image| mix(seed, image as u64) as usize % (2 * FORMS.len()))
        .collect();
    steps[mix(seed, 1000) as usize % images] = usize::MAX;
    steps
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn every_try_form_tells_all_others_of_the_images_that_failed_or_stopped_before_it(
        images in prop::sample::select(&IMAGE_COUNTS[..]),
        direct: bool,
        seed: u64,
    ) {
        let doom = doom(images, seed);
        // Who comes to the end of the program, and does not fail.
        let stops = |image: usize| mix(seed, 3000 + image as u64).is_multiple_of(2);
        let setting = Setting { direct, ..Setting::of(images) };
        let outcome = setting.launch().keep_going(true).run(|| {
            let root = mix(seed, 2000) as usize % images;
            let blocks = Blocks::new([3 * images], ImageGrid::new([images]).unwrap()).unwrap();
            let array = || HaloArray::filled(&blocks, 1, 1).unwrap();
            let mut before = Before {
                team: Team::form(1),
                coarray: Coarray::new(0),
                ragged: Ragged::from_fn(3, |_| 7),
                rows: RaggedRows::from_fn(2, |_| [7]),
                matrix: NdCoarray::zeroed([2, 2]),
                kept: Some((Coarray::new(1), Ragged::from_fn(2, |_| 1))),
                conveyor: Conveyor::new(),
                runs: Conveyor::new(),
                array: array(),
                other: array(),
                root,
            };
            for step in 0..FORMS.len() {
                if doom[this_image()] <= step {
                    match stops(this_image()) {
                        true => return None,
                        false => fail_image(),
                    }
                }
                // Another order in every case.
                let (name, form) = FORMS[(step + seed as usize % FORMS.len()) % FORMS.len()];
                let gone = (0..images).filter(|&image| doom[image] <= step);
                let (stopped, failed): (Vec<_>, Vec<_>) = gone.partition(|&image| stops(image));
                match form(&mut before) {
                    Ok(()) => assert!(failed.is_empty() && stopped.is_empty(), "{name} succeeded without {failed:?}, {stopped:?}"),
                    Err(error) => assert_eq!((error.images, error.stopped), (failed, stopped), "{name}"),
                }
            }
            let survivors = Team::form_survivors(7);
            Some(survivors.change(|| co_count(true)))
        });
        let outcome = outcome.map(|counts| Vec::from_iter(counts.into_iter().flatten()));
        let survivors = doom.iter().filter(|&&step| step >= FORMS.len()).count();
        prop_assert_eq!(outcome.map_err(|failure| failure.to_string()), Ok(vec![survivors; survivors]));
    }

    #[test]
    fn survivors_of_any_failures_work_as_a_team_with_memory_of_its_own(
        images in 2usize..9,
        seed: u64,
    ) {
        let doom = doom(images, seed);
        let setting = Setting::of(images);
        let outcome = setting.launch().keep_going(true).run(|| {
            if doom[this_image()] < FORMS.len() {
                fail_image();
            }
            let known = try_sync_all().map_or_else(|failed| failed.images, |()| Vec::new());
            assert_eq!(failed_images(), known);
            let in_all = this_image();
            Team::form_survivors(7).change(|| {
                assert!(failed_images().is_empty());
                let mut inbox = Coarray::<[usize]>::zeroed(num_images());
                let open = inbox.open();
                (0..num_images()).for_each(|image| open.at(image)[this_image()].put(in_all));
                open.close();
                inbox.to_vec()
            })
        });
        let survivors: Vec<usize> = (0..images).filter(|&image| doom[image] >= FORMS.len()).collect();
        let expected = vec![survivors.clone(); survivors.len()];
        prop_assert_eq!(outcome.map_err(|failure| failure.to_string()), Ok(expected));
    }
}
