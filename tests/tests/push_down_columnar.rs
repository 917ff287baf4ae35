//! The push-down tests of `push_down/`, over the columnar access method.

#[path = "push_down/counters.rs"]
mod counters;
#[path = "push_down/edges.rs"]
mod edges;
#[path = "push_down/pushed.rs"]
mod pushed;
#[path = "push_down/reasons.rs"]
mod reasons;
#[path = "push_down/security.rs"]
mod security;
#[path = "push_down/settings.rs"]
mod settings;
#[path = "push_down/table.rs"]
mod table;

/// The access method that is tested.
const ACCESS_METHOD: &str = "columnar";
/// Pages that the first step of a scan of one integer column may read: a chunk of it.
const FIRST_PAGES: u64 = 3;
