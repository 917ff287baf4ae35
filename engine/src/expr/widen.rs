//! The narrower side of a cross-type operator, brought to the wider type without loss.

use super::EvalCx;
use super::compare::Form;
use super::node::{Env, Evaluated, Node, Operand, before};
use super::operand::{Native, map};
use crate::error::{Error, Result};
use crate::value::{Base, Column, Datum, Rows, Type};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Widening {
    Int2To4,
    Int2To8,
    Int4To8,
    Float4To8,
    DateToTimestamp,
}

pub(super) struct Widen {
    widening: Widening,
    arg: Node,
    /// The widened value of a scalar.
    value: Datum,
    out: Column,
}

/// The day that is one of a timestamp's microseconds too far: compares above every timestamp.
const BEYOND_TIMESTAMPS: i64 = i64::MAX - 1;
const MICROSECONDS_A_DAY: i64 = 86_400_000_000;
/// `END_TIMESTAMP`, exclusive.
const END_OF_TIMESTAMPS: i64 = 9_223_371_331_200_000_000;

/// A date as the timestamp of its midnight; days after the last timestamp become one value above
/// all finite timestamps (`date_cmp_timestamp_internal`).
pub(super) fn date_as_timestamp(date: i32) -> i64 {
    match date {
        i32::MIN => i64::MIN,
        i32::MAX => i64::MAX,
        date if i64::from(date) >= END_OF_TIMESTAMPS / MICROSECONDS_A_DAY => BEYOND_TIMESTAMPS,
        date => i64::from(date) * MICROSECONDS_A_DAY,
    }
}

/// Makes a node of type `ty` give values of `form`. Constants are widened here and now.
pub(super) fn widen(node: Node, ty: Type, form: Form) -> Result<Node> {
    let widening = match (ty.base, form) {
        _ if ty.array => return Ok(node),
        (Base::Int2, Form::Int4) => Widening::Int2To4,
        (Base::Int2, Form::Int8) => Widening::Int2To8,
        (Base::Int4, Form::Int8) => Widening::Int4To8,
        (Base::Float4, Form::Float8) => Widening::Float4To8,
        (Base::Date, Form::Int8) => Widening::DateToTimestamp,
        (Base::Bool, Form::Bool)
        | (Base::Int2, Form::Int2)
        | (Base::Int4 | Base::Date, Form::Int4)
        | (Base::Int8 | Base::Timestamp, Form::Int8)
        | (Base::Float4, Form::Float4)
        | (Base::Float8, Form::Float8)
        | (Base::Numeric, Form::Numeric)
        | (Base::Interval, Form::Interval)
        | (Base::Bpchar, Form::BlankPadded)
        | (Base::Text | Base::Varchar | Base::Unknown, Form::Text) => return Ok(node),
        _ => {
            return Err(Error::internal(format!(
                "{} widened to {form:?}",
                ty.name()
            )));
        }
    };
    if let Node::Const(value) = &node {
        return Ok(Node::Const(widening.datum(value)));
    }
    Ok(Node::Widen(Box::new(Widen {
        widening,
        arg: node,
        value: Datum::Null,
        out: Column::new(widening.result()),
    })))
}

impl Widening {
    fn result(self) -> Type {
        match self {
            Widening::Int2To4 => Type::INT4,
            Widening::Int2To8 | Widening::Int4To8 => Type::INT8,
            Widening::Float4To8 => Type::FLOAT8,
            Widening::DateToTimestamp => Type::TIMESTAMP,
        }
    }

    fn datum(self, value: &Datum) -> Datum {
        match (self, value) {
            (Widening::Int2To4, Datum::Int2(value)) => Datum::Int4(i32::from(*value)),
            (Widening::Int2To8, Datum::Int2(value)) => Datum::Int8(i64::from(*value)),
            (Widening::Int4To8, Datum::Int4(value)) => Datum::Int8(i64::from(*value)),
            (Widening::Float4To8, Datum::Float4(value)) => Datum::Float8(f64::from(*value)),
            (Widening::DateToTimestamp, Datum::Date(value)) => {
                Datum::Timestamp(date_as_timestamp(*value))
            }
            _ => Datum::Null,
        }
    }
}

impl Widen {
    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let (value, halt) = self.arg.eval(cx, env, rows);
        let rows = before(rows, &halt);
        match value {
            Operand::Scalar(value) => {
                self.value = self.widening.datum(value);
                (Operand::Scalar(&self.value), halt)
            }
            Operand::Column(column) => {
                let (from, to) = (&column.data, &mut self.out.data);
                match self.widening {
                    Widening::Int2To4 => map(rows, i16::slice(from), i32::vector(to), i32::from),
                    Widening::Int2To8 => map(rows, i16::slice(from), i64::vector(to), i64::from),
                    Widening::Int4To8 => map(rows, i32::slice(from), i64::vector(to), i64::from),
                    Widening::Float4To8 => map(rows, f32::slice(from), f64::vector(to), f64::from),
                    Widening::DateToTimestamp => {
                        map(rows, i32::slice(from), i64::vector(to), date_as_timestamp);
                    }
                }
                self.out.nulls.copy_from(&column.nulls);
                (Operand::Column(&self.out), halt)
            }
        }
    }
}
