//! Scan keys in the making: conditions whose values are computed when the scan asks for them.

use std::rc::Rc;

use crate::am::ScanKey;
use crate::bind::{Expr, ParamId};
use crate::error::Result;
use crate::exec::context::ExecCx;
use crate::expr::{EvalCounters, Program, StopCause};
use crate::plan::{PlannedKey, PlannedTest};
use crate::value::{BooleanTest, Comparison};

/// A [`PlannedTest`] with its expressions compiled.
enum KeyTest {
    Compare {
        column: usize,
        op: Comparison,
        value: Program,
    },
    Array {
        column: usize,
        op: Comparison,
        any: bool,
        array: Program,
    },
    Null {
        column: usize,
        negated: bool,
    },
    Boolean {
        column: usize,
        test: BooleanTest,
    },
    Row {
        columns: Vec<usize>,
        op: Comparison,
        values: Vec<Program>,
    },
    Prefix {
        column: usize,
        prefix: Rc<str>,
    },
    AnyOf(Vec<Vec<KeyTest>>),
}

/// The keys of a scan.
pub(in crate::exec) struct KeyTests {
    tests: Vec<KeyTest>,
    params: Vec<ParamId>,
}

impl KeyTests {
    pub(in crate::exec) fn compile(keys: &[PlannedKey]) -> Result<Self> {
        let mut params = Vec::new();
        let tests = keys
            .iter()
            .map(|key| compile(&key.test, &mut params))
            .collect::<Result<_>>()?;
        Ok(KeyTests { tests, params })
    }

    pub(in crate::exec) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// The parameters the values depend on.
    pub(in crate::exec) fn params(&self) -> &[ParamId] {
        &self.params
    }

    /// Computes all values. Errors: those of the expressions, or a parameter to be produced first.
    pub(in crate::exec) fn evaluate(&mut self, cx: &mut ExecCx) -> Result<Vec<ScanKey>, StopCause> {
        self.tests
            .iter_mut()
            .map(|test| evaluate(test, cx))
            .collect()
    }
}

fn program(expr: &Expr, params: &mut Vec<ParamId>) -> Result<Program> {
    let program = Program::compile(expr)?;
    params.extend_from_slice(program.params());
    Ok(program)
}

fn compile(test: &PlannedTest, params: &mut Vec<ParamId>) -> Result<KeyTest> {
    Ok(match test {
        PlannedTest::Compare { column, op, value } => KeyTest::Compare {
            column: *column,
            op: *op,
            value: program(value, params)?,
        },
        PlannedTest::Array {
            column,
            op,
            any,
            array,
        } => KeyTest::Array {
            column: *column,
            op: *op,
            any: *any,
            array: program(array, params)?,
        },
        PlannedTest::Null { column, negated } => KeyTest::Null {
            column: *column,
            negated: *negated,
        },
        PlannedTest::Boolean { column, test } => KeyTest::Boolean {
            column: *column,
            test: *test,
        },
        PlannedTest::Row {
            columns,
            op,
            values,
        } => KeyTest::Row {
            columns: columns.clone(),
            op: *op,
            values: values
                .iter()
                .map(|value| program(value, params))
                .collect::<Result<_>>()?,
        },
        PlannedTest::Prefix { column, prefix } => KeyTest::Prefix {
            column: *column,
            prefix: Rc::clone(prefix),
        },
        PlannedTest::AnyOf(groups) => KeyTest::AnyOf(
            groups
                .iter()
                .map(|group| group.iter().map(|test| compile(test, params)).collect())
                .collect::<Result<_>>()?,
        ),
    })
}

fn evaluate(test: &mut KeyTest, cx: &mut ExecCx) -> Result<ScanKey, StopCause> {
    // Key values are no quals: their evaluation is not counted as one.
    let mut counters = EvalCounters::default();
    let mut scalar =
        |program: &mut Program, cx: &mut ExecCx| program.eval_scalar(&mut cx.eval(&mut counters));
    Ok(match test {
        KeyTest::Compare { column, op, value } => ScanKey::Compare {
            column: *column,
            op: *op,
            value: scalar(value, cx)?,
        },
        KeyTest::Array {
            column,
            op,
            any,
            array,
        } => ScanKey::Array {
            column: *column,
            op: *op,
            any: *any,
            array: scalar(array, cx)?,
        },
        KeyTest::Null { column, negated } => ScanKey::Null {
            column: *column,
            negated: *negated,
        },
        KeyTest::Boolean { column, test } => ScanKey::Boolean {
            column: *column,
            test: *test,
        },
        KeyTest::Row {
            columns,
            op,
            values,
        } => ScanKey::Row {
            columns: columns.clone(),
            op: *op,
            values: values
                .iter_mut()
                .map(|value| scalar(value, cx))
                .collect::<Result<_, _>>()?,
        },
        KeyTest::Prefix { column, prefix } => ScanKey::Prefix {
            column: *column,
            prefix: Rc::clone(prefix),
        },
        KeyTest::AnyOf(groups) => ScanKey::AnyOf(
            groups
                .iter_mut()
                .map(|group| group.iter_mut().map(|test| evaluate(test, cx)).collect())
                .collect::<Result<_, _>>()?,
        ),
    })
}
