//! Tables, views, functions and operators, with the facts the planner's rules need.

mod facts;
mod relations;
mod table;

pub use facts::{FunctionFacts, FunctionKind, FunctionRef, OperatorFacts, OperatorRef, Origin, SqlBody, Volatility};
pub use relations::Catalog;
pub use table::{ColumnDef, Table, TableOptions, View};
