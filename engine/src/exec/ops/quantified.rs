//! `test op ANY (rows)` and `test op ALL (rows)` with SQL's three values.

use crate::bind::{Expr, ExprKind, Notation, ParamId};
use crate::catalog::OperatorRef;
use crate::error::{Error, Result};
use crate::exec::context::ExecCx;
use crate::expr::{EvalCounters, Program, StopCause};
use crate::value::{Batch, Column, Datum, Type, Vector};

use super::row_value::row_value;

/// The comparison of one outer row with the rows of its sub-select.
pub(super) struct Quantified {
    tests: Vec<Program>,
    /// Over the test values' columns, then the sub-select's.
    comparison: Program,
    all: bool,
    /// The test values, and one column repeating each of them, with room for the sub-select's columns.
    values: Vec<Datum>,
    columns: Vec<Column>,
    saw_null: bool,
    decided: bool,
    /// Rows to compare at once: the values are repeated for each.
    most_rows: usize,
}

impl Quantified {
    /// Errors: 0A000 for a row comparison by operators other than `=` and `<>`.
    pub(super) fn compile(test: &[Expr], operators: &[OperatorRef], all: bool) -> Result<Self> {
        let n = test.len();
        let mut calls: Vec<Expr> = Vec::with_capacity(n);
        let mut columns: Vec<Column> = test.iter().map(|test| Column::new(test.ty)).collect();
        for (i, (test, operator)) in test.iter().zip(operators).enumerate() {
            let args = vec![Expr::slot(i, test.ty), Expr::slot(n + i, operator.right)];
            let function = operator.function.clone();
            let notation = Notation::Operator(operator.clone());
            calls.push(Expr::new(
                ExprKind::Call {
                    function,
                    notation,
                    args,
                },
                operator.result(),
            ));
            columns.push(Column::new(operator.right));
        }
        let kind = match (operators, calls.len()) {
            (_, 1) => calls.remove(0).kind,
            (operators, _) if operators.iter().all(|operator| &*operator.name == "=") => {
                ExprKind::And(calls)
            }
            (operators, _) if operators.iter().all(|operator| &*operator.name == "<>") => {
                ExprKind::Or(calls)
            }
            _ => {
                return Err(Error::unsupported(
                    "comparing rows with a sub-select by an operator other than = and <>",
                ));
            }
        };
        Ok(Quantified {
            tests: test.iter().map(Program::compile).collect::<Result<_>>()?,
            comparison: Program::compile(&Expr::new(kind, Type::BOOL))?,
            all,
            values: Vec::new(),
            columns,
            saw_null: false,
            decided: false,
            most_rows: usize::MAX,
        })
    }

    pub(super) fn params(&self) -> impl Iterator<Item = ParamId> {
        self.tests
            .iter()
            .chain([&self.comparison])
            .flat_map(|program| program.params().iter().copied())
    }

    /// A new outer row.
    pub(super) fn start(
        &mut self,
        cx: &mut ExecCx,
        columns: &[Column],
        row: usize,
    ) -> Result<(), StopCause> {
        self.values.clear();
        for (test, column) in self.tests.iter_mut().zip(&mut self.columns) {
            column.clear();
            self.values.push(row_value(test, cx, columns, row)?);
        }
        let bytes: u64 = self.values.iter().map(Datum::copied_bytes).sum();
        self.most_rows = (Batch::FULL_BYTES / bytes.max(1)).max(1) as usize;
        (self.saw_null, self.decided) = (false, false);
        Ok(())
    }

    /// How many rows of the sub-select to ask for at a time.
    pub(super) fn demand(&self, batch_rows: usize) -> usize {
        batch_rows.min(self.most_rows)
    }

    /// Compares with rows of the sub-select. True if the result is known now.
    pub(super) fn add(&mut self, cx: &mut ExecCx, batch: &mut Batch) -> Result<bool, StopCause> {
        let rows = batch.physical_rows();
        for (value, column) in self.values.iter().zip(&mut self.columns) {
            while column.len() < rows {
                column.push(value);
            }
        }
        let theirs = self.tests.len();
        for (column, theirs) in batch.columns.iter_mut().zip(&mut self.columns[theirs..]) {
            std::mem::swap(column, theirs);
        }
        cx.work
            .spend((batch.len() as u32).saturating_mul(self.comparison.cost()));
        let compared = self.compare(cx, batch);
        for (column, theirs) in batch.columns.iter_mut().zip(&mut self.columns[theirs..]) {
            std::mem::swap(column, theirs);
        }
        match compared {
            // PostgreSQL compares no row after the one that decides.
            Err(cause) if !self.decided => Err(cause),
            _ => Ok(self.decided),
        }
    }

    /// Compares row after row, also where the comparison pauses: a batch is soon done.
    fn compare(&mut self, cx: &mut ExecCx, batch: &Batch) -> Result<(), StopCause> {
        let (all, mut done) = (batch.rows(), 0);
        while done < all.len() {
            let rows = all.slice(done, all.len());
            let mut counters = EvalCounters::default();
            let (results, stop) =
                self.comparison
                    .eval(&mut cx.eval(&mut counters), &self.columns, rows);
            let known = match &stop {
                None => rows,
                Some(stop) => rows.below(stop.row),
            };
            for row in known.iter() {
                match &results.data {
                    _ if results.is_null(row) => self.saw_null = true,
                    Vector::Bool(values) => self.decided |= values[row] != self.all,
                    _ => return Err(Error::internal("a comparison's result is no boolean").into()),
                }
            }
            done += known.len();
            if let Some(cause) = stop.and_then(|stop| stop.cause) {
                return Err(cause);
            }
        }
        Ok(())
    }

    pub(super) fn take(&mut self) -> Datum {
        match (self.decided, self.saw_null) {
            (true, _) => Datum::Bool(!self.all),
            (false, true) => Datum::Null,
            (false, false) => Datum::Bool(self.all),
        }
    }
}
