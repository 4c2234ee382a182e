//! The macros, from their crate. They are documented here, where what their examples use is.

/// Lets values of a type travel between images.
///
/// A value travels as its bytes: another image reads and writes them in place, without the owner
/// taking part. The derive accepts a type exactly when that is sound.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, Remote)]
/// #[repr(C)]
/// struct Particle {
///     position: [f64; 3],
///     mass: f64,
/// }
///
/// #[derive(Clone, Copy, PartialEq, Debug, Remote)]
/// #[repr(u8)]
/// enum Cell {
///     Dead,
///     Alive,
/// }
///
/// coarray::run(2, || {
///     let mut cells = Coarray::new([Cell::Dead; 9]);
///     let mut heaviest = Coarray::new(Particle { position: [0.0; 3], mass: 1.5 });
///     let (cells, heaviest) = coarray::open((&mut cells, &mut heaviest));
///     cells.at(1 - this_image())[4].put(Cell::Alive);
///     assert_eq!(cells.at(1 - this_image())[4].get(), Cell::Alive);
///     assert_eq!(heaviest.at(1).get().mass, 1.5);
/// });
/// ```
///
/// # Structs
///
/// A struct needs
///
/// * `#[repr(C)]` or `#[repr(transparent)]`, so that every image lays it out alike;
/// * fields that are all `Remote` themselves;
/// * no padding bytes, because every byte travels and padding holds nothing. A struct such as
///   `{ a: u8, b: u32 }` is refused where it is defined; reorder its fields, or fill the gaps with
///   fields of your own;
/// * at least one byte, hence at least one field;
/// * no lifetime parameters: a reference means nothing on another image.
///
/// `#[repr(packed)]` is refused as well: its fields may be misaligned, and an image works on the
/// fields of another in place.
///
/// The derive knows no invariants beyond those of the field types: any image may write any valid
/// fields into the struct, also where the fields are private.
///
/// ## Members
///
/// The derive also lets a program name a single field without a value. `Particle::MEMBERS` has one
/// field per field of the struct, of the same name (or position, for a tuple struct) and visibility;
/// each holds the offset of that field in the struct.
///
/// ```
/// use coarray::places::{Member, Members};
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, Remote)]
/// #[repr(C)]
/// struct Particle {
///     position: [f64; 3],
///     mass: f64,
/// }
///
/// let mass: Member<Particle, f64> = Particle::MEMBERS.mass;
/// coarray::run(2, || {
///     let mut particle = Coarray::new(Particle { position: [0.0; 3], mass: 1.5 });
///     let particle = particle.open();
///     let place = particle.at(1);
///     assert_eq!(place.member(|_| mass).get(), 1.5);
///     assert_eq!(coarray::field!(place, mass).get(), 1.5); // the same
/// });
/// ```
///
/// ## Generic structs
///
/// Every type parameter gets the bound `Remote`, just as `derive(Clone)` gives it the bound `Clone`.
/// If a field needs more than that, as `T::Output` does, write it into the struct's `where` clause.
/// The layout of a generic struct is checked for each set of parameters in use, where a value is moved. The compiler evaluates that when it makes
/// code: `cargo build` shows what is wrong, and `cargo check` does not. For a set that is named in a constant both do:
///
/// ```compile_fail
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, Remote)]
/// #[repr(C)]
/// struct Pair<T> {
///     value: f64,
///     mark: T,
/// }
///
/// const _: () = Pair::<u8>::CHECK; // refused: seven bytes of padding come after `mark`
/// ```
///
/// # Enums
///
/// An enum needs variants without fields, and an integer representation, for example `#[repr(u8)]`.
/// Bytes that are the discriminant of no variant never become a value: they are found when they
/// arrive.
///
/// # Source
/// The derives of [bytemuck](https://docs.rs/bytemuck); which types travel, *Coarray C++* section 3.4.
pub use coarray_macros::Remote;

