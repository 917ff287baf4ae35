//! Functions and operators, found by PostgreSQL's name (`pg_proc.proname`) and argument types.

mod arithmetic;
mod array;
mod comparison;
mod datetime;
mod float;
mod integer;
mod interval;
mod number;
mod numeric;
mod pattern;
mod quoting;
mod string;
mod string_cut;
mod system;

pub(super) use array::split_text;
pub use comparison::comparison_of;
pub(super) use comparison::{common_form, cost as comparison_cost};
pub(super) use number::{float_overflow, float_underflow, out_of_range};
pub(crate) use pattern::like_matches;

use super::call::{Call, Kernel};
use super::compare::Form;
use super::compile::Compiler;
use super::node::Node;
use super::widen::widen;
use crate::catalog::{FunctionFacts, Volatility};
use crate::error::{Error, Result};
use crate::value::{Base, Datum, Type};

/// A function's kernel and the work units of one row.
type Found = (Kernel, u32);

/// The node for a call. Errors: 0A000 for a function that has no implementation here.
pub(super) fn compile(
    compiler: &mut Compiler,
    function: &FunctionFacts,
    types: &[Type],
    mut args: Vec<Node>,
) -> Result<Node> {
    if let Some(op) = comparison_of(function) {
        return comparison::compile(compiler, op, types, args);
    }
    check_types(function, types)?;
    if &*function.name == "pg_typeof" {
        args.extend(types.iter().map(|ty| Node::Const(Datum::text(ty.name()))));
        let kernel = Kernel::Row(|row, out| out.text(row.text(1)));
        let call = Call::new(kernel, args, function.result).not_strict();
        return Ok(Node::Call(Box::new(call)));
    }
    if is_identity(&function.name)
        && let Some(arg) = args.pop()
    {
        return Ok(arg);
    }
    let (kernel, cost) = match number_operation(&function.name) {
        Some((form, widens, operation)) => {
            let kernel = match form {
                Form::Int2 => arithmetic::integer_kernel::<i16>(operation),
                Form::Int4 => arithmetic::integer_kernel::<i32>(operation),
                Form::Int8 => arithmetic::integer_kernel::<i64>(operation),
                Form::Float4 => arithmetic::float_kernel::<f32>(operation),
                Form::Float8 => arithmetic::float_kernel::<f64>(operation),
                _ => None,
            };
            if widens {
                args = args
                    .into_iter()
                    .zip(types)
                    .map(|(arg, &ty)| widen(arg, ty, form))
                    .collect::<Result<_>>()?;
            }
            (kernel.ok_or_else(|| not_implemented(function, types))?, 1)
        }
        None => find(&function.name, types).ok_or_else(|| not_implemented(function, types))?,
    };
    compiler.cost += cost;
    let call = Call::new(kernel, args, function.result)
        .volatile(function.volatility == Volatility::Volatile);
    Ok(Node::Call(Box::new(if function.strict {
        call
    } else {
        call.not_strict()
    })))
}

/// The kernel of a function that is no comparison and no arithmetic operator.
fn find(name: &str, types: &[Type]) -> Option<Found> {
    let bases: Vec<Base> = types
        .iter()
        .filter(|ty| !ty.array)
        .map(|ty| ty.base)
        .collect();
    let scalar = bases.len() == types.len();
    let found = if scalar {
        integer::find(name, &bases)
            .or_else(|| float::find(name, &bases))
            .or_else(|| numeric::find(name, &bases))
            .or_else(|| string::find(name, &bases))
            .or_else(|| string_cut::find(name, &bases))
            .or_else(|| pattern::find(name, &bases))
            .or_else(|| datetime::find(name, &bases))
            .or_else(|| interval::find(name, &bases))
    } else {
        None
    };
    found
        .or_else(|| quoting::find(name, types))
        .or_else(|| array::find(name, types))
        .or_else(|| system::find(name, types))
}

/// Unary plus.
fn is_identity(name: &str) -> bool {
    matches!(
        name,
        "int2up" | "int4up" | "int8up" | "float4up" | "float8up" | "numeric_uplus"
    )
}

/// Takes an operator function's name apart: `int48pl` is an `Int8` operation `pl` whose operands
/// are widened; `int8shl` shifts by an integer that is not.
fn number_operation(name: &str) -> Option<(Form, bool, &str)> {
    let (integer, rest) = match name.strip_prefix("int") {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix("float")?),
    };
    let digits = rest.len() - rest.trim_start_matches(['2', '4', '8']).len();
    let (widths, operation) = rest.split_at(digits);
    let form = match (integer, widths) {
        (true, "2") => Form::Int2,
        (true, "4" | "24" | "42") => Form::Int4,
        (true, "8" | "28" | "48" | "82" | "84") => Form::Int8,
        (false, "4") => Form::Float4,
        (false, "8" | "48" | "84") => Form::Float8,
        _ => return None,
    };
    Some((form, widths.len() == 2, operation))
}

/// The binder has brought every argument to its declared type; what follows relies on it.
fn check_types(function: &FunctionFacts, types: &[Type]) -> Result<()> {
    let same = |declared: &Type, actual: &Type| {
        declared == actual
            || declared.array == actual.array
                && (declared.base == actual.base || declared.is_string() && actual.is_string())
            || declared.base == Base::Unknown
            || declared.array && declared.element().is_string() && actual.element().is_string()
    };
    if function.args.len() == types.len()
        && function
            .args
            .iter()
            .zip(types)
            .all(|(declared, actual)| same(declared, actual))
    {
        return Ok(());
    }
    let names = |types: &[Type]| {
        types
            .iter()
            .map(|ty| ty.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    Err(Error::internal(format!(
        "function {}({}) was given ({})",
        function.name,
        names(&function.args),
        names(types)
    )))
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
