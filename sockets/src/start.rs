//! Starting the processes of a job, and waiting for them.

use std::env;
use std::io;
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use coarray_runtime::Settings;
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::rand::{GetRandomFlags, getrandom};

use crate::connection::KEY_BYTES;
use crate::fabric::GRACE;
use crate::hub::Hub;

/// The variable with the invitation.
const VARIABLE: &str = "COARRAY_SOCKETS";

/// How often the starter looks after the images.
const NAP: Duration = Duration::from_millis(2);

/// What a process of a job needs to know to join it.
#[derive(Clone, Debug)]
pub(crate) struct Invitation {
    pub(crate) hub: SocketAddr,
    pub(crate) key: [u8; KEY_BYTES],
    pub(crate) image: usize,
}

impl Invitation {
    /// What the environment says, if it says anything.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub(crate) fn from_environment() -> Result<Option<Self>, String> {
        let Some(text) = env::var_os(VARIABLE) else {
            return Ok(None);
        };
        // A starter that is killed takes its images with it.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        let text = text.to_string_lossy();
        let parts: Vec<&str> = text.split('/').collect();
        let parsed = match parts[..] {
            [hub, key, image] => Self::parse(hub, key, image),
            _ => None,
        };
        parsed.map(Some).ok_or_else(|| {
            format!("{VARIABLE}={text}: expected an address, a key and a number, as the starter of a job sets it")
        })
    }

    fn parse(hub: &str, key: &str, image: &str) -> Option<Self> {
        Some(Self {
            hub: hub.parse().ok()?,
            key: u128::from_str_radix(key, 16).ok()?.to_be_bytes(),
            image: image.parse().ok()?,
        })
    }

    fn to_text(&self) -> String {
        let key = u128::from_be_bytes(self.key);
        format!("{}/{key:032x}/{}", self.hub, self.image)
    }
}

/// Starts the images, and waits for them. Returns the exit code of the job.
pub(crate) fn start() -> ExitCode {
    let images = match Settings::from_environment() {
        Ok(settings) => settings.images,
        Err(error) => return refuse(error),
    };
    match invite(images) {
        Ok((children, is_over)) => watch(children, &is_over),
        Err(error) => refuse(format_args!("cannot start {images} images: {error}")),
    }
}

pub(crate) fn refuse(why: impl std::fmt::Display) -> ExitCode {
    eprintln!("coarray: {why}");
    ExitCode::from(2)
}

fn invite(images: usize) -> io::Result<(Vec<Child>, Arc<AtomicBool>)> {
    let mut key = [0; KEY_BYTES];
    getrandom(&mut key, GetRandomFlags::empty())?;
    let hub = Hub::new(images, key)?;
    let address = hub.address()?;
    let mut children = Vec::new();
    for image in 0..images {
        let invitation = Invitation {
            hub: address,
            key,
            image,
        };
        let child = Command::new(env::current_exe()?)
            .args(env::args_os().skip(1))
            .env(VARIABLE, invitation.to_text())
            .stdin(if image == 0 {
                Stdio::inherit()
            } else {
                Stdio::null()
            })
            .spawn();
        match child {
            Ok(child) => children.push(child),
            Err(error) => {
                children.iter_mut().for_each(end);
                return Err(error);
            }
        }
    }
    Ok((children, hub.serve()))
}

/// Waits until all images have ended. If one fails, or ends without the others, these are ended soon after.
fn watch(mut children: Vec<Child>, is_over: &AtomicBool) -> ExitCode {
    let mut failed: Option<(Instant, u8)> = None;
    let mut left: Vec<(usize, &mut Child)> = children.iter_mut().enumerate().collect();
    while !left.is_empty() {
        left.retain_mut(|(image, child)| match child.try_wait() {
            Ok(None) => true,
            Ok(Some(status)) => {
                if failed.is_none()
                    && let Some(code) = code_of(*image, status, is_over)
                {
                    failed = Some((Instant::now(), code));
                }
                false
            }
            Err(_) => false,
        });
        if failed.is_some_and(|(since, _)| since.elapsed() > GRACE) {
            left.drain(..).for_each(|(_, child)| end(child));
        }
        thread::sleep(NAP);
    }
    failed.map_or(ExitCode::SUCCESS, |(_, code)| ExitCode::from(code))
}

/// The exit code of the job, if this end of an image decides it.
fn code_of(image: usize, status: ExitStatus, is_over: &AtomicBool) -> Option<u8> {
    match (status.code(), status.signal()) {
        // Pairs with the store in `exchange`, which the image waited for.
        (Some(0), _) if is_over.load(Ordering::Relaxed) => None,
        (Some(0), _) => {
            eprintln!(
                "coarray: image {image} ended alone: it is to return from the function that `launch` calls"
            );
            Some(1)
        }
        (Some(code), _) => Some(u8::try_from(code).unwrap_or(1)),
        (None, signal) => {
            let signal = signal.unwrap_or_default();
            eprintln!("coarray: image {image} was killed by signal {signal}");
            Some(128_u8.wrapping_add(signal as u8))
        }
    }
}

fn end(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}
