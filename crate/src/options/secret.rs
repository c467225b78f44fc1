//! The key for Jev, held so that it is shown nowhere by accident.

use serde::{Deserialize, Serialize, Serializer};

/// A key: it can be handed on, but is neither printed nor serialised.
#[derive(Clone, Default, Deserialize, PartialEq)]
#[serde(transparent)]
pub struct Secret(Option<String>);

impl Secret {
    /// The key itself, if one was given. It belongs into a header and nowhere else.
    pub fn reveal(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Secret(set)" } else { "Secret(unset)" })
    }
}

/// As null, whether it is set or not.
impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    #[test]
    fn a_secret_shows_itself_nowhere() {
        let options = Options { jev_api_key: Secret(Some("sk-hidden".into())), ..Options::default() };
        assert!(!format!("{options:?}").contains("sk-hidden"));
        assert!(!serde_json::to_string(&options).unwrap().contains("sk-hidden"));
    }
}
