//! Fields of JSON from outside, of which one bad value must not spoil the rest.

use serde::de::{DeserializeOwned, Deserializer};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A value, or none if the JSON there is of another kind. It can be read from JSON text only, not from a
/// [`serde_json::Value`].
pub(crate) struct Lenient<T>(pub Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Lenient(None)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = <&RawValue>::deserialize(deserializer)?;
        Ok(Lenient(serde_json::from_str(written.get()).ok()))
    }
}

/// The same for `#[serde(deserialize_with)]`: the default in place of none.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Lenient::deserialize(deserializer).map(|value: Lenient<T>| value.0.unwrap_or_default())
}
