//! Types, datums, column vectors, batches and their text forms. Imports nothing above.

mod types;

pub use types::{Base, Type};
