//! What images of a cluster agree on before they start: settings, nodes, and the memory of each node.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use rustix::thread::{CpuSet, sched_getaffinity};

use crate::trace::of_node::records_of_node;
use coarray_fabric::memory::nodes::Nodes;
use coarray_fabric::system::display_size::Bytes;
use coarray_fabric::transport::cluster::Cluster;
use coarray_runtime::{JobMemory, Machine, Profile, Settings};

/// Collective. Settings for all images: the smallest heap, and shared memory and a timeline if all want them, and a profile if all want the same.
pub(super) fn agree(cluster: &dyn Cluster, settings: &Settings) -> Settings {
    let wishes = [
        settings.heap as u64,
        u64::from(settings.direct),
        u64::from(settings.keep_going),
        settings.profile as u64,
        u64::from(settings.trace.is_some()),
    ];
    let all = gather_words(cluster, wishes);
    if cluster.image() == 0 && all.iter().any(|&[_, _, keep_going, ..]| keep_going == 1) {
        eprintln!(
            "coarray: the job ends when an image fails: the fabric `{}` cannot go on without it",
            settings.fabric.name()
        );
    }
    let heap = all.iter().map(|&[heap, ..]| heap).min();
    Settings {
        images: cluster.images(),
        heap: heap.map_or(settings.heap, |heap| heap as usize),
        direct: all.iter().all(|&[_, direct, ..]| direct == 1),
        profile: match all
            .iter()
            .all(|&[.., profile, _]| profile == settings.profile as u64)
        {
            true => settings.profile,
            false => Profile::Off,
        },
        trace: match all.iter().all(|&[.., is_traced]| is_traced == 1) {
            true => settings.trace.clone(),
            false => None,
        },
        keep_going: false,
        ..settings.clone()
    }
}

/// Collective. Which images share memory; none do without `direct`.
pub(super) fn divide(cluster: &dyn Cluster, direct: bool) -> Nodes {
    let mine = if direct {
        cluster.node()
    } else {
        cluster.image()
    };
    let all = gather_words(cluster, [mine as u64]);
    Nodes::separate(all.into_iter().map(|[node]| node as usize))
}

/// Collective. The region of this node: its leader creates it, and the others open the leader's descriptor.
pub(super) fn share_region(
    cluster: &dyn Cluster,
    nodes: &Nodes,
    settings: &Settings,
    have_cores: bool,
) -> Result<JobMemory, String> {
    let me = cluster.image();
    let leader = nodes.of(me);
    let is_traced = settings.trace.is_some();
    let made = (leader == me)
        .then(|| JobMemory::create(settings.images, settings.heap, have_cores, is_traced));
    let here: Vec<usize> = (0..settings.images)
        .filter(|&image| nodes.share(me, image))
        .collect();
    let trace = settings.trace.as_deref().filter(|_| leader == me);
    let records = trace.and_then(|path| records_of_node(path, leader, here.len()));
    let descriptor = |region: &JobMemory| region.file().as_raw_fd() as u64 + 1;
    let descriptors = [
        made.as_ref()
            .and_then(|made| made.as_ref().ok())
            .map_or(0, descriptor),
        records.as_ref().map_or(0, descriptor),
    ];
    let all = gather_words(
        cluster,
        [
            u64::from(std::process::id()),
            descriptors[0],
            descriptors[1],
        ],
    );
    let [process, descriptor, recorded] = all[leader];
    let borrowed = |descriptor| {
        let file = borrow_region([process, descriptor])?;
        // SAFETY: the leader of the node made it for this job, and waits until all of the node have mapped it.
        unsafe { JobMemory::attach(file) }
    };
    let region = made
        .unwrap_or_else(|| borrowed(descriptor))
        .and_then(|mut region| {
            let records = match recorded {
                0 => None,
                _ if leader == me => records,
                _ => Some(borrowed(recorded)?),
            };
            if let Some(records) = records {
                region.record_in(records, &here);
            }
            Ok(region)
        });
    // The leader keeps its descriptor open until all have mapped the file.
    let have_it = gather_words(cluster, [u64::from(region.is_ok())]);
    match (region, have_it.iter().position(|&[has_it]| has_it == 0)) {
        (Ok(region), None) => Ok(region),
        (Ok(_), Some(image)) => Err(format!(
            "image {image} cannot get the memory that it shares with its node; see its report"
        )),
        (Err(error), _) if leader == me => Err(format!(
            "cannot reserve a heap of {} for each of {} images: {error}; set COARRAY_HEAP to less",
            Bytes(settings.heap),
            settings.images
        )),
        (Err(error), _) => Err(format!(
            "image {me} cannot open the memory of image {leader}, which is on the same machine: {error}; if the two are in \
             different containers, set COARRAY_SHARED_MEMORY=0"
        )),
    }
}

/// The cores that an image may use, one bit each.
type Cores = [u64; CpuSet::MAX_CPU / u64::BITS as usize];

/// Collective. The images on this machine, and their cores: launchers bind each image to some.
pub(super) fn machine(cluster: &dyn Cluster) -> Machine {
    let mut mine = Cores::default();
    // Without an answer there is no core.
    if let Ok(cores) = sched_getaffinity(None) {
        for core in (0..CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)) {
            mine[core / 64] |= 1 << (core % 64);
        }
    }
    let own = [cluster.node() as u64, u64::from(std::process::id())];
    let all = gather_words(cluster, own);
    let [here, _] = all[cluster.image()];
    let cores = gather_words(cluster, mine);
    let of_machine = all.iter().zip(cores).filter(|([node, _], _)| *node == here);
    let (processes, cores): (Vec<u32>, Vec<Cores>) = of_machine
        .map(|([_, process], cores)| (*process as u32, cores))
        .unzip();
    Machine {
        processes,
        cores: count(&cores),
    }
}

/// How many cores these are together.
fn count(all: &[Cores]) -> u32 {
    let word = |word: usize| all.iter().fold(0, |cores, one| cores | one[word]);
    (0..Cores::default().len())
        .map(|number| word(number).count_ones())
        .sum()
}

fn borrow_region([process, descriptor]: [u64; 2]) -> io::Result<File> {
    let number = descriptor.checked_sub(1);
    let number = number.ok_or_else(|| io::Error::other("it has none"))?;
    File::options()
        .read(true)
        .write(true)
        .open(format!("/proc/{process}/fd/{number}"))
}

/// Collective. These words of all images.
pub(super) fn gather_words<const N: usize>(cluster: &dyn Cluster, mine: [u64; N]) -> Vec<[u64; N]> {
    let bytes: Vec<u8> = mine.iter().flat_map(|word| word.to_le_bytes()).collect();
    let all = cluster.gather(&bytes);
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("a word has 8 bytes"));
    let (words, _) = all.as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|bytes| word(bytes)).collect();
    let (rows, _) = words.as_chunks::<N>();
    rows.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_that_are_bound_have_a_core_each_if_the_cores_differ() {
        let cores =
            |bits: u64| -> Cores { std::array::from_fn(|word| if word == 0 { bits } else { 0 }) };
        let suffice = |all: &[u64]| {
            let machine = Machine {
                processes: vec![1; all.len()],
                cores: count(&all.iter().map(|&bits| cores(bits)).collect::<Vec<_>>()),
            };
            machine.has_cores_for_all()
        };
        assert!(suffice(&[0b01, 0b10]) && suffice(&[0b11, 0b11]) && suffice(&[0b1]));
        assert!(!suffice(&[0b01, 0b01]) && !suffice(&[0b11, 0b11, 0b11]) && !suffice(&[0]));
    }
}
