//! Expressions compiled and evaluated over column batches; functions, aggregates and
//! set-returning functions.
//!
//! [`Program::compile`] turns a bound [`Expr`](crate::bind::Expr) into a tree of nodes that own
//! their registers; [`Program::eval`] and [`Program::filter`] run it over the rows of a batch with
//! the answers, and the errors, of evaluation row by row.

mod aggregate;
mod arrays;
mod boolean;
mod call;
mod cast;
mod choice;
mod compare;
mod compile;
mod conditional;
mod context;
mod functions;
mod membership;
mod merge;
mod meter;
mod node;
mod operand;
mod program;
mod random;
mod row_compare;
mod set_returning;
mod sql_call;
mod widen;

pub use aggregate::{Accumulator, Groups};
pub use context::{EvalCounters, EvalCx, Params, Stop, StopCause};
pub use functions::comparison_of;
pub(crate) use functions::like_matches;
pub use program::Program;
pub use random::Random;
pub use set_returning::{SetFunction, make as make_set_function};

#[cfg(test)]
mod tests;
