//! Which calls are collective: those that the reference says to be, listed in `collectives.txt`. A test compares the two.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// `co_sum(values)`, `Coarray::new(value)`, or `Coarray.open()` of a method. Those with `try_` before their name are meant as well.
const LIST: &str = include_str!("collectives.txt");

/// Collective over images that need not be all of the current team: which, is not known before the program runs.
const OF_A_TEAM: [&str; 3] = ["sync_team", "Team.change", "Team.try_change"];

/// Names of methods that other types have as well: these count only if the type is known.
const COMMON: [&str; 8] = [
    "close", "end", "finish", "read", "save", "sync_all", "write", "convey",
];

/// Parameters that must be the same on all images.
const ALIKE: [&str; 3] = ["extent", "extents", "root"];

#[derive(Default)]
struct Collectives {
    functions: HashSet<&'static str>,
    associated: HashSet<(&'static str, &'static str)>,
    methods: HashSet<(&'static str, &'static str)>,
    /// By their names as in the list.
    parameters: HashMap<&'static str, Vec<Vec<&'static str>>>,
}

static ALL: LazyLock<Collectives> = LazyLock::new(|| {
    let mut all = Collectives::default();
    let lines = LIST
        .lines()
        .filter_map(|line| line.strip_suffix(')')?.split_once('('));
    for (name, parameters) in lines.filter(|(name, _)| !OF_A_TEAM.contains(name)) {
        if let Some(associated) = name.split_once("::") {
            all.associated.insert(associated);
        } else if let Some(method) = name.split_once('.') {
            all.methods.insert(method);
        } else {
            all.functions.insert(name);
        }
        all.parameters.entry(name).or_default().push(
            parameters
                .split(", ")
                .filter(|name| !name.is_empty())
                .collect(),
        );
    }
    all
});

/// The parameters of a function that must be the same on all images, by their positions, if it has so many.
pub(crate) fn alike(name: &str, arguments: usize) -> Vec<(usize, &'static str)> {
    parameters(name, arguments, &ALIKE)
}

/// The parameter that the results replace, by its position, if it is given as `&mut`.
pub(crate) fn replaced(name: &str, arguments: usize) -> Option<usize> {
    let found = parameters(name, arguments, &["values"]);
    found.first().map(|(number, _)| *number)
}

/// The parameters of a function with these names, by their positions, if it has so many.
fn parameters(name: &str, arguments: usize, wanted: &[&str]) -> Vec<(usize, &'static str)> {
    let (owner, last) = name
        .rsplit_once("::")
        .map_or(("", name), |(owner, last)| (owner, last));
    let listed = match owner {
        "" => plain(last).to_owned(),
        owner => format!("{owner}::{}", plain(last)),
    };
    let known = ALL.parameters.get(&*listed).into_iter().flatten();
    let parameters = known
        .filter(|parameters| parameters.len() == arguments)
        .flat_map(|parameters| parameters.iter().enumerate());
    parameters
        .filter(|(_, name)| wanted.contains(name))
        .map(|(number, name)| (number, *name))
        .collect()
}

fn plain(name: &str) -> &str {
    name.strip_prefix("try_").unwrap_or(name)
}

/// The function that returns what this one leaves in its argument.
pub(crate) fn returning(name: &str) -> Option<String> {
    let of = format!("{name}_of");
    is_function(&of).then_some(of)
}

/// Whether `name` is that of a collective function.
pub(crate) fn is_function(name: &str) -> bool {
    ALL.functions.contains(name) || ALL.functions.contains(plain(name))
}

/// Whether `of::name` is a collective function.
pub(crate) fn is_associated(of: &str, name: &str) -> bool {
    ALL.associated.contains(&(of, name)) || ALL.associated.contains(&(of, plain(name)))
}

/// Whether a method is collective, of a type, or of one that is not known.
pub(crate) fn is_method(of: Option<&str>, name: &str, arguments: usize) -> bool {
    // Each function is a method of `Collective`, too.
    if name.contains("co_") && is_function(name) {
        return true;
    }
    let is =
        |of: &str| ALL.methods.contains(&(of, name)) || ALL.methods.contains(&(of, plain(name)));
    match of {
        Some(of) => is(of),
        // Files are opened, too, but with a path.
        None if plain(name) == "open" || name == "exchange" => arguments == 0,
        None => !COMMON.contains(&name) && ALL.methods.iter().any(|(of, _)| is(of)),
    }
}

/// Whether the method begins a phase, whose guard ends it collectively.
pub(crate) fn begins_phase(name: &str) -> bool {
    matches!(
        plain(name),
        "open" | "publish" | "into_open" | "into_published"
    )
}

/// Whether the method ends what a guard stands for.
pub(crate) fn ends_phase(name: &str) -> bool {
    matches!(name, "close" | "end")
}

/// What matches: images may exchange halos in one call or in two.
pub(crate) fn matching_name(name: &str) -> &str {
    match plain(name) {
        "exchange_with" | "exchange_start" | "exchange_start_with" => "exchange",
        name => name,
    }
}

/// Whether all images get the same from a collective function.
pub(crate) fn gives_all_the_same(name: &str) -> bool {
    let name = plain(name);
    let different = ["scan", "scatter", "alltoall", "co_gather"];
    name.starts_with("co_")
        && !name.ends_with("_to")
        && !different.iter().any(|part| name.contains(part))
}
