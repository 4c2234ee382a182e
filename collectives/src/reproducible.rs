//! Reproducible sums: results that depend on the addends alone, not on the number of images or their order.

use crate::{Algorithm, Kind};
use coarray_coref::{Values, ValuesMut};
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::collective::{CallFailed, Start, forms};
use crate::epoch::{Epoch, capacity, chunks};
use crate::exact_sum::{Addend, Superaccumulator, sum_columns};
use crate::reduce::{combine_slices, reduce_words};

forms! {
    /// Collective. Adds the values of all images, element by element, without any error but one rounding at the end;
    /// every image gets the sums.
    ///
    /// The result is the exact sum, rounded to nearest, ties to even. So it is the same bits for any order of the
    /// images, any algorithm, and any number of images that have the same addends among them and otherwise -0.0, which
    /// changes no sum. Nothing overflows on the way: a sum of finite values is infinite only if it is too large
    /// itself. Subnormal numbers count as all others.
    ///
    /// Any NaN makes [`NAN`](f64::NAN), as do infinities of both signs; infinities of one sign stay. Negative zeros add
    /// up to -0.0, all others whose sum is zero to 0.0.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed.
    ///
    /// # Accuracy
    /// The error is at most half a unit in the last place of the result, whatever cancels. Pairwise summation of n
    /// `f64` in twice the precision, rounded in the end, may err by log2(n) 2^-106 times the sum of their magnitudes
    /// more, which can be any number of digits if they cancel; [`co_sum`](crate::co_sum) by (images - 1) 2^-53 times
    /// that sum.
    ///
    /// # Cost
    /// On two images that of [`co_sum`](crate::co_sum): 8 MiB of `f64` took 1.05 times as long. Each further image takes
    /// some 0.9 ns for an element, divided among the images, where `co_sum` takes 0.15 ns; with four images on two cores
    /// that was twice as long. An element takes 70 ns if the fast algorithm cannot determine its rounded sum, such as
    /// 1 + 2^-53 + 2^-300, which is almost halfway between two numbers.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_sum_reproducible;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let addends = [[1e100, 0.1], [1.0, 0.2], [-1e100, 0.3]];
    /// let sums = run(3, || {
    ///     let mut x = addends[this_image()];
    ///     co_sum_reproducible(&mut x);
    ///     x
    /// });
    /// // With a rounding after each addition they are 0.0 and 0.6000000000000001.
    /// assert_eq!(sums, [[1.0, 0.6]; 3]);
    /// ```
    ///
    /// # Source
    /// The exact sum of two numbers, rounded, is what IEEE 754 calls their sum. More numbers are added with `TwoSum`
    /// (D. E. Knuth, *The Art of Computer Programming* 2, section 4.2.2; T. J. Dekker, *A floating-point technique for
    /// extending the available precision*, Numerische Mathematik 18, 1971), which returns a sum and its error. If the sum plus
    /// the errors, within the bound on what they miss, rounds to one number only, that is the result. Otherwise the numbers
    /// are added again in a superaccumulator, as in [`co_total_reproducible`]. J. R. Shewchuk, *Adaptive precision
    /// floating-point arithmetic and fast robust geometric predicates*, Discrete & Computational Geometry 18, 1997, decides
    /// likewise how much must be exact.
    fn co_sum_reproducible [V: ?Sized + ValuesMut] (values: &mut V) -> ()
    where [V::Element: Addend]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_sum_reproducible;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_sum_reproducible(&mut 0.1), Ok(())));
    /// ```
    ///
    /// # Source
    /// As [`co_sum_reproducible`]; `stat` of Fortran 2018, clause 16.6.
    fn try_co_sum_reproducible

    |start| sum(start, values.elements_mut())
}

