//! Checkpoints, and restart from them.

mod checksums;
mod generations;
mod header;
mod lock;
mod restart;
mod value;
mod verify;

use std::fs;
use std::path::{Path, PathBuf};

use coarray::grid::HaloArray;
use coarray::ndarray::{Dim, Dimension};

use crate::agreement::FileOperation;
use crate::block::Block;
use crate::error::{Error, ErrorKind, Failed};
use crate::scalar::Scalar;
use crate::transfer::write_at;
use crate::whole_file::Partial;
use checksums::{Contributions, checksums};
use generations::{next_number, path_of, remove_old};
use header::{Field, Header, Places};
use lock::Lock;

pub use restart::Restart;
pub use value::{NotOfType, Value};

/// The state of a simulation, to be saved in a directory: fields and single values.
///
/// Each [`save`](Self::save) writes a new *generation*, a file of its own that all images write together. The file gets
/// its name when it is on the disk, and only then the generation before the last is removed. So two generations are
/// kept, and a whole one is there whenever and however a job ends.
///
/// [`open`](Self::open) finds the newest generation whose checksums are right. The number and the grid of images may
/// differ from those that saved.
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid};
/// use coarray::prelude::*;
/// use coarray_io::{Checkpoint, ErrorKind};
///
/// # let temporary = tempfile::tempdir().unwrap();
/// # let folder = &temporary.path().join("checkpoints");
/// let simulate = |last: u64| {
///     let blocks = Blocks::new([64, 64], ImageGrid::balanced()).unwrap();
///     let mut u = HaloArray::filled(&blocks, 1, 0.0).unwrap();
///     let mut first = 0;
///     match Checkpoint::open(folder) {
///         Ok(restart) => {
///             restart.read("u", &mut u).unwrap();
///             first = restart.value("step").unwrap();
///         }
///         // Nothing has been saved yet. Other errors are errors.
///         Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{error}"),
///     }
///     for step in first..last {
///         u.interior_mut().mapv_inplace(|u| u + 1.0);
///         if (step + 1) % 10 == 0 {
///             Checkpoint::new(folder).field("u", &u).value("step", step + 1).save().unwrap();
///         }
///     }
///     assert!(u.interior().iter().all(|&u| u == last as f64));
/// };
/// coarray::run(4, || simulate(34)); // ends four steps after it saved
/// coarray::run(3, || simulate(50)); // goes on from there
/// ```
///
/// # Source
/// How often to save: Young, *A first order approximation to the optimum checkpoint interval*, CACM 17, 1974.
pub struct Checkpoint<'a> {
    folder: PathBuf,
    fields: Vec<(String, Block<'a>)>,
    values: Vec<(String, Value)>,
}

