//! Shared producers: InitPlans and WITH queries. Run once, lazily, by the operators that need their value or
//! their next rows.

use super::context::ExecCx;
use super::driver::{Driver, Flow};
use super::ops::shared_rows::SharedRows;
use super::tree::{OpId, Tree};
use crate::bind::ParamId;
use crate::error::{Error, Result, sqlstate};
use crate::memory::{Holding, Memory};
use crate::plan::SubPlanResult;
use crate::settings;
use crate::value::{Array, Batch, Column, Datum};
use std::rc::Rc;

/// What a sub-select's rows come to, gathered batch by batch.
#[derive(Debug)]
pub(super) struct Gathered {
    kind: SubPlanResult,
    rows: usize,
    value: Datum,
    elements: Option<Column>,
    /// For the elements.
    holding: Holding,
}

impl Gathered {
    pub(super) fn new(kind: SubPlanResult, memory: &Memory) -> Self {
        Gathered {
            kind,
            rows: 0,
            value: Datum::Null,
            elements: None,
            holding: memory.holding(),
        }
    }

    pub(super) fn reset(&mut self) {
        self.rows = 0;
        self.value = Datum::Null;
        self.elements = None;
        self.holding.shrink(self.holding.bytes());
    }

    /// How many rows to ask for at a time: no more than decide the value.
    pub(super) fn demand(&self, batch_rows: usize) -> usize {
        match self.kind {
            SubPlanResult::Exists => 1,
            SubPlanResult::Scalar => batch_rows.min(2),
            SubPlanResult::Array(_) => batch_rows,
        }
    }

    /// Takes rows in. True if the value is known now, whatever comes after. Errors: 21000, 53200.
    pub(super) fn add(&mut self, batch: &Batch) -> Result<bool> {
        self.rows += batch.len();
        match self.kind {
            SubPlanResult::Exists => return Ok(true),
            SubPlanResult::Scalar if self.rows > 1 => return Err(too_many_rows()),
            SubPlanResult::Scalar => self.value = batch.columns[0].get(batch.row(0)),
            SubPlanResult::Array(element) => {
                let elements = self.elements.get_or_insert_with(|| Column::new(element));
                let before = elements.len();
                for row in batch.rows().iter() {
                    elements.push_from(&batch.columns[0], row);
                }
                self.holding.grow(elements.accounted_from(before))?;
            }
        }
        Ok(false)
    }

    pub(super) fn take(&mut self) -> Datum {
        match self.kind {
            SubPlanResult::Exists => Datum::Bool(self.rows > 0),
            SubPlanResult::Scalar => std::mem::replace(&mut self.value, Datum::Null),
            SubPlanResult::Array(element) => {
                let elements = self.elements.take().unwrap_or_else(|| Column::new(element));
                Datum::Array(Rc::new(Array::new(elements)))
            }
        }
    }
}

#[cold]
fn too_many_rows() -> Error {
    Error::new(
        sqlstate::CARDINALITY_VIOLATION,
        "more than one row returned by a subquery used as an expression",
    )
}

/// What a producer's rows become.
#[derive(Debug)]
pub(super) enum Output {
    /// The parameter's value.
    Value(Gathered),
    /// Rows that others read. The parameter has no value; it stands for them.
    Rows(SharedRows),
}

/// A tree of its own that gives a parameter its value.
#[derive(Debug)]
pub(super) struct Producer {
    root: OpId,
    param: ParamId,
    driver: Driver,
    output: Output,
    /// How it failed: whoever else needs the parameter before the statement ends fails alike.
    failed: Option<Error>,
}

impl Producer {
    pub(super) fn new(
        driver: settings::Driver,
        root: OpId,
        param: ParamId,
        output: Output,
    ) -> Self {
        Producer {
            root,
            param,
            driver: Driver::new(driver, root),
            output,
            failed: None,
        }
    }

    pub(super) fn root(&self) -> OpId {
        self.root
    }

    pub(super) fn param(&self) -> ParamId {
        self.param
    }

    pub(super) fn reset(&mut self) {
        self.driver.reset();
        match &mut self.output {
            Output::Value(gathered) => gathered.reset(),
            Output::Rows(rows) => rows.borrow_mut().clear(),
        }
        self.failed = None;
    }

    fn run(&mut self, tree: &mut Tree, cx: &mut ExecCx) -> Result<Produced> {
        let gathered = match &mut self.output {
            Output::Value(gathered) => gathered,
            Output::Rows(rows) => {
                let want = rows.borrow().want.min(cx.batch_rows);
                match self.driver.run(tree, cx, want)? {
                    Flow::Yield => return Ok(Produced::NotYet),
                    Flow::End => rows.borrow_mut().ended = true,
                    Flow::Rows => rows.borrow_mut().append(tree.out(self.root))?,
                }
                return Ok(Produced::Value);
            }
        };
        loop {
            match self.driver.run(tree, cx, gathered.demand(cx.batch_rows))? {
                Flow::Yield => return Ok(Produced::NotYet),
                Flow::End => break,
                Flow::Rows => {
                    if gathered.add(tree.out(self.root))? {
                        break;
                    }
                }
            }
        }
        cx.params.set(self.param, gathered.take());
        Ok(Produced::Value)
    }
}

/// What running a producer came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Produced {
    /// The parameter has its value, or there are more rows, or none will come.
    Value,
    /// The slice is over; call again.
    NotYet,
}

/// Runs the producer of `param` until the parameter has its value or the slice is over.
#[inline(never)]
pub(super) fn produce(tree: &mut Tree, cx: &mut ExecCx, param: ParamId) -> Result<Produced> {
    if cx.params.get(param).is_some() {
        return Ok(Produced::Value);
    }
    let at = tree
        .producers
        .iter()
        .position(|p| p.as_ref().is_some_and(|p| p.param() == param));
    let Some((at, mut producer)) = at.and_then(|at| Some((at, tree.producers[at].take()?))) else {
        return Err(Error::internal(format!(
            "parameter {param} has no value and no producer"
        )));
    };
    let outcome = match &producer.failed {
        Some(error) => Err(error.clone()),
        None => producer.run(tree, cx),
    };
    if let Err(error) = &outcome {
        producer.failed = Some(error.clone());
    }
    tree.producers[at] = Some(producer);
    outcome
}
