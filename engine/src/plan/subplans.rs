//! Sub-selects in expressions: InitPlans where they are uncorrelated, Apply nodes where they are not.
//!
//! An uncorrelated sub-select becomes a parameter that its InitPlan sets, once and lazily. A
//! correlated one becomes a parameter too, but only until the expression is lowered onto a node: then
//! an Apply goes between, which computes the value for each row as one more column.

use super::lower::lower;
use super::node::*;
use super::planner::{Built, OuterLevel, OuterReference, Planner};
use super::quals::conjunction;
use super::same::same;
use super::walk::{Rels, contains, is_volatile};
use crate::bind::{Body, Expr, ExprKind, ParamId, Query, Sublink, SublinkKind};
use crate::catalog::OperatorRef;
use crate::error::{Error, Result};
use crate::value::{BooleanTest, Type};

/// A correlated sub-select that waits for the node where its value is needed.
#[derive(Clone)]
pub(super) struct PendingApply {
    pub subplan: usize,
    pub result: PendingResult,
    /// The columns of this level it needs.
    pub references: Vec<OuterReference>,
}

#[derive(Clone)]
pub(super) enum PendingResult {
    Value(SubPlanResult),
    Quantified {
        test: Vec<Expr>,
        operators: Vec<OperatorRef>,
        all: bool,
    },
}

