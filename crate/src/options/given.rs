//! A value as the user gave it, whatever it is, and how warnings describe it.

use serde_json::Value;

use super::spec::Kind;

/// A value as it came from outside: JSON's kinds, and what JavaScript has besides.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// `null` or `undefined`: as if the option were not named.
    Nothing,
    /// `true` or `false`.
    Flag(bool),
    /// Any number, `NaN` and the infinities too.
    Number(f64),
    /// A string, untrimmed.
    Text(String),
    /// An array.
    List(Vec<Given>),
    /// An object, its members in their order.
    Map(Vec<(String, Given)>),
    /// Anything else, with words for it: `a function`.
    Other(&'static str),
}

impl From<Value> for Given {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Given::Nothing,
            Value::Bool(flag) => Given::Flag(flag),
            Value::Number(number) => Given::Number(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => Given::Text(text),
            Value::Array(items) => Given::List(items.into_iter().map(Given::from).collect()),
            Value::Object(map) => {
                Given::Map(map.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
        }
    }
}

impl Given {
    /// A value from the environment, which knows only texts. What does not look like the wanted kind stays a text and
    /// is refused as one.
    pub(super) fn from_environment(kind: Kind, text: String) -> Given {
        let trimmed = text.trim();
        match kind {
            Kind::Number { .. } | Kind::Count { .. } => match trimmed.parse::<f64>() {
                Ok(number) if number.is_finite() => Given::Number(number),
                _ => Given::Text(text),
            },
            Kind::Flag => match trimmed.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Given::Flag(true),
                "0" | "false" | "no" | "off" => Given::Flag(false),
                _ => Given::Text(text),
            },
            _ => Given::Text(text),
        }
    }

    /// What it is, in words that never quote a text.
    pub(super) fn describe(&self) -> String {
        match self {
            Given::Nothing => "nothing".to_string(),
            Given::Flag(flag) => flag.to_string(),
            Given::Number(number) => javascript_number(*number),
            Given::Text(text) if text.trim().is_empty() => "an empty text".to_string(),
            Given::Text(_) => "a text".to_string(),
            Given::List(_) => "a list".to_string(),
            Given::Map(_) => "an object".to_string(),
            Given::Other(words) => (*words).to_string(),
        }
    }

    /// The same for one kind of option; a text is quoted only where it cannot be a misplaced key.
    pub(super) fn describe_for(&self, kind: Kind) -> String {
        match (kind, self) {
            (Kind::Number { .. } | Kind::Count { .. } | Kind::Flag | Kind::Choice(_), Given::Text(text))
                if text.len() <= 12 =>
            {
                Value::from(text.as_str()).to_string()
            }
            _ => self.describe(),
        }
    }
}

/// A number as JavaScript prints it.
pub(super) fn javascript_number(number: f64) -> String {
    ryu_js::Buffer::new().format(number).to_string()
}
