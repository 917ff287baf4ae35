//! Casts of arrays, element by element.

use std::rc::Rc;

use super::super::call::{Kernel, Output, Row, prepare};
use super::super::meter::Meter;
use super::super::node::{Env, Evaluated, Node, Operand, before};
use super::super::operand::Native;
use super::super::{EvalCx, Stop};
use crate::error::Result;
use crate::value::text::parse_datum;
use crate::value::{Array, Column, Datum, Rows, Type};

/// Applies the cast of an array's elements to each array.
pub(in super::super) struct ArrayCast {
    kernel: Kernel,
    /// The second argument of a cast to a declared length.
    length: Option<Datum>,
    arg: Node,
    element: Type,
    out: Column,
}

impl ArrayCast {
    pub fn new(kernel: Kernel, length: Option<Datum>, arg: Node, ty: Type) -> Self {
        ArrayCast {
            kernel,
            length,
            arg,
            element: ty.element(),
            out: Column::new(ty),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let (value, mut halt) = self.arg.eval(cx, env, rows);
        if value.is_null_scalar() {
            return (Operand::NULL, halt);
        }
        let out = &mut self.out;
        prepare(out, rows.end());
        out.nulls.clear();
        let (mut meter, rows) = (Meter::new(cx), before(rows, &halt));
        for row in rows.iter() {
            if value.is_null(row) {
                out.nulls.set(row);
                continue;
            }
            let array: &Rc<Array> = value.value(row);
            let mut elements = Column::new(self.element);
            elements.nulls.copy_from(&array.elements.nulls);
            let length = self.length.as_ref().map_or(Operand::NULL, Operand::Scalar);
            let args = [Operand::Column(&array.elements), length];
            let args = &args[..1 + usize::from(self.length.is_some())];
            let all = Rows::Range(0, array.len());
            let mut inside = Meter::without_pause(cx);
            let failed = self
                .kernel
                .run_metered(cx, args, all, &mut elements, &mut inside);
            meter.count(inside.bytes());
            if let Some(stop) = failed {
                halt = Some(Box::new(Stop { row, ..*stop }));
                break;
            }
            <Rc<Array>>::vector(&mut out.data)[row] = Rc::new(Array::new(elements));
            let pause = meter.pause(row, rows.end());
            if pause.is_some() {
                halt = pause;
                break;
            }
        }
        meter.settle(cx);
        (Operand::Column(out), halt)
    }
}

/// Array literals, read by the elements' input function.
pub(super) fn parse_arrays(row: &Row<'_>, cx: &mut EvalCx<'_>, out: &mut Output<'_>) -> Result<()> {
    let ty = out.ty();
    out.datum(parse_datum(ty, row.text(0), Some(cx.now))?)
}