forms! {
    /// Collective. The sum of all elements of all images, without any error but one rounding at the end, on every
    /// image.
    ///
    /// The result is the exact sum, rounded to nearest, ties to even: the same bits for any number of images and
    /// however the numbers are divided among them. Images may have different numbers of elements, or none. No
    /// elements at all add up to 0.0; NaN, infinities, overflow and zeros are as in [`co_sum_reproducible`].
    ///
    /// The job ends with a report if images call it with different types, or have failed.
    ///
    /// # Accuracy
    /// The error is at most half a unit in the last place of the result, whatever cancels. Pairwise summation of n
    /// `f64` in twice the precision, rounded in the end, may err by log2(n) 2^-106 times the sum of their magnitudes more.
    ///
    /// # Cost
    /// A core adds a number in 0.65 ns, if the numbers near it differ by a factor of 2^40 at most, and in 1.9 ns if they
    /// differ more; a loop with `+` takes 0.47 ns. 8 MiB of `f64` on each of two images took 0.6 or 1.6 times as long as
    /// [`co_sum`](crate::co_sum) of them. Images exchange 600 bytes each, once.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_total_reproducible;
    /// use coarray_launch::run;
    /// use coarray_runtime::{num_images, this_image};
    ///
    /// let terms: Vec<f64> = (0..1000).map(|k| (-1.0_f64).powi(k) / (2 * k + 1) as f64).collect();
    /// let sums = [1, 2, 3].map(|images| {
    ///     run(images, || {
    ///         let share = terms.len().div_ceil(num_images());
    ///         let mine = terms.chunks(share).nth(this_image()).unwrap();
    ///         co_total_reproducible(mine)
    ///     })[0]
    /// });
    /// assert_eq!(sums, [sums[0]; 3]);
    /// ```
    ///
    /// # Source
    /// A superaccumulator: U. W. Kulisch and W. L. Miranker, *Computer Arithmetic in Theory and Practice*, 1981, as R. M.
    /// Neal made it fast on ordinary processors: *Fast exact summation using small and large superaccumulators*,
    /// arXiv:1505.05571, 2015. Most numbers are first added in blocks, without error: S. M. Rump, T. Ogita and S. Oishi,
    /// *Accurate floating-point summation part I*, SIAM Journal on Scientific Computing 31, 2008.
    ///
    /// The alternative is J. Demmel and H. D. Nguyen, *Parallel reproducible summation*, IEEE Transactions on Computers 64,
    /// 2015, and their library ReproBLAS: bins of fixed exponents, of which the highest few in use are kept. They need
    /// fewer bytes, which is worth little once for each image. But what lies below the kept bins is lost: those sums are
    /// reproducible, but not accurate when much cancels.
    fn co_total_reproducible [V: ?Sized + Values] (values: &V) -> V::Element
    where [V::Element: Addend]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_total_reproducible;
    /// use coarray_launch::Launch;
    /// use coarray_runtime::{fail_image, this_image};
    ///
    /// let survivors = Launch::new(3).keep_going(true).run(|| {
    ///     if this_image() == 0 {
    ///         fail_image();
    ///     }
    ///     try_co_total_reproducible(&[0.1; 10]).unwrap_err().images
    /// });
    /// assert_eq!(survivors.unwrap(), [[0], [0]]);
    /// ```
    ///
    /// # Source
    /// As [`co_total_reproducible`]; `stat` of Fortran 2018, clause 16.6.
    fn try_co_total_reproducible

    |start| total(start, values.elements())
}

#[track_caller]
fn sum<T: Addend>(start: &Start, values: &mut [T]) -> Result<(), CallFailed> {
    let call = start.call::<T>(Operation::CoSumReproducible, values.len(), None);
    let algorithm = start.algorithm(Kind::SumReproducible, size_of_val(values));
    let team = &*start.team;
    let summed =
        if algorithm == Algorithm::ReduceScatterAllgather && capacity::<T>() >= team.images() {
            sum_combine_slices(team, &call, values)
        } else {
            sum_flat(team, &call, values)
        };
    summed.map_err(CallFailed::from(&call))
}

fn sum_flat<T: Addend>(team: &Team, call: &Call, values: &mut [T]) -> Result<(), ImageFailed> {
    for (number, chunk) in chunks(values, capacity::<T>()).enumerate() {
        let mut epoch = Epoch::begin(team, call, number);
        // SAFETY: no image reads this buffer before the barrier.
        unsafe { epoch.write(0, chunk) };
        epoch.barrier()?;
        let of = |image| {
            // SAFETY: every image wrote a chunk of this length before the barrier, as they have compared calls, and writes once
            // in an epoch.
            unsafe { epoch.read(image, 0, chunk.len()) }
        };
        let columns: Vec<&[T]> = (0..team.images()).map(of).collect();
        sum_columns(&columns, chunk);
    }
    Ok(())
}

fn sum_combine_slices<T: Addend>(
    team: &Team,
    call: &Call,
    values: &mut [T],
) -> Result<(), ImageFailed> {
    let me = team.index();
    let mut kept = Vec::new();
    combine_slices(team, call, values, None, |mine, of| {
        kept.clear();
        kept.extend_from_slice(mine);
        let column = |image| if image == me { &kept[..] } else { of(image) };
        let columns: Vec<&[T]> = (0..team.images()).map(column).collect();
        sum_columns(&columns, mine);
    })
}

/// Images may have different numbers of values, so the call that they compare says one element.
#[track_caller]
fn total<T: Addend>(start: &Start, values: &[T]) -> Result<T, CallFailed> {
    let call = start.call::<T>(Operation::CoTotalReproducible, 1, None);
    let mut sum = Superaccumulator::new();
    sum.add_all(values);
    let mut words = sum.into_words();
    reduce_words(start, &call, &mut words)?;
    Ok(Superaccumulator::from_words(&words).round())
}