/// Lets all images use a struct of coatomics, coevents and comutexes at any time.
///
/// A coarray of such a struct needs no opening. Its members are reached as those of a struct with
/// [`derive(Remote)`](macro@Remote), by `member` or `field!`; of this image's own they are plain fields.
///
/// # Examples
/// ```
/// use coarray::Shared;
/// use coarray::prelude::*;
///
/// #[derive(Default, Shared)]
/// struct Inbox {
///     count: Coatomic<usize>,
///     letters: [Coatomic<u64>; 8],
///     arrived: Coevent,
/// }
///
/// coarray::run(3, || {
///     let inboxes = Coarray::<Inbox>::default();
///     let theirs = inboxes.at(0);
///     let at = theirs.member(|inbox| inbox.count).fetch_add(1);
///     field!(theirs, letters)[at].store(10 * this_image() as u64); // the same with less ink
///     field!(theirs, arrived).post();
///     if this_image() == 0 {
///         inboxes.arrived.wait_for(3); // one's own: a field
///         assert_eq!(inboxes.letters.iter().map(Coatomic::load).sum::<u64>(), 10 + 20);
///     }
/// });
/// ```
///
/// # Structs
///
/// All fields are `Shared` themselves: coatomics, coevents, comutexes, arrays of them, and other structs with
/// this derive. `#[repr(packed)]` is refused, and so are enums and unions. In a generic struct, each field's type has to be shared
/// where the struct is used.
///
/// # Source
/// Coarrays of structs with `coatomic`, `coevent` and `comutex` members, *Coarray C++* section 6.
pub use coarray_macros::Shared;

/// Adds values of a struct field by field.
///
/// `co_sum` of such a struct adds values of several types at once, with the latency of one.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, PartialEq, Debug, Remote, coarray::Add)]
/// #[repr(C)]
/// struct Totals {
///     energy: f64,
///     momentum: [f64; 3],
///     particles: u64,
/// }
///
/// coarray::run(4, || {
///     let mut totals = Totals { energy: 0.5, momentum: [1.0, 0.0, -1.0], particles: 10 };
///     co_sum(&mut totals);
///     assert_eq!(totals, Totals { energy: 2.0, momentum: [4.0, 0.0, -4.0], particles: 40 });
/// });
/// ```
///
/// # Fields
///
/// A field is added by its type's own `+`, and a field that is an array `[T; N]` element by element, however deeply arrays are
/// nested. The elements of arrays must be `Copy`. The array must be written as one: the derive does not see through a type
/// alias. Overflow of integers panics or wraps as `+` does in the same build.
///
/// Every type parameter gets the bounds `Copy` and `Add<Output = T>`, just as `derive(Clone)` gives it the bound `Clone`.
///
/// # Errors
///
/// Enums and unions are refused.
///
/// # Source
/// The derive of the same name in [derive_more](https://docs.rs/derive_more), but for arrays.
pub use coarray_macros::Add;

/// Makes `fn main` the program that every image runs.
///
/// # Examples
/// ```no_run
/// #[coarray::main]
/// fn main() {
///     println!("image {} of {}", coarray::this_image(), coarray::num_images());
/// }
/// ```
///
/// The function takes no parameters and returns whatever a `main` may return, such as
/// `Result<(), Box<dyn Error>>`. How many images there are is decided when the program starts, not
/// when it is compiled.
///
/// An error that an image returns ends the job, and the report has the image and the words of the error, by its `Display`, in one line:
/// `coarray: image 2 returned a failure from its main function: no such file`.
///
/// `#[coarray::main(keep_going)]` is for a program that goes on without images that die, as with
/// `COARRAY_FAULT_TOLERANT=1`, unless the environment says otherwise.
///
/// The attribute is shorthand for
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     fn main() { /* what you wrote */ }
///     coarray::launch(main) // or coarray::launch_keeping_going(main)
/// }
/// ```
///
/// # Source
/// Program execution, Fortran 2018 clause 5.3.4; the attribute, after `#[tokio::main]`.
pub use coarray_macros::main;

/// Makes a function a test that several images run together.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// #[coarray::test(images = 4)]
/// fn four_images_run() {
///     assert_eq!(num_images(), 4);
/// }
///
/// #[coarray::test(images = [1, 2, 3, 4, 7, 8])]
/// fn the_sum_of_ones_is_the_number_of_images() -> Result<(), std::num::ParseIntError> {
///     let mut x: usize = "1".parse()?;
///     co_sum(&mut x);
///     assert_eq!(x, num_images());
///     Ok(())
/// }
/// ```
///
/// `images` is the number of images: a `usize`, or an array of them to run the test at one count
/// after the other. A list that several tests share is passed by reference:
/// `images = &COUNTS`.
///
/// With `check` beside it, as in `#[coarray::test(images = [2, 3], check)]`, [races](crate::check) fail the test. With `schedules = 200` it is run in so
/// many schedules at each count, as [`testing::explore`](crate::testing::explore) does; races fail it as well.
///
/// The function takes no parameters. Other attributes, such as `#[should_panic]` and `#[ignore]`,
/// work as they do on any test; `#[test]` itself is not needed.
///
/// # Source
/// Its own.
pub use coarray_macros::test;
