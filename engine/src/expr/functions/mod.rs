//! Functions and operators, found by PostgreSQL's name (`pg_proc.proname`) and argument types.

mod comparison;

pub use comparison::comparison_of;

use super::compile::Compiler;
use super::node::Node;
use crate::catalog::FunctionFacts;
use crate::error::{Error, Result};
use crate::value::Type;

/// The node for a call. Errors: 0A000 for a function that has no implementation here.
pub(super) fn compile(
    compiler: &mut Compiler,
    function: &FunctionFacts,
    types: &[Type],
    args: Vec<Node>,
) -> Result<Node> {
    if let Some(op) = comparison_of(function) {
        return comparison::compile(compiler, op, types, args);
    }
    Err(not_implemented(function, types))
}

#[cold]
fn not_implemented(function: &FunctionFacts, types: &[Type]) -> Error {
    let types: Vec<String> = types.iter().map(|ty| ty.name()).collect();
    Error::unsupported(format_args!(
        "function {}({})",
        function.name,
        types.join(", ")
    ))
}
