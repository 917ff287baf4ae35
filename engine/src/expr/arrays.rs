//! The array constructor and the subscript.

use std::rc::Rc;

use super::call::{eval_all, prepare};
use super::merge::Merge;
use super::meter::Meter;
use super::node::{Env, Evaluated, Node, Operand, before};
use super::operand::{Native, each_row};
use super::{EvalCx, Stop};
use crate::value::{Array, Column, Datum, Rows, Type};

/// `ARRAY[…]`
pub(super) struct Construct {
    elements: Vec<Node>,
    element_type: Type,
    /// The array, where all elements are scalars.
    value: Datum,
    out: Column,
}

impl Construct {
    pub fn new(elements: Vec<Node>, ty: Type) -> Self {
        Construct {
            elements,
            element_type: ty.element(),
            value: Datum::Null,
            out: Column::new(ty.to_array()),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let Construct {
            elements,
            element_type,
            value,
            out,
        } = self;
        let mut operands = vec![Operand::NULL; elements.len()];
        let (rows, mut halt) = eval_all(elements, &mut operands, cx, env, rows);
        let make = |row| {
            let mut elements = Column::new(*element_type);
            operands
                .iter()
                .for_each(|operand| operand.push_to(&mut elements, row));
            Rc::new(Array::new(elements))
        };
        if operands
            .iter()
            .all(|operand| matches!(operand, Operand::Scalar(_)))
        {
            *value = Datum::Array(make(0));
            return (Operand::Scalar(value), halt);
        }
        prepare(out, rows.end());
        out.nulls.clear();
        let arrays = <Rc<Array>>::vector(&mut out.data);
        let (mut meter, end) = (Meter::new(cx), rows.end());
        for row in rows.iter() {
            let array = make(row);
            let (bytes, work) = array.long_bytes();
            if let Err(error) = meter.memory().check(bytes) {
                halt = Some(Box::new(Stop::error(row, error)));
                break;
            }
            arrays[row] = array;
            meter.count(work);
            let pause = meter.pause(row, end);
            if pause.is_some() {
                halt = pause;
                break;
            }
        }
        meter.settle(cx);
        (Operand::Column(out), halt)
    }
}

/// `array[index]`: NULL outside of the array. The index of a NULL array is not looked at.
pub(super) struct Subscript {
    array: Node,
    index: Node,
    merge: Merge,
    present: Vec<u32>,
}

impl Subscript {
    pub fn new(array: Node, index: Node, ty: Type) -> Self {
        Subscript {
            array,
            index,
            merge: Merge::new(ty),
            present: Vec::new(),
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let Subscript {
            array,
            index,
            merge,
            present,
        } = self;
        let (array, halt) = array.eval(cx, env, rows);
        let rows = before(rows, &halt);
        merge.begin(rows.end());
        present.clear();
        each_row(rows, |row| {
            if array.is_null(row) {
                merge.set_null(row)
            } else {
                present.push(row as u32)
            }
        });
        let (index, earlier) = index.eval(cx, env, Rows::Picked(present));
        each_row(before(Rows::Picked(present), &earlier), |row| {
            if index.is_null(row) {
                return merge.set_null(row);
            }
            let array: &Rc<Array> = array.value(row);
            match usize::try_from(*index.value::<i32>(row)) {
                Ok(at) if (1..=array.len()).contains(&at) => {
                    merge.put_from(&array.elements, at - 1, row);
                }
                _ => merge.set_null(row),
            }
        });
        merge.finish(cx, before(rows, &earlier), earlier.or(halt))
    }
}
