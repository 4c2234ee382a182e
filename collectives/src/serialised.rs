//! Values of any type that `serde` knows: they travel as bytes of MessagePack.
//!
//! The format names the fields of structs, so that types work whose fields are flattened, skipped or tagged in some way. Functions
//! of the program run before the first barrier of a call, and after the last.

use std::any::type_name;

use coarray_runtime::Operation;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Kind;
use crate::allgather::allgather_runs;
use crate::blocks::room_for;
use crate::broadcast;
use crate::collective::{CallFailed, Start, forms};
use crate::gather::{exchange_lengths, gather_runs};

forms! {
    /// Collective. Gives every image of the current team the value that `value` returns on image `root`, of any type that `serde`
    /// knows. With the feature `serde`.
    ///
    /// Only `root` calls `value`, before it enters. It returns that very value; the others make theirs from its bytes, which are
    /// those of MessagePack. Numbers and texts arrive as they were, floats with all bits. What the type leaves out, such as
    /// a field with `#[serde(skip)]`, does not travel, and in MessagePack `Some(None)` and `Some(())` are `None`.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image; on `root` if `value` or `Serialize` panics or fails; on the others if `Deserialize` does, or if there is
    /// too little memory.
    ///
    /// The job ends with a report if images call it with different types or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use coarray_collectives::co_broadcast_value;
    /// use coarray_launch::run;
    ///
    /// /// Pretend that it reads a file.
    /// fn read_deck() -> BTreeMap<String, f64> {
    ///     BTreeMap::from([("viscosity".to_owned(), 0.01), ("end".to_owned(), 2.5)])
    /// }
    ///
    /// let ends = run(3, || co_broadcast_value(read_deck, 0)["end"]);
    /// assert_eq!(ends, [2.5; 3]);
    /// ```
    ///
    /// # Source
    /// `broadcast` of Boost.MPI; the format, [MessagePack](https://msgpack.org).
    fn co_broadcast_value [T: Serialize + DeserializeOwned + 'static] (
        value: impl FnOnce() -> T,
        root: usize
    ) -> T
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_broadcast_value;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let names = run(3, || try_co_broadcast_value(|| format!("image {}", this_image()), 2).unwrap());
    /// assert_eq!(names, ["image 2"; 3]);
    /// ```
    ///
    /// # Source
    /// As [`co_broadcast_value`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_broadcast_value

    |start| broadcast_value(start, value, root)
}

