//! A naive evaluator of plans over vectors of optional integers. It shares nothing with the
//! operators: every node gives its rows and, behind them, the error it ends in. An error that nobody
//! reaches (behind a LIMIT, in an InitPlan not needed) is dropped, which is what laziness means.

mod eval;
mod joins;

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;

use crate::bind::{Expr, ParamId, SetOperation};
use crate::plan::{
    AggregateSpec, AggregateStrategy, ApplyResult, NodeKind, Plan, PlanNode, PlannedTest,
    SetTarget, SubPlanKind, SubPlanResult,
};

use super::rows_of;
use eval::compare;
use joins::Join;

/// Booleans are 0 and 1.
pub type Value = Option<i64>;
pub type Row = Vec<Value>;
/// An error's message.
pub type Failure = String;

/// What a node gives: rows, then perhaps an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    pub rows: Vec<Row>,
    pub failure: Option<Failure>,
}

pub struct Reference<'a> {
    plan: &'a Plan,
    params: RefCell<HashMap<ParamId, Value>>,
    produced: RefCell<HashMap<ParamId, Result<Value, Failure>>>,
    work_tables: RefCell<HashMap<ParamId, Vec<Row>>>,
}

pub fn run(plan: &Plan) -> Stream {
    let reference = Reference {
        plan,
        params: RefCell::new(HashMap::new()),
        produced: RefCell::new(HashMap::new()),
        work_tables: RefCell::new(HashMap::new()),
    };
    reference.node(&plan.root)
}

/// Builds a stream row by row until something fails.
fn stream(build: impl FnOnce(&mut Vec<Row>) -> Result<(), Failure>) -> Stream {
    let mut rows = Vec::new();
    let failure = build(&mut rows).err();
    Stream { rows, failure }
}

fn truth(value: Value) -> bool {
    value == Some(1)
}

