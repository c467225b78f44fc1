//! Writes a JSON schema as the TypeScript type that stands in a signature.
//!
//! ```text
//! {                                  an object has a line for each property, `?` if it is not required
//!   "due-by"?: string | null,        names that are no identifiers are quoted; unions, enums, constants
//!   lines: Array<{                   `Array<` is one level of depth, and so is a union's member,
//!       count: number,               so an object in it is indented by two
//!     }>,
//!   [key: string]: unknown,          further properties, if a schema says what they are
//! }
//! ```
//!
//! Rules, beside the above: `opencode-host.md` §6.1, and where that is silent OpenCode's source as named in
//! [`super`].
//! - The first of these that a schema has decides: `$ref`, `const`, `enum`, `anyOf` or `oneOf`, `allOf`, `type`.
//!   What the others of a `$ref`, a union or an `allOf` say is one more part of an intersection.
//! - `unknown` narrows nothing and is left out of an intersection; in a union it makes all `unknown`.
//! - `unknown` is also what is deeper than [`DEEPEST`], and a reference inside itself.
//! - Integers are `number`, and so is a union of nothing but numbers and the names of the three that JSON lacks.
//! - Comments that a schema has for itself stand above its property (`comment`), not in the type.

use serde_json::Value;

use super::comment::comment;
use super::keywords::{
    children, has_definitions, keywords_of, non_empty, present, properties_of, refuse_unsupported, Keywords,
};
use super::place::{Definitions, Place};
use super::{js, Style, Unsupported};
use crate::hash::FxIndexSet;

pub(super) const UNKNOWN: &str = "unknown";

/// OpenCode writes nothing that is deeper.
const DEEPEST: usize = 8;
/// Schemas under an `allOf` are looked through without regard to their depth in a type.
const DEEPEST_SCHEMA: usize = 64;
/// How much may be written for one type, in bytes; a longer one would not be worth its place in any prompt.
/// Also limits the time, as each step costs some of it: references can stand for any amount of text.
const LONGEST: usize = 1 << 16;
const STEP: usize = 8;

type Written = Result<String, Unsupported>;

pub(super) fn type_text(schema: &Value, style: Style) -> Written {
    Writer { style, left: LONGEST }.schema(schema, Place::OUTERMOST)
}

struct Writer {
    style: Style,
    /// How much of [`LONGEST`] is left.
    left: usize,
}

impl Writer {
    fn schema(&mut self, schema: &Value, place: Place) -> Written {
        if place.depth > DEEPEST {
            return Ok(UNKNOWN.to_string());
        }
        self.spend(STEP)?;
        let Some(keywords) = keywords_of(schema)? else { return Ok(UNKNOWN.to_string()) };
        refuse_unsupported(keywords)?;
        if !has_definitions(keywords) {
            return self.reference(keywords, place);
        }
        let definitions = Definitions { own: keywords, outer: place.definitions };
        self.reference(keywords, Place { definitions: Some(&definitions), ..place })
    }

    fn reference(&mut self, keywords: &Keywords, place: Place) -> Written {
        let Some(reference) = present(keywords, "$ref") else { return self.literal(keywords, place) };
        let (name, target) = self.follow(reference, place)?;
        if place.open.contains(&name) {
            return Ok(UNKNOWN.to_string());
        }
        let open = place.opened(name)?;
        let named = self.schema(target, Place { open: &open, ..place })?;
        let others = self.others(place, |writer, place| writer.literal(keywords, place))?;
        Ok(intersection(vec![named, others]))
    }

    fn literal(&mut self, keywords: &Keywords, place: Place) -> Written {
        // Unlike other keywords, a constant may be `null`.
        if let Some(value) = keywords.get("const") {
            return self.value(value);
        }
        let Some(values) = present(keywords, "enum") else { return self.union(keywords, place) };
        let values = non_empty(values)?;
        let texts: Vec<String> = values.iter().map(|value| self.value(value)).collect::<Result<_, _>>()?;
        Ok(texts.join(" | "))
    }

    fn value(&mut self, value: &Value) -> Written {
        let text = js::stringify(value)?;
        self.spend(STEP + text.len())?;
        Ok(text)
    }

