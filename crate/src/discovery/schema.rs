//! Reads the texts of a JSON schema that a tool is found by: names of parameters and descriptions, at any depth.
//! What they count is left to [`super::documents`].
//!
//! ```text
//! { "properties": { "city": { "type": "string", "description": "Where to look" } } }
//!                   name                                      description
//! ```
//!
//! Serde walks the schema and no tree is built: an index of thousands of tools reads all their schemas. Below
//! `properties` each key is a name; anywhere else only the keys `properties` and `description` mean something,
//! since schemas stand in schemas under many keywords (`items`, `anyOf`, `$defs`).

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What a text of a schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaText {
    /// The name of a parameter, or of a field inside one.
    ParameterName,
    /// What the schema says of the whole input or of a parameter.
    Description,
}

/// Calls `take` with every text of a schema, in order. What is not JSON, or nested deeper than serde_json reads
/// (128), ends the reading where it is met.
pub fn for_each_text(json: &str, take: &mut dyn FnMut(SchemaText, &str)) {
    let walk = Walk { inside: Inside::Schema, take };
    // What was read before an error is good.
    let _ = walk.deserialize(&mut serde_json::Deserializer::from_str(json));
}

/// Where a value stands.
#[derive(Clone, Copy)]
enum Inside {
    Schema,
    Properties,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Keyword {
    Properties,
    Description,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// As bytes, since half a surrogate pair, as in a description cut inside an emoji, is no `str`.
#[derive(Deserialize)]
struct Description<'a>(#[serde(borrow)] Cow<'a, [u8]>);

struct Walk<'a> {
    inside: Inside,
    take: &'a mut dyn FnMut(SchemaText, &str),
}

impl Walk<'_> {
    fn below(&mut self, inside: Inside) -> Walk<'_> {
        Walk { inside, take: self.take }
    }

    /// A description that is no text is skipped.
    fn take_description(&mut self, json: &str) {
        if let Ok(Description(text)) = serde_json::from_str(json) {
            (self.take)(SchemaText::Description, &String::from_utf8_lossy(&text));
        }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        match self.inside {
            Inside::Schema => {
                while let Some(keyword) = map.next_key()? {
                    match keyword {
                        Keyword::Properties => map.next_value_seed(self.below(Inside::Properties))?,
                        Keyword::Description => self.take_description(map.next_value::<&RawValue>()?.get()),
                        Keyword::Other => map.next_value_seed(self.below(Inside::Schema))?,
                    }
                }
            }
            Inside::Properties => {
                while let Some(Name(name)) = map.next_key()? {
                    (self.take)(SchemaText::ParameterName, &name);
                    map.next_value_seed(self.below(Inside::Schema))?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(self.below(Inside::Schema))?.is_some() {}
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(json: &str) -> Vec<(SchemaText, String)> {
        let mut texts = Vec::new();
        for_each_text(json, &mut |kind, text| texts.push((kind, text.to_string())));
        texts
    }

    fn name(text: &str) -> (SchemaText, String) {
        (SchemaText::ParameterName, text.to_string())
    }

    fn description(text: &str) -> (SchemaText, String) {
        (SchemaText::Description, text.to_string())
    }

    #[test]
    fn names_and_descriptions_are_read_at_any_depth() {
        let json = r#"{ "type": "object", "description": "All", "properties": {
            "city": { "type": "string", "description": "Where \"to\" look\n" },
            "days": { "type": "array", "items": { "properties": { "from": {} } } } } }"#;
        assert_eq!(
            texts(json),
            [
                description("All"),
                name("city"),
                description("Where \"to\" look\n"),
                name("days"),
                name("from")
            ]
        );
    }

    #[test]
    fn parameters_may_be_called_like_keywords() {
        let json =
            r#"{"properties":{"description":{"description":"d"},"properties":{"properties":{"x":{}}}}}"#;
        assert_eq!(texts(json), [name("description"), description("d"), name("properties"), name("x")]);
    }

    #[test]
    fn other_texts_are_left_out() {
        let json = r#"{"required":["a"],"enum":["description","b"],"title":"t","properties":["c"]}"#;
        assert!(texts(json).is_empty());
    }

    #[test]
    fn values_of_any_kind_are_passed_over() {
        let json = r#"{"minimum":-1,"maximum":9,"multipleOf":0.5,"default":null,"additionalProperties":false,
            "description":["d"],"properties":{"a":true,"b":{"description":{"description":"e"}}}}"#;
        assert_eq!(texts(json), [name("a"), name("b")]);
    }

    #[test]
    fn escapes_are_read() {
        for (text, expected) in [
            (r#"a\"b\\c\/d"#, "a\"b\\c/d"),
            (r"\u00e9t\u00E9", "été"),
            (r"\ud83e\udd80!", "🦀!"),
            (r"a\tb\nc", "a\tb\nc"),
        ] {
            let json = format!(r#"{{"description":"{text}","properties":{{"{text}":{{}}}}}}"#);
            assert_eq!(texts(&json), [description(expected), name(expected)], "{text}");
        }
    }

    #[test]
    fn a_description_may_be_cut_inside_a_surrogate_pair() {
        let read = texts(r#"{"description":"Finds crabs \ud83e","properties":{"a":{}}}"#);
        assert!(read[0].1.starts_with("Finds crabs \u{fffd}"));
        assert_eq!(read[1..], [name("a")]);
    }

    #[test]
    fn what_is_no_json_is_read_as_far_as_it_goes() {
        assert_eq!(texts(r#"{"properties":{"a":{},"b"#), [name("a")]);
        for text in ["", "}", "]]", "\"", "{\"", "nonsense", "{\"properties\":{\"\\"] {
            assert!(texts(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn any_depth_is_survived() {
        assert_eq!(texts(&r#"{"properties":{"a":"#.repeat(100_000)).len(), 63);
        assert!(texts(&r#"{"description":"#.repeat(100_000)).is_empty());
        assert!(texts(&"[".repeat(100_000)).is_empty());
    }
}
