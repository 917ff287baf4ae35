//! ModifyTable: INSERT, UPDATE and DELETE of the input's rows. It gives no rows; it counts them.

use std::rc::Rc;

use crate::am::{ScanCounters, Tid};
use crate::bind::{CastContext, CastMethod, Expr, ExprKind};
use crate::catalog::Table;
use crate::error::{Error, Result, sqlstate};
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::expr::Program;
use crate::instr::OperatorFacts;
use crate::plan::Operation;
use crate::value::{Batch, Column, Type, Vector};

use super::row_value::row_value;
use super::selector::window;

/// Work units for writing a row.
const WRITE_COST: u32 = 20;
/// PostgreSQL shows this many characters of a value in an error's detail.
const SHOWN_CHARACTERS: usize = 64;

/// Takes rows in and writes them.
pub(in crate::exec) struct ModifyTable {
    table: Rc<Table>,
    operation: Operation,
    batch: Box<Batch>,
    /// The addresses of the rows to change: the input's last column.
    tids: Option<Column>,
    place: usize,
    modified: u64,
    counters: ScanCounters,
}

impl ModifyTable {
    pub(in crate::exec) fn new(table: Rc<Table>, operation: Operation) -> Self {
        ModifyTable {
            table,
            operation,
            batch: Box::default(),
            tids: None,
            place: 0,
            modified: 0,
            counters: ScanCounters::default(),
        }
    }

    fn write(&mut self, cx: &mut ExecCx) -> Result<Step> {
        while self.place < self.batch.len() {
            if cx.work.is_exhausted() {
                return Ok(Step::Yield);
            }
            let n = window(&cx.work, WRITE_COST, self.batch.len() - self.place);
            cx.work.spend(n as u32 * WRITE_COST);
            match self.operation {
                Operation::Insert => self.insert(cx, n)?,
                Operation::Update | Operation::Delete => self.change(cx, n)?,
            }
            self.place += n;
        }
        if let Some(tids) = self.tids.take() {
            self.batch.columns.push(tids);
        }
        Ok(Step::Need(0))
    }

    /// Inserts the next `n` rows; those before one that fails are inserted as well.
    fn insert(&mut self, cx: &mut ExecCx, n: usize) -> Result<()> {
        let rows = self.batch.rows().slice(self.place, self.place + n);
        let violation = self.first_null(n);
        let good = violation.map_or(n, |(i, _)| i - self.place);
        self.table.storage.insert(
            &mut cx.am(&mut self.counters),
            &self.batch,
            rows.slice(0, good),
        )?;
        self.modified += good as u64;
        match violation {
            None => Ok(()),
            Some((i, column)) => Err(self.not_null_violation(cx, i, column)),
        }
    }

    /// Updates or deletes the next `n` rows.
    fn change(&mut self, cx: &mut ExecCx, n: usize) -> Result<()> {
        let violation = if self.operation == Operation::Update {
            self.first_null(n)
        } else {
            None
        };
        for i in self.place..self.place + n {
            if let Some((failing, column)) = violation
                && failing == i
            {
                return Err(self.not_null_violation(cx, i, column));
            }
            let row = self.batch.row(i);
            let tid = match self.tids.as_ref().map(|tids| &tids.data) {
                Some(Vector::Int8(tids)) => Tid(tids[row] as u64),
                _ => return Err(Error::internal("a row to change has no address")),
            };
            let mut am = cx.am(&mut self.counters);
            let changed = match self.operation {
                Operation::Update => self.table.storage.update(&mut am, tid, &self.batch, row)?,
                _ => self.table.storage.delete(&mut am, tid)?,
            };
            self.modified += u64::from(changed);
        }
        Ok(())
    }

    /// The first of the next `n` rows with a NULL where none may be, and that column.
    fn first_null(&self, n: usize) -> Option<(usize, usize)> {
        let mut first: Option<(usize, usize)> = None;
        for (at, column) in self.table.columns.iter().enumerate() {
            let values = &self.batch.columns[at];
            if column.not_null && values.nulls.any() {
                let end = first.map_or(self.place + n, |(i, _)| i);
                if let Some(i) = (self.place..end).find(|&i| values.is_null(self.batch.row(i))) {
                    first = Some((i, at));
                }
            }
        }
        first
    }

    #[cold]
    fn not_null_violation(&self, cx: &mut ExecCx, i: usize, column: usize) -> Error {
        let error = Error::new(
            sqlstate::NOT_NULL_VIOLATION,
            format!(
                "null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                self.table.columns[column].name, self.table.name
            ),
        );
        match self.show_row(cx, self.batch.row(i)) {
            Ok(row) => error.with_detail(format!("Failing row contains ({row}).")),
            Err(_) => error,
        }
    }

    /// `ExecBuildSlotValueDescription`: the values as text, long ones cut.
    fn show_row(&self, cx: &mut ExecCx, row: usize) -> Result<String> {
        let mut shown = Vec::with_capacity(self.table.columns.len());
        for (at, column) in self.table.columns.iter().enumerate() {
            let arg = Box::new(Expr::slot(at, column.ty));
            let cast = ExprKind::Cast {
                arg,
                method: CastMethod::InOut,
                context: CastContext::Explicit,
            };
            let mut program = Program::compile(&Expr::new(cast, Type::TEXT))?;
            let value = row_value(&mut program, cx, &self.batch.columns, row)
                .map_err(|_| Error::internal("a value has no text form"))?;
            shown.push(match value.as_str() {
                None => "null".to_string(),
                Some(text) if text.len() <= SHOWN_CHARACTERS => text.to_string(),
                Some(text) => {
                    let end = (0..=SHOWN_CHARACTERS)
                        .rev()
                        .find(|&at| text.is_char_boundary(at))
                        .unwrap_or(0);
                    format!("{}...", &text[..end])
                }
            });
        }
        Ok(shown.join(", "))
    }
}

impl Operator for ModifyTable {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Build]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, _out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go => self.write(cx),
            Input::End(_) => Ok(Step::Done),
            Input::Batch(_, batch) => {
                std::mem::swap(batch, &mut self.batch);
                self.place = 0;
                if self.operation != Operation::Insert {
                    self.tids = self.batch.columns.pop();
                }
                self.write(cx)
            }
        }
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.place = self.batch.len();
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.modified_rows = Some(self.modified);
    }
}