    fn union(&mut self, keywords: &Keywords, place: Place) -> Written {
        let members = match (present(keywords, "anyOf"), present(keywords, "oneOf")) {
            (None, None) => return self.all_of(keywords, place),
            (Some(_), Some(_)) => return Err(Unsupported("two unions, of which OpenCode writes one")),
            (Some(members), None) | (None, Some(members)) => non_empty(members)?,
        };
        self.spend(members.len())?;
        if let Some(text) = generated_union(members)? {
            return Ok(text.to_string());
        }
        let members = self.each(members, place)?;
        if members.iter().any(|member| member == UNKNOWN) {
            return Ok(UNKNOWN.to_string());
        }
        let others = self.others(place, |writer, place| writer.all_of(keywords, place))?;
        Ok(intersection(vec![members.join(" | "), others]))
    }

    fn all_of(&mut self, keywords: &Keywords, place: Place) -> Written {
        let Some(members) = present(keywords, "allOf") else { return self.types(keywords, place) };
        let members = members.as_array().ok_or(Unsupported("an `allOf` that is no list"))?;
        for member in members {
            self.check_references(member, place, DEEPEST_SCHEMA)?;
        }
        let mut parts = vec![self.others(place, |writer, place| writer.types(keywords, place))?];
        parts.extend(self.each(members, place)?);
        Ok(intersection(parts))
    }

    fn types(&mut self, keywords: &Keywords, place: Place) -> Written {
        let Some(kind) = present(keywords, "type") else { return self.plain(keywords, "", place) };
        if let Value::String(kind) = kind {
            return self.plain(keywords, kind, place);
        }
        let mut texts = Vec::new();
        for kind in non_empty(kind)? {
            let kind = kind.as_str().ok_or(Unsupported("a type that has no name"))?;
            texts.push(self.others(place, |writer, place| writer.plain(keywords, kind, place))?);
        }
        Ok(texts.join(" | "))
    }

    fn plain(&mut self, keywords: &Keywords, kind: &str, place: Place) -> Written {
        self.spend(STEP)?;
        match kind {
            "string" | "number" | "boolean" | "null" => Ok(kind.to_string()),
            "integer" => Ok("number".to_string()),
            "array" => {
                let Some(items) = present(keywords, "items") else { return Ok(format!("Array<{UNKNOWN}>")) };
                Ok(format!("Array<{}>", self.schema(items, place.inner())?))
            }
            "object" => self.object(keywords, place),
            _ if present(keywords, "properties").is_some() => self.object(keywords, place),
            _ => Ok(UNKNOWN.to_string()),
        }
    }

    fn object(&mut self, keywords: &Keywords, place: Place) -> Written {
        let indent = 2 * (place.depth + 1);
        let pad = " ".repeat(indent);
        let required = self.required(keywords)?;
        let mut lines = String::new();
        for (name, property) in properties_of(keywords)?.into_iter().flatten() {
            let comment = comment(property, indent, self.style)?;
            let key = if js::is_identifier(name) { name.clone() } else { js::quote(name) };
            let mark = if required.contains(name.as_str()) { "" } else { "?" };
            self.spend(comment.len() + indent + key.len())?;
            let text = self.schema(property, place.inner())?;
            lines.extend([&comment, &pad, &key, mark, ": ", &text, ",\n"]);
        }
        match keywords.get("additionalProperties") {
            None | Some(Value::Bool(_)) => {}
            Some(values) => {
                let text = self.schema(values, place.inner())?;
                lines.extend([&pad, "[key: string]: ", &text, ",\n"]);
            }
        }
        match lines.is_empty() {
            true => Ok("{}".to_string()),
            false => Ok(format!("{{\n{lines}{}}}", "  ".repeat(place.depth))),
        }
    }

