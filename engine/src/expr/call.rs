//! Calls of functions, operators and casts: arguments evaluated, then a kernel over the rows.

use std::rc::Rc;

use super::node::{Env, Evaluated, Halt, Node, Operand, before};
use super::operand::{Native, grow, union_nulls};
use super::{EvalCx, Stop};
use crate::error::{Error, Result, sqlstate};
use crate::value::{Array, Column, Datum, Numeric, Rows, Type, Vector};

/// How a function is computed. The kernels find the NULLs of a strict function's result already
/// written and skip those rows, or compute something for them that nobody sees.
#[derive(Clone, Copy)]
pub(super) enum Kernel {
    /// A loop of its own over the rows.
    Batch(fn(&[Operand<'_>], Rows<'_>, &mut Column) -> Halt),
    /// One row at a time.
    Row(fn(&Row<'_>, &mut Output<'_>) -> Result<()>),
    /// One row at a time, with the statement's context.
    Context(fn(&Row<'_>, &mut EvalCx<'_>, &mut Output<'_>) -> Result<()>),
}

/// One row's arguments. The accessors are for what the function was chosen for.
pub(super) struct Row<'a> {
    args: &'a [Operand<'a>],
    row: usize,
}

impl<'a> Row<'a> {
    pub fn count(&self) -> usize {
        self.args.len()
    }

    #[inline]
    pub fn is_null(&self, i: usize) -> bool {
        self.args[i].is_null(self.row)
    }

    #[inline]
    pub fn get<T: Native + Copy>(&self, i: usize) -> T {
        *self.args[i].value::<T>(self.row)
    }

    #[inline]
    pub fn int4(&self, i: usize) -> i32 {
        self.get(i)
    }

    #[inline]
    pub fn int8(&self, i: usize) -> i64 {
        self.get(i)
    }

    #[inline]
    pub fn float8(&self, i: usize) -> f64 {
        self.get(i)
    }

    pub fn numeric(&self, i: usize) -> &'a Numeric {
        self.args[i].value(self.row)
    }

    pub fn array(&self, i: usize) -> &'a Rc<Array> {
        self.args[i].value(self.row)
    }

    #[inline]
    pub fn bytes(&self, i: usize) -> &'a [u8] {
        self.args[i].bytes(self.row)
    }

    #[inline]
    pub fn text(&self, i: usize) -> &'a str {
        self.args[i].text(self.row)
    }

    pub fn operand(&self, i: usize) -> Operand<'a> {
        self.args[i]
    }

    pub fn number(&self) -> usize {
        self.row
    }
}

/// Where one row's result goes.
pub(super) struct Output<'a> {
    column: &'a mut Column,
    row: usize,
    scratch: &'a mut String,
}

/// The most text that one register holds: string offsets are 32 bits wide, and so is wasm's memory.
const MOST_TEXT: u64 = 1 << 30;

#[cold]
fn too_much_text(bytes: usize) -> Error {
    Error::new(sqlstate::OUT_OF_MEMORY, "out of memory")
        .with_detail(format!("Failed on request of size {bytes}."))
}

impl Output<'_> {
    #[inline]
    pub fn set<T: Native>(&mut self, value: T) -> Result<()> {
        T::vector(&mut self.column.data)[self.row] = value;
        Ok(())
    }

    #[inline]
    pub fn null(&mut self) -> Result<()> {
        self.column.nulls.set(self.row);
        Ok(())
    }

    #[inline]
    pub fn text(&mut self, text: &str) -> Result<()> {
        self.bytes(text.as_bytes())
    }

    /// Bytes of valid UTF-8. Errors: 53200 where a batch's texts would pass [`MOST_TEXT`].
    #[inline]
    pub fn bytes(&mut self, text: &[u8]) -> Result<()> {
        self.append(text.len(), |out| out.extend_from_slice(text))
    }

    /// What `write` appends, at most `most` bytes of valid UTF-8, without a copy.
    #[inline]
    pub fn append(&mut self, most: usize, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let Vector::Text(texts) = &mut self.column.data else {
            unreachable!("compiled for another type");
        };
        if texts.text_bytes() + most as u64 > MOST_TEXT {
            return Err(too_much_text(most));
        }
        texts.pad_to(self.row);
        texts.push_with(write);
        Ok(())
    }

    /// The text that `write` leaves in an empty string.
    #[inline]
    pub fn build(&mut self, write: impl FnOnce(&mut String) -> Result<()>) -> Result<()> {
        let mut scratch = std::mem::take(self.scratch);
        scratch.clear();
        let result = write(&mut scratch).and_then(|()| self.bytes(scratch.as_bytes()));
        *self.scratch = scratch;
        result
    }

    pub fn ty(&self) -> Type {
        self.column.ty()
    }

    /// A value of any type that fits the result.
    pub fn datum(&mut self, value: Datum) -> Result<()> {
        match value {
            Datum::Null => self.null(),
            Datum::Bool(value) => self.set(value),
            Datum::Int2(value) => self.set(value),
            Datum::Int4(value) | Datum::Date(value) => self.set(value),
            Datum::Int8(value) | Datum::Timestamp(value) => self.set(value),
            Datum::Float4(value) => self.set(value),
            Datum::Float8(value) => self.set(value),
            Datum::Numeric(value) => self.set(value),
            Datum::Text(value) => self.text(&value),
            Datum::Array(value) => self.set(value),
        }
    }
}

