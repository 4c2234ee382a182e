//! What is read-only is got as what may be put to, and sees what others put.

use coarray::places::{ReadOnly, Region};
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

fn row_of(place: &Coref<[[u32; 6]; 5], ReadOnly>, row: usize) -> Vec<u32> {
    place[row].get().to_vec()
}

fn all_of(place: &Coref<[[u32; 6]], ReadOnly>) -> Vec<u32> {
    let mut rows = vec![[0; 6]; place.len()];
    place.get_into(&mut rows[..]);
    rows.concat()
}

fn block_of<const D: usize>(block: Region<'_, u32, D, ReadOnly>) -> Vec<u32> {
    block.to_vec()
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    fn places_that_one_may_not_put_to_show_what_others_put_there(
        setting in Setting::anywhere(),
        seed: u64,
        (row, column, step) in (0usize..5, 0usize..6, 1usize..4),
    ) {
        setting.run(|| {
            let next = (this_image() + 1) % num_images();
            let mut x = Coarray::new([[0u32; 6]; 5]);
            let x = x.open();
            let (here, there) = (x.here(), x.at(next));
            // Made before anything is put.
            let (seen, item) = (there.read_only(), there[row][column].address().read_only());
            let values: [[u32; 6]; 5] =
                std::array::from_fn(|i| std::array::from_fn(|j| mix(seed, (6 * i + j) as u64) as u32));
            here.put(values);
            sync_all();
            assert_eq!(seen.get(), values);
            assert_eq!(row_of(seen, row), values[row]);
            assert_eq!(all_of(there[row..].read_only()), values[row..].concat());
            let every = (.., (..).every(step));
            let block: Vec<u32> = values.iter().flat_map(|row| row.iter().step_by(step)).copied().collect();
            assert_eq!(block_of(there.region(every).read_only()), block);
            assert_eq!(block_of(there.column(column).read_only()), values.map(|row| row[column]));
            assert_eq!(there.section(.., 2).read_only()[1].get(), values[2]);
            assert_eq!((seen.image(), seen.is_direct()), (there.image(), there.is_direct()));
            assert_eq!((seen[row][column].address(), item.image()), (item, Some(there.image())));
            // SAFETY: `x` is open.
            let place: &Coref<u32, ReadOnly> = unsafe { item.as_coref() }.unwrap();
            assert_eq!((place.get(), place.get_async().wait()), (values[row][column], values[row][column]));
            sync_all();
        });
    }
}
