//! Names and types resolved: from parsed SQL to [`Statement`]s the planner can work on.

mod expr;
mod query;
pub(crate) mod same;
mod statement;
pub(crate) mod walk;

pub use expr::*;
pub use query::*;
pub use statement::*;