forms! {
    /// Collective. Gives image `root` the values of all images of the current team, in the order of the images, of any type that
    /// `serde` knows; the others get an empty vector. With the feature `serde`.
    ///
    /// All values of the vector are made from bytes, that of `root` too; what arrives of a value is said at
    /// [`co_broadcast_value`].
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image, or if `Serialize` panics or fails; on `root` if `Deserialize` does, or if there is too little memory.
    ///
    /// The job ends with a report if images call it with different types or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_gather_values;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let hosts = run(3, || co_gather_values(&format!("node{}", this_image() / 2), 1));
    /// assert_eq!(hosts, [vec![], vec!["node0", "node0", "node1"], vec![]]);
    /// ```
    ///
    /// # Source
    /// `gather` of Boost.MPI; the format, [MessagePack](https://msgpack.org).
    fn co_gather_values [T: Serialize + DeserializeOwned + 'static] (value: &T, root: usize) -> Vec<T>
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_gather_values;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let gathered = run(2, || try_co_gather_values(&Some(this_image()), 0).unwrap());
    /// assert_eq!(gathered, [vec![Some(0), Some(1)], vec![]]);
    /// ```
    ///
    /// # Source
    /// As [`co_gather_values`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_gather_values

    |start| gather_values(start, value, root)
}

forms! {
    /// Collective. As [`co_gather_values`], but every image gets the values of all. With the feature `serde`.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `Serialize` or `Deserialize` panics or fails, or if there is too little memory.
    ///
    /// The job ends with a report if images call it with different types, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_allgather_values;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let all = run(2, || co_allgather_values(&(this_image(), vec!['x'; this_image()])));
    /// assert_eq!(all[0], [(0, vec![]), (1, vec!['x'])]);
    /// assert_eq!(all[1], all[0]);
    /// ```
    ///
    /// # Source
    /// `all_gather` of Boost.MPI; the format, [MessagePack](https://msgpack.org).
    fn co_allgather_values [T: Serialize + DeserializeOwned + 'static] (value: &T) -> Vec<T> where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_allgather_values;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_allgather_values(&1.5).unwrap(), [1.5; 3]));
    /// ```
    ///
    /// # Source
    /// As [`co_allgather_values`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_allgather_values

    |start| allgather_values(start, value)
}

// Nothing below calls what may panic from a closure, so that reports name the line of the program.

#[track_caller]
fn broadcast_value<T: Serialize + DeserializeOwned + 'static>(
    start: &Start,
    value: impl FnOnce() -> T,
    root: usize,
) -> Result<T, CallFailed> {
    let (team, operation) = (&*start.team, Operation::CoBroadcastValue);
    let call = start.call_with::<T>(operation, 0, Some(root));
    let own = (team.index() == root).then(value);
    let mut bytes = match &own {
        Some(value) => encoded(operation.name(), value),
        None => vec![],
    };
    let lengths =
        exchange_lengths::<u8>(team, &call, bytes.len()).map_err(CallFailed::from(&call))?;
    if own.is_none() {
        bytes = room_for(lengths[root]);
        bytes.resize(lengths[root], 0);
    }
    let algorithm = start.algorithm(Kind::Broadcast, bytes.len()).unposted();
    broadcast::pass(start, &call, algorithm, 1, &mut bytes, root)
        .map_err(CallFailed::from(&call))?;
    Ok(match own {
        Some(value) => value,
        None => decoded(operation.name(), &bytes, root),
    })
}

#[track_caller]
fn gather_values<T: Serialize + DeserializeOwned + 'static>(
    start: &Start,
    value: &T,
    root: usize,
) -> Result<Vec<T>, CallFailed> {
    let operation = Operation::CoGatherValues;
    let call = start.call_with::<T>(operation, 0, Some(root));
    let all = gather_runs(start, &call, &encoded(operation.name(), value), root)?;
    Ok(all_decoded(operation, &all))
}

#[track_caller]
fn allgather_values<T: Serialize + DeserializeOwned + 'static>(
    start: &Start,
    value: &T,
) -> Result<Vec<T>, CallFailed> {
    let operation = Operation::CoAllgatherValues;
    let call = start.call_with::<T>(operation, 0, None);
    let all = allgather_runs(start, &call, &encoded(operation.name(), value))?;
    Ok(all_decoded(operation, &all))
}

/// The bytes of a value, for the operation of this name.
///
/// # Panics
/// If its `Serialize` panics or fails.
#[track_caller]
pub(crate) fn encoded<T: Serialize>(name: &str, value: &T) -> Vec<u8> {
    let of = type_name::<T>();
    match rmp_serde::to_vec_named(value) {
        Ok(bytes) => bytes,
        Err(error) => panic!("{name} of {of}: `Serialize` fails: {error}"),
    }
}

/// The value that these bytes of image `image` are, for the operation of this name.
///
/// # Panics
/// If `Deserialize` panics, or takes other bytes than `Serialize` makes.
#[track_caller]
pub(crate) fn decoded<T: DeserializeOwned>(name: &str, bytes: &[u8], image: usize) -> T {
    let mut rest = bytes;
    let error = match rmp_serde::from_read(&mut rest) {
        Ok(value) if rest.is_empty() => return value,
        Ok(_) => format!("{} bytes are left over", rest.len()),
        Err(error) => error.to_string(),
    };
    let of = type_name::<T>();
    panic!(
        "{name} of {of}: `Deserialize` does not take what `Serialize` has made on image {image}: {error}"
    )
}

/// The values of all images that have sent bytes, in their order.
///
/// # Panics
/// As [`decoded`].
#[track_caller]
fn all_decoded<T: DeserializeOwned>(operation: Operation, all: &[Vec<u8>]) -> Vec<T> {
    let mut values = Vec::with_capacity(all.len());
    for (image, bytes) in all.iter().enumerate() {
        values.push(decoded(operation.name(), bytes, image));
    }
    values
}
