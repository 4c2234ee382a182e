//! File operations that all images do together, and that have one result on all images.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use coarray::collectives::Collective;
use coarray::failure::ImageFailed;
use coarray::{num_images, this_image};

use crate::error::{Error, ErrorKind, Failed};

/// A function of this crate that all images have called. Errors name its path; reports of images that are missing name
/// the function and the line of the program.
#[derive(Clone, Copy)]
pub(crate) struct FileOperation<'p> {
    name: &'static str,
    path: &'p Path,
}

impl<'p> FileOperation<'p> {
    /// Collective. Begins the function `name`. Checks that all images make the same request, which is given in words.
    #[track_caller]
    pub(crate) fn begin(name: &'static str, path: &'p Path, request: &str) -> Result<Self, Error> {
        let operation = Self { name, path };
        operation.same(request)?;
        Ok(operation)
    }

    /// Local. The same function, for another file.
    pub(crate) fn on(self, path: &Path) -> FileOperation<'_> {
        FileOperation {
            name: self.name,
            path,
        }
    }

    pub(crate) fn path(self) -> &'p Path {
        self.path
    }

    /// The options of all collectives in this function.
    pub(crate) fn collective(self) -> Collective {
        Collective::new().on_behalf_of(self.name)
    }

    /// The result of a collective of this operation. If images have failed, the lowest of the others says so on all.
    pub(crate) fn survived<T>(self, result: Result<T, ImageFailed>) -> Result<T, Error> {
        result.map_err(|failed| {
            let gone = [failed.images.as_slice(), &failed.stopped].concat();
            let first = (0..num_images()).find(|image| !gone.contains(image));
            let failed = Failed::of_images(&failed);
            Error::new(self.path, first.unwrap_or_default(), failed)
        })
    }

    /// Collective. Succeeds if all images have succeeded; otherwise returns the error of the lowest image that failed.
    #[track_caller]
    pub(crate) fn agree<T>(self, mine: Result<T, Failed>) -> Result<T, Error> {
        let mut failed = u8::from(mine.is_err());
        self.survived(self.collective().try_co_max(&mut failed))?;
        // coarray-check: allow, `failed` is the same on all images, and 0 only if all have succeeded.
        match mine {
            Ok(value) if failed == 0 => Ok(value),
            mine => {
                let report = mine.err().map_or(Vec::new(), |failed| failed.to_bytes());
                let reports = self.survived(self.collective().try_co_allgatherv(&report))?;
                let (image, report) = reports
                    .iter()
                    .enumerate()
                    .find(|(_, report)| !report.is_empty())
                    .expect("the image that has failed reports");
                Err(Error::new(self.path, image, Failed::from_bytes(report)))
            }
        }
    }

    /// Collective. Calls `mine` on image 0 only, and returns its result on all images.
    #[track_caller]
    pub(crate) fn by_image_0(
        self,
        mine: impl FnOnce() -> Result<Vec<u8>, Failed>,
    ) -> Result<Vec<u8>, Error> {
        let outcome = if this_image() == 0 {
            mine()
        } else {
            Ok(Vec::new())
        };
        let mut length = match &outcome {
            Ok(bytes) => [0, bytes.len() as u64],
            Err(failed) => [1, failed.to_bytes().len() as u64],
        };
        self.survived(self.collective().try_co_broadcast(&mut length, 0))?;
        let [failed, length] = length;
        let mut bytes = match outcome {
            Err(failed) => failed.to_bytes(),
            Ok(bytes) => bytes,
        };
        bytes.resize(length as usize, 0);
        self.survived(self.collective().try_co_broadcast(&mut bytes, 0))?;
        match failed {
            0 => Ok(bytes),
            _ => Err(Error::new(self.path, 0, Failed::from_bytes(&bytes))),
        }
    }

    #[track_caller]
    fn same(self, request: &str) -> Result<(), Error> {
        let digest = u64::from(crc32fast::hash(request.as_bytes())) << 32 | request.len() as u64;
        let mut extremes = [digest, !digest];
        self.survived(self.collective().try_co_max(&mut extremes))?;
        let [most, least] = extremes;
        if most == !least {
            return Ok(());
        }
        let requests = self.collective().try_co_allgatherv(request.as_bytes());
        let requests = self.survived(requests)?;
        let other = (1..requests.len()).find(|&image| requests[image] != requests[0]);
        let image = other.expect("the digests of some requests differ");
        let words = |image: usize| String::from_utf8_lossy(&requests[image]).into_owned();
        let cause = format!(
            "the images do not ask for the same: image 0 for {}, image {image} for {}",
            words(0),
            words(image)
        );
        // The images may have named different files.
        let path = self.by_image_0(|| Ok(self.path.as_os_str().as_bytes().to_vec()))?;
        let path = PathBuf::from(OsString::from_vec(path));
        let failed = Failed::new(ErrorKind::Disagreement, cause);
        Err(Error::new(&path, image, failed))
    }
}

#[cfg(test)]
mod tests {
    use super::FileOperation;
    use crate::error::{ErrorKind, Failed};
    use coarray::this_image;
    use std::path::Path;

    fn on(path: &str) -> FileOperation<'_> {
        FileOperation {
            name: "a test",
            path: Path::new(path),
        }
    }

    #[test]
    fn all_images_get_the_error_of_the_lowest() {
        let errors = coarray::run(4, || {
            let mine = match this_image() {
                1 | 3 => Err(Failed::new(
                    ErrorKind::Shape,
                    format!("no {}", this_image()),
                )),
                _ => Ok(()),
            };
            on("a.npy").agree(mine).unwrap_err()
        });
        assert_eq!(errors[0].to_string(), "a.npy: no 1 (found by image 1)");
        assert!(errors.iter().all(|error| *error == errors[0]));
        coarray::run(3, || {
            assert_eq!(on("a").agree(Ok(this_image())), Ok(this_image()))
        });
    }

    #[test]
    fn all_images_get_what_image_0_has() {
        let texts = coarray::run(3, || on("a").by_image_0(|| Ok(b"generation".to_vec())));
        assert!(
            texts
                .iter()
                .all(|text| text.as_deref() == Ok(b"generation"))
        );
        let errors = coarray::run(3, || {
            on("a")
                .by_image_0(|| Err(Failed::new(ErrorKind::Os, "disk full")))
                .unwrap_err()
        });
        assert!(
            errors
                .iter()
                .all(|error| error.to_string() == "a: disk full (found by image 0)")
        );
    }

    #[test]
    fn different_requests_are_told_with_both() {
        let errors = coarray::run(3, || {
            let request = if this_image() == 2 { "f32" } else { "f64" };
            on("out.npy").same(request).unwrap_err()
        });
        let text = "out.npy: the images do not ask for the same: image 0 for f64, image 2 for f32 (found by image 2)";
        assert!(
            errors.iter().all(|error| error.to_string() == text),
            "{}",
            errors[0]
        );
        coarray::run(3, || assert_eq!(on("a").same("f32"), Ok(())));
    }
}
