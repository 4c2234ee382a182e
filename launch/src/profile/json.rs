//! Values of JSON, as text.

use std::fmt;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Count(u64),
    Distance(i64),
    /// Where it is no number, it is null.
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Self::Count(number as u64)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Count(number)
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Self {
        Self::Count(number.into())
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Self::Distance(number)
    }
}

impl From<f64> for Json {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

/// Two more blanks for each level; a list or an object without lists or objects in it is one line.
impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(formatter, 0)
    }
}

impl Json {
    fn write(&self, formatter: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
        let is_flat = self.is_flat();
        let new_line = |formatter: &mut fmt::Formatter<'_>, level: usize| match is_flat {
            true => Ok(()),
            false => write!(formatter, "\n{:1$}", "", 2 * level),
        };
        let between = if is_flat { ", " } else { "," };
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Count(number) => write!(formatter, "{number}"),
            Self::Distance(number) => write!(formatter, "{number}"),
            Self::Number(number) if number.is_finite() => write!(formatter, "{number}"),
            Self::Number(_) => formatter.write_str("null"),
            Self::Text(text) => write_text(formatter, text),
            Self::List(values) => {
                formatter.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    formatter.write_str(if index == 0 { "" } else { between })?;
                    new_line(formatter, level + 1)?;
                    value.write(formatter, level + 1)?;
                }
                new_line(formatter, level)?;
                formatter.write_str("]")
            }
            Self::Object(members) => {
                formatter.write_str("{")?;
                for (index, (key, value)) in members.iter().enumerate() {
                    formatter.write_str(if index == 0 { "" } else { between })?;
                    new_line(formatter, level + 1)?;
                    write_text(formatter, key)?;
                    formatter.write_str(": ")?;
                    value.write(formatter, level + 1)?;
                }
                new_line(formatter, level)?;
                formatter.write_str("}")
            }
        }
    }

    /// Whether it is written in one line.
    fn is_flat(&self) -> bool {
        let is_simple = |value: &Self| !matches!(value, Self::List(_) | Self::Object(_));
        match self {
            Self::List(values) => values.iter().all(is_simple),
            Self::Object(members) => members.iter().all(|(_, value)| is_simple(value)),
            _ => true,
        }
    }
}

fn write_text(formatter: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    formatter.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(formatter, "\\{letter}")?,
            '\n' => formatter.write_str("\\n")?,
            '\t' => formatter.write_str("\\t")?,
            // The rest of what the grammar forbids in a string.
            '\0'..='\x1f' => write!(formatter, "\\u{:04x}", u32::from(letter))?,
            _ => write!(formatter, "{letter}")?,
        }
    }
    formatter.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<u64>().prop_map(Json::Count),
            (i64::MIN..0).prop_map(Json::Distance),
            any::<f64>().prop_map(Json::Number),
            any::<String>().prop_map(Json::Text),
            "[\\x00-\\x7f]{0,9}".prop_map(Json::Text),
        ];
        leaf.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Json::List),
                prop::collection::vec(inner, 0..4).prop_map(|values| {
                    Json::Object(
                        ["a", "b \"c\"", "", "\u{e9}"]
                            .into_iter()
                            .zip(values)
                            .collect(),
                    )
                }),
            ]
        })
    }

    /// What another reader of JSON takes it for.
    fn judge(written: &Json, read: &serde_json::Value) {
        use serde_json::Value;
        match (written, read) {
            (Json::Null, Value::Null) => {}
            (Json::Count(number), read) => assert_eq!(read.as_u64(), Some(*number)),
            (Json::Distance(number), read) => assert_eq!(read.as_i64(), Some(*number)),
            (Json::Number(number), Value::Null) => assert!(!number.is_finite()),
            (Json::Number(number), read) => assert_eq!(read.as_f64(), Some(*number)),
            (Json::Text(text), read) => assert_eq!(read.as_str(), Some(&**text)),
            (Json::List(values), Value::Array(read)) => {
                assert_eq!(values.len(), read.len());
                values
                    .iter()
                    .zip(read)
                    .for_each(|(one, other)| judge(one, other));
            }
            (Json::Object(members), Value::Object(read)) => {
                assert_eq!(members.len(), read.len());
                for (key, value) in members {
                    judge(value, &read[*key]);
                }
            }
            (written, read) => panic!("{written:?} was read as {read:?}"),
        }
    }

    proptest! {
        #[test]
        fn other_readers_read_the_same(json in any_json()) {
            let text = json.to_string();
            judge(&json, &serde_json::from_str(&text).expect(&text));
        }
    }

    #[test]
    fn what_is_small_is_one_line() {
        let pair = Json::Object(vec![
            ("a", Json::from(1_u64)),
            ("b", Json::from(None::<u64>)),
        ]);
        let list = Json::Object(vec![("all", [pair.clone(), pair].into_iter().collect())]);
        let expected = "{
  \"all\": [
    {\"a\": 1, \"b\": null},
    {\"a\": 1, \"b\": null}
  ]
}";
        assert_eq!(list.to_string(), expected);
    }
}
