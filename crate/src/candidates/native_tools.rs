//! The tools of the request's own tool map: those that the model calls directly and not through `execute`.
//! Which server they belong to is found out in `owners`.

use arcstr::{ArcStr, Substr};

use crate::encoded_list::FieldReader;
use crate::hash::{fingerprint_of, FxHashMap};

/// A tool that stands in the request's own tool map.
#[derive(Clone, Debug, Hash)]
pub struct NativeTool {
    /// The key in the tool map: `server_tool`, or the name of one of OpenCode's own tools.
    pub name: Substr,
    /// As the request has it, possibly empty.
    pub description: Substr,
    /// The length of its definition in the request, in UTF-16 code units of JSON.
    pub chars: i64,
}

/// All tools of the request's own tool map, in its order.
#[derive(Debug, Default)]
pub struct NativeTools {
    tools: Vec<NativeTool>,
    places: FxHashMap<Substr, usize>,
    fingerprint: u64,
}

impl From<Vec<NativeTool>> for NativeTools {
    fn from(tools: Vec<NativeTool>) -> Self {
        let fingerprint = fingerprint_of(&tools);
        NativeTools::new(tools, fingerprint)
    }
}

impl NativeTools {
    fn new(tools: Vec<NativeTool>, fingerprint: u64) -> NativeTools {
        let places = tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        NativeTools { tools, places, fingerprint }
    }

    /// Decodes a list with the fields `name, description` of each tool; `chars` has the length of each
    /// definition and says how many tools there are.
    pub fn decode(list: &ArcStr, chars: &[i32]) -> NativeTools {
        let mut fields = FieldReader::new(list);
        let tool = |chars: &i32| NativeTool {
            name: fields.slice(),
            description: fields.slice(),
            chars: i64::from(*chars),
        };
        let tools = chars.iter().map(tool).collect();
        NativeTools::new(tools, fingerprint_of(&(list, chars)))
    }

    /// The tools in the order of the tool map.
    pub(super) fn iter(&self) -> impl Iterator<Item = &NativeTool> {
        self.tools.iter()
    }

    /// Equal for equal tools in the same order.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The length of all definitions.
    pub fn all_chars(&self) -> i64 {
        self.tools.iter().map(|tool| tool.chars).sum()
    }

    /// The length of a tool's definition; 0 for a tool that is not in the map.
    pub fn chars(&self, name: &str) -> i64 {
        self.places.get(name).and_then(|&at| self.tools.get(at)).map_or(0, |tool| tool.chars)
    }
}
