//! The algorithms by which data pass between images, and the kinds of operations that choose among them.

use std::fmt;

/// How the data of a collective operation pass between the images.
///
/// The best algorithm depends on the number of images, the number of bytes and the network. All have the same results, but
/// for the rounding of sums of floats, which depends on how an algorithm groups them.
///
/// # The tuning table
/// If a call does not choose, a table does: the file that `COARRAY_TUNING_FILE` names, or `collectives.toml` in the folder
/// where the program starts. Jobs that span nodes look for `collectives.mpi.toml` or `collectives.shmem.toml` instead, by their fabric.
/// `cobench tune` measures and writes one. Image 0 reads it and hands it to all, so no two
/// images can choose differently; an error in it ends the job with a report. For each [kind](Kind) of operation the first rule
/// that applies counts, then the first built-in one:
///
/// ```toml
/// # images up to, bytes up to (0: any number), algorithm
/// co_broadcast = [[8, 1024, "flat"], [0, 0, "binomial"]]
/// co_reduce = [[4, 0, "reduce_scatter_allgather"]]
/// sync_all = [[0, 0, "tree"]]    # barriers, of images or of nodes: "flat", "dissemination", "tree", "central"
/// ```
///
/// # Examples
/// ```
/// use coarray_collectives::{Algorithm, Kind};
///
/// assert_eq!(Algorithm::from_name("square_root"), Some(Algorithm::SquareRoot));
/// assert!(Kind::Broadcast.algorithms().contains(&Algorithm::SquareRoot));
/// ```
///
/// # Source
/// The families are those of S. Ramos Garea, *High Performance Java for Multi-core Systems*, 2013, table 4.1, after
/// E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, *Collective communication: theory, practice, and
/// experience*, Concurrency and Computation 19 (2007).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// Every image reads what it needs straight from the images that have it. The fewest steps, but all images may read from
    /// one.
    Flat,
    /// A binomial tree, also called a minimum spanning tree: the fewest messages, in `ceil(log2 n)` steps.
    Binomial,
    /// A tree in which an image has up to four successors.
    FourAry,
    /// About the square root of the number of images read from the root, and the others from these: two
    /// steps, and at most `ceil(sqrt(n))` images read from one (Manninen and Richardson 2014).
    SquareRoot,
    /// A tree of the nodes' leaders, and in each node the other images below its leader: the fewest messages between nodes.
    Hierarchical,
    /// The root scatters its values in slices, and the slices pass around a ring: every image sends about as many bytes as it
    /// receives.
    ScatterAllgather,
    /// Partners at doubling distances exchange what they have: `ceil(log2 n)` steps.
    RecursiveDoubling,
    /// Slices pass around a ring from neighbour to neighbour: `n - 1` steps, and the least traffic for long data. A
    /// reduction takes the images in a rotated order, so it needs an operation that is also commutative.
    Ring,
    /// Each image combines its slice of the elements straight from all others' memory, and collects the slices of
    /// the others: all images share the work (Rabenseifner 2004).
    ReduceScatterAllgather,
    /// In each of `n - 1` steps every image reads from a different image, so that no two read from the same one
    /// (Manninen and Richardson 2014).
    Pairwise,
    /// From each image to the next: `n - 1` steps.
    Chain,
    /// Each image leaves its values where the others find them, and waits only for those whose values it needs: the root of a broadcast for
    /// nobody. For up to 8 KiB on one machine, and for up to 2 KiB in teams of at most eight images on a node each, where it takes one put with
    /// a signal from image to image. In other teams, and in jobs that go on when images fail, it is [`Flat`](Self::Flat), as in `co_gatherv`
    /// and its relatives.
    ///
    /// Images that disagree find out when they read each other's values, or at the latest in the next barrier. No image is ahead of another by
    /// more than 256 such collectives, or 64 KiB; between nodes 8 KiB.
    Eager,
    /// The collective operation that the fabric between nodes has of its own, in teams that span nodes: on MPI that of the library, in which
    /// all images take part. Before it they compare calls in a barrier. On other fabrics it is [`Flat`](Self::Flat), as on one machine, in
    /// `co_gatherv` and its relatives, and for blocks of more than 2 GiB.
    ///
    /// It pays for long values, which the library takes from the memory of one image straight to that of another where it can.
    Fabric,
    /// Values of coarrays, or of images that are threads, are combined where they are: each image combines its share of the elements straight from
    /// the memory of all, and then reads the shares of the others there; a root combines all alone. Of values that not all images reach, and
    /// between nodes, it is [`ReduceScatterAllgather`](Self::ReduceScatterAllgather), and [`Flat`](Self::Flat) of two images or to a root.
    ///
    /// Nothing is copied to buffers, but each store goes to memory that another image has read. On Intel's processors that is the faster way for
    /// long values of two images; on AMD's it takes up to 2.5 times as long.
    ///
    /// Values that are gathered, scattered or exchanged are read where they are in coarrays by any algorithm that a table chooses, if they are
    /// long. By this one they are so also in private memory of images that are processes of one machine, where the kernel copies them
    /// (`process_vm_readv`) if it permits that; `COARRAY_CROSS_MEMORY=0` makes it refuse. Otherwise, and in `co_scatterv` and `co_alltoallv`, it
    /// is [`Flat`](Self::Flat).
    InPlace,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 14] = [
        Self::Flat,
        Self::Binomial,
        Self::FourAry,
        Self::SquareRoot,
        Self::Hierarchical,
        Self::ScatterAllgather,
        Self::RecursiveDoubling,
        Self::Ring,
        Self::ReduceScatterAllgather,
        Self::Pairwise,
        Self::Chain,
        Self::Eager,
        Self::Fabric,
        Self::InPlace,
    ];

    /// Itself, or what is used where values are neither posted nor equally long on all images.
    pub(crate) fn unposted(self) -> Self {
        match self {
            Self::Eager | Self::Fabric | Self::InPlace => Self::Flat,
            other => other,
        }
    }

    /// Local. Its name in a tuning table.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::Algorithm;
    ///
    /// let names = Algorithm::ALL.map(Algorithm::name);
    /// assert!(names.contains(&"recursive_doubling"));
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Binomial => "binomial",
            Self::FourAry => "four_ary",
            Self::SquareRoot => "square_root",
            Self::Hierarchical => "hierarchical",
            Self::ScatterAllgather => "scatter_allgather",
            Self::RecursiveDoubling => "recursive_doubling",
            Self::Ring => "ring",
            Self::ReduceScatterAllgather => "reduce_scatter_allgather",
            Self::Pairwise => "pairwise",
            Self::Chain => "chain",
            Self::Eager => "eager",
            Self::Fabric => "fabric",
            Self::InPlace => "in_place",
        }
    }

    /// Local. The algorithm of that name, which may be one of before version 0.2: `shares` or `two_level`.
    ///
    /// # Examples
    /// An option of a command line:
    /// ```
    /// use coarray_collectives::Algorithm;
    ///
    /// assert_eq!(Algorithm::from_name("ring"), Some(Algorithm::Ring));
    /// assert_eq!(Algorithm::from_name("shares"), Some(Algorithm::ReduceScatterAllgather));
    /// assert_eq!(Algorithm::from_name("carrier pigeons"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = match name {
            "shares" => "reduce_scatter_allgather",
            "two_level" => "hierarchical",
            _ => name,
        };
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The kinds of collective operations that have several algorithms.
///
/// # Examples
/// ```
/// use coarray_collectives::{Algorithm, Kind};
///
/// assert_eq!(Kind::Alltoall.algorithms(), [Algorithm::Flat, Algorithm::Pairwise, Algorithm::InPlace, Algorithm::Eager, Algorithm::Fabric]);
/// for kind in Kind::ALL {
///     assert!(kind.algorithms().contains(&Algorithm::Flat), "{}", kind.name());
/// }
/// ```
///
/// # Source
/// As [`Algorithm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `co_broadcast`.
    Broadcast,
    /// `co_sum`, `co_min`, `co_max`, `co_reduce`, `co_all`, `co_any`, `co_count`: the result on all images.
    Reduce,
    /// `co_sum_to` and its relatives: the result on one image.
    ReduceTo,
    /// `co_gather`, `co_gatherv`.
    Gather,
    /// `co_allgather`, `co_allgatherv`.
    Allgather,
    /// `co_scatter`, `co_scatterv`.
    Scatter,
    /// `co_alltoall`, `co_alltoallv`.
    Alltoall,
    /// `co_reduce_scatter`.
    ReduceScatter,
    /// `co_scan`, `co_exscan`.
    Scan,
    /// `co_sum_reproducible`.
    SumReproducible,
    /// `co_total_reproducible`.
    TotalReproducible,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Broadcast,
        Self::Reduce,
        Self::ReduceTo,
        Self::Gather,
        Self::Allgather,
        Self::Scatter,
        Self::Alltoall,
        Self::ReduceScatter,
        Self::Scan,
        Self::SumReproducible,
        Self::TotalReproducible,
    ];

    /// Local. Its name in a tuning table.
    ///
    /// # Examples
    /// See [`Kind`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Broadcast => "co_broadcast",
            Self::Reduce => "co_reduce",
            Self::ReduceTo => "co_reduce_to",
            Self::Gather => "co_gather",
            Self::Allgather => "co_allgather",
            Self::Scatter => "co_scatter",
            Self::Alltoall => "co_alltoall",
            Self::ReduceScatter => "co_reduce_scatter",
            Self::Scan => "co_scan",
            Self::SumReproducible => "co_sum_reproducible",
            Self::TotalReproducible => "co_total_reproducible",
        }
    }

    /// Local. The algorithms that it can use.
    ///
    /// # Examples
    /// See [`Kind`].
    #[must_use]
    pub const fn algorithms(self) -> &'static [Algorithm] {
        use Algorithm::{
            Binomial, Chain, Eager, Fabric, Flat, FourAry, Hierarchical, InPlace, Pairwise,
            RecursiveDoubling, ReduceScatterAllgather, Ring, ScatterAllgather, SquareRoot,
        };
        match self {
            Self::Broadcast => &[
                Flat,
                Binomial,
                FourAry,
                SquareRoot,
                Hierarchical,
                ScatterAllgather,
                Eager,
                Fabric,
            ],
            Self::Reduce => &[
                Flat,
                ReduceScatterAllgather,
                Binomial,
                FourAry,
                SquareRoot,
                Hierarchical,
                RecursiveDoubling,
                Ring,
                InPlace,
                Eager,
            ],
            Self::TotalReproducible => match Self::Reduce.algorithms() {
                [others @ .., InPlace, Eager] => others,
                all => all,
            },
            Self::ReduceTo => &[
                Flat,
                ReduceScatterAllgather,
                Binomial,
                FourAry,
                SquareRoot,
                Hierarchical,
                InPlace,
                Eager,
            ],
            Self::Gather | Self::Scatter => &[
                Flat,
                Binomial,
                FourAry,
                SquareRoot,
                Hierarchical,
                InPlace,
                Eager,
                Fabric,
            ],
            Self::Allgather => &[
                Flat,
                RecursiveDoubling,
                Ring,
                Binomial,
                Hierarchical,
                InPlace,
                Eager,
                Fabric,
            ],
            Self::Alltoall => &[Flat, Pairwise, InPlace, Eager, Fabric],
            Self::ReduceScatter => &[Flat, Ring, Binomial, Eager],
            Self::Scan => &[Flat, RecursiveDoubling, Chain, Eager],
            Self::SumReproducible => &[Flat, ReduceScatterAllgather],
        }
    }
}
