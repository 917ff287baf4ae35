//! Unique: drops a row equal to the one before it. Its input is sorted, or grouped, by the columns.

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::value::{Batch, Column, equal_values};

/// Narrows its input's selection; moves no values.
pub(in crate::exec) struct Unique {
    columns: Vec<usize>,
    /// The last row of the batch before, in these columns; none before the first.
    last: Option<Vec<Column>>,
    kept: Vec<u32>,
}

impl Unique {
    pub(in crate::exec) fn new(columns: Vec<usize>) -> Self {
        Unique {
            columns,
            last: None,
            kept: Vec::new(),
        }
    }
}

/// NULL equals NULL here.
fn same(a: &Column, i: usize, b: &Column, j: usize) -> bool {
    match (a.is_null(i), b.is_null(j)) {
        (false, false) => equal_values(a, i, b, j),
        (a_null, b_null) => a_null && b_null,
    }
}

impl Operator for Unique {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        let batch = match input {
            Input::Go => return Ok(Step::Need(0)),
            Input::End(_) => return Ok(Step::Done),
            Input::Batch(_, batch) => batch,
        };
        std::mem::swap(batch, out);
        cx.work.spend((out.len() * self.columns.len()) as u32);
        self.kept.clear();
        let mut before = None;
        for row in out.rows().iter() {
            let repeated = match (before, &self.last) {
                (Some(before), _) => self
                    .columns
                    .iter()
                    .all(|&c| same(&out.columns[c], row, &out.columns[c], before)),
                (None, Some(last)) => self
                    .columns
                    .iter()
                    .zip(last)
                    .all(|(&c, last)| same(&out.columns[c], row, last, 0)),
                (None, None) => false,
            };
            if !repeated {
                self.kept.push(row as u32);
            }
            before = Some(row);
        }
        if let Some(row) = before {
            let types = self.columns.iter().map(|&c| out.columns[c].ty());
            let last = self
                .last
                .get_or_insert_with(|| types.map(Column::new).collect());
            for (&c, last) in self.columns.iter().zip(last) {
                last.clear();
                last.push_from(&out.columns[c], row);
            }
        }
        if self.kept.len() < out.len() {
            out.swap_selection(&mut self.kept);
        }
        Ok(Step::Need(0))
    }

    fn rescan(&mut self, _cx: &mut ExecCx, _changed: Changed) -> Restart {
        self.last = None;
        Restart::All
    }
}
