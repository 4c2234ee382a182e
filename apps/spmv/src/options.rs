//! The command line of `spmv`.

use std::path::PathBuf;

use program::command_line::{Error, Long, Value, extents, follow};

use crate::laplacian::Laplacian;

/// What `spmv --help` prints.
pub(crate) const HELP: &str = "\
Products of a sparse matrix and vectors, both divided among images.

usage: spmv [MATRIX.mtx | --laplacian NX[xNY[xNZ]]] [--compute WHAT] [--iterations N]
            [--tolerance T] [--output FILE.mtx] [--check] [--no-overlap] [--quiet]

  MATRIX.mtx          a square matrix in the Matrix Market format: coordinate; real, integer
                      or pattern; general or symmetric
  --laplacian EXTENTS the Laplace operator on a grid of one to three axes (default: 128x128x128)
  --compute WHAT      what to compute with the products:
                        solution    of A x = b by conjugate gradients, for the b whose solution
                                    is 1 everywhere; A symmetric, positive definite (default)
                        eigenvalue  that of largest magnitude, by the power method
                        product     y = A x, N times, for x = 1, 2, ... 10, 1, 2, ...
  --iterations N      compute at most so many products (default: 2000; of product: 100)
  --tolerance T       end when the residual is below T times the right-hand side or the
                      eigenvalue (default: 1e-8)
  --output FILE.mtx   write the solution, the eigenvector or the product
  --check             compare a product with a serial one, on image 0
  --no-overlap        wait for the elements of other images before anything is multiplied
  --quiet             show no progress bar

It ends with the products' rate and the share of time spent communicating and waiting.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N spmv ...`.";

/// What the user asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) matrix: Source,
    pub(crate) compute: Compute,
    pub(crate) iterations: usize,
    pub(crate) tolerance: f64,
    pub(crate) output: Option<PathBuf>,
    pub(crate) check: bool,
    pub(crate) overlap: bool,
    pub(crate) quiet: bool,
}

/// Where the matrix comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    File(PathBuf),
    Laplacian(Laplacian),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compute {
    Solution,
    Eigenvalue,
    Product,
}

impl Options {
    /// The options of this image's command line; none after `--help`. An error in it ends the job.
    pub(crate) fn from_command_line() -> Option<Self> {
        let mut matrix = None;
        let mut iterations = None;
        let mut options = Self {
            matrix: Source::Laplacian(Laplacian::new(vec![128; 3])),
            compute: Compute::Solution,
            iterations: 0,
            tolerance: 1e-8,
            output: None,
            check: false,
            overlap: true,
            quiet: false,
        };
        let goes_on = follow(HELP, |option, arguments| {
            match option {
                Long("laplacian") => {
                    let grid = arguments.value("one to three extents, such as 64x64", grid)?;
                    second(&matrix, "--laplacian")?;
                    matrix = Some(Source::Laplacian(Laplacian::new(grid)));
                }
                Long("compute") => {
                    options.compute = arguments.one_of([
                        ("solution", Compute::Solution),
                        ("eigenvalue", Compute::Eigenvalue),
                        ("product", Compute::Product),
                    ])?;
                }
                Long("iterations") => iterations = Some(arguments.count(usize::MAX)?),
                Long("tolerance") => {
                    let is_share = |share: &f64| (0.0..=1.0).contains(share);
                    options.tolerance = arguments.number("a number from 0 to 1", is_share)?;
                }
                Long("output") => options.output = Some(arguments.path()?),
                Long("check") => options.check = true,
                Long("no-overlap") => options.overlap = false,
                Long("quiet") => options.quiet = true,
                Value(path) => {
                    second(&matrix, &path.to_string_lossy())?;
                    matrix = Some(Source::File(path.into()));
                }
                _ => return Err(option.unexpected()),
            }
            Ok(())
        });
        options.matrix = matrix.unwrap_or(options.matrix);
        options.iterations = iterations.unwrap_or(match options.compute {
            Compute::Product => 100,
            _ => 2000,
        });
        goes_on.then_some(options)
    }
}

fn second(matrix: &Option<Source>, word: &str) -> Result<(), Error> {
    let told = "only one matrix can be given, a file or a Laplacian, but there is also";
    match matrix {
        Some(_) => Err(format!("{told} '{word}'").into()),
        None => Ok(()),
    }
}

/// Extents whose cells can be counted in 32 bits.
fn grid(text: &str) -> Option<Vec<usize>> {
    let extents = extents(text, u32::MAX as usize)?;
    let cells = extents
        .iter()
        .try_fold(1_usize, |cells, &side| cells.checked_mul(side))?;
    (extents.len() <= 3 && cells <= u32::MAX as usize).then_some(extents)
}
