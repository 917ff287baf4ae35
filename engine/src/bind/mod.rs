//! Names and types resolved: from parsed SQL to [`Statement`]s the planner can work on.

mod expr;
mod query;
mod statement;

pub use expr::*;
pub use query::*;
pub use statement::*;
