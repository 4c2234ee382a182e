//! Which element of an object a byte of it is in, for reports.

/// "[3][4]" of an array, "the value" of a single one, and "byte 92" where the name of the type does not say how long its elements are.
pub(crate) fn element(subject: &str, size: usize, offset: usize) -> String {
    let (item, extents) = extents_of(subject);
    let known: usize = extents.iter().flatten().product();
    let item_bytes = match extents.contains(&None) {
        true => bytes_of(item),
        false => size.checked_div(known),
    };
    let Some(item_bytes) = item_bytes.filter(|&bytes| bytes > 0) else {
        return format!("byte {offset}");
    };
    if extents.is_empty() {
        return "the value".into();
    }
    let mut index = offset / item_bytes;
    let mut text = String::new();
    for extent in extents.iter().rev() {
        let here = extent.map_or(index, |extent| index % extent.max(1));
        text.insert_str(0, &format!("[{here}]"));
        index /= extent.unwrap_or(1).max(1);
    }
    text
}

/// The innermost item of an array, and the extents from the outermost one; none where it is known only at run time.
fn extents_of(mut subject: &str) -> (&str, Vec<Option<usize>>) {
    let mut extents = Vec::new();
    for owner in ["Ragged<", "RaggedRows<"] {
        if let Some(item) = subject
            .strip_prefix(owner)
            .and_then(|rest| rest.strip_suffix('>'))
        {
            return (item, vec![None]);
        }
    }
    if let Some(rest) = subject.strip_prefix("HaloArray<") {
        let item = rest.rsplit_once(", ").map_or(rest, |(item, _)| item);
        return (item, vec![None]);
    }
    while let Some(inner) = subject
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        let sized = inner.rsplit_once("; ");
        let sized = sized.and_then(|(item, extent)| Some((item, extent.parse().ok()?)));
        let (item, extent) = sized.map_or((inner, None), |(item, extent)| (item, Some(extent)));
        extents.push(extent);
        subject = item;
    }
    (subject, extents)
}

/// The size of a primitive type.
fn bytes_of(item: &str) -> Option<usize> {
    Some(match item {
        "bool" | "u8" | "i8" => 1,
        "u16" | "i16" => 2,
        "u32" | "i32" | "f32" | "char" => 4,
        "u64" | "i64" | "f64" | "usize" | "isize" => 8,
        "u128" | "i128" => 16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_named_by_their_indices() {
        for (subject, size, offset, expected) in [
            ("[[i32; 20]; 10]", 800, 256, "[3][4]"),
            ("[my::Cell; 4]", 96, 50, "[2]"),
            ("f64", 8, 0, "the value"),
            ("[f64]", 800, 80, "[10]"),
            ("[[u8; 3]]", 9, 5, "[1][2]"),
            ("[my::Cell]", 800, 80, "byte 80"),
            ("HaloArray<f64, 2>", 800, 80, "[10]"),
            ("Ragged<u32>", 800, 80, "[20]"),
            ("[i32; 0]", 0, 0, "byte 0"),
        ] {
            assert_eq!(element(subject, size, offset), expected, "{subject}");
        }
    }
}
