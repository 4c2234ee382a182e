//! The fabric, between processes: each test starts itself as jobs of the library's launcher.

mod memory;
mod messages;
mod operations;

use std::any::type_name;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Output};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::thread;

use crate::has_outstanding;
use crate::memory::nodes::Nodes;
use crate::memory::region::{Areas, Region};
use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::cluster::Cluster;
use crate::transport::fabric::Fabric;
use crate::transport::request::{Buffer, Request};

/// Says to a process of a job which test it is for.
const TEST: &str = "COARRAY_SHMEM_TEST";

/// Seconds that a job takes at most; those that hang are ended, and fail.
const PATIENCE: &str = "120";

/// Bytes of the heap of each image.
const HEAP: usize = 64 << 20;

/// One image of a job, all of whose images are nodes of their own.
struct Member {
    cluster: Rc<dyn Cluster>,
    fabric: Rc<dyn Fabric>,
    region: Region,
    me: usize,
    images: usize,
}

impl Member {
    fn new(cluster: Rc<dyn Cluster>, is_direct: bool) -> Self {
        let (me, images) = (cluster.image(), cluster.images());
        let areas = Areas {
            job: 64,
            image: 64,
            sparse: 0,
        };
        let mut region = Region::create(areas, 0, images, HEAP, false).unwrap();
        let mine = if is_direct { cluster.node() } else { me };
        let all = cluster.gather(&mine.to_ne_bytes());
        let (all, _) = all.as_chunks();
        let nodes = Nodes::separate(all.iter().map(|&node| usize::from_ne_bytes(node)));
        let fabric = cluster.attach(&mut region, &nodes).unwrap();
        Self {
            cluster,
            fabric,
            region,
            me,
            images,
        }
    }

    fn barrier(&self) {
        self.cluster.gather(&[]);
    }

    fn next(&self) -> usize {
        (self.me + 1) % self.images
    }

    /// How often a test does something: without shared memory, the library waits by spinning, and takes the time that the
    /// scheduler takes where there are more processes than cores.
    fn rounds(&self, many: usize) -> usize {
        if env::var_os("UCX_TLS").is_some() {
            many / 20
        } else {
            many
        }
    }

    /// The offset in a part of what has this offset in the heap.
    fn offset(&self, place: usize) -> usize {
        self.region.heap_offset() + place
    }

    fn put(&self, image: usize, place: usize, bytes: &[u8]) {
        // SAFETY: the bytes lie in a heap, which only the fabric uses.
        unsafe {
            self.fabric
                .put(image, self.offset(place), bytes.as_ptr(), bytes.len())
        }
    }

    fn get<const N: usize>(&self, image: usize, place: usize) -> [u8; N] {
        let mut bytes = [0; N];
        // SAFETY: as above.
        unsafe {
            self.fabric
                .get(image, self.offset(place), bytes.as_mut_ptr(), N)
        };
        bytes
    }

    fn issue_put(&self, image: usize, place: usize, bytes: &[u8]) -> Request {
        // SAFETY: as above; the buffer belongs to the operation.
        unsafe {
            self.fabric
                .issue_put(image, self.offset(place), Buffer::Owned(bytes.into()))
        }
    }

    fn issue_get(&self, image: usize, place: usize, length: usize) -> Request {
        // SAFETY: as above.
        unsafe {
            self.fabric
                .issue_get(image, self.offset(place), Buffer::with_length(length))
        }
    }

    fn atomic(&self, image: usize, place: usize, word: Word, operation: AtomicOperation) -> u64 {
        // SAFETY: as above; places are aligned.
        unsafe {
            self.fabric
                .atomic(image, self.offset(place), word, operation)
        }
    }

    /// What is at a place of this image's own heap, by a load.
    fn load<const N: usize>(&self, place: usize) -> [u8; N] {
        // SAFETY: others have put there what they put, and come to a barrier since.
        unsafe {
            self.region
                .heap(self.me)
                .add(place)
                .cast::<[u8; N]>()
                .read_volatile()
        }
    }

    fn receive(&self) -> (usize, Vec<u8>) {
        loop {
            // SAFETY: only tests send messages here.
            if let Some(message) = unsafe { self.fabric.receive() } {
                return (message.from, message.bytes);
            }
            thread::yield_now();
        }
    }
}

fn taken(request: &mut Request) -> Vec<u8> {
    match request.take() {
        Some(Buffer::Owned(bytes)) => bytes.into_vec(),
        other => panic!("not complete, or not the operation's own: {other:?}"),
    }
}

/// Runs `body` in jobs of two images and of four, with shared memory between the processes and without.
fn in_jobs<F: FnOnce(&Member)>(body: F) {
    in_jobs_by(&[(2, ""), (2, "tcp,self"), (4, "tcp,self")], false, body);
}

fn in_jobs_by<F: FnOnce(&Member)>(kinds: &[(usize, &str)], is_direct: bool, body: F) {
    if env::var_os(TEST).is_some() {
        return take_part(is_direct, body);
    }
    for &(images, transports) in kinds {
        let output = start(name_of(&body), images, transports);
        assert!(
            output.status.success(),
            "{images} images by '{transports}': {}",
            text(&output)
        );
    }
}

/// The test that a closure is in, as its type says.
fn name_of<F>(_: &F) -> &'static str {
    let (_, path) = type_name::<F>().split_once("::").unwrap();
    path.split("::{{").next().unwrap()
}

fn text(output: &Output) -> String {
    let [out, error] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{}\n{out}\n{error}", output.status)
}

fn start(test: &str, images: usize, transports: &str) -> Output {
    // One job at a time: each has more processes than this machine may have cores.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let launcher = shmem_sys::LAUNCHER.expect("shmemrun or oshrun beside the library's compiler");
    let mut command = Command::new("timeout");
    command
        .args([PATIENCE, launcher, "-n", &images.to_string()])
        .arg(env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(TEST, test)
        // What the fabric sets itself in a program that has one thread as yet, which tests are not.
        .env("SHMEM_SYMMETRIC_SIZE", "512M")
        .env("SHMEM_SYMMETRIC_HEAP_SIZE", "512M")
        .env("OMPI_MCA_osc", "^rdma")
        // Containers run as root, and have fewer cores than processes; Open MPI wants to be told.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none");
    if transports.is_empty() {
        // Here Open MPI comes to its end with any number of contexts.
        command.env("COARRAY_SHMEM_CONTEXTS", "4");
    } else {
        command
            .env("UCX_TLS", transports)
            .env("OMPI_MCA_sshmem", "sysv");
    }
    command.output().unwrap()
}

fn take_part(is_direct: bool, body: impl FnOnce(&Member)) {
    // SAFETY: this process does it once, and all tests of it share the cluster.
    let cluster = unsafe { super::start(HEAP, |_| ()) }.unwrap();
    let done = catch_unwind(AssertUnwindSafe(|| {
        let member = Member::new(Rc::clone(&cluster), is_direct);
        body(&member);
        drop(member);
    }));
    if done.is_err() {
        // The others would wait for this image for ever.
        cluster.abort(101);
    }
    cluster.detach();
    cluster.finish();
}
