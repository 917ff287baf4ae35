//! Types, datums, column vectors, batches and their text forms. Imports nothing above.

mod batch;
mod bitmap;
mod column;
mod comparison;
pub mod datetime;
mod datum;
mod hash;
pub mod numeric;
mod ordering;
pub mod select;
mod strings;
pub mod text;
mod types;

pub use batch::{Batch, Rows};
pub use bitmap::Bitmap;
pub use column::{Column, Vector};
pub use comparison::{BooleanTest, Comparison};
pub use datetime::{Interval, IntervalFields};
pub use datum::{Array, Datum};
pub use hash::{hash_row, hash_rows};
pub use numeric::{Numeric, NumericMoments, NumericSum, Population};
pub use ordering::{
    KeyOrder, compare_arrays, compare_floats, compare_rows, compare_values, equal_values,
    join_equal, same_group,
};
pub use strings::Strings;
pub use types::{Base, Type};
