//! Material: keeps its child's rows, so that a rescan replays them (PostgreSQL's `nodeMaterial.c`).

use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::exec::operator::{Changed, Input, Operator, PortKind, Restart, Step};
use crate::instr::OperatorFacts;
use crate::memory::{Holding, Memory};
use crate::value::{Batch, Rows, Type};

/// Rows are kept as they come by; the child is run no further than was asked for.
pub(in crate::exec) struct Material {
    types: Vec<Type>,
    kept: Batch,
    /// Rows given since the last rescan.
    given: usize,
    child: Child,
    /// Accounted bytes of the rows.
    bytes: u64,
    holding: Holding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Child {
    Running,
    Ended,
}

impl Material {
    pub(in crate::exec) fn new(types: Vec<Type>, memory: &Memory) -> Self {
        Material {
            kept: Batch::with_types(&types),
            types,
            given: 0,
            child: Child::Running,
            bytes: 0,
            holding: memory.holding(),
        }
    }
}

impl Operator for Material {
    fn ports(&self) -> &[PortKind] {
        &[PortKind::Stream]
    }

    fn step(&mut self, cx: &mut ExecCx, input: Input<'_>, out: &mut Box<Batch>) -> Result<Step> {
        match input {
            Input::Go => {}
            Input::End(_) => self.child = Child::Ended,
            Input::Batch(_, batch) => {
                let before = self.kept.physical_rows();
                self.kept.append(batch);
                self.bytes += self.kept.accounted_from(before);
                self.holding.set(self.bytes)?;
            }
        }
        let rest = self.kept.physical_rows() - self.given;
        let mut n = rest.min(out.want);
        if self.bytes >= Batch::FULL_BYTES {
            let rows = Rows::Range(self.given, self.given + n);
            n = self.kept.rows_to_fill(rows);
        }
        if n > 0 {
            out.prepare(&self.types);
            for (to, from) in out.columns.iter_mut().zip(&self.kept.columns) {
                to.extend_range(from, self.given, self.given + n);
            }
            out.set_physical_rows(n);
            cx.work.spend(n as u32);
            if self.bytes >= Batch::FULL_BYTES {
                cx.work.spend_bytes(out.accounted_bytes());
            }
            self.given += n;
        }
        Ok(match self.child {
            _ if n < rest => Step::More,
            Child::Running => Step::Need(0),
            Child::Ended => Step::Done,
        })
    }

    fn rescan(&mut self, _cx: &mut ExecCx, changed: Changed) -> Restart {
        self.given = 0;
        if !changed.port(0) {
            return Restart::Nothing;
        }
        self.kept.reset(&self.types, 0);
        self.bytes = 0;
        self.holding.shrink(self.holding.bytes());
        self.child = Child::Running;
        Restart::All
    }

    fn report(&self, facts: &mut OperatorFacts) {
        facts.peak_memory += self.holding.peak();
    }
}
