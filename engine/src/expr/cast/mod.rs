//! Casts between types, to declared lengths, of arrays element by element.

mod array;
mod number;

pub(super) use array::ArrayCast;
use array::parse_arrays;

use super::call::{Call, Kernel};
use super::compile::Compiler;
use super::node::{Node, Operand};
use crate::bind::{CastContext, CastMethod};
use crate::error::{Error, Result};
use crate::value::text::{parse_datum, write_datum, write_value};
use crate::value::{Base, Datum, Type, datetime, text};

/// What a cast is compiled from.
#[derive(Clone, Copy)]
pub(super) struct Cast {
    pub from: Type,
    pub to: Type,
    pub from_typmod: i32,
    pub to_typmod: i32,
    pub method: CastMethod,
    pub context: CastContext,
}

/// The node that casts `arg`. Errors: XX000 for a pair of types that the binder never casts.
pub(super) fn compile(compiler: &mut Compiler, cast: Cast, arg: Node) -> Result<Node> {
    let converted = match cast.method {
        CastMethod::Relabel | CastMethod::Typmod => arg,
        CastMethod::Convert | CastMethod::InOut => convert(compiler, cast, arg)?,
    };
    if cast.to_typmod < 0 || (cast.from == cast.to && cast.from_typmod == cast.to_typmod) {
        return Ok(converted);
    }
    let element = Cast {
        to: cast.to.element(),
        ..cast
    };
    let Some((kernel, typmod)) = length_kernel(element) else {
        return Ok(converted);
    };
    compiler.cost += 3;
    if cast.to.array {
        let cast = ArrayCast::new(kernel, Some(typmod), converted, cast.to);
        return Ok(Node::ArrayCast(Box::new(cast)));
    }
    apply(kernel, cast.to, converted, Some(typmod))
}

fn convert(compiler: &mut Compiler, cast: Cast, arg: Node) -> Result<Node> {
    let Cast {
        from, to, method, ..
    } = cast;
    if from == to || from.is_string() && to.is_string() {
        return Ok(arg);
    }
    let in_out = method == CastMethod::InOut;
    let found = match (from.array, to.array) {
        (false, false) => base_kernel(from.base, to.base, in_out),
        (true, true) => {
            compiler.cost += 20;
            return apply_to_elements(from, to, in_out, arg);
        }
        (true, false) if to.is_string() => Some(to_text()),
        (false, true) if from.is_string() => Some((Kernel::Context(parse_arrays), 20)),
        _ => None,
    };
    let Some((kernel, cost)) = found else {
        return Err(no_cast(from, to));
    };
    compiler.cost += cost;
    apply(kernel, to, arg, None)
}

#[cold]
fn no_cast(from: Type, to: Type) -> Error {
    Error::internal(format!("no cast from {} to {}", from.name(), to.name()))
}

fn apply(kernel: Kernel, to: Type, arg: Node, typmod: Option<Datum>) -> Result<Node> {
    let mut args = vec![arg];
    args.extend(typmod.map(Node::Const));
    Ok(Node::Call(Box::new(Call::new(kernel, args, to))))
}

fn apply_to_elements(from: Type, to: Type, in_out: bool, arg: Node) -> Result<Node> {
    if from.base == to.base || from.element().is_string() && to.element().is_string() {
        return Ok(arg);
    }
    match base_kernel(from.base, to.base, in_out) {
        Some((kernel, _)) => Ok(Node::ArrayCast(Box::new(ArrayCast::new(
            kernel, None, arg, to,
        )))),
        None => Err(no_cast(from, to)),
    }
}

/// A kernel and its work units a row.
type Found = (Kernel, u32);

fn base_kernel(from: Base, to: Base, in_out: bool) -> Option<Found> {
    use Base::{Bool, Bpchar, Date, Int4, Text, Timestamp, Unknown, Varchar};
    Some(match (from, to) {
        (Bool, Text | Varchar | Bpchar) if !in_out => (
            Kernel::Row(|row, out| out.text(if row.get::<bool>(0) { "true" } else { "false" })),
            2,
        ),
        (Bpchar, Text | Varchar) => (
            Kernel::Row(|row, out| out.bytes(text::without_blanks(row.bytes(0)))),
            1,
        ),
        (_, Text | Varchar | Bpchar | Unknown) => to_text(),
        (Text | Varchar | Bpchar | Unknown, _) => (
            Kernel::Context(|row, cx, out| {
                let ty = out.ty();
                out.datum(parse_datum(ty, row.text(0), Some(cx.now))?)
            }),
            8,
        ),
        (Int4, Bool) => (Kernel::Row(|row, out| out.set(row.int4(0) != 0)), 1),
        (Bool, Int4) => (
            Kernel::Row(|row, out| out.set(i32::from(row.get::<bool>(0)))),
            1,
        ),
        (Date, Timestamp) => (
            Kernel::Row(|row, out| out.set(datetime::date_to_timestamp(row.int4(0))?)),
            1,
        ),
        (Timestamp, Date) => (
            Kernel::Row(|row, out| out.set(datetime::timestamp_to_date(row.int8(0)))),
            2,
        ),
        _ => (number::kernel(from, to)?, 1),
    })
}

/// The output function of any type.
fn to_text() -> Found {
    let kernel = Kernel::Row(|row, out| {
        out.build(|text| {
            write_operand(row.operand(0), row.number(), text);
            Ok(())
        })
    });
    (kernel, 8)
}

/// Appends the text of one row's value, which is not NULL.
pub(super) fn write_operand(operand: Operand<'_>, row: usize, out: &mut String) {
    match operand {
        Operand::Column(column) => write_value(column, row, out),
        Operand::Scalar(value) => write_datum(value, out),
    }
}

/// The kernel that brings a value to its type's declared length, and the length as it takes it;
/// `None` for types that have none.
fn length_kernel(cast: Cast) -> Option<(Kernel, Datum)> {
    // A typmod is 4 more than what was declared (`VARHDRSZ`).
    let declared = cast.to_typmod - 4;
    Some(match cast.to {
        Type::NUMERIC => (
            Kernel::Row(|row, out| {
                let declared = row.int4(1);
                out.set(
                    row.numeric(0)
                        .apply_typmod(declared >> 16, scale_of(declared))?,
                )
            }),
            Datum::Int4(declared),
        ),
        Type::INTERVAL => (
            Kernel::Row(|row, out| out.set(row.interval(0).apply_typmod(row.int4(1)))),
            Datum::Int4(cast.to_typmod),
        ),
        Type::BPCHAR if cast.context == CastContext::Explicit => (
            Kernel::Row(|row, out| {
                out.build(|padded| {
                    text::cast_character(row.text(0), row.int4(1) as usize, padded);
                    Ok(())
                })
            }),
            Datum::Int4(declared),
        ),
        Type::BPCHAR => (
            Kernel::Row(|row, out| {
                out.build(|padded| text::store_character(row.text(0), row.int4(1) as usize, padded))
            }),
            Datum::Int4(declared),
        ),
        Type::VARCHAR if cast.context == CastContext::Explicit => (
            Kernel::Row(|row, out| out.text(text::cast_varchar(row.text(0), row.int4(1) as usize))),
            Datum::Int4(declared),
        ),
        Type::VARCHAR => (
            Kernel::Row(|row, out| {
                out.text(text::store_varchar(row.text(0), row.int4(1) as usize)?)
            }),
            Datum::Int4(declared),
        ),
        _ => return None,
    })
}

/// `numeric_typmod_scale`: eleven bits with a sign.
fn scale_of(declared: i32) -> i32 {
    ((declared & 0x7FF) ^ 1024) - 1024
}
