//! Words of texts in any script, the words of JSON schemas, and a BM25 index over documents of such words.
//!
//! It is a crate of its own since it is compiled for speed: thousands of tools are indexed while somebody waits.
//! The rest of the plugin is compiled for size. What the documents are, and who asks, is not known here.

pub mod index;
pub mod lower;
pub mod schema;
pub mod words;