    fn required<'k>(&mut self, keywords: &'k Keywords) -> Result<FxIndexSet<&'k str>, Unsupported> {
        const NO_LIST: Unsupported = Unsupported("a `required` that is no list of names");
        let Some(names) = present(keywords, "required") else { return Ok(FxIndexSet::default()) };
        let names = names.as_array().ok_or(NO_LIST)?;
        self.spend(names.len())?;
        names.iter().map(|name| name.as_str().ok_or(NO_LIST)).collect()
    }

    fn each(&mut self, members: &[Value], place: Place) -> Result<Vec<String>, Unsupported> {
        members.iter().map(|member| self.schema(member, place.inner())).collect()
    }

    /// What the other keywords of a schema say; OpenCode takes them for one more schema inside it.
    fn others<'p>(
        &mut self,
        place: Place<'p>,
        write: impl FnOnce(&mut Self, Place<'p>) -> Written,
    ) -> Written {
        let place = place.inner();
        if place.depth > DEEPEST {
            return Ok(UNKNOWN.to_string());
        }
        write(self, place)
    }

    /// An `allOf` with a reference anywhere in it that leads nowhere, or into itself, is `unknown` as a whole;
    /// OpenCode looks for these without regard to definitions further in.
    fn check_references(&mut self, schema: &Value, place: Place, levels: usize) -> Result<(), Unsupported> {
        let Value::Object(keywords) = schema else { return Ok(()) };
        let levels = levels.checked_sub(1).ok_or(Unsupported("a schema that is nested too deep"))?;
        self.spend(STEP)?;
        if has_definitions(keywords) {
            return Err(Unsupported("an `allOf` with definitions inside it"));
        }
        if let Some(reference) = present(keywords, "$ref") {
            let (name, target) = self.follow(reference, place)?;
            if place.open.contains(&name) {
                return Err(Unsupported("an `allOf` with a reference into itself"));
            }
            let open = place.opened(name)?;
            self.check_references(target, Place { open: &open, ..place }, levels)?;
        }
        for child in children(keywords) {
            self.check_references(child, place, levels)?;
        }
        Ok(())
    }

    fn follow<'p>(
        &mut self,
        reference: &Value,
        place: Place<'p>,
    ) -> Result<(&'p str, &'p Value), Unsupported> {
        let reference = reference.as_str().ok_or(Unsupported("a reference that is no text"))?;
        self.spend(reference.len())?;
        place.resolve(reference)
    }

    fn spend(&mut self, amount: usize) -> Result<(), Unsupported> {
        self.left = self.left.checked_sub(amount).ok_or(Unsupported("a type that is too long"))?;
        Ok(())
    }
}

/// Unions as generators write them that mean one type: numbers, and an object without properties.
fn generated_union(members: &[Value]) -> Result<Option<&'static str>, Unsupported> {
    const NOT_IN_JSON: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
    let is = |member: &Value, kind: &str| member.get("type").is_some_and(|named| named == kind);
    let names = |member: &Value| {
        let values = member.get("enum").and_then(Value::as_array)?;
        let all = values.iter().all(|value| NOT_IN_JSON.iter().any(|name| value == name));
        (all && is(member, "string") && !values.is_empty()).then_some(values.len())
    };
    if members.iter().any(|member| is(member, "number")) {
        let others = members.iter().filter(|member| !is(member, "number"));
        let Some(counts) = others.map(names).collect::<Option<Vec<usize>>>() else { return Ok(None) };
        return match counts.iter().all(|count| *count == 1) {
            true => Ok(Some("number")),
            false => Err(Unsupported("a number as OpenCode's versions write differently")),
        };
    }
    let lacks = |member: &Value, keyword: &str| member.get(keyword).is_none();
    Ok(match members {
        [object, array]
            if is(object, "object")
                && lacks(object, "properties")
                && is(array, "array")
                && lacks(array, "items") =>
        {
            Some("{}")
        }
        _ => None,
    })
}

/// All of these at once.
fn intersection(mut types: Vec<String>) -> String {
    types.retain(|text| text != UNKNOWN);
    if let [only] = types.as_slice() {
        return only.clone();
    }
    let grouped = |text: &String| match text.contains(" | ") {
        true => format!("({text})"),
        false => text.clone(),
    };
    match types.is_empty() {
        true => UNKNOWN.to_string(),
        false => types.iter().map(grouped).collect::<Vec<_>>().join(" & "),
    }
}
