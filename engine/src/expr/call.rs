//! Calls of functions, operators and casts: arguments evaluated, then a kernel over the rows.

use std::rc::Rc;

use super::meter::Meter;
use super::node::{Env, Evaluated, Halt, Node, Operand, before};
use super::operand::{Native, grow, union_nulls};
use super::{EvalCx, Stop};
use crate::error::{Error, Result, sqlstate};
use crate::memory::Memory;
use crate::value::{Array, Column, Datum, Interval, Numeric, Rows, Type, Vector};

/// How a function is computed. The kernels find the NULLs of a strict function's result already
/// written and skip those rows, or compute something for them that nobody sees.
#[derive(Clone, Copy)]
pub(super) enum Kernel {
    /// A loop of its own over the rows.
    Batch(fn(&[Operand<'_>], Rows<'_>, &mut Column) -> Halt),
    /// The same over texts, which may be long: it counts what it reads.
    Texts(fn(&[Operand<'_>], Rows<'_>, &mut Column, &mut Meter<'_>) -> Halt),
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

    #[inline]
    pub fn interval(&self, i: usize) -> Interval {
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
    /// Bytes read and written so far.
    bytes: &'a mut u64,
    memory: &'a Memory,
}

/// What bounds the size of one value.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    memory: &'a Memory,
}

impl Room<'_> {
    /// Errors: 54000 for a value that PostgreSQL would not allocate, 53200 for one that does not
    /// fit the memory left. To be asked before memory is taken.
    #[inline]
    pub fn check(self, bytes: u64) -> Result<()> {
        check_size(bytes)?;
        self.memory.check(bytes)
    }
}

/// PostgreSQL's limit of one value (`MaxAllocSize`), its header left out.
const MOST_BYTES: u64 = 0x3FFF_FFFF - 4;

/// 54000 for a value that PostgreSQL would not allocate.
pub(super) fn check_size(bytes: u64) -> Result<()> {
    if bytes > MOST_BYTES {
        Err(too_large())
    } else {
        Ok(())
    }
}

#[cold]
pub(super) fn too_large() -> Error {
    Error::new(
        sqlstate::PROGRAM_LIMIT_EXCEEDED,
        "requested length too large",
    )
}

/// The most text that one register holds: string offsets are 32 bits wide, and so is wasm's memory.
const MOST_TEXT: u64 = 1 << 30;

#[cold]
fn too_much_text(bytes: usize) -> Error {
    Error::new(sqlstate::OUT_OF_MEMORY, "out of memory")
        .with_detail(format!("Failed on request of size {bytes}."))
}

/// Values up to this size are made without asking whether they fit.
const SMALL: u64 = 4096;

impl<'a> Output<'a> {
    /// The memory that is left for the value.
    #[inline]
    pub fn room(&self) -> Room<'a> {
        Room {
            memory: self.memory,
        }
    }

    /// Counts work on long values beyond the reading of the arguments and the writing of the result.
    #[inline]
    pub fn work(&mut self, bytes: u64) {
        *self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Errors: 53200.
    #[inline]
    pub fn set<T: Native>(&mut self, value: T) -> Result<()> {
        let (bytes, cost) = value.long_bytes();
        if cost > 0 {
            self.work(cost);
            if bytes > SMALL {
                self.memory.check(bytes)?;
            }
        }
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

    /// Bytes of valid UTF-8. Errors: 53200, also where a batch's texts would pass [`MOST_TEXT`].
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
        if most as u64 > SMALL {
            self.memory.check(most as u64)?;
        }
        *self.bytes += most as u64;
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
            Datum::Interval(value) => self.set(value),
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
        Vector::Interval(v) => grow(v, end),
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
        if let Kernel::Batch(kernel) = self {
            return kernel(args, rows, out);
        }
        let mut meter = Meter::new(cx);
        let halt = self.run_metered(cx, args, rows, out, &mut meter);
        meter.settle(cx);
        halt
    }

    /// As [`Kernel::run`]; counts on a meter of the caller's.
    pub fn run_metered(
        self,
        cx: &mut EvalCx<'_>,
        args: &[Operand<'_>],
        rows: Rows<'_>,
        out: &mut Column,
        meter: &mut Meter<'_>,
    ) -> Halt {
        match self {
            Kernel::Batch(kernel) => kernel(args, rows, out),
            Kernel::Texts(kernel) => kernel(args, rows, out, meter),
            Kernel::Row(kernel) => each(args, rows, out, meter, |row, out| kernel(row, out)),
            Kernel::Context(kernel) => {
                each(args, rows, out, meter, |row, out| kernel(row, cx, out))
            }
        }
    }
}

/// True where the texts of an argument are long enough to be counted row by row.
pub(super) fn is_long(arg: &Operand<'_>) -> bool {
    match arg {
        Operand::Column(column) => match &column.data {
            Vector::Text(texts) => texts.text_bytes() > 16 * SMALL,
            _ => false,
        },
        Operand::Scalar(Datum::Text(text)) => text.len() > 64,
        Operand::Scalar(_) => false,
    }
}

/// Bytes of an argument's text.
#[inline]
fn text_length(arg: &Operand<'_>, row: usize) -> u64 {
    match arg {
        Operand::Column(column) => match &column.data {
            Vector::Text(texts) => texts.bytes_of(row).len() as u64,
            _ => 0,
        },
        Operand::Scalar(value) => value.as_str().map_or(0, |text| text.len() as u64),
    }
}

/// Calls `f` for the rows that are not NULL yet, up to the first that fails or to a pause.
#[inline]
pub(super) fn each<'a>(
    args: &'a [Operand<'a>],
    rows: Rows<'_>,
    out: &mut Column,
    meter: &mut Meter<'_>,
    mut f: impl FnMut(&Row<'a>, &mut Output<'_>) -> Result<()>,
) -> Halt {
    prepare(out, rows.end());
    let mut row = Row { args, row: 0 };
    let mut scratch = String::new();
    let (long, end) = (args.iter().any(is_long), rows.end());
    for at in rows.iter() {
        if out.nulls.get(at) {
            continue;
        }
        row.row = at;
        if long {
            meter.count(args.iter().map(|arg| text_length(arg, at)).sum());
        }
        let (bytes, memory) = meter.parts();
        if let Err(error) = f(
            &row,
            &mut Output {
                column: out,
                row: at,
                scratch: &mut scratch,
                bytes,
                memory,
            },
        ) {
            complete(out, at);
            return Some(Box::new(Stop::error(at, error)));
        }
        let pause = meter.pause(at, end);
        if pause.is_some() {
            complete(out, at + 1);
            return pause;
        }
    }
    complete(out, end);
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
