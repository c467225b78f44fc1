//! The table of options: for each its path, its environment variables, what values it takes, what it does and its
//! default. The macro [`options!`] makes a group's struct and its rows of the table from one list, so that they cannot
//! differ. The options themselves are listed in [`super`] and its groups.

use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Options;

/// What values an option takes; [`check`](super::check::check) tests a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A text that must never be shown again, as a [`Secret`](super::Secret).
    Secret,
    /// An http or https address.
    Url,
    /// A text that is not empty.
    Text,
    /// A number.
    Number {
        /// The least that is allowed.
        min: f64,
        /// The most that is allowed.
        max: f64,
    },
    /// A whole number.
    Count {
        /// The least that is allowed.
        min: u64,
        /// The most that is allowed.
        max: u64,
    },
    /// True or false.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A list of globs, and of regular expressions behind `re:`.
    Patterns,
    /// Tags and descriptions of tools, as [`ToolNotes`](super::discovery::ToolNotes).
    ToolNotes,
}

/// One option.
#[derive(Debug)]
pub struct Spec {
    /// Its path in snake_case: `history.batch_tokens` is `batch_tokens` in the group `history`.
    pub path: String,
    /// Environment variables that set it; of those that are set the first wins.
    pub env: &'static [&'static str],
    /// What values it takes.
    pub kind: Kind,
    /// What it does, as Markdown on one line.
    pub description: &'static str,
}

impl Spec {
    /// What it is as long as nobody sets it, as JSON; null if it is then unset. Numbers are as users write them: a whole
    /// one has no decimal point.
    pub fn default(&self) -> Value {
        let defaults = serde_json::to_value(Options::default()).unwrap_or_default();
        let default = self.path.split('.').try_fold(&defaults, |value, name| value.get(name));
        default.map(plain).unwrap_or_default()
    }

    /// The groups around the option, the outermost first: `history` and `history.tools` for
    /// `history.tools.discard`.
    pub(super) fn groups(&self) -> impl Iterator<Item = &str> {
        self.path.match_indices('.').filter_map(|(at, _)| self.path.get(..at))
    }
}

/// Every option, in the order in which users read them.
pub fn specs() -> &'static [Spec] {
    static SPECS: LazyLock<Vec<Spec>> = LazyLock::new(|| {
        let mut specs = Vec::new();
        Options::GROUP.add_specs("", &mut specs);
        specs
    });
    &SPECS
}

/// The rows of one group and of those within it. These are data and not functions that add rows: an engine compiles each
/// function when it is first called, and all rows are wanted while the plugin loads.
pub(super) struct Group {
    pub options: &'static [Row],
    /// With their names.
    pub groups: &'static [(&'static str, &'static Group)],
}

pub(super) struct Row {
    pub name: &'static str,
    pub env: &'static [&'static str],
    pub kind: Kind,
    /// The lines of a doc comment, each of which begins with a space.
    pub description: &'static str,
}

impl Group {
    /// `path` is empty or ends with a full stop.
    fn add_specs(&self, path: &str, specs: &mut Vec<Spec>) {
        specs.extend(self.options.iter().map(|row| Spec {
            path: format!("{path}{}", row.name),
            env: row.env,
            kind: row.kind,
            description: row.description.trim_start(),
        }));
        for (name, group) in self.groups {
            group.add_specs(&format!("{path}{name}."), specs);
        }
    }
}

/// A number as users write it: a whole one without a decimal point.
pub(super) fn plain(value: &Value) -> Value {
    match value.as_f64() {
        Some(number) if value.is_f64() && number.fract() == 0.0 => (number as i64).into(),
        _ => value.clone(),
    }
}

/// Sets a field to the value of its name, if there is one that fits.
///
/// serde reads field by field. Derived for whole groups it made the module 47 KB larger and the first reading of options
/// a quarter slower, since an engine compiles all of it while the plugin loads.
pub(super) fn take<T: DeserializeOwned>(values: &mut Map<String, Value>, name: &str, field: &mut T) {
    if let Some(Ok(value)) = values.remove(name).map(serde_json::from_value) {
        *field = value;
    }
}

/// One group of options: a struct with a field for each option and each group within it.
///
/// An option is its description as a doc comment, then its name, type, default and [`Kind`], and its variables in the
/// environment if it has any. serde writes the struct, and reads its fields.
macro_rules! options {
    (
        $(#[doc = $about:literal])+
        $group:ident {
            $(
                $(#[doc = $description:literal])+
                $name:ident: $type:ty = $default:expr, $kind:expr $(, env [$($env:literal),+])?;
            )+
        }
        $(groups {
            $( $(#[doc = $about_inner:literal])+ $inner:ident: $inner_type:ty; )+
        })?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        pub struct $group {
            $( $(#[doc = $description])+ pub $name: $type, )+
            $($( $(#[doc = $about_inner])+ pub $inner: $inner_type, )+)?
        }

        impl Default for $group {
            fn default() -> Self {
                $group {
                    $( $name: $default, )+
                    $($( $inner: <$inner_type>::default(), )+)?
                }
            }
        }

        impl $group {
            pub(in crate::options) const GROUP: $crate::options::spec::Group = $crate::options::spec::Group {
                options: &[$( $crate::options::spec::Row {
                    name: stringify!($name),
                    env: &[$($($env),+)?],
                    kind: $kind,
                    description: concat!($($description),+),
                }, )+],
                groups: &[$($( (stringify!($inner), &<$inner_type>::GROUP), )+)?],
            };

            /// With the values that are there; what is missing has its default.
            pub(in crate::options) fn from_values(
                mut values: serde_json::Map<String, serde_json::Value>,
            ) -> Self {
                let mut group = Self::default();
                $( $crate::options::spec::take(&mut values, stringify!($name), &mut group.$name); )+
                $($( if let Some(serde_json::Value::Object(values)) = values.remove(stringify!($inner)) {
                    group.$inner = <$inner_type>::from_values(values);
                } )+)?
                group
            }
        }
    };
}
pub(super) use options;

/// An option's few words: an enum with a variant for each, and all of them as `WORDS`.
macro_rules! choice {
    (
        $(#[$about:meta])+
        $name:ident { $( $(#[$about_variant:meta])+ $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $( $(#[$about_variant])+ #[serde(rename = $word)] $variant, )+
        }

        impl $name {
            pub(super) const WORDS: &'static [&'static str] = &[$($word),+];
        }
    };
}
pub(super) use choice;
