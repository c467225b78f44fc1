//! What is remembered from one request of a session to the next: what was shown and hidden, what the model's
//! searches found, what changes of the request's beginning cost the provider's cache, and how more is revealed.

pub mod cache_cost;
pub mod memory;
pub mod recent;
pub mod reveal;
pub mod search_pins;
pub mod store;
