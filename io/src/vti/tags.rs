//! The tags of an XML file whose end is binary.

use crate::error::{ErrorKind, Failed};

/// An opening tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a str,
    attributes: Vec<(&'a str, String)>,
    /// The names of the elements that it is in, from the outermost on.
    pub(crate) within: Vec<&'a str>,
}

impl Tag<'_> {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|attribute| attribute.0 == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// `value` as it stands between double quotes.
pub(crate) fn escape(value: &str) -> String {
    let mut escaped = String::new();
    for character in value.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ if character.is_control() => {
                escaped.push_str(&format!("&#{};", u32::from(character)));
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

fn unescape(value: &str) -> String {
    let mut plain = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let entity = after.split_once(';').and_then(|(name, after)| {
            let number = match (name.strip_prefix("#x"), name.strip_prefix('#')) {
                (Some(digits), _) => u32::from_str_radix(digits, 16).ok(),
                (None, Some(digits)) => digits.parse().ok(),
                (None, None) => None,
            };
            let character = match name {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => number.and_then(char::from_u32),
            };
            character.map(|character| (character, after))
        });
        match entity {
            Some((character, after)) => {
                plain.push(character);
                rest = after;
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain + rest
}

/// All opening tags of a text.
pub(crate) fn tags(text: &str) -> Result<Vec<Tag<'_>>, Failed> {
    let mut tags = Vec::new();
    let mut within: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((_, from)) = rest.split_once('<') {
        if let Some(comment) = from.strip_prefix("!--") {
            rest = comment.split_once("-->").ok_or_else(|| unclosed(from))?.1;
            continue;
        }
        if from.starts_with(['?', '!']) {
            rest = from.split_once('>').ok_or_else(|| unclosed(from))?.1;
            continue;
        }
        if let Some(closing) = from.strip_prefix('/') {
            rest = closing.split_once('>').ok_or_else(|| unclosed(from))?.1;
            within.pop();
            continue;
        }
        let end = from.find(|at: char| at.is_whitespace() || at == '>' || at == '/');
        let (name, mut inside) = from.split_at(end.ok_or_else(|| unclosed(from))?);
        let mut attributes = Vec::new();
        loop {
            inside = inside.trim_start();
            if let Some(after) = inside.strip_prefix("/>") {
                rest = after;
                tags.push(Tag {
                    name,
                    attributes,
                    within: within.clone(),
                });
                break;
            }
            if let Some(after) = inside.strip_prefix('>') {
                rest = after;
                tags.push(Tag {
                    name,
                    attributes,
                    within: within.clone(),
                });
                within.push(name);
                break;
            }
            let (attribute, after) = inside.split_once('=').ok_or_else(|| unclosed(from))?;
            let after = after.trim_start();
            let quote = after
                .chars()
                .next()
                .filter(|quote| ['"', '\''].contains(quote));
            let quote = quote.ok_or_else(|| unclosed(from))?;
            let (value, after) = after[1..].split_once(quote).ok_or_else(|| unclosed(from))?;
            attributes.push((attribute.trim_end(), unescape(value)));
            inside = after;
        }
    }
    Ok(tags)
}

fn unclosed(from: &str) -> Failed {
    let start: String = from.chars().take(30).collect();
    Failed::new(
        ErrorKind::Format,
        format!("this is no XML: the tag <{start:?} has no end or a wrong attribute"),
    )
}

#[cfg(test)]
mod tests {
    use super::{escape, tags, unescape};
    use proptest::prelude::*;

    #[test]
    fn tags_know_their_attributes_and_where_they_are() {
        let text = "<?xml version='1.0'?><!-- <a> --><File kind = \"x y\" n='1'>\n<Inner/><Deep><Most a='&lt;&#65;'/></Deep><Last></Last></File>";
        let tags = tags(text).unwrap();
        let names: Vec<_> = tags
            .iter()
            .map(|tag| (tag.name, tag.within.join("/")))
            .collect();
        let expected = [
            ("File", ""),
            ("Inner", "File"),
            ("Deep", "File"),
            ("Most", "File/Deep"),
            ("Last", "File"),
        ];
        assert_eq!(
            names,
            expected.map(|(name, within)| (name, within.to_owned()))
        );
        assert_eq!(tags[0].attribute("kind"), Some("x y"));
        assert_eq!(tags[0].attribute("n"), Some("1"));
        assert_eq!(tags[0].attribute("m"), None);
        assert_eq!(tags[3].attribute("a"), Some("<A"));
    }

    #[test]
    fn unclosed_tags_are_told() {
        for text in [
            "<a", "<a b", "<a b=", "<a b='", "<a b=c>", "<!-- ", "</a", "<?xml",
        ] {
            let cause = tags(text).unwrap_err().cause;
            assert!(cause.contains("no XML"), "{text}: {cause}");
        }
    }

    proptest! {
        #[test]
        fn escaped_names_come_back(name: String) {
            prop_assert_eq!(unescape(&escape(&name)), name.as_str());
            let text = format!("<a b=\"{}\"/>", escape(&name));
            let tags = tags(&text).unwrap();
            prop_assert_eq!(tags[0].attribute("b"), Some(name.as_str()));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[<>/=a'\"& ü!?-]{0,40}") {
            let _ = tags(&text);
        }
    }
}
