//! The order in which the files of a Fortran program are compiled.

/// The files of `program`, each after those whose modules it uses; none if it does not exist. `source` returns the text
/// of a file; modules that it does not find come with the compiler.
pub fn files(program: &str, source: impl Fn(&str) -> Option<&'static str>) -> Option<Vec<String>> {
    let mut files = Vec::new();
    source(&file(program))?;
    visit(program, &source, &mut files);
    Some(files)
}

fn file(module: &str) -> String {
    format!("{module}.f90")
}

fn visit(module: &str, source: &impl Fn(&str) -> Option<&'static str>, files: &mut Vec<String>) {
    let file = file(module);
    let Some(text) = source(&file) else {
        return;
    };
    if files.contains(&file) {
        return;
    }
    for used in text.lines().filter_map(used_module) {
        visit(used, source, files);
    }
    files.push(file);
}

/// The module of a line such as `use timing, only: now`.
fn used_module(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("use ")?;
    rest.split(',').next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_before_those_who_use_them() {
        let source = |name: &str| match name {
            "ring.f90" => Some("program ring\n    use events\n    use timing, only: now\nend"),
            "events.f90" => Some("module events\n    use, intrinsic :: x\n    use timing\nend"),
            "timing.f90" => Some("module timing\n    use mpi\nend"),
            _ => None,
        };
        let expected = ["timing.f90", "events.f90", "ring.f90"].map(str::to_owned);
        assert_eq!(files("ring", source), Some(expected.into()));
        assert_eq!(files("square", source), None);
    }
}
