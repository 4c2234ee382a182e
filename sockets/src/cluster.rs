//! One process of a job, before, while and after its memory is reachable: [`Cluster`].

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::exit;
use std::rc::Rc;
use std::sync::Arc;
use std::{fs, thread};

use coarray_fabric::Fabric;
use coarray_fabric::memory::nodes::Nodes;
use coarray_fabric::memory::region::Region;
use coarray_fabric::transport::cluster::Cluster;

use crate::connection::Greeting;
use crate::fabric::{Addresses, GRACE, Sockets};
use crate::hub::{GOODBYE, read_block, write_block};
use crate::memory::Memory;
use crate::service::{Inbox, Service};
use crate::start::Invitation;

/// Identifies a machine until it is started again.
const MACHINE: &str = "/proc/sys/kernel/random/boot_id";

/// A process that has joined its job.
pub(crate) struct Member {
    invitation: Invitation,
    images: usize,
    /// The lowest image of this machine.
    node: usize,
    hub: RefCell<TcpStream>,
    /// Where others connect, until it is served.
    listener: Cell<Option<TcpListener>>,
    attached: Cell<Option<(Service, Rc<Sockets>)>>,
}

impl Member {
    /// Collective. Joins the job.
    ///
    /// # Errors
    /// Why that is impossible.
    pub(crate) fn join(invitation: &Invitation) -> Result<Self, String> {
        let why = |error| {
            format!(
                "cannot join the job at {} (COARRAY_SOCKETS): {error}",
                invitation.hub
            )
        };
        Self::try_join(invitation).map_err(why)
    }

    fn try_join(invitation: &Invitation) -> io::Result<Self> {
        let mut hub = TcpStream::connect(invitation.hub)?;
        hub.set_nodelay(true)?;
        let greeting = Greeting {
            key: invitation.key,
            image: invitation.image,
        };
        greeting.write(&mut hub)?;
        let mut images = [0; 8];
        hub.read_exact(&mut images)?;
        // On the interface by which the hub is reached, and on no other.
        let listener = TcpListener::bind((hub.local_addr()?.ip(), 0))?;
        let mut member = Self {
            invitation: invitation.clone(),
            images: u64::from_le_bytes(images) as usize,
            node: 0,
            hub: RefCell::new(hub),
            listener: Cell::new(Some(listener)),
            attached: Cell::new(None),
        };
        let machine = fs::read(MACHINE)?;
        let machines = member.try_gather(&machine)?;
        let mut machines = machines.chunks(machine.len());
        member.node = machines
            .position(|other| other == machine)
            .unwrap_or(invitation.image);
        Ok(member)
    }

    fn try_gather(&self, mine: &[u8]) -> io::Result<Vec<u8>> {
        let hub = &mut *self.hub.borrow_mut();
        write_block(hub, mine)?;
        read_block(hub)
    }

    fn try_attach(&self, region: &Region) -> io::Result<Rc<dyn Fabric>> {
        let Some(listener) = self.listener.take() else {
            return Err(io::Error::other("it was reachable before"));
        };
        let mine = listener.local_addr()?.to_string();
        // Of one length.
        let all = self.try_gather(format!("{mine:64}").as_bytes())?;
        let address = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            text.trim().parse::<SocketAddr>().map_err(io::Error::other)
        };
        let of_images = all.chunks(64).map(address).collect::<io::Result<_>>()?;
        let key = self.invitation.key;
        let inbox = Arc::new(Inbox::default());
        // SAFETY: the job drops its region after `detach`, which waits for the threads of the service.
        let memory = unsafe { Memory::of(region, self.image()) };
        let service = Service::begin(listener, key, memory, Arc::clone(&inbox))?;
        let addresses = Addresses { key, of_images };
        let fabric = Rc::new(Sockets::new(self.image(), addresses, inbox));
        self.attached.set(Some((service, Rc::clone(&fabric))));
        Ok(fabric)
    }
}

impl Cluster for Member {
    fn image(&self) -> usize {
        self.invitation.image
    }

    fn images(&self) -> usize {
        self.images
    }

    fn node(&self) -> usize {
        self.node
    }

    fn gather(&self, mine: &[u8]) -> Vec<u8> {
        self.try_gather(mine).unwrap_or_else(|error| {
            // Whoever is gone is reported by whoever started it.
            thread::sleep(GRACE);
            eprintln!("coarray: image {} is alone: {error}", self.image());
            exit(1)
        })
    }

    fn attach(&self, region: &mut Region, _: &Nodes) -> Result<Rc<dyn Fabric>, String> {
        self.try_attach(region)
            .map_err(|error| format!("cannot connect the images: {error}"))
    }

    fn detach(&self) {
        // Only when all have come here, none needs a connection any more.
        self.gather(&[]);
        if let Some((service, fabric)) = self.attached.take() {
            // A program may have leaked what holds the fabric, so dropping it is not enough.
            fabric.close();
            service.end();
        }
    }

    fn finish(&self) {
        self.gather(GOODBYE);
    }

    fn abort(&self, code: u8) -> ! {
        exit(i32::from(code))
    }
}