impl<'a> Checkpoint<'a> {
    /// Local. An empty checkpoint, to be saved in this directory. Other files in it are left alone.
    ///
    /// # Examples
    /// See [`Checkpoint`].
    pub fn new(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            fields: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Local. Adds an array. Its halos are not saved.
    ///
    /// # Examples
    /// See [`Checkpoint`].
    #[must_use]
    pub fn field<T: Scalar, const D: usize>(
        mut self,
        name: &str,
        array: &'a HaloArray<T, D>,
    ) -> Self
    where
        Dim<[usize; D]>: Dimension,
    {
        self.fields.push((name.to_owned(), Block::of(array)));
        self
    }

    /// Local. Adds a number or text, which must be the same on all images.
    ///
    /// # Examples
    /// See [`Checkpoint`].
    #[must_use]
    pub fn value(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.push((name.to_owned(), value.into()));
        self
    }

    /// Collective. Saves everything as a new generation and returns its number; makes the directory if there is none.
    ///
    /// No image returns before the file is on the disk, under its name, and the generation before the last has been
    /// removed. One job at a time saves in a directory.
    ///
    /// # Errors
    /// If the file cannot be written, two fields or two values have the same name, or the images come with different
    /// fields or values; with [`ErrorKind::Busy`] if another job is saving in this directory, and never with
    /// [`ErrorKind::NotFound`]. The generations that were there are left alone then.
    ///
    /// # Examples
    /// See [`Checkpoint`].
    #[track_caller]
    pub fn save(self) -> Result<u64, Error> {
        let saved = self.save_next();
        saved.map_err(Error::of_what_is_there)
    }

    #[track_caller]
    fn save_next(&self) -> Result<u64, Error> {
        let folder = &self.folder;
        let operation = FileOperation::begin("Checkpoint::save", folder, &self.in_words())?;
        let (places, start) = operation.agree(self.header())?;
        // Image 0 holds the lock to the end.
        let mut lock = None;
        let generation = operation.by_image_0(|| {
            fs::create_dir_all(folder)
                .map_err(|error| Failed::os("create the directory", &error))?;
            lock = Some(Lock::take(folder)?);
            Ok(next_number(folder)?.to_le_bytes().to_vec())
        })?;
        let generation = u64::from_le_bytes(generation.try_into().expect("eight bytes"));
        let path = path_of(folder, generation);
        let file = Partial::create(operation.on(&path), places.bytes())?;
        let mut contributions = Contributions::new(places.data_bytes, places.segment_bytes);
        let mine = self.write(&file, &places, &mut contributions);
        let mut sums = contributions.finish();
        let summed = operation
            .collective()
            .try_co_reduce_to(&mut sums, 0, |a, b| a ^ b);
        operation.survived(summed)?;
        file.finish_durably(mine, |file| {
            let checksums = checksums(sums, places.data_bytes, places.segment_bytes);
            let mut table: Vec<u8> = checksums.into_iter().flat_map(u32::to_le_bytes).collect();
            table.extend(crc32fast::hash(&table).to_le_bytes());
            write_at(file, &table, places.table())?;
            write_at(file, &start, 0)
        })?;
        operation.by_image_0(|| {
            // The state is saved; the next save removes files that cannot be removed now.
            let _ = remove_old(folder, generation);
            Ok(Vec::new())
        })?;
        Ok(generation)
    }

    /// Collective. Opens the newest generation in a directory that is whole.
    ///
    /// All images check its checksums together, each a part of the file. A torn, truncated or corrupted generation is
    /// refused, with a line on stderr by image 0 and in [`Restart::refused`], and the one before is used.
    ///
    /// # Errors
    /// With [`ErrorKind::NotFound`] if there is no checkpoint in the directory, or no directory. With other kinds if
    /// there are some, but none that can be used.
    ///
    /// # Examples
    /// See [`Checkpoint`].
    #[track_caller]
    pub fn open(folder: impl AsRef<Path>) -> Result<Restart, Error> {
        restart::newest(folder.as_ref())
    }

    fn in_words(&self) -> String {
        let mut words = format!("a checkpoint in {}", self.folder.display());
        for (name, block) in &self.fields {
            words.push_str(&format!(", field {name:?}: {}", block.division()));
        }
        for (name, value) in &self.values {
            words.push_str(&format!(", value {name:?}: {value}"));
            // Values with the same text, such as NaNs, may have different bits.
            if let Value::Real(number) = value {
                words.push_str(&format!(" ({:x})", number.to_bits()));
            }
        }
        words
    }

    /// The places of all parts, and the bytes before the data.
    fn header(&self) -> Result<(Places, Vec<u8>), Failed> {
        let fields = self.fields.iter().map(|(name, _)| name);
        let values = self.values.iter().map(|(name, _)| name);
        different("fields", fields)?;
        different("values", values)?;
        let header = Header {
            values: self.values.clone(),
            fields: (self.fields.iter())
                .map(|(name, block)| Field {
                    name: name.clone(),
                    element: block.element,
                    shape: block.shape.clone(),
                })
                .collect(),
        };
        let start = header.to_bytes();
        let places = header.places(start.len() as u64);
        let places = places.ok_or_else(|| {
            Failed::new(
                ErrorKind::Shape,
                "these fields together are too long for a file",
            )
        })?;
        Ok((places, start))
    }

    #[track_caller]
    fn write(
        &self,
        file: &Partial<'_>,
        places: &Places,
        contributions: &mut Contributions,
    ) -> Result<(), Failed> {
        let mut mine = Ok(());
        for ((_, block), start) in self.fields.iter().zip(&places.fields) {
            let written = block.write(&file.file, places.data + start, |at, bytes| {
                contributions.add(start + at, bytes);
            });
            mine = mine.and(written);
        }
        mine
    }
}

fn different<'n>(what: &str, names: impl Iterator<Item = &'n String>) -> Result<(), Failed> {
    let mut sorted: Vec<&String> = names.collect();
    sorted.sort();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(Failed::new(
            ErrorKind::Name,
            format!("two {what} are named {:?}", pair[0]),
        )),
    }
}