impl Reference<'_> {
    fn node(&self, node: &PlanNode) -> Stream {
        let own = self.own(node);
        let filtered = match &node.filter {
            Some(filter) => self.each(own, |row, out| {
                if self.passes(filter, &row)? {
                    out.push(row);
                }
                Ok(())
            }),
            None => own,
        };
        match &node.project {
            Some(targets) => self.each(filtered, |row, out| {
                out.push(
                    targets
                        .iter()
                        .map(|target| self.eval(target, &row))
                        .collect::<Result<_, _>>()?,
                );
                Ok(())
            }),
            None => filtered,
        }
    }

    /// Maps a stream's rows in order; its own failure comes behind them.
    fn each(
        &self,
        input: Stream,
        mut map: impl FnMut(Row, &mut Vec<Row>) -> Result<(), Failure>,
    ) -> Stream {
        stream(|out| {
            for row in input.rows {
                map(row, out)?;
            }
            input.failure.map_or(Ok(()), Err)
        })
    }

    fn own(&self, node: &PlanNode) -> Stream {
        match &node.kind {
            NodeKind::SeqScan(scan) => {
                let (rows, fails_at) = rows_of(&scan.table.name);
                stream(|out| {
                    let mut keys: Option<Vec<(usize, &PlannedTest, Value)>> = None;
                    for (at, row) in rows.iter().enumerate() {
                        if keys.is_none() {
                            let mut known = Vec::new();
                            for key in &scan.keys {
                                match &key.test {
                                    test @ PlannedTest::Compare { column, value, .. } => {
                                        known.push((*column, test, self.eval(value, &[])?));
                                    }
                                    test @ PlannedTest::Null { column, .. } => {
                                        known.push((*column, test, None))
                                    }
                                    other => panic!("the generator makes no {other:?}"),
                                }
                            }
                            keys = Some(known);
                        }
                        if fails_at == Some(at) {
                            return Err("invalid page in block 0 of the test table".to_string());
                        }
                        let passes =
                            keys.iter()
                                .flatten()
                                .all(|(column, test, value)| match test {
                                    PlannedTest::Compare { op, .. } => {
                                        match (row[*column], value) {
                                            (Some(a), Some(b)) => op.holds(a.cmp(b)),
                                            _ => false,
                                        }
                                    }
                                    PlannedTest::Null { negated, .. } => {
                                        row[*column].is_none() != *negated
                                    }
                                    _ => false,
                                });
                        if passes {
                            out.push(scan.columns.iter().map(|&column| row[column]).collect());
                        }
                    }
                    Ok(())
                })
            }
            NodeKind::Result { one_time_filter } => {
                let passes = match one_time_filter {
                    Some(filter) => self.eval(filter, &[]).map(truth),
                    None => Ok(true),
                };
                match (passes, node.children.first()) {
                    (Err(failure), _) => Stream {
                        rows: Vec::new(),
                        failure: Some(failure),
                    },
                    (Ok(false), _) => Stream {
                        rows: Vec::new(),
                        failure: None,
                    },
                    (Ok(true), None) => Stream {
                        rows: vec![Vec::new()],
                        failure: None,
                    },
                    (Ok(true), Some(child)) => self.node(child),
                }
            }
            NodeKind::FunctionScan { args, .. } => stream(|out| {
                let values = args
                    .iter()
                    .map(|arg| self.eval(arg, &[]))
                    .collect::<Result<Row, _>>()?;
                out.extend(series(&values)?.into_iter().map(|value| vec![value]));
                Ok(())
            }),
            NodeKind::ValuesScan { rows, .. } => stream(|out| {
                for row in rows {
                    out.push(
                        row.iter()
                            .map(|value| self.eval(value, &[]))
                            .collect::<Result<_, _>>()?,
                    );
                }
                Ok(())
            }),
            NodeKind::SubqueryScan { .. }
            | NodeKind::Material
            | NodeKind::Memoize { .. }
            | NodeKind::Hash => self.node(&node.children[0]),
            NodeKind::NestedLoop {
                kind,
                join_filter,
                params,
            } => {
                let width = node.children[1].output.len();
                self.each(self.node(&node.children[0]), |outer, out| {
                    for (param, column) in params {
                        self.params.borrow_mut().insert(*param, outer[*column]);
                    }
                    let inner = self.node(&node.children[1]);
                    let candidates = (0..inner.rows.len()).collect();
                    let mut join = Join {
                        kind: *kind,
                        filter: join_filter,
                        width,
                        inner: &inner.rows,
                        matched: vec![false; inner.rows.len()],
                    };
                    self.join(&outer, candidates, inner.failure.clone(), &mut join, out)
                })
            }
            NodeKind::HashJoin {
                kind,
                keys,
                join_filter,
            } => self.hash_join(node, *kind, keys, join_filter),
            NodeKind::MergeJoin {
                kind,
                keys,
                join_filter,
            } => self.merge_join(node, *kind, keys, join_filter),
            NodeKind::Aggregate {
                strategy,
                groups,
                aggregates,
            } => self.aggregate(self.node(&node.children[0]), *strategy, groups, aggregates),
            NodeKind::Sort { keys, bound } => {
                let bound = match bound {
                    None => Ok(None),
                    Some(bound) => self.bound(&bound.limit, &bound.offset),
                };
                let mut input = self.node(&node.children[0]);
                match bound {
                    Err(failure) => input.failure = Some(failure),
                    Ok(bound) => {
                        input.rows.sort_by(|a, b| {
                            keys.iter().fold(Ordering::Equal, |so_far, key| {
                                so_far.then_with(|| {
                                    let (a, b) = (a[key.target], b[key.target]);
                                    match (a, b) {
                                        (Some(a), Some(b)) if key.descending => b.cmp(&a),
                                        (Some(a), Some(b)) => a.cmp(&b),
                                        _ if key.nulls_first => a.is_some().cmp(&b.is_some()),
                                        _ => a.is_none().cmp(&b.is_none()),
                                    }
                                })
                            })
                        });
                        if let Some(bound) = bound {
                            input.rows.truncate(bound);
                        }
                    }
                }
                if input.failure.is_some() {
                    input.rows.clear();
                }
                input
            }
            NodeKind::Limit { limit, offset } => {
                let number = |expr: &Option<Expr>| {
                    expr.as_ref().map_or(Ok(None), |expr| self.eval(expr, &[]))
                };
                let (skip, pass) = match (number(offset), number(limit)) {
                    (Err(failure), _) => {
                        return Stream {
                            rows: Vec::new(),
                            failure: Some(failure),
                        };
                    }
                    (Ok(Some(..0)), _) => return failed("OFFSET must not be negative"),
                    (_, Err(failure)) => {
                        return Stream {
                            rows: Vec::new(),
                            failure: Some(failure),
                        };
                    }
                    (_, Ok(Some(..0))) => return failed("LIMIT must not be negative"),
                    (Ok(skip), Ok(pass)) => {
                        (skip.unwrap_or(0) as usize, pass.map(|pass| pass as usize))
                    }
                };
                if pass == Some(0) {
                    return Stream {
                        rows: Vec::new(),
                        failure: None,
                    };
                }
                let input = self.node(&node.children[0]);
                let enough = pass.is_some_and(|pass| input.rows.len() >= skip + pass);
                Stream {
                    rows: input
                        .rows
                        .into_iter()
                        .skip(skip)
                        .take(pass.unwrap_or(usize::MAX))
                        .collect(),
                    failure: input.failure.filter(|_| !enough),
                }
            }
            NodeKind::Unique { columns } => {
                let mut before: Option<Row> = None;
                self.each(self.node(&node.children[0]), |row, out| {
                    let key: Row = columns.iter().map(|&column| row[column]).collect();
                    if before.as_ref() != Some(&key) {
                        before = Some(key);
                        out.push(row);
                    }
                    Ok(())
                })
            }
            NodeKind::Append => stream(|out| {
                for child in &node.children {
                    let input = self.node(child);
                    out.extend(input.rows);
                    input.failure.map_or(Ok(()), Err)?;
                }
                Ok(())
            }),
            NodeKind::CteScan(scan) => {
                let is_it = |kind: &SubPlanKind| matches!(kind, SubPlanKind::Common { param, .. } if *param == scan.param);
                let query = self.plan.subplans.iter().find(|plan| is_it(&plan.kind));
                self.node(&query.expect("every scan has its query").root)
            }
            NodeKind::WorkTableScan(scan) => Stream {
                rows: self.work_tables.borrow()[&scan.param].clone(),
                failure: None,
            },
            NodeKind::RecursiveUnion { all, param } => stream(|out| {
                let mut run = |child: usize| {
                    let mut input = self.node(&node.children[child]);
                    if !all {
                        let mut seen = out.clone();
                        input.rows.retain(|row| {
                            let new = !seen.contains(row);
                            seen.push(row.clone());
                            new
                        });
                    }
                    out.extend(input.rows.iter().cloned());
                    input.failure.map_or(Ok(input.rows), Err)
                };
                let mut work = run(0)?;
                while !work.is_empty() {
                    self.work_tables.borrow_mut().insert(*param, work);
                    work = run(1)?;
                }
                Ok(())
            }),
            NodeKind::SetOp {
                operation,
                all,
                strategy,
            } => self.set_op(node, *operation, *all, *strategy),
            NodeKind::ProjectSet { targets } => {
                self.each(self.node(&node.children[0]), |row, out| {
                    let mut columns = Vec::new();
                    for target in targets {
                        columns.push(match target {
                            SetTarget::Plain(expr) => Err(self.eval(expr, &row)?),
                            SetTarget::Set { args, .. } => {
                                let values = args
                                    .iter()
                                    .map(|arg| self.eval(arg, &row))
                                    .collect::<Result<Row, _>>()?;
                                Ok(series(&values)?)
                            }
                        });
                    }
                    let longest = columns.iter().flatten().map(Vec::len).max().unwrap_or(0);
                    for i in 0..longest {
                        let value = |column: &Result<Vec<Value>, Value>| match column {
                            Ok(set) => set.get(i).copied().flatten(),
                            Err(plain) => *plain,
                        };
                        out.push(columns.iter().map(value).collect());
                    }
                    Ok(())
                })
            }
            NodeKind::Apply(apply) => self.each(self.node(&node.children[0]), |mut row, out| {
                if let Some(guard) = &apply.guard
                    && !truth(self.eval(guard, &row)?)
                {
                    row.push(None);
                    out.push(row);
                    return Ok(());
                }
                for (param, expr) in &apply.params {
                    let value = self.eval(expr, &row)?;
                    self.params.borrow_mut().insert(*param, value);
                }
                let tests = match &apply.result {
                    ApplyResult::Quantified { test, .. } => test
                        .iter()
                        .map(|test| self.eval(test, &row))
                        .collect::<Result<Row, _>>()?,
                    ApplyResult::Value(_) => Vec::new(),
                };
                let rows = self.node(&self.plan.subplans[apply.subplan].root);
                let value = match &apply.result {
                    ApplyResult::Value(kind) => sub_select(*kind, rows)?,
                    ApplyResult::Quantified { operators, all, .. } => {
                        let mut saw_null = false;
                        let mut decided = false;
                        for theirs in &rows.rows {
                            match compare(&operators[0].name, tests[0], theirs[0]) {
                                None => saw_null = true,
                                Some(holds) if (holds == 1) != *all => {
                                    decided = true;
                                    break;
                                }
                                Some(_) => {}
                            }
                        }
                        match (decided, rows.failure) {
                            (true, _) => Some(i64::from(!all)),
                            (false, Some(failure)) => return Err(failure),
                            (false, None) if saw_null => None,
                            (false, None) => Some(i64::from(*all)),
                        }
                    }
                };
                row.push(value);
                out.push(row);
                Ok(())
            }),
            NodeKind::ModifyTable(_) => panic!("the generator makes no changes"),
        }
    }

    fn set_op(
        &self,
        node: &PlanNode,
        operation: SetOperation,
        all: bool,
        strategy: AggregateStrategy,
    ) -> Stream {
        let input = self.node(&node.children[0]);
        let mut groups: Vec<(Row, [usize; 2])> = Vec::new();
        for mut row in input.rows {
            let side = row.pop().flatten().unwrap_or(0) as usize;
            let at = match groups.iter().position(|(known, _)| *known == row) {
                Some(at) => at,
                None => {
                    groups.push((row, [0, 0]));
                    groups.len() - 1
                }
            };
            groups[at].1[side] += 1;
        }
        if input.failure.is_some() {
            match strategy {
                AggregateStrategy::Hashed => groups.clear(),
                _ => groups.truncate(groups.len().saturating_sub(1)),
            }
        }
        let copies = |[left, right]: [usize; 2]| match (operation, all) {
            (SetOperation::Intersect, true) => left.min(right),
            (SetOperation::Intersect, false) => left.min(right).min(1),
            (SetOperation::Except, true) => left.saturating_sub(right),
            (SetOperation::Except, false) => usize::from(left > 0 && right == 0),
        };
        let rows = groups
            .into_iter()
            .flat_map(|(row, counts)| std::iter::repeat_n(row, copies(counts)))
            .collect();
        Stream {
            rows,
            failure: input.failure,
        }
    }

    fn bound(&self, limit: &Expr, offset: &Option<Expr>) -> Result<Option<usize>, Failure> {
        let skip = offset
            .as_ref()
            .map_or(Ok(None), |expr| self.eval(expr, &[]))?
            .unwrap_or(0)
            .max(0);
        Ok(self
            .eval(limit, &[])?
            .map(|pass| (skip + pass.max(0)) as usize))
    }

    fn aggregate(
        &self,
        input: Stream,
        strategy: AggregateStrategy,
        groups: &[Expr],
        aggregates: &[AggregateSpec],
    ) -> Stream {
        let mut keys: Vec<Row> = Vec::new();
        let mut members: Vec<Vec<Vec<Value>>> = Vec::new();
        if strategy == AggregateStrategy::Plain {
            keys.push(Vec::new());
            members.push(vec![Vec::new(); aggregates.len()]);
        }
        let failure = self
            .each(input, |row, _| {
                let key = groups
                    .iter()
                    .map(|group| self.eval(group, &row))
                    .collect::<Result<Row, _>>()?;
                let known = match strategy {
                    AggregateStrategy::Sorted => keys
                        .last()
                        .filter(|last| **last == key)
                        .map(|_| keys.len() - 1),
                    _ => keys.iter().position(|known| *known == key),
                };
                let at = known.unwrap_or_else(|| {
                    keys.push(key);
                    members.push(vec![Vec::new(); aggregates.len()]);
                    keys.len() - 1
                });
                for (call, values) in aggregates.iter().zip(&mut members[at]) {
                    if let Some(filter) = &call.filter
                        && !self.passes(filter, &row)?
                    {
                        continue;
                    }
                    match call.args.first() {
                        Some(arg) => values.push(self.eval(arg, &row)?),
                        None => values.push(Some(1)),
                    }
                }
                Ok(())
            })
            .failure;
        let rows = keys.into_iter().zip(members).map(|(mut key, members)| {
            for (call, values) in aggregates.iter().zip(members) {
                let mut known: Vec<i64> = values.into_iter().flatten().collect();
                if call.distinct {
                    known.sort_unstable();
                    known.dedup();
                }
                key.push(match &*call.function.name {
                    "count" => Some(known.len() as i64),
                    "sum" => known.iter().copied().reduce(|a, b| a + b),
                    "min" => known.iter().copied().min(),
                    "max" => known.iter().copied().max(),
                    other => panic!("the generator makes no {other}"),
                });
            }
            key
        });
        let mut rows: Vec<Row> = rows.collect();
        if failure.is_some() {
            // Closed groups of sorted input have been given; the one at hand has not.
            match strategy {
                AggregateStrategy::Sorted => rows.truncate(rows.len().saturating_sub(1)),
                _ => rows.clear(),
            }
        }
        Stream { rows, failure }
    }
}

fn failed(message: &str) -> Stream {
    Stream {
        rows: Vec::new(),
        failure: Some(message.to_string()),
    }
}

/// `generate_series(start, stop)`
fn series(args: &[Value]) -> Result<Vec<Value>, Failure> {
    match args {
        [Some(start), Some(stop)] => Ok((*start..=*stop).map(Some).collect()),
        _ => Ok(Vec::new()),
    }
}

fn sub_select(kind: SubPlanResult, rows: Stream) -> Result<Value, Failure> {
    match (kind, rows.rows.len(), rows.failure) {
        (SubPlanResult::Exists, 1.., _) => Ok(Some(1)),
        (SubPlanResult::Scalar, 2.., _) => {
            Err("more than one row returned by a subquery used as an expression".to_string())
        }
        (_, _, Some(failure)) => Err(failure),
        (SubPlanResult::Exists, 0, None) => Ok(Some(0)),
        (SubPlanResult::Scalar, 0, None) => Ok(None),
        (SubPlanResult::Scalar, _, None) => Ok(rows.rows[0][0]),
        (SubPlanResult::Array(_), ..) => panic!("the generator makes no arrays"),
    }
}