/// Makes a register ready for results at the rows below `end`, which are written in ascending order.
pub(super) fn prepare(out: &mut Column, end: usize) {
    match &mut out.data {
        Vector::Text(texts) => texts.clear(),
        Vector::Bool(v) => grow(v, end),
        Vector::Int2(v) => grow(v, end),
        Vector::Int4(v) => grow(v, end),
        Vector::Int8(v) => grow(v, end),
        Vector::Float4(v) => grow(v, end),
        Vector::Float8(v) => grow(v, end),
        Vector::Numeric(_) | Vector::Array(_) => {
            if out.len() < end {
                out.pad_to(end);
            }
        }
    }
}

/// Gives a text register its last rows, should they be NULL.
pub(super) fn complete(out: &mut Column, end: usize) {
    if let Vector::Text(texts) = &mut out.data {
        texts.pad_to(end);
    }
}

impl Kernel {
    /// Computes `rows`. The NULLs of a strict function's arguments are in `out` already.
    pub fn run(
        self,
        cx: &mut EvalCx<'_>,
        args: &[Operand<'_>],
        rows: Rows<'_>,
        out: &mut Column,
    ) -> Halt {
        match self {
            Kernel::Batch(kernel) => kernel(args, rows, out),
            Kernel::Row(kernel) => each(args, rows, out, |row, out| kernel(row, out)),
            Kernel::Context(kernel) => each(args, rows, out, |row, out| kernel(row, cx, out)),
        }
    }
}

/// Calls `f` for the rows that are not NULL yet, up to the first that fails.
#[inline]
pub(super) fn each<'a>(
    args: &'a [Operand<'a>],
    rows: Rows<'_>,
    out: &mut Column,
    mut f: impl FnMut(&Row<'a>, &mut Output<'_>) -> Result<()>,
) -> Halt {
    prepare(out, rows.end());
    let mut row = Row { args, row: 0 };
    let mut scratch = String::new();
    for at in rows.iter() {
        if out.nulls.get(at) {
            continue;
        }
        row.row = at;
        if let Err(error) = f(
            &row,
            &mut Output {
                column: out,
                row: at,
                scratch: &mut scratch,
            },
        ) {
            return Some(Box::new(Stop::error(at, error)));
        }
    }
    complete(out, rows.end());
    None
}

/// Arguments that are kept on the stack.
const FEW: usize = 6;

/// A call of a function.
pub(super) struct Call {
    kernel: Kernel,
    args: Vec<Node>,
    strict: bool,
    /// Computed anew for each row even if all arguments are constants.
    volatile: bool,
    /// The result where all arguments are scalars.
    value: Datum,
    out: Column,
}

impl Call {
    pub fn new(kernel: Kernel, args: Vec<Node>, ty: Type) -> Self {
        let out = Column::new(ty);
        Call {
            kernel,
            args,
            strict: true,
            volatile: false,
            value: Datum::Null,
            out,
        }
    }

    pub fn not_strict(mut self) -> Self {
        self.strict = false;
        self
    }

    pub fn volatile(mut self, volatile: bool) -> Self {
        self.volatile = volatile;
        self
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let Call {
            kernel,
            args,
            strict,
            volatile,
            value,
            out,
        } = self;
        let mut few = [Operand::NULL; FEW];
        let mut many = Vec::new();
        let operands = if args.len() <= FEW {
            &mut few[..args.len()]
        } else {
            many.resize(args.len(), Operand::NULL);
            &mut many[..]
        };
        let (rows, halt) = eval_all(args, operands, cx, env, rows);
        if *strict && operands.iter().any(|operand| operand.is_null_scalar()) {
            return (Operand::NULL, halt);
        }
        if *strict {
            union_nulls(&mut out.nulls, operands);
        } else {
            out.nulls.clear();
        }
        let scalar = !*volatile
            && !rows.is_empty()
            && operands
                .iter()
                .all(|operand| matches!(operand, Operand::Scalar(_)));
        if scalar {
            let row = rows.at(0);
            let failed = kernel.run(cx, operands, Rows::Range(row, row + 1), out);
            if failed.is_none() {
                *value = out.get(row);
            }
            return (Operand::Scalar(value), failed.or(halt));
        }
        let earlier = kernel.run(cx, operands, rows, out);
        (Operand::Column(out), earlier.or(halt))
    }
}

/// Evaluates operands left to right; answers the rows for which all are complete.
pub(super) fn eval_all<'a, 'r>(
    nodes: &'a mut [Node],
    operands: &mut [Operand<'a>],
    cx: &mut EvalCx<'_>,
    env: Env<'a>,
    rows: Rows<'r>,
) -> (Rows<'r>, Halt) {
    let (mut rows, mut halt) = (rows, None);
    for (node, operand) in nodes.iter_mut().zip(operands) {
        let (value, earlier) = node.eval(cx, env, rows);
        *operand = value;
        if earlier.is_some() {
            rows = before(rows, &earlier);
            halt = earlier;
        }
    }
    (rows, halt)
}
