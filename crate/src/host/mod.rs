//! What OpenCode's texts look like: one file per format, names, and the kinds of messages.
//!
//! A text is read into sections whose pieces are byte ranges, and a section tells which edits leave only
//! the pieces somebody wants. Nothing here knows how that is decided.

pub mod catalog;
pub mod instructions;
pub mod messages;
pub mod names;
pub mod skills;
pub mod text;

use catalog::Catalog;
use instructions::Instructions;
use skills::Skills;
use text::{first_line, Cursor};

/// Why a section that begins like one of the host's is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread(pub &'static str);

/// A section that was recognised by its first line and could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct UnreadSection {
    pub first_line: String,
    pub why: &'static str,
}

#[derive(Debug)]
pub enum Section {
    Catalog(Catalog),
    Instructions(Instructions),
    Skills(Skills),
}

/// All that one text holds of the host's lists.
#[derive(Debug, Default)]
pub struct Reading {
    pub sections: Vec<Section>,
    pub unread: Vec<UnreadSection>,
}

/// A text with many section beginnings that lead nowhere is not the host's; stop trying, so that reading
/// stays linear in the length of a hostile text.
const MAX_UNREAD: usize = 16;

/// Finds and reads all sections, in any order (`opencode-host.md` §1.1, §1.2).
///
/// What lies inside a section that was read is not searched again: instructions or descriptions that
/// imitate a section are part of the text around them.
pub fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut cursor = Cursor::new(text);
    while let Some(line) = cursor.line() {
        let mut behind = cursor;
        match read_section(line.text, &mut behind) {
            None => cursor.advance(),
            Some(Ok(section)) => {
                reading.sections.push(section);
                cursor = behind;
            }
            Some(Err(Unread(why))) => {
                reading.unread.push(UnreadSection { first_line: first_line(line.text), why });
                if reading.unread.len() == MAX_UNREAD {
                    break;
                }
                cursor.advance();
            }
        }
    }
    reading
}

/// Whether a system text of OpenCode 1.18 is that of a conversation, and not that of a title, a summary or
/// another small call: only the former tells of the environment (`host-observed.md`).
pub fn is_main_system_text(text: &str) -> bool {
    text.contains("\n<env>\n")
}

fn read_section(line: &str, cursor: &mut Cursor) -> Option<Result<Section, Unread>> {
    if Catalog::opens(line) {
        return Some(Catalog::read(cursor).map(Section::Catalog));
    }
    if Instructions::opens(line) {
        return Some(Instructions::read(cursor).map(Section::Instructions));
    }
    if Skills::opens(line) {
        return Some(Skills::read(cursor).map(Section::Skills));
    }
    None
}
