//! Find on demand: what was hidden, and what the host never showed, is one search away.
//!
//! [`index`] splits texts into words and ranks by them. [`documents`] is a searchable list of tools or
//! skills, [`names`] and [`pattern`] look among their names, [`answer`] writes what the model reads, and [`tools`]
//! says which tools it has for that. Sessions and requests are not known here.

pub mod answer;
pub mod documents;
pub mod find;
pub mod index;
pub mod names;
pub mod pattern;
pub mod tools;

#[cfg(test)]
mod tests;
