//! Types, datums, column vectors, batches and their text forms. Imports nothing above.

mod batch;
mod bitmap;
mod column;
mod comparison;
mod datum;
pub mod numeric;
mod strings;
pub mod text;
mod types;

pub use batch::{Batch, Rows};
pub use bitmap::Bitmap;
pub use column::{Column, Vector};
pub use comparison::{BooleanTest, Comparison};
pub use datum::{Array, Datum};
pub use numeric::{Numeric, NumericSum};
pub use strings::Strings;
pub use types::{Base, Type};
