//! What the values of options stand for.

use std::str::FromStr;

use super::{Fabric, OptionsError};
use crate::engines::engine::Engine;
use crate::kernels::list::KERNELS;
use crate::operations;
use crate::peers::Peer;

/// Most images of a job that can be asked for here; a machine has long been exhausted by then.
const MAX_IMAGES: usize = 1024;

/// Values between commas.
pub fn list<T>(
    text: &str,
    element: impl Fn(&str) -> Result<T, OptionsError>,
) -> Result<Vec<T>, OptionsError> {
    text.split(',').map(|word| element(word.trim())).collect()
}

/// The error that a value has the wrong form.
pub fn bad_value(option: &str, value: &str, expected: impl Into<String>) -> OptionsError {
    OptionsError::BadValue {
        option: option.to_owned(),
        value: value.to_owned(),
        expected: expected.into(),
    }
}

/// A number.
pub fn number<T: FromStr>(option: &str, text: &str) -> Result<T, OptionsError> {
    text.parse()
        .map_err(|_| bad_value(option, text, "a number"))
}

/// A number of images.
pub fn image_count(option: &str, text: &str) -> Result<usize, OptionsError> {
    match text.parse() {
        Ok(images) if (1..=MAX_IMAGES).contains(&images) => Ok(images),
        _ => {
            let expected = format!("a number of images from 1 to {MAX_IMAGES}");
            Err(bad_value(option, text, expected))
        }
    }
}

/// What images are.
pub fn fabric(text: &str) -> Result<Fabric, OptionsError> {
    [Fabric::Processes, Fabric::Threads]
        .into_iter()
        .find(|fabric| fabric.name() == text)
        .ok_or_else(|| bad_value("--fabric", text, "processes or threads"))
}

/// Names of operations.
pub fn operations(text: &str) -> Result<Vec<String>, OptionsError> {
    let names: Vec<&str> = operations::names().collect();
    list(text, |word| name_of("--only", word, &names))
}

/// The name of a kernel.
pub fn kernel(text: &str) -> Result<String, OptionsError> {
    name_of("--only", text, &KERNELS.map(|kernel| kernel.name))
}

/// One of some names.
pub fn name_of(option: &str, text: &str, names: &[&str]) -> Result<String, OptionsError> {
    if names.contains(&text) {
        Ok(text.to_owned())
    } else {
        let expected = format!("some of {}", names.join(", "));
        Err(bad_value(option, text, expected))
    }
}

/// The name of an engine.
pub fn engine(text: &str) -> Result<Engine, OptionsError> {
    Engine::ALL
        .into_iter()
        .find(|engine| engine.name() == text)
        .ok_or_else(|| {
            let names = Engine::ALL.map(Engine::name).join(", ");
            bad_value("--engine", text, format!("some of {names}"))
        })
}

/// The name of a peer.
pub fn peer(text: &str) -> Result<Peer, OptionsError> {
    Peer::ALL
        .into_iter()
        .find(|peer| peer.name() == text)
        .ok_or_else(|| {
            let names = Peer::ALL.map(Peer::name).join(", ");
            bad_value("--peer", text, format!("some of {names}"))
        })
}
