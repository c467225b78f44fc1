//! Find on demand: what a request hides, and what OpenCode never showed, is one search away.
//!
//! ```text
//! call of our tool ─► calls ─► documents ─► bm25 | name_lookup | query ─► answer ─► text for the model
//! ```
//!
//! [`discovery_index`] is what can be found in a session and answers calls; [`documents`] is a searchable list of
//! tools or skills, whose text becomes terms by [`words`], [`stem`] and [`schema`]. [`own_tools`] is what the model
//! is given to call, and `hints` what a request says of things it hides. Sessions and requests are not known
//! here.

pub mod answer;
pub(crate) mod bm25;
pub mod calls;
pub mod discovery_index;
pub mod documents;
pub(crate) mod hints;
pub mod name_lookup;
pub mod own_tools;
mod query;
pub mod schema;
pub mod stem;
pub mod words;

#[cfg(test)]
mod tests;
