//! Reading checkpoints.

use std::fs::File;
use std::path::{Path, PathBuf};

use coarray::grid::HaloArray;
use coarray::ndarray::{Dim, Dimension};
use coarray::this_image;

use crate::agreement::FileOperation;
use crate::block::{Block, expect, fill};
use crate::checkpoint::generations::{list, open, path_of};
use crate::checkpoint::header::{Field, Header, Places};
use crate::checkpoint::value::{NotOfType, Value};
use crate::checkpoint::verify::verify;
use crate::error::{Error, ErrorKind, Failed};
use crate::scalar::{ElementType, Scalar};
use crate::transfer::{ByteOrder, read_block};

/// A checkpoint that has been found to be whole, to start again from.
///
/// # Examples
/// See [`Checkpoint`](super::Checkpoint).
///
/// # Source
/// As [`Checkpoint`](super::Checkpoint).
#[derive(Debug)]
pub struct Restart {
    path: PathBuf,
    generation: u64,
    /// Kept open, so that it can be read after newer generations have replaced it.
    file: File,
    header: Header,
    places: Places,
    refused: Vec<Error>,
}

/// Collective. The newest generation that is whole.
#[track_caller]
pub(super) fn newest(folder: &Path) -> Result<Restart, Error> {
    let request = format!("a restart from {}", folder.display());
    let operation = FileOperation::begin("Checkpoint::open", folder, &request)?;
    let generations = operation.by_image_0(|| {
        let bytes = list(folder)?.into_iter().rev().map(u64::to_le_bytes);
        Ok(bytes.flatten().collect())
    })?;
    let mut refused: Vec<Error> = Vec::new();
    for generation in generations.chunks_exact(8) {
        let generation = u64::from_le_bytes(generation.try_into().expect("eight bytes"));
        let path = path_of(folder, generation);
        let mine = open(&path).and_then(|(file, header, places)| {
            verify(&file, &header, &places)?;
            Ok((file, header, places))
        });
        match operation.on(&path).agree(mine) {
            Ok((file, header, places)) => {
                if !refused.is_empty() && this_image() == 0 {
                    eprintln!("coarray-io: generation {generation} is used instead");
                }
                return Ok(Restart {
                    path,
                    generation,
                    file,
                    header,
                    places,
                    refused,
                });
            }
            Err(error) => {
                if this_image() == 0 {
                    eprintln!("coarray-io: generation {generation} is refused: {error}");
                }
                refused.push(error);
            }
        }
    }
    let Some(first) = refused.first() else {
        let cause = "there is no checkpoint in this directory";
        return Err(Error::new(
            folder,
            0,
            Failed::new(ErrorKind::NotFound, cause),
        ));
    };
    let causes: Vec<String> = refused.iter().map(Error::to_string).collect();
    let cause = format!(
        "no checkpoint in this directory can be used: {}",
        causes.join("; ")
    );
    let failed = Failed::new(first.kind(), cause);
    Err(Error::new(folder, first.image(), failed).of_what_is_there())
}

impl Restart {
    /// Collective. Reads a field; each image reads its own cells, whatever the number and grid of images that wrote it.
    ///
    /// Halos are left as they are; [`exchange`](HaloArray::exchange) fills them. No image returns before all have read.
    ///
    /// # Errors
    /// If there is no such field, it is of another type or shape, or cannot be read.
    ///
    /// # Examples
    /// See [`Checkpoint`](super::Checkpoint).
    #[track_caller]
    pub fn read<T: Scalar, const D: usize>(
        &self,
        name: &str,
        array: &mut HaloArray<T, D>,
    ) -> Result<(), Error>
    where
        Dim<[usize; D]>: Dimension,
    {
        let words = Block::of(array).array();
        let request = format!("field {name:?} of {} as {words}", self.path.display());
        let operation = FileOperation::begin("Restart::read", &self.path, &request)?;
        let mut read = || {
            let (field, start) = self.find(name)?;
            expect(array, field.element, &field.shape).map_err(|failed| {
                Failed::new(failed.kind, format!("field {name:?}: {}", failed.cause))
            })?;
            let offset = self.places.data + start;
            fill(array, |layout, memory| {
                read_block(&self.file, offset, ByteOrder::Little, layout, memory)
            })
        };
        operation.agree(read())
    }

    fn find(&self, name: &str) -> Result<(&Field, u64), Failed> {
        let mut fields = self.header.fields.iter().zip(&self.places.fields);
        let found = fields.find(|(field, _)| field.name == name);
        let (field, &start) = found.ok_or_else(|| {
            let names = self.header.fields.iter().map(|field| &field.name);
            let cause = format!(
                "it has no field {name:?}; there are {:?}",
                names.collect::<Vec<_>>()
            );
            Failed::new(ErrorKind::Name, cause)
        })?;
        Ok((field, start))
    }

    /// Local. A value.
    ///
    /// # Errors
    /// If there is no such value, or it does not fit the type; on all images alike.
    ///
    /// # Examples
    /// See [`Checkpoint`](super::Checkpoint).
    pub fn value<T: TryFrom<Value, Error = NotOfType>>(&self, name: &str) -> Result<T, Error> {
        let refuse = |kind, cause: String| Error::new(&self.path, 0, Failed::new(kind, cause));
        let found = self.header.values.iter().find(|(other, _)| other == name);
        let (_, value) = found.ok_or_else(|| {
            let names: Vec<&str> = self.values().map(|(name, _)| name).collect();
            let cause = format!("it has no value {name:?}; there are {names:?}");
            refuse(ErrorKind::Name, cause)
        })?;
        T::try_from(value.clone())
            .map_err(|error| refuse(ErrorKind::ElementType, format!("value {name:?}: {error}")))
    }

    /// Local. All values with their names, in the order in which they were given.
    ///
    /// # Examples
    /// See [`Checkpoint`](super::Checkpoint).
    pub fn values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.header
            .values
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// Local. Name, type and shape of all fields, in the order in which they were given.
    ///
    /// # Examples
    /// See [`Checkpoint`](super::Checkpoint).
    pub fn fields(&self) -> impl Iterator<Item = (&str, ElementType, &[usize])> {
        let fields = self.header.fields.iter();
        fields.map(|field| (field.name.as_str(), field.element, field.shape.as_slice()))
    }

    /// Local. The number of this generation; each [`save`](super::Checkpoint::save) makes the next one.
    ///
    /// # Examples
    /// See [`Checkpoint`](super::Checkpoint).
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Local. The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Local. Why newer generations are not used, the newest first; the same on all images.
    ///
    /// # Examples
    /// See [`Checkpoint`](super::Checkpoint).
    pub fn refused(&self) -> &[Error] {
        &self.refused
    }
}
