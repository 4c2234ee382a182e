//! Names of types, as reports print them.

/// The name of a type without the modules of this library that it is defined in.
pub fn short(type_name: &str) -> String {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let mut text = String::new();
    let mut rest = type_name;
    while let Some(start) = rest.find(is_name) {
        let (between, from) = rest.split_at(start);
        let end = from.find(|letter| !is_name(letter)).unwrap_or(from.len());
        let (name, after) = from.split_at(end);
        let ours = name.starts_with("coarray");
        let last = name.rsplit("::").next().unwrap_or(name);
        text.push_str(between);
        text.push_str(if ours { last } else { name });
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn names_of_types_lose_the_modules_of_this_library_only() {
        for (name, expected) in [
            ("[coarray_sync::coevent::Coevent; 3]", "[Coevent; 3]"),
            (
                "coarray_sync::comutex::Comutex<(my::Point, u8)>",
                "Comutex<(my::Point, u8)>",
            ),
            ("[[f64]]", "[[f64]]"),
            ("", ""),
        ] {
            assert_eq!(short(name), expected);
        }
    }
}
