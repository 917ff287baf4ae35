//! The functions behind `=`, `<>`, `<`, `<=`, `>` and `>=`.

use super::super::compare::{Compare, Form};
use super::super::compile::Compiler;
use super::super::node::Node;
use super::super::widen::widen;
use crate::catalog::{FunctionFacts, Origin};
use crate::error::{Error, Result};
use crate::value::{Base, Comparison, Type};

/// The comparison that a built-in function is: `int48lt`, `text_ge`, `numeric_eq`, `textne`.
pub fn comparison_of(function: &FunctionFacts) -> Option<Comparison> {
    if !matches!(function.origin, Origin::Builtin) || function.args.len() != 2 {
        return None;
    }
    let name = &*function.name;
    // The two types of a cross-type function may stand on both sides of the comparison's name.
    let name = name
        .strip_suffix("_timestamp")
        .or_else(|| name.strip_suffix("_date"))
        .unwrap_or(name);
    let (subject, op) = name.split_at_checked(name.len().checked_sub(2)?)?;
    let op = match op {
        "eq" => Comparison::Eq,
        "ne" => Comparison::Ne,
        "lt" => Comparison::Lt,
        "le" => Comparison::Le,
        "gt" => Comparison::Gt,
        "ge" => Comparison::Ge,
        _ => return None,
    };
    let subject = subject.strip_suffix('_').unwrap_or(subject);
    let known = matches!(
        subject,
        "bool"
            | "int2"
            | "int4"
            | "int8"
            | "int24"
            | "int28"
            | "int42"
            | "int48"
            | "int82"
            | "int84"
            | "float4"
            | "float8"
            | "float48"
            | "float84"
            | "numeric"
            | "text"
            | "bpchar"
            | "bpchar_pattern"
            | "interval"
            | "text_pattern"
            | "date"
            | "timestamp"
            | "array"
    );
    known.then_some(op)
}

/// The form that two types are compared in; `None` for types that are never compared.
pub(in super::super) fn common_form(left: Type, right: Type) -> Option<Form> {
    use Base::*;
    if left.array || right.array {
        return (left.array && right.array).then_some(Form::Array);
    }
    Some(match (left.base, right.base) {
        (Bool, Bool) => Form::Bool,
        (Int2, Int2) => Form::Int2,
        (Int2 | Int4, Int2 | Int4) | (Date, Date) => Form::Int4,
        (Int2 | Int4 | Int8, Int2 | Int4 | Int8) => Form::Int8,
        (Date | Timestamp, Date | Timestamp) => Form::Int8,
        (Float4, Float4) => Form::Float4,
        (Float4 | Float8, Float4 | Float8) => Form::Float8,
        (Numeric, Numeric) => Form::Numeric,
        (Text | Varchar | Unknown, Text | Varchar | Unknown) => Form::Text,
        (Bpchar, Bpchar) => Form::BlankPadded,
        (Interval, Interval) => Form::Interval,
        _ => return None,
    })
}

pub(super) fn compile(
    compiler: &mut Compiler,
    op: Comparison,
    types: &[Type],
    args: Vec<Node>,
) -> Result<Node> {
    let (&[left_type, right_type], Ok([left, right])) = (types, <[Node; 2]>::try_from(args)) else {
        return Err(Error::internal("a comparison of two operands"));
    };
    let Some(form) = common_form(left_type, right_type) else {
        return Err(Error::internal(format!(
            "no comparison of {} and {}",
            left_type.name(),
            right_type.name()
        )));
    };
    compiler.cost += cost(form);
    let left = widen(left, left_type, form)?;
    let right = widen(right, right_type, form)?;
    Ok(Node::Compare(Box::new(Compare::new(op, form, left, right))))
}

/// Work units of one comparison.
pub(in super::super) fn cost(form: Form) -> u32 {
    match form {
        Form::Text | Form::BlankPadded | Form::Numeric | Form::Interval => 2,
        Form::Array => 10,
        _ => 1,
    }
}
