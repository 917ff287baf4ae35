//! Types, datums, column vectors, batches and their text forms. Imports nothing above.

pub mod numeric;
mod types;

pub use numeric::{Numeric, NumericSum};
pub use types::{Base, Type};
