//! The end of a process whose launcher speaks PMIx, as that of Open MPI does.
//!
//! The last that a fabric says to the launcher is that it has ended, and it waits two seconds for an answer. The launcher of
//! Open MPI 4 removes the folder of the job before it looks at what was said, and that takes longer where the disk is very busy.
//! Once the process has exited, it is too late: then the launcher says that it did not end properly, and that the job has failed.

use std::env;
use std::fs;
use std::mem::ManuallyDrop;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The variables that say where such a launcher listens, by versions of PMIx.
const ADDRESSES: [&str; 2] = ["PMIX_SERVER_URI4", "PMIX_SERVER_URI3"];

/// How long a fabric waits for an answer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// How long to wait longer than the fabric does.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often to see whether the launcher has come so far.
const LOOK_AFTER: Duration = Duration::from_millis(1);

/// Has a fabric end, and does not come back before the launcher knows that it has, unless that takes very long.
pub(crate) fn end_fabric(end: impl FnOnce()) {
    let connection = listener().and_then(connection_to);
    let start = Instant::now();
    end();
    if start.elapsed() >= ANSWERED_WITHIN
        && let Some(connection) = connection
    {
        await_close(&connection, Instant::now() + PATIENCE);
    }
}

/// Where the launcher listens.
fn listener() -> Option<SocketAddr> {
    let told = ADDRESSES.into_iter().find_map(|name| env::var(name).ok())?;
    address_in(&told)
}

fn address_in(told: &str) -> Option<SocketAddr> {
    told.rsplit_once("//")?.1.parse().ok()
}

/// The connection of this process to an address, which stays open when others close it.
fn connection_to(address: SocketAddr) -> Option<TcpStream> {
    let files = fs::read_dir("/proc/self/fd").ok()?;
    let mut numbers = files.filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok());
    numbers.find_map(|number: RawFd| {
        // Only the connection gets a second number: to close one of a file would give up the locks that the process has on it.
        // SAFETY: the number is not closed here. If it was meanwhile, there is an error, or another file of this process, which is
        // only asked for its address, too.
        let connection = ManuallyDrop::new(unsafe { TcpStream::from_raw_fd(number) });
        let is_sought = connection.peer_addr().ok()? == address;
        is_sought.then(|| connection.try_clone().ok())?
    })
}

/// Waits until both sides have closed a connection, which each does after it has read all, or until `end`.
fn await_close(connection: &TcpStream, end: Instant) {
    while !is_closed(connection) && Instant::now() < end {
        sleep(LOOK_AFTER);
    }
}

fn is_closed(connection: &TcpStream) -> bool {
    /// `TCP_CLOSE` of Linux.
    const CLOSED: u8 = 7;
    // The first byte of what there is to tell.
    let mut state = 0_u8;
    let mut length = 1;
    // SAFETY: a byte is asked for, and there is one.
    let result = unsafe {
        libc::getsockopt(
            connection.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut state).cast(),
            &raw mut length,
        )
    };
    result != 0 || state == CLOSED
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::{Shutdown, TcpListener};
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(20);

    /// The side of a process, and that of its launcher.
    fn connect() -> (TcpStream, TcpStream) {
        let launcher = TcpListener::bind("127.0.0.1:0").unwrap();
        let process = TcpStream::connect(launcher.local_addr().unwrap()).unwrap();
        (process, launcher.accept().unwrap().0)
    }

    #[test]
    fn a_connection_is_found_by_its_address() {
        let (process, _launcher) = connect();
        let address = process.peer_addr().unwrap();
        let found = connection_to(address).unwrap();
        assert_eq!(found.local_addr().unwrap(), process.local_addr().unwrap());
        let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
        assert!(connection_to(nobody).is_none());
    }

    #[test]
    fn the_search_keeps_the_locks_on_files() {
        use std::os::unix::fs::MetadataExt;

        let memory = rustix::fs::memfd_create("locked", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        let file = fs::File::from(memory);
        rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
        let inode = format!(":{} ", file.metadata().unwrap().ino());
        let process = format!(" {} ", std::process::id());
        let is_locked = || {
            let locks = fs::read_to_string("/proc/locks").unwrap();
            let mut lines = locks.lines();
            lines.any(|line| line.contains(&inode) && line.contains(&process))
        };
        assert!(is_locked());
        assert!(connection_to(SocketAddr::from(([127, 0, 0, 1], 1))).is_none());
        assert!(is_locked());
    }

    #[test]
    fn the_launcher_is_waited_for_until_it_has_read_and_closed() {
        let (process, mut launcher) = connect();
        let connection = connection_to(process.peer_addr().unwrap()).unwrap();
        // As the library does.
        process.shutdown(Shutdown::Both).unwrap();
        drop(process);
        let start = Instant::now();
        thread::scope(|scope| {
            scope.spawn(move || {
                sleep(SHORT);
                assert_eq!(launcher.read(&mut [0]).unwrap(), 0);
            });
            await_close(&connection, start + LONG);
        });
        assert!(start.elapsed() >= SHORT);
        assert!(start.elapsed() < LONG);
    }

    #[test]
    fn a_launcher_that_never_closes_is_not_waited_for_any_longer() {
        let (process, _launcher) = connect();
        process.shutdown(Shutdown::Both).unwrap();
        let end = Instant::now() + SHORT;
        await_close(&process, end);
        assert!(Instant::now() >= end);
    }

    #[test]
    fn the_address_is_at_the_end_of_what_the_launcher_says() {
        let address = |told| address_in(told).map(|address| address.to_string());
        let expected = Some("127.0.0.1:53605".to_owned());
        assert_eq!(address("231735296.0;tcp4://127.0.0.1:53605"), expected);
        let expected = Some("[::1]:53605".to_owned());
        assert_eq!(address("prte-vm-1@0.0;tcp6://[::1]:53605"), expected);
        assert_eq!(address("231735296.0;usock://folder"), None);
        assert_eq!(address(""), None);
    }
}
