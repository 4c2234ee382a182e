//! Figures: SVG, inside a page or as files of their own.

use std::fmt::Write;

/// A figure.
#[derive(Debug)]
pub(in crate::profile) struct Figure {
    /// The name of its file, without the extension.
    pub(in crate::profile) name: &'static str,
    /// What it shows, for those who do not see it.
    pub(in crate::profile) title: String,
    /// Its size in pixels, where it has room; text has the same size everywhere unless the whole scales.
    pub(in crate::profile) width: usize,
    pub(in crate::profile) height: usize,
    /// Whether all of it becomes smaller on a narrow page. Else its coordinates from left to right are in percent.
    pub(in crate::profile) scales: bool,
    pub(in crate::profile) body: String,
    /// What is below, and keeps its size; and its height.
    pub(in crate::profile) key: (String, usize),
}

/// Colours and text of figures, in the light and in the dark.
pub(super) const STYLE: &str = include_str!("figures.css");

impl Figure {
    /// As a part of a page, which has the style.
    pub(super) fn inline(&self) -> String {
        let Self { width, height, .. } = self;
        let size = match self.scales {
            true => format!("viewBox=\"0 0 {width} {height}\" style=\"max-width:{width}px\""),
            false => format!("height=\"{height}\""),
        };
        let (key, key_height) = &self.key;
        let below = match key.is_empty() {
            true => String::new(),
            false => format!("<svg width=\"100%\" height=\"{key_height}\">{key}</svg>"),
        };
        self.element(&format!("width=\"100%\" {size}"), "", "") + &below
    }

    /// As a file.
    pub(in crate::profile) fn file(&self) -> String {
        let Self { width, height, .. } = self;
        let (key, key_height) = &self.key;
        let all = height + key_height;
        let paper = "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>";
        self.element(
            &format!("xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{all}\""),
            &format!("<style>{STYLE}</style>{paper}"),
            &format!("<g transform=\"translate(0 {height})\">{key}</g>"),
        ) + "\n"
    }

    fn element(&self, attributes: &str, start: &str, end: &str) -> String {
        let title = escape(&self.title);
        let body = &self.body;
        format!("<svg role=\"img\" aria-label=\"{title}\" {attributes}>{start}{body}{end}</svg>")
    }
}

/// Text with the characters that stand for others in XML and HTML.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // XML has no way to write these.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                escaped.push('\u{fffd}');
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Appends text of this class; `x` with its unit.
pub(super) fn text(body: &mut String, class: &str, x: &str, y: usize, text: &str) {
    let text = escape(text);
    let _ = write!(
        body,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
    );
}

/// Appends a bar from and to these parts of the width, which says `title` if one points at it.
pub(super) fn bar(body: &mut String, class: &str, x: [f64; 2], y: [usize; 2], title: &str) {
    let ([from, to], [top, height]) = (x.map(|part| 100.0 * part), y);
    let width = to - from;
    if width <= 0.0 {
        return;
    }
    let title = escape(title);
    let _ = write!(
        body,
        "<rect class=\"{class}\" x=\"{from:.3}%\" y=\"{top}\" width=\"{width:.3}%\" height=\"{height}\"><title>{title}</title></rect>"
    );
}

/// Appends a legend: a swatch of each class with its text, one below the other. Returns where it ends.
pub(super) fn legend(body: &mut String, entries: &[(String, String)], mut y: usize) -> usize {
    for (class, label) in entries {
        let _ = write!(
            body,
            "<rect class=\"{class}\" x=\"0\" y=\"{y}\" width=\"12\" height=\"12\"/>"
        );
        text(body, "label", "20", y + 11, label);
        y += 19;
    }
    y
}

/// So many images in at most `most` groups of equal size.
pub(super) fn groups(images: usize, most: usize) -> Vec<std::ops::Range<usize>> {
    let size = images.div_ceil(most).max(1);
    let starts = (0..images).step_by(size);
    starts
        .map(|start| start..images.min(start + size))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_images_once() {
        for (images, most) in [(1, 64), (64, 64), (65, 64), (1000, 64), (5, 2), (0, 3)] {
            let groups = groups(images, most);
            assert!(groups.len() <= most, "{images}");
            let all: Vec<usize> = groups.into_iter().flatten().collect();
            assert!(all.into_iter().eq(0..images), "{images}");
        }
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escape("a<b>&\"\0"), "a&lt;b&gt;&amp;&quot;\u{fffd}");
    }
}
