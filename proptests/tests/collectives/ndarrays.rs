//! Arrays and views of `ndarray` are combined as the slices that they are.

use coarray::asynchronous::co_sum_async;
use coarray::collectives::{co_allgather, co_allgatherv, co_total_reproducible};
use coarray::ndarray::{
    ArcArray, Array, Array1, Array2, Array3, ArrayD, ArrayRef2, ArrayViewMut2, Axis, arr0, s,
};
use coarray::prelude::*;
use coarray_proptests::{Setting, config};
use proptest::prelude::*;

/// The sum of the numbers of all images.
fn total() -> usize {
    num_images() * (num_images() - 1) / 2
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn arrays_of_any_shape_are_summed_where_they_are(
        setting in Setting::anywhere(),
        shape in prop::collection::vec(0usize..12, 0..4),
    ) {
        setting.run(|| {
            let mut counter = 0..;
            let mut array = ArrayD::from_shape_simple_fn(shape.clone(), || counter.next().unwrap() + this_image());
            let first = array.mapv(|value| value - this_image());
            let address = array.as_ptr();
            co_sum(&mut array);
            assert_eq!(array, first.mapv(|value| value * num_images() + total()));
            assert_eq!(array.as_ptr(), address);
        });
    }
}

#[test]
fn arrays_views_and_parts_in_standard_layout_take_part() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let mut scalar = arr0(me);
            co_sum(&mut scalar);
            assert_eq!(scalar, arr0(total()));
            let mut pairs = Array1::from_elem(3, [me, 1]);
            co_sum(&mut pairs);
            assert_eq!(pairs, Array1::from_elem(3, [total(), images]));

            // Rows of an array lie together; a reversed copy is one of its own.
            let mut table = Array2::from_elem((4, 5), me);
            co_sum(&mut table.slice_mut(s![1..3, ..]));
            co_broadcast(&mut table.row_mut(0), images - 1);
            let mut expected = Array2::from_elem((4, 5), me);
            expected.slice_mut(s![1..3, ..]).fill(total());
            expected.row_mut(0).fill(images - 1);
            assert_eq!(table, expected);
            let turned = table.t();
            let mut copied = turned.as_standard_layout();
            co_max(&mut copied);
            assert_eq!(copied.dim(), (5, 4));

            // A view of one column, and what has no elements, are in standard layout too.
            let mut thin = Array3::from_elem((2, 3, 1), me);
            co_min(&mut thin.index_axis_mut(Axis(2), 0));
            assert!(thin.iter().all(|&least| least == 0));
            co_sum(&mut Array2::<f64>::zeros((0, 4)).reversed_axes());

            fn sum(rows: &mut ArrayRef2<usize>) {
                co_sum(rows);
            }
            let mut rows = Array2::from_elem((2, 2), me);
            sum(&mut rows);
            assert_eq!(rows, Array2::from_elem((2, 2), total()));

            // A shared array is copied when it is written to.
            let before = ArcArray::from_elem((2, 2), me);
            let mut after = before.clone();
            co_sum(&mut after);
            assert_eq!((before[[0, 0]], after[[1, 1]]), (me, total()));

            assert_eq!(
                co_sum_async(Array::from_elem((2, 3), 1)).wait(),
                Array::from_elem((2, 3), images)
            );
            let halves = Array1::from_elem(2, 0.5);
            assert_eq!(co_total_reproducible(&halves.view()), images as f64);
            let mut gathered = Array2::zeros((images, 2));
            co_allgather(&halves.view(), gathered.as_slice_mut().unwrap());
            assert_eq!(gathered, Array2::from_elem((images, 2), 0.5));
            let runs = co_allgatherv(&Array1::from_elem(me, 'x').slice(s![..]));
            assert!(
                runs.iter()
                    .enumerate()
                    .all(|(image, run)| run.len() == image)
            );
        });
    }
}

/// What is said of a transposed view, and where.
fn refusal(call: impl Fn(ArrayViewMut2<'_, f64>) + Sync) -> String {
    let launch = Setting::of(2).launch();
    let outcome = launch.run(|| call(Array2::zeros((3, 4)).view_mut().reversed_axes()));
    outcome.unwrap_err().text
}

#[test]
fn arrays_in_another_layout_are_refused_with_what_to_do() {
    let told = [
        refusal(|mut view| co_sum(&mut view)),
        refusal(|view| drop(co_allgatherv(&view.view()))),
        refusal(|view| drop(co_sum_async(view.to_owned()))),
    ];
    for text in told {
        assert!(
            text.contains("shape [4, 3] and strides [1, 4] is not in standard layout"),
            "{text}"
        );
        assert!(text.contains("as_standard_layout()"), "{text}");
        assert!(text.contains("ndarrays.rs"), "{text}");
    }
}