impl Planner<'_> {
    /// Makes an expression of this level ready for planning: columns of enclosing SELECTs and
    /// sub-selects become parameters, constants are folded.
    pub fn prepare(&mut self, expr: Expr) -> Result<Expr> {
        let mut expr = self.fold(expr)?;
        self.replace_outer_and_sublinks(&mut expr)?;
        Ok(expr)
    }

    fn replace_outer_and_sublinks(&mut self, expr: &mut Expr) -> Result<()> {
        let mut failed = Ok(());
        expr.each_child_mut(|child| {
            if failed.is_ok() {
                failed = self.replace_outer_and_sublinks(child);
            }
        });
        failed?;
        match &expr.kind {
            ExprKind::Var(var) if var.up > 0 => {
                let param = self.outer_param(expr, *var)?;
                expr.kind = ExprKind::Param(param);
            }
            ExprKind::Sublink(_) => {
                if let Some(planned) = self.shared_sublink(expr) {
                    expr.kind = planned;
                    return Ok(());
                }
                let written = self.shared_sublinks.is_some().then(|| expr.clone());
                let taken = std::mem::replace(&mut expr.kind, ExprKind::CaseValue);
                if let ExprKind::Sublink(link) = taken {
                    expr.kind = self.plan_sublink(*link, expr.ty)?;
                }
                if let (Some(shared), Some(written)) = (&mut self.shared_sublinks, written) {
                    shared.push((written, expr.kind.clone()));
                }
            }
            // `x NOT IN (SELECT …)`, now that it is a test of an array.
            ExprKind::Not(arg) if matches!(arg.kind, ExprKind::ScalarArray { .. }) => {
                let test = (**arg).clone();
                expr.kind = self.negate(test)?.kind;
            }
            _ => {}
        }
        Ok(())
    }

    /// What an equal sub-select of the level was planned as, where groups are made of sub-selects.
    fn shared_sublink(&self, expr: &Expr) -> Option<ExprKind> {
        let shared = self.shared_sublinks.as_ref()?;
        let (_, planned) = shared.iter().find(|(written, _)| same(written, expr))?;
        Some(planned.clone())
    }

    fn plan_sublink(&mut self, link: Sublink, ty: Type) -> Result<ExprKind> {
        let Sublink {
            kind,
            mut query,
            correlated,
        } = link;
        match kind {
            SublinkKind::Exists => {
                simplify_exists(&mut query);
                self.plan_value(query, correlated, SubPlanResult::Exists)
            }
            SublinkKind::Scalar => self.plan_value(query, correlated, SubPlanResult::Scalar),
            SublinkKind::Array => {
                self.plan_value(query, correlated, SubPlanResult::Array(ty.element()))
            }
            SublinkKind::Any { test, operators } => {
                self.plan_quantified(query, correlated, test, operators, false)
            }
            SublinkKind::All { test, operators } => {
                self.plan_quantified(query, correlated, test, operators, true)
            }
        }
    }

    /// Plans the query one level further in; the columns of this level it refers to come back with it.
    pub fn plan_inner(&mut self, query: Query) -> Result<(PlanNode, Vec<OuterReference>)> {
        self.outer.push(OuterLevel::default());
        let planned = self.query(query);
        let references = self
            .outer
            .pop()
            .map(|level| level.references)
            .unwrap_or_default();
        Ok((planned?, references))
    }

    fn plan_value(
        &mut self,
        query: Query,
        correlated: bool,
        result: SubPlanResult,
    ) -> Result<ExprKind> {
        let (root, references) = self.plan_inner(query)?;
        let param = if correlated {
            self.add_pending(root, references, PendingResult::Value(result))
        } else {
            self.add_init_plan(root, result)
        };
        Ok(ExprKind::Param(param))
    }

    fn add_init_plan(&mut self, root: PlanNode, result: SubPlanResult) -> ParamId {
        let param = self.new_param();
        self.init_plans.push(self.subplans.len());
        self.subplans.push(SubPlan {
            kind: SubPlanKind::Init { result, param },
            parent: root.id,
            root,
        });
        param
    }

    fn add_pending(
        &mut self,
        root: PlanNode,
        references: Vec<OuterReference>,
        result: PendingResult,
    ) -> ParamId {
        let param = self.new_param();
        let subplan = self.subplans.len();
        self.subplans.push(SubPlan {
            kind: SubPlanKind::Correlated { param },
            parent: root.id,
            root,
        });
        self.pending.insert(
            param,
            PendingApply {
                subplan,
                result,
                references,
            },
        );
        param
    }

    /// `x op ANY (SELECT …)`: over one column and uncorrelated it is a test against an array that an
    /// InitPlan collects; NULLs and the empty set mean the same there.
    fn plan_quantified(
        &mut self,
        query: Query,
        correlated: bool,
        mut test: Vec<Expr>,
        mut operators: Vec<OperatorRef>,
        all: bool,
    ) -> Result<ExprKind> {
        let element = query.columns.first().map(|column| column.ty);
        let (root, references) = self.plan_inner(query)?;
        if !correlated
            && test.len() == 1
            && let (Some(left), Some(operator), Some(element)) =
                (test.pop(), operators.pop(), element)
        {
            let param = self.add_init_plan(root, SubPlanResult::Array(element));
            let array = Box::new(Expr::new(ExprKind::Param(param), element.to_array()));
            return Ok(ExprKind::ScalarArray {
                operator,
                any: !all,
                left: Box::new(left),
                array,
            });
        }
        let root = if correlated {
            root
        } else {
            self.materialize(root)
        };
        let param = self.add_pending(
            root,
            references,
            PendingResult::Quantified {
                test,
                operators,
                all,
            },
        );
        Ok(ExprKind::Param(param))
    }

    /// The pending sub-selects in an expression, each with the condition under which it is needed.
    /// What is a column already needs none.
    fn pending_in(
        &self,
        expr: &Expr,
        columns: &[Expr],
        guards: &mut Vec<Expr>,
        found: &mut Vec<(ParamId, Option<Expr>)>,
    ) {
        if super::lower::position(expr, columns).is_some() {
            return;
        }
        let mut under = |planner: &Self, child: &Expr, guard: Option<Expr>| {
            let depth = guards.len();
            guards.extend(guard);
            planner.pending_in(child, columns, guards, found);
            guards.truncate(depth);
        };
        match &expr.kind {
            ExprKind::Param(param) if self.pending.contains_key(param) => {
                let usable = guards
                    .iter()
                    .filter(|guard| !is_volatile(guard))
                    .cloned()
                    .collect();
                found.push((*param, conjunction(usable)));
            }
            ExprKind::And(args) | ExprKind::Or(args) => {
                let test = match expr.kind {
                    ExprKind::And(_) => BooleanTest::IsNotFalse,
                    _ => BooleanTest::IsNotTrue,
                };
                for (i, arg) in args.iter().enumerate() {
                    let before = args[..i].iter().map(|arg| truth(arg, test)).collect();
                    under(self, arg, conjunction(before));
                }
            }
            ExprKind::Case {
                operand: None,
                arms,
                otherwise,
            } => {
                let mut before: Vec<Expr> = Vec::new();
                for (when, then) in arms {
                    under(self, when, conjunction(before.clone()));
                    let mut reached = before.clone();
                    reached.push(truth(when, BooleanTest::IsTrue));
                    under(self, then, conjunction(reached));
                    before.push(truth(when, BooleanTest::IsNotTrue));
                }
                if let Some(otherwise) = otherwise {
                    under(self, otherwise, conjunction(before));
                }
            }
            ExprKind::Coalesce(args) => {
                for (i, arg) in args.iter().enumerate() {
                    let before = args[..i].iter().map(is_null).collect();
                    under(self, arg, conjunction(before));
                }
            }
            _ => expr.each_child(|child| under(self, child, None)),
        }
    }

    pub fn has_pending(&self, expr: &Expr) -> bool {
        !self.pending.is_empty()
            && contains(
                expr,
                &|e| matches!(e.kind, ExprKind::Param(param) if self.pending.contains_key(&param)),
            )
    }

    /// The range-table entries that the pending sub-selects in an expression need.
    pub fn pending_rels(&self, expr: &Expr) -> Rels {
        let mut needed = Vec::new();
        self.pending_in(expr, &[], &mut Vec::new(), &mut needed);
        let mut rels = Rels::default();
        for (param, guard) in needed {
            let standing = Expr::new(ExprKind::Param(param), Type::VOID);
            for part in guard.iter().chain([&standing]) {
                self.each_needed_var(part, &mut |var, _| rels.insert(var.rel));
            }
        }
        rels
    }

    /// Puts an Apply above the node for each pending sub-select that the expressions need.
    pub fn apply_pending<'e>(
        &mut self,
        mut built: Built,
        exprs: impl IntoIterator<Item = &'e Expr>,
    ) -> Result<Built> {
        let mut needed = Vec::new();
        for expr in exprs {
            self.pending_in(expr, &built.columns, &mut Vec::new(), &mut needed);
        }
        // Needed in two places: where either guard holds.
        let mut once: Vec<(ParamId, Option<Expr>)> = Vec::new();
        for (param, guard) in needed {
            match once.iter_mut().find(|(known, _)| *known == param) {
                None => once.push((param, guard)),
                Some((_, known)) => {
                    *known = known.take().zip(guard).map(|(a, b)| {
                        Expr::new(
                            ExprKind::Or(vec![
                                truth(&a, BooleanTest::IsTrue),
                                truth(&b, BooleanTest::IsTrue),
                            ]),
                            Type::BOOL,
                        )
                    });
                }
            }
        }
        for (param, guard) in once {
            built = self.apply(built, param, guard)?;
        }
        Ok(built)
    }

    fn apply(&mut self, built: Built, param: ParamId, guard: Option<Expr>) -> Result<Built> {
        let standing = Expr::new(ExprKind::Param(param), Type::VOID);
        if built
            .columns
            .iter()
            .any(|column| matches!(column.kind, ExprKind::Param(p) if p == param))
        {
            return Ok(built);
        }
        let Some(pending) = self.pending.get(&param).cloned() else {
            return Err(Error::internal(
                "a sub-select is applied that is not pending",
            ));
        };
        // A test or a guard may hold sub-selects of its own: those are computed below.
        let mut inner: Vec<Expr> = guard.iter().cloned().collect();
        if let PendingResult::Quantified { test, .. } = &pending.result {
            inner.extend(test.iter().cloned());
        }
        let Built {
            node,
            mut columns,
            lateral,
        } = self.apply_pending(built, &inner)?;
        let (result, ty) = match pending.result {
            PendingResult::Value(result) => {
                let root = &self.subplans[pending.subplan].root;
                let ty = match result {
                    SubPlanResult::Scalar => root
                        .output
                        .first()
                        .map_or(Type::UNKNOWN, |column| column.ty),
                    SubPlanResult::Exists => Type::BOOL,
                    SubPlanResult::Array(element) => element.to_array(),
                };
                (ApplyResult::Value(result), ty)
            }
            PendingResult::Quantified {
                test,
                operators,
                all,
            } => {
                let test = test
                    .iter()
                    .map(|expr| lower(expr, &columns))
                    .collect::<Result<_>>()?;
                (
                    ApplyResult::Quantified {
                        test,
                        operators,
                        all,
                    },
                    Type::BOOL,
                )
            }
        };
        let params = pending
            .references
            .iter()
            .map(|reference| Ok((reference.param, lower(&reference.column, &columns)?)))
            .collect::<Result<Vec<_>>>()?;
        let guard = guard.map(|guard| lower(&guard, &columns)).transpose()?;
        let estimate = self.apply_estimate(&node, pending.subplan);
        let mut output = node.output.clone();
        output.push(OutputColumn {
            label: "?column?".into(),
            ty,
        });
        let apply = Apply {
            subplan: pending.subplan,
            result,
            params,
            guard,
        };
        let node = self.node(NodeKind::Apply(apply), vec![node], output, estimate);
        self.subplans[pending.subplan].parent = node.id;
        columns.push(Expr { ty, ..standing });
        Ok(Built {
            node,
            columns,
            lateral,
        })
    }
}

/// EXISTS looks at no column and at one row only, so neither the targets nor their order matter.
fn simplify_exists(query: &mut Query) {
    if let Body::Select(select) = &mut query.body
        && !select.aggregated
        && !select.distinct
        && query.limit.is_none()
        && query.offset.is_none()
        && !select
            .targets
            .iter()
            .any(|target| super::walk::returns_set(&target.expr))
    {
        query.order_by.clear();
        query.columns.clear();
        select.targets.clear();
    }
}

fn truth(expr: &Expr, test: BooleanTest) -> Expr {
    Expr::new(
        ExprKind::BooleanTest {
            arg: Box::new(expr.clone()),
            test,
        },
        Type::BOOL,
    )
}

fn is_null(expr: &Expr) -> Expr {
    Expr::new(
        ExprKind::NullTest {
            arg: Box::new(expr.clone()),
            negated: false,
        },
        Type::BOOL,
    )
}
